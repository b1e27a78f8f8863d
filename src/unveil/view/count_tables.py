"""Rounded tables, their bounds and their audit in sentences and blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator, Sequence

from unveil.records.count_tables import (
    Audit,
    AuditedValue,
    Bounds,
    CellBounds,
    ProtectedTable,
    ProtectionOption,
    RoundedRow,
    RoundedTable,
)
from unveil.view.blocks import Block, Heading, Sentence, sentences, table
from unveil.view.format import and_list, format_count, people, percent, truncate
from unveil.view.format_probability import probability_figure
from unveil.view.rounding import change
from unveil.view.sap import published_phrase
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "rounded": (
        "{k} of {m} {are} published as another number than {their} count; the mean absolute change"
        " of a count is {mean}."
    ),
    "confidential": (
        "Only the values may be published. The differences from the counts and the seed are"
        " confidential: they can disclose the counts of a small table."
    ),
    "suppressed": "{k} of {m} {are} suppressed.",
    "additive": "Margins and total are the sums of the published values.",
    "not additive": "Margins and total are not the sums of the published values.",
    "given away": (
        "Everything published together discloses the exact count of {k} of {m} possible cells."
    ),
    "recovered": "{k} of them {are} empty: a reader knows this without knowing anyone.",
    "not tightest": "{k} {are} bounded with certainty, but perhaps not as tightly as possible.",
    "recomputed": (
        "■ {k} of {m} can be recomputed exactly from the published values. No limit on SAP covers"
        " that: no one need be known."
    ),
    "recomputed open": (
        "■ Time ran out: whether {m} can be recomputed from the published values is not settled."
    ),
    "audit": "{k} of {m} can be recomputed exactly from the published values.",
    "audit known": (
        "{k} of {m} can be recomputed exactly from the published values by a reader who knows the"
        " rule ({rule}), and {j} by one who does not."
    ),
}

SECONDARY = {
    "more": ("{k} further {values} suppressed to protect {small}. {people} are counted in {them}."),
    "no more": "No further value need be suppressed to protect {small}.",
    "width": (
        "To a reader who knows the rule, the bounds of every small count are at least {w} apart"
        " ({asked} asked for): every suppressed value was audited."
    ),
    "proven": "No pattern costs less: {cost}, measured by {by}.",
    "gap": "It costs {cost}, measured by {by}; no pattern costs less than {least}.",
}
BOUND_HEADS = ("from", "to", "")
AUDIT_HEADS = ("part", "value", "from", "to", "error", "")
ROUNDED_HEADS = ("part", "value", "published", "from", "to")
NO_LIMIT = "no limit"
MOST_CELLS = 40
TRUE_COUNTS = " (true counts are confidential)"
HIDDEN = "Suppressed values (confidential)"


def rounded_sentences(record: RoundedTable) -> Iterator[tuple[str, str]]:
    """What rounding changed, by the name of the figure."""
    m = format_count(record.n_cells, "cell")
    if record.mean_absolute is not None:
        are, their = ("is", "its") if record.n_changed == 1 else ("are", "their")
        said = dict(k=f"{record.n_changed:,}", m=m, are=are, their=their)
        yield "rounded", TEMPLATES["rounded"].format(**said, mean=change(record.mean_absolute))
    if record.n_suppressed:
        are = "is" if record.n_suppressed == 1 else "are"
        k = f"{record.n_suppressed:,}"
        yield "suppressed", TEMPLATES["suppressed"].format(k=k, m=m, are=are)
    if record.additive is not None:
        yield "additive", TEMPLATES["additive" if record.additive else "not additive"]


def bounds_sentences(record: Bounds) -> Iterator[tuple[str, str]]:
    """What everything published discloses together, by the name of the figure."""
    m = f"{sum(not cell.structural for cell in record.cells):,}"
    if not record.n_determined:
        yield "given away", "No count is disclosed exactly by everything published together."
    else:
        yield "given away", TEMPLATES["given away"].format(k=f"{record.n_determined:,}", m=m)
    if record.n_recovered:
        are = "is" if record.n_recovered == 1 else "are"
        yield "recovered", TEMPLATES["recovered"].format(k=f"{record.n_recovered:,}", are=are)
    if record.n_unbounded:
        have, they = ("has", "it") if record.n_unbounded == 1 else ("have", "they")
        k = format_count(record.n_unbounded, "cell")
        yield "unbounded", f"{k} {have} no upper bound, so {they} can never be shown to be empty."
    if n_open := sum(not cell.tightest for cell in record.cells):
        are = "is" if n_open == 1 else "are"
        yield (
            "not tightest",
            TEMPLATES["not tightest"].format(k=format_count(n_open, "cell"), are=are),
        )


def audit_sentences(record: Audit) -> Iterator[tuple[str, str]]:
    """What can be recomputed of what is suppressed, by the name of the figure."""
    if not record.rows:
        yield "audit", "Nothing is suppressed, so nothing can be recomputed."
        return
    m = format_count(record.n_suppressed, "suppressed value")
    kind, said = "audit", {"k": f"{record.n_exact:,}", "m": m}
    if record.n_exact_unknown is not None:
        kind, said["j"] = "audit known", f"{record.n_exact_unknown:,}"
        rules = dict.fromkeys(text for _, text in record.schemes if text.startswith("suppress"))
        said["rule"] = and_list(rules)
    yield "audit", TEMPLATES[kind].format(**said)
    if record.protection:
        k, p = f"{record.n_within:,}", percent(record.protection)
        yield "audit within", f"{k} of {m} can be estimated within {p} of the true count."
    if n_open := sum(not row.tightest for row in record.rows):
        k = format_count(n_open, "suppressed value")
        yield "audit open", f"{k} could not be decided in time: treat them as known."


def recomputed_sentence(record: Audit | None) -> str:
    """That a table with limits discloses what it suppresses, or may; nothing if it does not."""
    if record is None or not record.n_suppressed or (record.complete and not record.n_exact):
        return ""
    kind = "recomputed" if record.n_exact else "recomputed open"
    m = format_count(record.n_suppressed, "suppressed value")
    return TEMPLATES[kind].format(k=f"{record.n_exact:,}", m=m)


def bound_cells(row: CellBounds) -> tuple[str, str, str]:
    """One cell under BOUND_HEADS."""
    return f"{row.lower:,}", _top(row.upper), _bound_mark(row)


def _bound_mark(row: CellBounds) -> str:
    if row.structural:
        return "impossible"
    if row.recovered:
        return "■ empty, disclosed"
    if row.lower == row.upper:
        return "■ disclosed"
    return "" if row.tightest else "or tighter"


def audit_cells(row: AuditedValue) -> tuple[str, ...]:
    """One suppressed value under AUDIT_HEADS."""
    mark = "■ exactly" if row.exact else "▲ nearly" if row.within else ""
    error = "-" if row.percent is None else percent(row.percent)
    shown = mark or ("" if row.tightest else "not decided")
    value = levels_text(row.levels)
    return truncate(row.part), value, f"{row.lower:,}", _top(row.upper), error, shown


def levels_text(levels: tuple[str | None, ...]) -> str:
    """The levels of a cell or a sum, in a table."""
    return ", ".join("(all)" if one is None else truncate(one) for one in levels)


def _top(upper: int | None) -> str:
    return NO_LIMIT if upper is None else f"{upper:,}"


def _rounded_cells(row: RoundedRow) -> tuple[str, ...]:
    shown = "suppressed" if row.published is None else f"{row.published:,}"
    return truncate(row.part), levels_text(row.cell), shown, f"{row.lower:,}", _top(row.upper)


@as_text.register
def _(record: RoundedTable) -> str:
    return (
        f"{record.scheme} of {and_list(record.dims)}: {record.n_changed:,} of"
        f" {format_count(record.n_cells, 'cell')} changed, {record.n_suppressed:,} suppressed; mean"
        f" change {change(record.mean_absolute)}, Hellinger {change(record.hellinger)}"
        " (confidential)"
    )


@as_blocks.register
def _(record: RoundedTable) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from sentences(text for _, text in rounded_sentences(record))
    rows = map(_rounded_cells, record.rows)
    yield table("What may be published", ROUNDED_HEADS, rows, text=("value",))
    yield from sentences((TEMPLATES["confidential"], *record.notes))


@as_text.register
def _(record: Bounds) -> str:
    n_possible = sum(not cell.structural for cell in record.cells)
    return (
        f"Bounds of {and_list(record.dims)}: {record.n_determined:,} of"
        f" {format_count(n_possible, 'cell')} disclosed, {record.n_recovered:,} of them empty"
        f"{'' if record.complete else '; some bounds may be loose'}"
    )


def bounds_blocks(record: Bounds, counts: Sequence[int] | None = None) -> Iterator[Block]:
    """What everything published says together; true counts for the custodian's screen alone."""
    yield Heading("Bounds from everything published together", 4)
    yield Sentence(f"Published: {published_phrase(record.schemes)}.")
    yield from sentences(text for _, text in bounds_sentences(record))
    shown = record.cells if counts is None else record.cells[:MOST_CELLS]
    rows = [
        (levels_text(row.levels), *([f"{counts[row.cell]:,}"] if counts else []), *bound_cells(row))
        for row in shown
    ]
    heads = ("cell", *(("true",) if counts else ()), *BOUND_HEADS)
    caption = f"How many people can be in each cell{'' if counts is None else TRUE_COUNTS}"
    more = _more(record.n_cells, len(shown), "cell")
    yield table(caption, heads, rows, text=("",), footnote=more)


def audit_blocks(record: Audit, *, has_rows: bool = False) -> Iterator[Block]:
    """What can be recomputed of what is suppressed; rows for the custodian's screen alone.

    Rows would disclose how near each suppressed count is, and notebooks store what they show.
    """
    yield Heading("Audit of the suppressed values", 4)
    yield from sentences(text for _, text in audit_sentences(record))
    if has_rows:
        rows = [audit_cells(row) for row in record.rows[:MOST_CELLS]]
        more = _more(len(record.rows), len(rows), "value")
        text, spare = ("value", ""), ("part", "error")
        yield table(HIDDEN, AUDIT_HEADS, rows, text=text, spare=spare, footnote=more)


def _more(n_all: int, n_shown: int, what: str) -> str:
    if n_all <= n_shown:
        return ""
    left = format_count(n_all - n_shown, f"more {what}")
    return f"... and {left}: all of them with --csv or --json"


def protected_sentences(record: ProtectedTable) -> Iterator[str]:
    """What is suppressed to protect small counts, and what that costs."""
    small = format_count(record.n_small, "small count")
    said = {
        "k": f"{record.n_secondary:,}",
        "values": "value is" if record.n_secondary == 1 else "values are",
        "small": small,
        "people": people(record.n_people),
        "them": "it" if record.n_secondary == 1 else "them",
    }
    yield SECONDARY["more" if record.n_secondary else "no more"].format(**said)
    if record.narrowest is not None:
        yield SECONDARY["width"].format(w=f"{record.narrowest:,}", asked=f"{record.width:,}")
    if record.n_secondary:
        yield SECONDARY["proven" if record.proven else "gap"].format(
            cost=f"{record.total_cost:,g}", by=record.cost, least=f"{record.least_cost:,g}"
        )


def protected_blocks(record: ProtectedTable, *, has_rows: bool = False) -> Iterator[Block]:
    """The pattern beside controlled rounding; rows for the custodian's screen alone."""
    yield Heading("Secondary suppression", 4)
    yield from sentences(protected_sentences(record))
    first = record.options[0]
    whose = "SAP" if first.area is None else f"SAP in the worst {first.area}"
    heads = (
        "published as",
        "suppressed",
        "changed",
        "mean change",
        "width",
        f"{whose}, n={first.n}",
    )
    yield table("Ways to publish the table", heads, [_option(one) for one in record.options])
    if has_rows:
        shown = [row for row in record.rows if not row.small][:MOST_CELLS]
        rows = [(truncate(row.part), levels_text(row.levels)) for row in shown]
        more = _more(record.n_secondary, len(rows), "value")
        caption = "Suppressed to protect small counts (confidential)"
        yield table(caption, ("part", "value"), rows, text=("value",), footnote=more)
    yield Sentence(record.notes[-1])


def _option(one: ProtectionOption) -> tuple[str, ...]:
    mean = "-" if one.mean_absolute is None else change(one.mean_absolute)
    width = "-" if one.narrowest is None else f"{one.narrowest:,}"
    risk = probability_figure(one.lower, one.upper)
    return one.scheme, f"{one.n_suppressed:,}", f"{one.n_changed:,}", mean, width, risk


@as_text.register
def _(record: ProtectedTable) -> str:
    return (
        f"Suppression in {and_list(record.dims)}: {record.n_small:,} small,"
        f" {record.n_secondary:,} to protect them (confidential)"
    )


@as_blocks.register
def _(record: ProtectedTable) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from protected_blocks(record)


@as_blocks.register
def _(record: Bounds) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from bounds_blocks(record)
    yield from sentences(record.notes)


@as_text.register
def _(record: Audit) -> str:
    return (
        f"Audit of {and_list(record.dims)}: {record.n_exact:,} of"
        f" {format_count(record.n_suppressed, 'suppressed value')} can be recomputed,"
        f" {record.n_within:,} within {percent(record.protection)}"
    )


@as_blocks.register
def _(record: Audit) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from audit_blocks(record)
    yield from sentences(record.notes)
