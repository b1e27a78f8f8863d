"""Cross-tables of the synthetic data beside the original's: which pairs of variables differ?

Cells of fewer than ten records of the original are in the record and in no view: what a notebook
shows it also stores.
"""

from collections.abc import Iterator
from statistics import median

from unveil.records.utility import PairTables, TableRow, VariableScore, WorstTable
from unveil.view.blocks import Block, Heading, notes, say
from unveil.view.format import format_count, percent, truncate
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import GOOD, POOR, figure, filled_table, first_rows

WAYS = {1: "one variable", 2: "two variables", 3: "three variables"}
HEADS = ("table", "S_pMSE", "df", "pMSE", "MabsDD", "SPECKS")
SCORE_HEADS = ("variable", "mean S_pMSE", "tables")
CELL_HEADS = ("cell", "original", "synthetic", "z")
SMALL = 10
"""Cells with fewer records of the original are not shown."""
MOST_SHOWN = 5
MOST_SCORES = 15


def standardised_rows(record: PairTables, copy: int) -> list[TableRow]:
    """The tables of a copy that have an S_pMSE, the highest first."""
    known = [row for row in record.list_tables(copy) if row.S_pMSE is not None]
    return sorted(known, key=lambda row: -(row.S_pMSE or 0.0))


def pair_sentences(record: PairTables, copy: int) -> Iterator[tuple[str, str]]:
    """What the tables of one copy say, the most important first, each sentence by its name."""
    ranked = standardised_rows(record, copy)
    if not ranked:
        yield "none", "No table has more than one cell, so S_pMSE cannot be computed."
        return
    values = [row.S_pMSE or 0.0 for row in ranked]
    tables = (
        f"{format_count(len(ranked), 'table')} of {WAYS[record.ways]}"
        f" ({format_count(len(record.variables), 'column')}):"
        f" {sum(value < GOOD for value in values):,} with S_pMSE below 3,"
        f" {sum(value > POOR for value in values):,} above 10."
    )
    yield "tables", tables
    second = figure(1 + record.n_synthetic[copy - 1] / record.n_original)
    yield (
        "median",
        f"Median S_pMSE {figure(median(values))}; expected 1 if the synthesis model is correct,"
        f" {second} for a second sample of the same population.",
    )
    yield "worst", f"{name_table(ranked[0])} differs most: S_pMSE {figure(values[0])}."
    if record.ways > 1 and (score := scores(record, copy)[0]).S_pMSE is not None:
        worst = f"{truncate(score.variable)} ({figure(score.S_pMSE)})"
        yield "variable", f"Variable with the highest mean S_pMSE: {worst}."
    if n := len(record.list_tables(copy)) - len(ranked):
        text = f"{format_count(n, 'table')} with a single cell could not be standardised."
        yield "one cell", text


def scores(record: PairTables, copy: int) -> list[VariableScore]:
    """The scores of the variables of one copy, the highest first."""
    return [score for score in record.scores if score.copy == copy]


def cells(row: TableRow) -> tuple[str, ...]:
    """One table under HEADS."""
    return (
        name_table(row),
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
    """The cells of a table under CELL_HEADS, as shares, without small ones."""
    shown = [cell for cell in table.cells if cell.n_original >= SMALL]
    return [
        (
            ", ".join("(missing)" if level is None else truncate(level) for level in cell.levels),
            percent(100 * cell.n_original / n_original),
            percent(100 * cell.n_synthetic / n_synthetic),
            f"{cell.z:+.1f}",
        )
        for cell in shown[:MOST_SHOWN]
    ]


def is_few(n_original: int) -> bool:
    """Whether so many people of the original are too few to be shown; none is not."""
    return 0 < n_original < SMALL


def name_table(row: TableRow | WorstTable) -> str:
    """The variables of a table."""
    return " by ".join(map(truncate, row.variables))


def locate_table(table: WorstTable) -> str:
    """What the cells of a table show."""
    return f"Cells of {name_table(table)} that differ most"


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
    worst = f"{figure(ranked[0].S_pMSE)} ({name_table(ranked[0])}){of}"
    return f"{head}median S_pMSE {middle}, highest {worst}"


def table_blocks(record: PairTables) -> Iterator[Block]:
    """The tables that differ most, the variables they have, and where they differ."""
    copy = headline_copy(record)
    sizes = (record.n_original, record.n_synthetic[copy - 1])
    yield from say(pair_sentences(record, copy))
    ranked = [cells(row) for row in standardised_rows(record, copy)[:MOST_SHOWN]]
    yield filled_table("Tables that differ most", HEADS, ranked)
    if record.ways > 1:
        found = first_rows([*map(score_cells, scores(record, copy))], MOST_SCORES, "variables")
        yield filled_table("Mean S_pMSE by variable", SCORE_HEADS, **found)
    for worst in record.worst:
        if worst.copy == copy and worst.S_pMSE > 0:
            yield filled_table(locate_table(worst), CELL_HEADS, cell_rows(worst, *sizes))


@as_blocks.register
def _(record: PairTables) -> Iterator[Block]:
    yield Heading(f"Utility: tables of {WAYS[record.ways]}")
    yield from table_blocks(record)
    yield from notes(record.coercions)
