"""`unveil.tables`: do the counts of a copy, in all tables of one to three variables, look right?

All tables are made from one encoding of the columns. What comes out is a figure for each table, a
score for each variable, and the cells of the worst tables, where the copy can be mended.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.opening import sides_of
from unveil.measure.tabular import RowsResult
from unveil.measure.utility.cells import all_cells
from unveil.measure.utility.coding import Opened, opened_columns
from unveil.measure.utility.grouping import Grouped, grouped
from unveil.measure.utility.pairs import Found, not_measured, scores, table_rows, worst_tables
from unveil.read.given import shown
from unveil.records.pair_tables import PairTables, TableRow, VariableScore, WorstTable

MOST_GROUPS = 1_000
MOST_TABLES = 200_000


class TablesResult(RowsResult[PairTables]):
    """The tables of all copies; printing it shows figures of tables, and no small cell."""

    @property
    def scores(self) -> tuple[VariableScore, ...]:
        """The mean S_pMSE of every variable, the highest first."""
        return self.record.scores

    @property
    def worst(self) -> tuple[WorstTable, ...]:
        """The tables with the highest S_pMSE, and their cells."""
        return self.record.worst


def tables(
    original: Any,
    synthetic: Any,
    *,
    ways: int = 2,
    columns: str | Iterable[str] | None = None,
    categories: str | Iterable[str] = (),
    groups: int = 5,
    special_codes: Mapping[str, Any] | None = None,
    n_worst: int = 5,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> TablesResult:
    """Compare all one-, two- or three-way tables of copies with those of the original.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`.
    ways
        How many variables a table has: 1, 2 or 3.
    columns
        The columns to compare; all that every file has if left out.
    categories
        Columns of numbers that are categories: they are not cut into groups.
    groups
        Into how many groups numbers and dates are cut, at quantiles of all files together.
    special_codes
        By column, the numbers that stand for no answer: groups of their own.
    n_worst
        Of how many tables of each copy the cells are kept.

    Returns
    -------
    TablesResult
        `.rows` and `.frame()` with all measures of each table, `.scores` by variable, `.worst`.

    Notes
    -----
    S_pMSE has expectation 1 for a copy drawn from the true distribution of the original, and about
    1 + n_s / n_d for a second sample of the same population, 2 where it is as large; the vignette
    on utility of synthpop calls a copy good enough where all are below 10, better below 3.

    References
    ----------
    Raab, Nowok and Dibben (2021); synthpop 1.9-3, utility.tab and utility.tables.
    """
    progress = progress or silent
    _refuse_settings(ways, groups, n_worst)
    opened = opened_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    _refuse_amounts(opened, ways)
    cut = [grouped(variable, groups) for variable in opened.variables]
    made = pair_tables(opened, cut, ways=ways, groups=groups, n_worst=n_worst, progress=progress)
    return TablesResult(made)


def _refuse_settings(ways: Any, groups: Any, n_worst: Any) -> None:
    faults = []
    for what, given, least, most in (
        ("ways", ways, 1, 3),
        ("groups", groups, 2, MOST_GROUPS),
        ("n_worst", n_worst, 0, MOST_GROUPS),
    ):
        if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
            faults.append(
                f"{what} is {shown(given)}; it must be a whole number from {least} to {most:,}."
            )
    if faults:
        raise SettingsError("\n".join(faults))


def _refuse_amounts(opened: Opened, ways: int) -> None:
    n_columns = len(opened.variables)
    if n_columns < ways:
        raise SettingsError(
            f"A table of {ways} variables cannot be made of {n_columns}"
            f" {'column' if n_columns == 1 else 'columns'}. Name more columns, or take fewer ways."
        )
    if comb(n_columns, ways) > MOST_TABLES:
        raise SettingsError(
            f"{n_columns:,} columns have {comb(n_columns, ways):,} tables of {ways} variables; at"
            f" most {MOST_TABLES:,} are compared. Name fewer columns, or take fewer ways."
        )


def pair_tables(
    opened: Opened,
    cut: Sequence[Grouped],
    *,
    ways: int,
    groups: int,
    n_worst: int,
    progress: Progress = silent,
) -> PairTables:
    """All tables of grouped columns, counted and compared."""
    names = opened.names
    chosen = tuple(combinations(range(len(cut)), ways))
    found = Found(opened.n_copies, n_worst)
    done = 0
    for piece in all_cells(cut, chosen):
        progress("comparing tables", done, len(chosen))
        found.add(piece)
        done += len(piece.tables)
    rows: tuple[TableRow, ...] = table_rows(found, names)
    return PairTables(
        files=opened.files,
        variables=names,
        ways=ways,
        groups=groups,
        n_original=opened.sides.rows[0],
        n_synthetic=opened.sides.rows[1:],
        rows=rows,
        scores=scores(found, names),
        worst=worst_tables(found, cut, opened.sides.rows),
        groupings=tuple(one.record for one in cut if one.breaks is not None),
        coercions=opened.notes,
        not_measured=not_measured(rows),
    )
