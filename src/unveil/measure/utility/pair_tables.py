"""`unveil.pair_tables`: are the counts of synthetic data, by up to three variables, as expected?"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations, count
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import check_faults, parse_whole_number
from unveil.arrays import Ints
from unveil.errors import SettingsError
from unveil.measure.result import RowsResult
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.table_statistics import (
    GroupedColumn,
    Measures,
    TableCells,
    count_all_tables,
    group_variable,
    levels_of,
    measures,
)
from unveil.records.disclosure import NotMeasured
from unveil.records.utility import PairTables, TableCell, TableRow, VariableScore, WorstTable
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

# What the measures of all tables say together: rows, scores by variable, and the worst tables.


MOST_CELLS = 100
_FIGURES = tuple(one.name for one in fields(Measures))


@dataclass(frozen=True, eq=False)
class _WorstCells:
    """The cells of a table that may be among the worst, in original and one copy."""

    S_pMSE: float
    place: int
    table: tuple[int, ...]
    numbers: Ints
    td: Ints
    ts: Ints


@dataclass
class PairMeasures:
    """The measures of all tables of every copy, and the cells of the worst so far."""

    n_copies: int
    n_worst: int
    tables: list[tuple[int, ...]] = field(default_factory=list)
    by_copy: list[list[Measures]] = field(default_factory=list)
    kept: list[list[_WorstCells]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """No table yet, for any copy."""
        self.by_copy = [[] for _ in range(self.n_copies)]
        self.kept = [[] for _ in range(self.n_copies)]

    def add(self, piece: TableCells) -> None:
        """Compare some more tables."""
        for copy in range(self.n_copies):
            got = measures(piece.counts[0], piece.counts[copy + 1], piece.starts)
            self.by_copy[copy].append(got)
            self._keep(copy, piece, got)
        self.tables += piece.tables

    def _keep(self, copy: int, piece: TableCells, got: Measures) -> None:
        """Hold on to the cells of the worst tables only."""
        ranked = np.argsort(-np.nan_to_num(got.S_pMSE, nan=-1.0), kind="stable")[: self.n_worst]
        for at in ranked.tolist():
            if not math.isnan(got.S_pMSE[at]):
                numbers, counts = piece.select_table(at)
                filled = np.flatnonzero(counts[0] + counts[copy + 1])
                kept = (counts[side][filled] for side in (0, copy + 1))
                place = len(self.tables) + at
                value, table = float(got.S_pMSE[at]), piece.tables[at]
                self.kept[copy].append(_WorstCells(value, place, table, numbers[filled], *kept))
        self.kept[copy].sort(key=lambda one: (-one.S_pMSE, one.place))
        del self.kept[copy][self.n_worst :]

    def figure(self, copy: int, name: str) -> NDArray[np.float64]:
        """One measure of all tables of a synthetic file."""
        return np.concatenate([getattr(piece, name) for piece in self.by_copy[copy]])


def table_rows(found: PairMeasures, names: Sequence[str]) -> tuple[TableRow, ...]:
    """One row for each table of each copy, in the order of the columns."""
    order = sorted(range(len(found.tables)), key=found.tables.__getitem__)
    variables = [tuple(names[i] for i in table) for table in found.tables]
    rows: list[TableRow] = []
    for copy in range(found.n_copies):
        figures = [_plain(found.figure(copy, name)) for name in _FIGURES]
        by_table = list(zip(*figures, strict=True))
        for at in order:
            told = dict(zip(_FIGURES, by_table[at], strict=True))
            if told["dfG"] < 0:
                told["dfG"] = None
            rows.append(TableRow(copy=copy + 1, variables=variables[at], **told))
    return tuple(rows)


def _plain(figure: NDArray[np.float64]) -> list[float | None]:
    """Numbers of a record, None for NaN."""
    if figure.dtype.kind != "f" or not np.isnan(figure).any():
        values: list[float | None] = figure.tolist()
        return values
    return [None if math.isnan(value) else value for value in figure.tolist()]


def scores(found: PairMeasures, names: Sequence[str]) -> tuple[VariableScore, ...]:
    """The mean of S_pMSE over the tables of every variable, the highest first, by copy."""
    return tuple(
        score
        for copy in range(found.n_copies)
        for score in sorted(_scores_of(found, copy, names), key=_lowest_last)
    )


def _scores_of(found: PairMeasures, copy: int, names: Sequence[str]) -> Iterator[VariableScore]:
    values = found.figure(copy, "S_pMSE")
    is_known = ~np.isnan(values)
    members = np.array(found.tables)[is_known].ravel()
    weights = np.repeat(values[is_known], len(found.tables[0]))
    n_tables = np.bincount(members, minlength=len(names)).tolist()
    total = np.bincount(members, weights=weights, minlength=len(names)).tolist()
    for name, n, value in zip(names, n_tables, total, strict=True):
        mean = value / n if n else None
        yield VariableScore(copy=copy + 1, variable=name, n_tables=n, S_pMSE=mean)


def _lowest_last(score: VariableScore) -> tuple[bool, float]:
    return score.S_pMSE is None, -(score.S_pMSE or 0.0)


def worst_tables(
    found: PairMeasures, columns: Sequence[GroupedColumn], n_rows: Sequence[int]
) -> tuple[WorstTable, ...]:
    """The tables with the highest S_pMSE of each copy, and their cells."""
    return tuple(
        WorstTable(
            copy=copy,
            variables=tuple(columns[i].name for i in one.table),
            S_pMSE=one.S_pMSE,
            n_cells=len(one.numbers),
            cells=tuple(_cells(one, columns, n_rows[copy] / n_rows[0])),
        )
        for copy, kept in zip(count(1), found.kept, strict=False)
        for one in kept
    )


def _cells(one: _WorstCells, columns: Sequence[GroupedColumn], odds: float) -> Iterator[TableCell]:
    """The cells that are farthest apart, by their standardised difference."""
    z = (one.ts - one.td * odds) / np.sqrt((one.ts + one.td) * odds / (1 + odds))
    for at in np.argsort(-np.abs(z), kind="stable")[:MOST_CELLS].tolist():
        yield TableCell(
            levels=levels_of(columns, one.table, int(one.numbers[at])),
            n_original=int(one.td[at]),
            n_synthetic=int(one.ts[at]),
            expected=float(one.td[at] * odds),
            z=float(z[at]),
        )


def list_not_measured(rows: Sequence[TableRow]) -> tuple[NotMeasured, ...]:
    """Why standardised measures are None."""
    return tuple(
        NotMeasured(
            target=":".join(row.variables),
            copy=row.copy,
            field="S_pMSE",
            reason="the table has one cell only",
        )
        for row in rows
        if row.S_pMSE is None
    )


# `unveil.pair_tables`: do the counts of synthetic data, in all tables of one to three variables,
# look right?
#
# All tables are made from one encoding of the columns. What comes out is a figure for each table,
# a score for each variable, and the cells of the worst tables, where synthetic data can be mended.


MOST_GROUPS = 1_000
MOST_TABLES = 200_000


class TablesResult(RowsResult[PairTables]):
    """The tables of all copies; printing it shows figures of tables, and no small cell."""


@takes_study
def pair_tables(
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
        The columns to compare; all that every file has if omitted.
    categories
        Columns of numbers that are categories: they are not cut into groups.
    groups
        Into how many groups numbers and dates are cut, at quantiles of all files together.
    special_codes
        By column, the numbers that stand for missing values: groups of their own.
    n_worst
        Of how many tables of each copy the cells are kept.

    Returns
    -------
    TablesResult
        `.rows` and `.frame()` with all measures of each table, `.scores` by variable, `.worst`.

    Notes
    -----
    S_pMSE has expectation 1 for synthetic data drawn from the true distribution of the original,
    and about 1 + n_s / n_d for a second sample of the same population, 2 where it is as large;
    the vignette on utility of synthpop calls synthetic data good enough where all are below 10,
    better below 3.

    References
    ----------
    Raab, Nowok and Dibben (2021); synthpop 1.9-3, utility.tab and utility.tables.
    """
    progress = progress or no_progress
    _check_settings(ways, groups, n_worst)
    opened = open_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
        by_counts=True,
    )
    _check_amounts(opened, ways)
    cut = [group_variable(variable, groups) for variable in opened.variables]
    made = measure_pairs(opened, cut, ways=ways, groups=groups, n_worst=n_worst, progress=progress)
    return TablesResult(made)


def _check_settings(ways: Any, groups: Any, n_worst: Any) -> None:
    ranges = {"ways": (ways, 1, 3), "groups": (groups, 2, MOST_GROUPS)}
    ranges["n_worst"] = (n_worst, 0, MOST_GROUPS)
    faults = []
    for what, (given, least, most) in ranges.items():
        try:
            parse_whole_number(what, given, least=least, most=most)
        except SettingsError as fault:
            faults.append(str(fault))
    check_faults(faults)


def _check_amounts(opened: UtilityData, ways: int) -> None:
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


def measure_pairs(
    opened: UtilityData,
    cut: Sequence[GroupedColumn],
    *,
    ways: int,
    groups: int,
    n_worst: int,
    progress: Progress = no_progress,
) -> PairTables:
    """All tables of grouped columns, counted and compared."""
    names = opened.names
    chosen = tuple(combinations(range(len(cut)), ways))
    found = PairMeasures(opened.n_copies, n_worst)
    done, counter = 0, None
    if not opened.study.has_rows:
        from unveil.study.engine_scenario import cell_counter  # with its libraries

        counter = cell_counter(opened.study, [one.column for one in cut], progress)
    for piece in count_all_tables(cut, chosen, counter):
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
        not_measured=list_not_measured(rows),
    )
