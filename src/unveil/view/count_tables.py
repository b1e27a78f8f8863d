"""Rounded tables, their bounds and their audit in sentences and blocks."""

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
from unveil.view.blocks import Block, Heading, Sentence, say, sentences, table
from unveil.view.format import (
    agree,
    and_list,
    format_count,
    people,
    percent,
    probability_figure,
    truncate,
)
from unveil.view.rounding import change
from unveil.view.sap import published_phrase
from unveil.view.show import as_blocks, as_text

ONLY_VALUES = (
    "Only the values may be published. The differences from the counts and the seed are"
    " confidential: they can disclose the counts of a small table."
)
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
        n = record.n_changed
        yield (
            "rounded",
            f"{n:,} of {m} {agree(n)} published as another number than {agree(n, 'its', 'their')}"
            f" count; the mean absolute change of a count is {change(record.mean_absolute)}.",
        )
    if n := record.n_suppressed:
        yield "suppressed", f"{n:,} of {m} {agree(n)} suppressed."
    if record.additive is not None:
        are = "are" if record.additive else "are not"
        yield "additive", f"Margins and total {are} the sums of the published values."


def bounds_sentences(record: Bounds) -> Iterator[tuple[str, str]]:
    """What everything published discloses together, by the name of the figure."""
    m = f"{sum(not cell.structural for cell in record.cells):,} possible cells"
    if not record.n_determined:
        yield "given away", "No count is disclosed exactly by everything published together."
    else:
        k = f"{record.n_determined:,} of {m}"
        yield "given away", f"Everything published together discloses the exact count of {k}."
    if n := record.n_recovered:
        said = f"{n:,} of them {agree(n)} empty: a reader knows this without knowing anyone."
        yield "recovered", said
    if n := record.n_unbounded:
        have, they = agree(n, "has", "have"), agree(n, "it", "they")
        k = format_count(n, "cell")
        yield "unbounded", f"{k} {have} no upper bound, so {they} can never be shown to be empty."
    if n := sum(not cell.tightest for cell in record.cells):
        k = f"{format_count(n, 'cell')} {agree(n)} bounded with certainty"
        yield "not tightest", f"{k}, but perhaps not as tightly as possible."


def audit_sentences(record: Audit) -> Iterator[tuple[str, str]]:
    """What can be recomputed of what is suppressed, by the name of the figure."""
    if not record.rows:
        yield "audit", "Nothing is suppressed, so nothing can be recomputed."
        return
    m = format_count(record.n_suppressed, "suppressed value")
    who = ""
    if record.n_exact_unknown is not None:
        rules = dict.fromkeys(text for _, text in record.schemes if text.startswith("suppress"))
        who = (
            f" by a reader who knows the rule ({and_list(rules)}), and {record.n_exact_unknown:,}"
            " by one who does not"
        )
    exact = f"{record.n_exact:,} of {m} can be recomputed exactly from the published values"
    yield "audit", f"{exact}{who}."
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
    m = format_count(record.n_suppressed, "suppressed value")
    if not record.n_exact:
        return (
            f"■ Time ran out: whether {m} can be recomputed from the published values is not"
            " settled."
        )
    return (
        f"■ {record.n_exact:,} of {m} can be recomputed exactly from the published values. No limit"
        " on SAP covers that: no one need be known."
    )


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
    yield from say(rounded_sentences(record))
    rows = map(_rounded_cells, record.rows)
    yield table("What may be published", ROUNDED_HEADS, rows, text=("value",))
    yield from sentences((ONLY_VALUES, *record.notes))


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
    yield from say(bounds_sentences(record))
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
    yield from say(audit_sentences(record))
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
    small, n = format_count(record.n_small, "small count"), record.n_secondary
    if n:
        values, them = agree(n, "value is", "values are"), agree(n, "it", "them")
        counted = f"{people(record.n_people)} are counted in {them}"
        yield f"{n:,} further {values} suppressed to protect {small}. {counted}."
    else:
        yield f"No further value need be suppressed to protect {small}."
    if record.narrowest is not None:
        yield (
            "To a reader who knows the rule, the bounds of every small count are at least"
            f" {record.narrowest:,} apart ({record.width:,} asked for): every suppressed value was"
            " audited."
        )
    cost, least = f"{record.total_cost:,g}, measured by {record.cost}", f"{record.least_cost:,g}"
    if n and record.proven:
        yield f"No pattern costs less: {cost}."
    elif n:
        yield f"It costs {cost}; no pattern costs less than {least}."


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
