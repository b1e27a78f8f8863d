"""Which pairs of columns lie together otherwise than in the original? A heat map of S_pMSE."""

from collections.abc import Iterator

from unveil.records.utility import PairTables
from unveil.view import pair_tables as paired
from unveil.view.charts.grids import pair_map
from unveil.view.format import truncate
from unveil.view.html_page import figures, render_details
from unveil.view.pages import utility
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase
from unveil.view.sections.shared import render_figure, render_heading
from unveil.view.utility import figure

TITLES = {1: "Single columns", 2: "Pairs of columns", 3: "Three columns at a time"}
MOST_VARIABLES = 24
"""Columns in the map: of more, those whose pairs differ most."""
MOST_ROWS = 20
MOST_WORST = 3


def pairs(part: str, record: PairTables) -> Iterator[str]:
    """The map of all pairs with its sentences; tables of other sizes in words alone."""
    copy = paired.headline_copy(record)
    of = f"{part}|{copy}"
    ranked = paired.standardised_rows(record, copy)
    yield render_heading(TITLES[record.ways])
    if record.ways == 2 and ranked:
        shown = visible_variables(record, copy)
        a, b = map(truncate, ranked[0].variables)
        yield render_figure(
            fill_sentence("utility.worst pair", of, a=a, b=b, S=figure(ranked[0].S_pMSE)),
            pair_map(record, copy, variables=shown),
            caption=utility.CAPTIONS["pairs"],
            heads=paired.HEADS,
            rows=[paired.cells(row) for row in ranked[:MOST_ROWS]],
        )
        if len(shown) < len(record.variables):
            n = f"{len(record.variables):,}"
            yield fill_sentence("utility.some", part, n=f"{len(shown):,}", all=n).html()
    for key, text in paired.keyed_sentences(record, copy):
        yield Phrase(f"pair tables/{key}", of, text).html()
    yield render_details("Where they differ", "".join(_where(record, copy)))


def visible_variables(record: PairTables, copy: int) -> list[str]:
    """The columns of the map, in the order of the file."""
    if len(record.variables) <= MOST_VARIABLES:
        return list(record.variables)
    worst = {one.variable for one in paired.scores(record, copy)[:MOST_VARIABLES]}
    worst |= set(paired.standardised_rows(record, copy)[0].variables)
    return [variable for variable in record.variables if variable in worst]


def _where(record: PairTables, copy: int) -> Iterator[str]:
    """Scores of the columns, and cells of ten people and more of the worst tables."""
    if record.ways > 1:
        scores = [paired.score_cells(one) for one in paired.scores(record, copy)]
        yield figures("By column", paired.SCORE_HEADS, scores)
    sizes = (record.n_original, record.n_synthetic[copy - 1])
    worst = [table for table in record.worst if table.copy == copy and table.S_pMSE > 0]
    for table in worst[:MOST_WORST]:
        yield figures(
            paired.locate_table(table), paired.CELL_HEADS, paired.cell_rows(table, *sizes)
        )
