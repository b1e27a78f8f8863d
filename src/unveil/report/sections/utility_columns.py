"""Which columns have other shares in the copy? Paired bars, the worst in sight, others folded."""

from collections.abc import Iterator

from unveil.records.comparison import Comparison, DistanceRow
from unveil.report import comparison as compared
from unveil.report import utility_page
from unveil.report.catalogue import said
from unveil.report.charts.distributions import distances, distribution
from unveil.report.distribution_rows import HEADS, distribution_rows, shares
from unveil.report.page import figures, folded
from unveil.report.sections.pictured import heading, on_paper, on_screen, pictured
from unveil.report.sections.section import Said
from unveil.report.utility import without_empty
from unveil.report.words import counted, name, percent

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
    yield heading("Column by column")
    yield Said("comparison/sizes", part, told["sizes"]).html()
    if not ranked or "column" not in told:
        return
    yield pictured(
        Said("comparison/column", part, told["column"]),
        distances(record),
        caption=utility_page.CAPTIONS["distances"],
        heads=heads,
        rows=rows,
    )
    drawn = [_bars(part, record, row) for row in ranked[:MOST_COLUMNS]]
    yield from drawn[:IN_SIGHT]
    if others := drawn[IN_SIGHT:]:
        summary = f"{counted(len(others), 'more column')}, the most different first"
        briefly = [_brief(record, row) for row in ranked[IN_SIGHT:MOST_COLUMNS]]
        yield folded(summary, on_screen("".join(others)) + on_paper(figures("", BRIEF, briefly)))
    if n := len(ranked) - len(drawn):
        yield said("utility.more columns", part, n=f"{n:,}").html()


def _brief(record: Comparison, row: DistanceRow) -> tuple[str, ...]:
    """One column under BRIEF: the answer whose share differs most, of those that are told."""
    found = record.distribution_of(row.column)
    told = [one for one in shares(found) if one.original is not None]
    most = max(told, key=lambda one: abs((one.original or 0.0) - one.synthetic), default=None)
    if most is None:
        return name(row.column), compared.figure(row.total_variation, 4), "-", "-", "-"
    return (
        name(row.column),
        compared.figure(row.total_variation, 4),
        most.label,
        f"{most.told} %",
        percent(most.synthetic),
    )


def _bars(part: str, record: Comparison, row: DistanceRow) -> str:
    found = record.distribution_of(row.column)
    of = f"{part}|{row.column}|{row.copy}"
    called, copies = name(row.column), compared.copies_of(record)
    rows = distribution_rows(found)
    if row.total_variation:
        share = percent(100 * row.total_variation)
        kind = "utility.column in bands" if compared.is_in_bands(record, row) else "utility.column"
        sentence = said(kind, of, column=called, p=share, copies=copies)
    else:
        sentence = said("utility.alike", of, column=called, copies=copies)
    return pictured(
        sentence,
        distribution(found),
        caption=utility_page.CAPTIONS["column"],
        heads=HEADS,
        rows=rows,
        is_narrow=len(rows) > LONG,
    )
