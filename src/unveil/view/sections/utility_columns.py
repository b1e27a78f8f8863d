"""Which columns have other shares in the copy? Paired bars, the worst in sight, others folded."""

from collections.abc import Iterator

from unveil.records.comparison import Comparison, DistanceRow
from unveil.view import comparison as compared
from unveil.view.charts.bars import distances
from unveil.view.charts.distributions import distribution
from unveil.view.distribution_rows import HEADS, distribution_rows, shares
from unveil.view.format import format_count, percent, truncate
from unveil.view.html_page import figures, render_details
from unveil.view.pages import utility
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase
from unveil.view.sections.shared import paper_only, render_figure, render_heading, screen_only
from unveil.view.utility import without_empty

IN_SIGHT = 3
LONG = 12
"""Answers in a table that stands in two columns on paper."""
BRIEF = ("column", "total variation", "answer that differs most", "original", "synthetic")
MOST_COLUMNS = 24
"""Columns that bars are drawn of, the most different first."""


def columns(part: str, record: Comparison) -> Iterator[str]:
    """How far every column is from the original, and bars of those that differ most."""
    told = dict(compared.comparison_sentences(record))
    ranked = compared.ranked_rows(record)
    heads, rows = without_empty(compared.DISTANCE_HEADS, compared.ranked_distances(record))
    yield render_heading("Column by column")
    yield Phrase("comparison/sizes", part, told["sizes"]).html()
    if not ranked or "column" not in told:
        return
    yield render_figure(
        Phrase("comparison/column", part, told["column"]),
        distances(record),
        caption=utility.CAPTIONS["distances"],
        heads=heads,
        rows=rows,
    )
    drawn = [_bars(part, record, row) for row in ranked[:MOST_COLUMNS]]
    yield from drawn[:IN_SIGHT]
    if others := drawn[IN_SIGHT:]:
        summary = f"{format_count(len(others), 'more column')}, the most different first"
        briefly = [_brief(record, row) for row in ranked[IN_SIGHT:MOST_COLUMNS]]
        yield render_details(
            summary, screen_only("".join(others)) + paper_only(figures("", BRIEF, briefly))
        )
    if n := len(ranked) - len(drawn):
        yield fill_sentence("utility.more columns", part, n=f"{n:,}").html()


def _brief(record: Comparison, row: DistanceRow) -> tuple[str, ...]:
    """One column under BRIEF: the answer whose share differs most, of those that are told."""
    found = record.distribution_of(row.column)
    told = [one for one in shares(found) if one.original is not None]
    most = max(told, key=lambda one: abs((one.original or 0.0) - one.synthetic), default=None)
    if most is None:
        return truncate(row.column), compared.figure(row.total_variation, 4), "-", "-", "-"
    return (
        truncate(row.column),
        compared.figure(row.total_variation, 4),
        most.label,
        f"{most.told} %",
        percent(most.synthetic),
    )


def _bars(part: str, record: Comparison, row: DistanceRow) -> str:
    found = record.distribution_of(row.column)
    of = f"{part}|{row.column}|{row.copy}"
    called, copies = truncate(row.column), compared.copies_of(record)
    rows = distribution_rows(found)
    if row.total_variation:
        share = percent(100 * row.total_variation)
        kind = "utility.column in bands" if compared.is_in_bands(record, row) else "utility.column"
        sentence = fill_sentence(kind, of, column=called, p=share, copies=copies)
    else:
        sentence = fill_sentence("utility.alike", of, column=called, copies=copies)
    return render_figure(
        sentence,
        distribution(found),
        caption=utility.CAPTIONS["column"],
        heads=HEADS,
        rows=rows,
        is_narrow=len(rows) > LONG,
    )
