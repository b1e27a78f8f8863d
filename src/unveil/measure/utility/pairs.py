"""What the measures of all tables say together: rows, scores by variable, and the worst tables."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import count

import numpy as np
from numpy.typing import NDArray

from unveil.measure.utility.cells import Cells, levels_of
from unveil.measure.utility.grouping import Grouped
from unveil.measure.utility.statistics import Measures, Whole, measures
from unveil.records.disclosure import NotMeasured
from unveil.records.pair_tables import TableCell, TableRow, VariableScore, WorstTable

MOST_CELLS = 100
_FIGURES = tuple(one.name for one in fields(Measures))


@dataclass(frozen=True, eq=False)
class _Kept:
    """The cells of a table that may be among the worst, in original and one copy."""

    S_pMSE: float
    place: int
    table: tuple[int, ...]
    numbers: Whole
    td: Whole
    ts: Whole


@dataclass
class Found:
    """The measures of all tables of every copy, and the cells of the worst so far."""

    n_copies: int
    n_worst: int
    tables: list[tuple[int, ...]] = field(default_factory=list)
    by_copy: list[list[Measures]] = field(default_factory=list)
    kept: list[list[_Kept]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """No table yet, for any copy."""
        self.by_copy = [[] for _ in range(self.n_copies)]
        self.kept = [[] for _ in range(self.n_copies)]

    def add(self, piece: Cells) -> None:
        """Compare some more tables."""
        for copy in range(self.n_copies):
            got = measures(piece.counts[0], piece.counts[copy + 1], piece.starts)
            self.by_copy[copy].append(got)
            self._keep(copy, piece, got)
        self.tables += piece.tables

    def _keep(self, copy: int, piece: Cells, got: Measures) -> None:
        """Hold on to the cells of the worst tables only."""
        ranked = np.argsort(-np.nan_to_num(got.S_pMSE, nan=-1.0), kind="stable")[: self.n_worst]
        for at in ranked.tolist():
            if not math.isnan(got.S_pMSE[at]):
                numbers, counts = piece.of_table(at)
                filled = np.flatnonzero(counts[0] + counts[copy + 1])
                kept = (counts[side][filled] for side in (0, copy + 1))
                place = len(self.tables) + at
                value, table = float(got.S_pMSE[at]), piece.tables[at]
                self.kept[copy].append(_Kept(value, place, table, numbers[filled], *kept))
        self.kept[copy].sort(key=lambda one: (-one.S_pMSE, one.place))
        del self.kept[copy][self.n_worst :]

    def figure(self, copy: int, name: str) -> NDArray[np.float64]:
        """One measure of all tables of a copy."""
        return np.concatenate([getattr(piece, name) for piece in self.by_copy[copy]])


def table_rows(found: Found, names: Sequence[str]) -> tuple[TableRow, ...]:
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


def scores(found: Found, names: Sequence[str]) -> tuple[VariableScore, ...]:
    """The mean of S_pMSE over the tables of every variable, the highest first, by copy."""
    return tuple(
        score
        for copy in range(found.n_copies)
        for score in sorted(_scores_of(found, copy, names), key=_lowest_last)
    )


def _scores_of(found: Found, copy: int, names: Sequence[str]) -> Iterator[VariableScore]:
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
    found: Found, columns: Sequence[Grouped], n_rows: Sequence[int]
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


def _cells(one: _Kept, columns: Sequence[Grouped], odds: float) -> Iterator[TableCell]:
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


def not_measured(rows: Sequence[TableRow]) -> tuple[NotMeasured, ...]:
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
