"""Which pairs of columns lie together otherwise than in the original? A heat map of S_pMSE."""

from collections.abc import Iterator

from unveil.records.pair_tables import PairTables
from unveil.report import pair_tables as paired
from unveil.report import utility_page
from unveil.report.catalogue import said
from unveil.report.charts.pair_map import pair_map
from unveil.report.page import figures, folded
from unveil.report.sections.pictured import heading, pictured
from unveil.report.sections.section import Said
from unveil.report.utility import figure
from unveil.report.words import name

TITLES = {1: "Single columns", 2: "Pairs of columns", 3: "Three columns at a time"}
MOST_VARIABLES = 24
"""Columns in the map: of more, those whose pairs differ most."""
MOST_ROWS = 20
MOST_WORST = 3


def pairs(part: str, record: PairTables) -> Iterator[str]:
    """The map of all pairs with its sentences; tables of other sizes in words alone."""
    copy = paired.headline_copy(record)
    of = f"{part}|{copy}"
    ranked = paired.standardised(record, copy)
    yield heading(TITLES[record.ways])
    if record.ways == 2 and ranked:
        shown = shown_variables(record, copy)
        a, b = map(name, ranked[0].variables)
        yield pictured(
            said("utility.worst pair", of, a=a, b=b, S=figure(ranked[0].S_pMSE)),
            pair_map(record, copy, variables=shown),
            caption=utility_page.CAPTIONS["pairs"],
            heads=paired.HEADS,
            rows=[paired.cells(row) for row in ranked[:MOST_ROWS]],
        )
        if len(shown) < len(record.variables):
            n = f"{len(record.variables):,}"
            yield said("utility.some", part, n=f"{len(shown):,}", all=n).html()
    for key, text in paired.keyed(record, copy):
        yield Said(f"pair tables/{key}", of, text).html()
    yield folded("Where they differ", "".join(_where(record, copy)))


def shown_variables(record: PairTables, copy: int) -> list[str]:
    """The columns of the map, in the order of the file."""
    if len(record.variables) <= MOST_VARIABLES:
        return list(record.variables)
    worst = {one.variable for one in paired.scores(record, copy)[:MOST_VARIABLES]}
    worst |= set(paired.standardised(record, copy)[0].variables)
    return [variable for variable in record.variables if variable in worst]


def _where(record: PairTables, copy: int) -> Iterator[str]:
    """Scores of the columns, and cells of ten people and more of the worst tables."""
    if record.ways > 1:
        scores = [paired.score_cells(one) for one in paired.scores(record, copy)]
        yield figures("By column", paired.SCORE_HEADS, scores)
    sizes = (record.n_original, record.n_synthetic[copy - 1])
    worst = [table for table in record.worst if table.copy == copy and table.S_pMSE > 0]
    for table in worst[:MOST_WORST]:
        yield figures(paired.where(table), paired.CELL_HEADS, paired.cell_rows(table, *sizes))
