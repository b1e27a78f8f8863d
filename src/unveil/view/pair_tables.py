"""The tables of a copy beside the original's, in sentences and in a notebook.

Cells of fewer than ten records of the original are in the record and in no view: what a notebook
shows it also stores.
"""

from collections.abc import Iterator
from statistics import median

from unveil.records.utility import PairTables, TableCell, TableRow, VariableScore, WorstTable
from unveil.view.format import and_list, format_count, percent, truncate
from unveil.view.group_notes import group_notes
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text
from unveil.view.utility import GOOD, POOR, figure

TEMPLATES = {
    "tables": "{n} of {ways} of {columns}: {good} of them below 3, {poor} above 10.",
    "median": (
        "The median of S_pMSE is {median}. 1 is what chance does to a copy drawn from the true"
        " distribution, {second} to a second sample of the same people."
    ),
    "worst": "The table that differs most is {table}, with an S_pMSE of {S}.",
    "variable": "The variable whose tables differ most is {variable}: {S} on average.",
    "one cell": "{n} of one cell only could not be standardised.",
    "none": "No table has more than one cell, so nothing could be standardised.",
}
WAYS = {1: "one variable", 2: "two variables", 3: "three variables"}
HEADS = ("table", "S_pMSE", "df", "pMSE", "MabsDD", "SPECKS")
SCORE_HEADS = ("variable", "mean S_pMSE", "tables")
CELL_HEADS = ("cell", "original", "copy", "z")
SMALL = 10
"""Cells with fewer records of the original are not shown."""
MOST_SHOWN = 5


def standardised_rows(record: PairTables, copy: int) -> list[TableRow]:
    """The tables of a copy that have an S_pMSE, the highest first."""
    known = [row for row in record.list_tables(copy) if row.S_pMSE is not None]
    return sorted(known, key=lambda row: -(row.S_pMSE or 0.0))


def sentences(record: PairTables, copy: int) -> Iterator[str]:
    """What the tables of one copy say, the most important first."""
    yield from (text for _, text in keyed_sentences(record, copy))


def keyed_sentences(record: PairTables, copy: int) -> Iterator[tuple[str, str]]:
    """The same, each with the name of its template."""
    ranked = standardised_rows(record, copy)
    if not ranked:
        yield "none", TEMPLATES["none"]
        return
    values = [row.S_pMSE or 0.0 for row in ranked]
    tables = TEMPLATES["tables"].format(
        n=format_count(len(ranked), "table"),
        ways=WAYS[record.ways],
        columns=format_count(len(record.variables), "column"),
        good=f"{sum(value < GOOD for value in values):,}",
        poor=f"{sum(value > POOR for value in values):,}",
    )
    yield "tables", tables
    second = figure(1 + record.n_synthetic[copy - 1] / record.n_original)
    yield "median", TEMPLATES["median"].format(median=figure(median(values)), second=second)
    table = and_list(ranked[0].variables)
    yield "worst", TEMPLATES["worst"].format(table=table, S=figure(values[0]))
    if record.ways > 1 and (score := scores(record, copy)[0]).S_pMSE is not None:
        said = TEMPLATES["variable"].format(
            variable=truncate(score.variable), S=figure(score.S_pMSE)
        )
        yield "variable", said
    if n := len(record.list_tables(copy)) - len(ranked):
        yield "one cell", TEMPLATES["one cell"].format(n=format_count(n, "table"))


def scores(record: PairTables, copy: int) -> list[VariableScore]:
    """The scores of the variables of one copy, the highest first."""
    return [score for score in record.scores if score.copy == copy]


def cells(row: TableRow) -> tuple[str, ...]:
    """One table under HEADS."""
    return (
        " : ".join(map(truncate, row.variables)),
        figure(row.S_pMSE),
        f"{row.df:,}",
        f"{row.pMSE:.6f}",
        f"{row.MabsDD:.4f}",
        f"{row.SPECKS:.4f}",
    )


def score_cells(score: VariableScore) -> tuple[str, ...]:
    """One variable under SCORE_HEADS."""
    return truncate(score.variable), figure(score.S_pMSE), f"{score.n_tables:,}"


def cell_rows(table: WorstTable, n_original: int, n_synthetic: int) -> list[tuple[str, ...]]:
    """The cells of a table under CELL_HEADS, as shares; small ones left out."""
    shown = [cell for cell in table.cells if cell.n_original >= SMALL]
    return [
        (
            _levels(cell),
            percent(100 * cell.n_original / n_original),
            percent(100 * cell.n_synthetic / n_synthetic),
            f"{cell.z:+.1f}",
        )
        for cell in shown[:MOST_SHOWN]
    ]


def _levels(cell: TableCell) -> str:
    return " : ".join("(missing)" if level is None else truncate(level) for level in cell.levels)


def is_few(n_original: int) -> bool:
    """Whether so many people of the original are too few to be told of; nobody is not."""
    return 0 < n_original < SMALL


def locate_table(table: WorstTable) -> str:
    """What the cells of a table show."""
    verb = "differs" if len(table.variables) == 1 else "differ"
    return f"Where {and_list(table.variables)} {verb} most"


def headline_copy(record: PairTables) -> int:
    """The copy with the table that differs most."""
    known = [row for row in record.rows if row.S_pMSE is not None]
    return max(known, key=lambda row: row.S_pMSE or 0.0).copy if known else 1


@as_text.register
def _(record: PairTables) -> str:
    copy = headline_copy(record)
    ranked = standardised_rows(record, copy)
    head = f"Tables of {WAYS[record.ways]}: "
    if not ranked:
        return head + "nothing to compare"
    of = "" if len(record.n_synthetic) == 1 else f" in copy {copy}"
    middle = figure(median(row.S_pMSE or 0.0 for row in ranked))
    worst = f"{figure(ranked[0].S_pMSE)} ({' : '.join(map(truncate, ranked[0].variables))}){of}"
    return f"{head}median S_pMSE {middle}, highest {worst}"


@as_html.register
def _(record: PairTables) -> str:
    copy = headline_copy(record)
    n_synthetic = record.n_synthetic[copy - 1]
    worst = [table for table in record.worst if table.copy == copy]
    return titled_view(
        as_text(record),
        *map(paragraph, sentences(record, copy)),
        grid(
            "The tables that differ most",
            HEADS,
            [cells(row) for row in standardised_rows(record, copy)[:MOST_SHOWN]],
        ),
        grid("By variable", SCORE_HEADS, [score_cells(one) for one in scores(record, copy)]),
        *(
            grid(
                locate_table(table),
                CELL_HEADS,
                cell_rows(table, record.n_original, n_synthetic),
            )
            for table in worst[:MOST_SHOWN]
        ),
        notes(group_notes(record.coercions)),
    )
