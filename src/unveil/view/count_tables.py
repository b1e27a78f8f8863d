"""Rounded tables, their bounds and their audit in sentences, and as shown in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterable, Iterator
from html import escape

from unveil.records.count_tables import (
    Audit,
    AuditedValue,
    Bounds,
    CellBounds,
    RoundedRow,
    RoundedTable,
)
from unveil.view.format import and_list, format_count, lines, percent, truncate
from unveil.view.html import grid, paragraph, view
from unveil.view.rounding import change
from unveil.view.sap import published_phrase
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "rounded": (
        "{k} of {m} {are} published as another number than {their} count; a published count is off"
        " by {mean} on average."
    ),
    "confidential": (
        "Only the values may be published. How far they are from the counts, and the seed, are"
        " confidential: they can betray the counts of a small table."
    ),
    "suppressed": "{k} of {m} {are} suppressed.",
    "additive": "Margins and total are the sums of what is published.",
    "not additive": "Margins and total are not the sums of what is published.",
    "nothing given": "No count is given away for certain by all that is published together.",
    "given away": (
        "All that is published together gives away the exact count of {k} of {m} possible cells."
    ),
    "recovered": (
        "{k} of them {have} nobody in {them}: whoever reads the release knows that before knowing"
        " anybody."
    ),
    "unbounded": "{k} {have} no upper limit, so that {they} can never be found empty.",
    "not tightest": "{k} {are} bounded for certain, but perhaps not as tightly as can be.",
    "audit none": "Nothing is suppressed, so that nothing can be recomputed.",
    "audit": "{k} of {m} can be recomputed exactly from what is published.",
    "audit within": "{k} of {m} can be estimated within {p} of the true count.",
    "audit open": "{k} could not be settled in time: take them for known.",
}

BOUND_HEADS = ("from", "to", "")
AUDIT_HEADS = ("part", "value", "from", "to", "error", "")
ROUNDED_HEADS = ("part", "value", "published", "from", "to")
NO_LIMIT = "no limit"


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
    """What everything published gives away together, by the name of the figure."""
    m = f"{sum(not cell.structural for cell in record.cells):,}"
    if not record.n_determined:
        yield "given away", TEMPLATES["nothing given"]
    else:
        yield "given away", TEMPLATES["given away"].format(k=f"{record.n_determined:,}", m=m)
    if record.n_recovered:
        have, them = ("has", "it") if record.n_recovered == 1 else ("have", "them")
        k = f"{record.n_recovered:,}"
        yield "recovered", TEMPLATES["recovered"].format(k=k, have=have, them=them)
    if record.n_unbounded:
        have, they = ("has", "it") if record.n_unbounded == 1 else ("have", "they")
        k = format_count(record.n_unbounded, "cell")
        yield "unbounded", TEMPLATES["unbounded"].format(k=k, have=have, they=they)
    if n_open := sum(not cell.tightest for cell in record.cells):
        are = "is" if n_open == 1 else "are"
        yield (
            "not tightest",
            TEMPLATES["not tightest"].format(k=format_count(n_open, "cell"), are=are),
        )


def audit_sentences(record: Audit) -> Iterator[tuple[str, str]]:
    """What can be recomputed of what is suppressed, by the name of the figure."""
    if not record.rows:
        yield "audit", TEMPLATES["audit none"]
        return
    m = format_count(record.n_suppressed, "suppressed value")
    yield "audit", TEMPLATES["audit"].format(k=f"{record.n_exact:,}", m=m)
    if record.protection:
        k, p = f"{record.n_within:,}", percent(record.protection)
        yield "audit within", TEMPLATES["audit within"].format(k=k, m=m, p=p)
    if n_open := sum(not row.tightest for row in record.rows):
        k = format_count(n_open, "suppressed value")
        yield "audit open", TEMPLATES["audit open"].format(k=k)


def bound_cells(row: CellBounds) -> tuple[str, str, str]:
    """One cell under BOUND_HEADS."""
    return f"{row.lower:,}", _top(row.upper), _bound_mark(row)


def _bound_mark(row: CellBounds) -> str:
    if row.structural:
        return "impossible"
    if row.recovered:
        return "■ empty, given away"
    if row.lower == row.upper:
        return "■ given away"
    return "" if row.tightest else "or tighter"


def audit_cells(row: AuditedValue) -> tuple[str, ...]:
    """One suppressed value under AUDIT_HEADS."""
    mark = "■ exactly" if row.exact else "▲ nearly" if row.within else ""
    error = "-" if row.percent is None else percent(row.percent)
    shown = mark or ("" if row.tightest else "not settled")
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


@as_html.register
def _(record: RoundedTable) -> str:
    rows = [_rounded_cells(row) for row in record.rows]
    table = grid("What may be published", ROUNDED_HEADS, rows)
    notes = (TEMPLATES["confidential"], *record.notes)
    return _view(as_text(record), rounded_sentences(record), table, notes)


@as_text.register
def _(record: Bounds) -> str:
    n_possible = sum(not cell.structural for cell in record.cells)
    return (
        f"Bounds of {and_list(record.dims)}: {record.n_determined:,} of"
        f" {format_count(n_possible, 'cell')} given away, {record.n_recovered:,} of them empty"
        f"{'' if record.complete else '; some bounds may be loose'}"
    )


@as_html.register
def _(record: Bounds) -> str:
    heads = ("cell", *BOUND_HEADS)
    rows = [(levels_text(row.levels), *bound_cells(row)) for row in record.cells]
    table = grid("How many people can be in each cell", heads, rows)
    told = (f"Published: {published_phrase(record.schemes)}.", *record.notes)
    return _view(as_text(record), bounds_sentences(record), table, told)


@as_text.register
def _(record: Audit) -> str:
    return (
        f"Audit of {and_list(record.dims)}: {record.n_exact:,} of"
        f" {format_count(record.n_suppressed, 'suppressed value')} can be recomputed,"
        f" {record.n_within:,} within {percent(record.protection)}"
    )


@as_html.register
def _(record: Audit) -> str:
    # Rows would tell how near each suppressed count is, and notebooks store what they show.
    return _view(as_text(record), audit_sentences(record), "", record.notes)


def _view(head: str, said: Iterator[tuple[str, str]], table: str, notes: Iterable[str]) -> str:
    told = [paragraph(sentence) for _, sentence in said]
    return view(
        [f"<h3>{escape(head)}</h3>", *told, table, *(paragraph(lines(note)) for note in notes)]
    )
