"""Questions about whole tables as integer programmes, where sums of cells are of any kind.

Three-way tables with their two-way margins, overlapping groups and arbitrary sums are no network.
HiGHS, through scipy, answers for them. It is asked how far a table is from the true one, which
fits: so its numbers are small where the rounding is, however large the counts are. What it hands
back is rounded and checked in whole numbers before it is believed to be a table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.errors import InputError
from unveil.measure.tables.parts import Fact, Sums, System, sums_of, sums_of_facts

Table = tuple[int, ...]
FARTHEST = 10**9
"""From the true count: the solver's numbers are floating point, and are trusted up to here."""
BEYOND = 2**53
"""A limit this far from the true count cannot be met by cells that are near theirs."""
OPTIMAL, STOPPED, INFEASIBLE = 0, 1, 2
NEAR = 0.2
"""How far from the cheapest a witness may be: it is believed for being a table, not the nearest."""


class OutOfTime(Exception):
    """The time allowed ended before the question was answered."""


@dataclass(frozen=True)
class Extreme:
    """A certified limit of a sum, whether it is reached, and a table that comes nearest."""

    value: int
    reached: bool
    table: Table | None
    too_far: bool = False
    """Whether it was not reached because the solver's numbers grew too large."""


class Programme:
    """The integer programme of a system: one row for each sum, one column for each cell."""

    def __init__(self, system: System) -> None:
        self._set(sums_of(system), system.counts)

    def _set(self, sums: Sums, counts: Table) -> None:
        self._sums, self._counts = sums, counts
        self._n_cells = len(counts)
        self._matrix = self._rows()
        totals = [sum(self._counts[cell] for cell in entry.cells) for entry in self._sums.sums]
        pairs = list(zip(self._sums.sums, totals, strict=True))
        self._row_lo = np.array([_deviation(entry.lo, total) for entry, total in pairs])
        self._row_hi = np.array([_deviation(entry.hi, total) for entry, total in pairs])
        highs = zip(self._sums.hi, self._counts, strict=True)
        self._hi = np.array(
            [math.inf if hi is None else min(hi - count, FARTHEST) for hi, count in highs], float
        )

    @classmethod
    def find_table(
        cls, facts: Sequence[Fact], n_cells: int, until: float | None = None
    ) -> Table | None:
        """Some whole table that fits the facts, where no true one is known; None: there is none."""
        made = cls.__new__(cls)
        made._set(sums_of_facts(facts, n_cells), (0,) * n_cells)
        found = made._solve(np.zeros(n_cells), made._counts, until)
        table = made._table(found, made._counts)
        if table is None and found.status != INFEASIBLE:
            raise OutOfTime
        return table

    def extreme(
        self, cells: Sequence[int], *, up: bool, outer: int, until: float | None = None
    ) -> Extreme:
        """The largest (`up`) or smallest sum of cells over all tables.

        `outer` is a limit that is known already. Where time runs out the relaxation's bound,
        rounded outwards, is taken instead: certified, but perhaps not reached. Where some cell
        would be further from its true count than `FARTHEST`, `outer` stands.
        """
        cost = np.zeros(self._n_cells)
        cost[list(cells)] = -1.0 if up else 1.0
        nobody = [0] * self._n_cells
        found = self._solve(cost, nobody, until)
        table = self._table(found, nobody)
        if found.status == OPTIMAL and table is not None and self._is_near(table):
            return Extreme(sum(table[cell] for cell in cells), True, table)
        if found.status == STOPPED and until is not None:
            true = sum(self._counts[cell] for cell in cells)
            bound = _outwards(found, outer - true, up=up) + true
            return Extreme(bound, False, table)
        return Extreme(outer, False, table, too_far=True)

    def above(
        self, cell: int, count: int, least: Sequence[int], until: float | None = None
    ) -> Table | None:
        """A table of at least `least` with more than `count` in a cell; None where none is."""
        raised = [*least]
        raised[cell] = max(raised[cell], count + 1)
        if any(hi is not None and low > hi for low, hi in zip(raised, self._sums.hi, strict=True)):
            return None
        found = self._solve(np.zeros(self._n_cells), raised, until)
        if found.status == INFEASIBLE:
            return None
        table = self._table(found, raised)
        if table is not None:
            return table
        if found.status == STOPPED and until is not None:
            raise OutOfTime
        raise InputError(
            "The solver cannot tell whether some count of this release can be larger: its numbers"
            " grow too large. Publish cells with bounds, or fewer sums that cross."
        )

    def above_together(self, cells: Sequence[int], until: float | None = None) -> Table | None:
        """A table with more in some of these empty cells, in many if it can be; None: in none.

        Raises `OutOfTime` also where the solver cannot tell.
        """
        cost = np.zeros(self._n_cells)
        cost[list(cells)] = -1.0
        found = self._solve(cost, [0] * self._n_cells, until, gap=NEAR)
        table = self._table(found, [0] * self._n_cells)
        if table is not None and any(table[cell] for cell in cells):
            return table
        if found.status == OPTIMAL and table is not None:
            return None
        raise OutOfTime

    def nearest_above(self, cell: int, until: float | None = None) -> Table | None:
        """A table with more in a cell that takes few people away, least of all from small cells.

        None where no table has more there.
        """
        from scipy.sparse import csr_array, eye_array, hstack, vstack

        n, counts = self._n_cells, np.array(self._counts, float)
        rest = csr_array((len(self._sums.sums), n))
        # Beside the deviations, how many each cell loses: at least minus its deviation.
        matrix = vstack([hstack([self._matrix, rest]), hstack([eye_array(n), eye_array(n)])])
        least = [0] * n
        least[cell] = self._counts[cell] + 1
        if self._hi[cell] < 1:
            return None
        lo, hi = np.r_[self._row_lo, np.zeros(n)], np.r_[self._row_hi, np.full(n, math.inf)]
        cost = np.r_[np.full(n, 1e-3), 2e-3 + 1.0 / (1.0 + counts) ** 2]
        found = self._solve(cost, least, until, (matrix, lo, hi), NEAR)
        if found.status == INFEASIBLE:
            return None
        table = None if found.x is None else self._table(found, least)
        if table is None:
            raise OutOfTime
        return table

    def _rows(self) -> Any:
        from scipy.sparse import csr_array

        sums = self._sums.sums
        rows = np.repeat(np.arange(len(sums)), [len(entry.cells) for entry in sums])
        columns = np.array([cell for entry in sums for cell in entry.cells], dtype=np.int64)
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sums), self._n_cells))

    def _solve(
        self,
        cost: np.ndarray,
        least: Sequence[int],
        until: float | None,
        rows: tuple[Any, np.ndarray, np.ndarray] | None = None,
        gap: float = 0.0,
    ) -> Any:
        """Deviations from the true counts of least cost; `rows` may have columns beyond them."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        lows = zip(self._sums.lo, least, self._counts, strict=True)
        low = np.array([max(lo - count, own - count, -FARTHEST) for lo, own, count in lows], float)
        options: dict[str, float] = {"mip_rel_gap": gap}
        if until is not None:
            options["time_limit"] = _remaining_seconds(until)
        matrix, row_lo, row_hi = rows or (self._matrix, self._row_lo, self._row_hi)
        beyond = len(cost) - self._n_cells
        return milp(
            cost,
            integrality=np.r_[np.ones(self._n_cells), np.zeros(beyond)],
            bounds=Bounds(np.r_[low, np.zeros(beyond)], np.r_[self._hi, np.full(beyond, math.inf)]),
            constraints=[LinearConstraint(matrix, row_lo, row_hi)] if matrix.shape[0] else [],
            options=options,
        )

    def _table(self, found: Any, least: Sequence[int]) -> Table | None:
        """The solver's table in whole numbers, where it is one that was asked for."""
        if found.x is None:
            return None
        moved = found.x[: self._n_cells]
        table = tuple(
            count + round(value) for count, value in zip(self._counts, moved, strict=True)
        )
        return table if self._holds(table, least) else None

    def _is_near(self, table: Table) -> bool:
        """Whether no count is as far from the true one as it was allowed to be at most."""
        pairs = zip(table, self._counts, strict=True)
        return all(abs(found - count) < FARTHEST for found, count in pairs)

    def _holds(self, table: Table, least: Sequence[int]) -> bool:
        lows = zip(table, self._sums.lo, least, self._sums.hi, strict=True)
        if not all(max(lo, low) <= count and is_within(count, hi) for count, lo, low, hi in lows):
            return False
        sums = ((sum(table[cell] for cell in entry.cells), entry) for entry in self._sums.sums)
        return all(entry.lo <= total and is_within(total, entry.hi) for total, entry in sums)


def is_within(count: int, hi: int | None) -> bool:
    """Whether a count is not above an upper limit, if there is one."""
    return hi is None or count <= hi


def _deviation(limit: int | None, true: int) -> float:
    """How far a limit is from the true count; without end where it hardly limits anything."""
    if limit is None or abs(limit - true) > BEYOND:
        return math.inf if limit is None or limit > true else -math.inf
    return float(limit - true)


def _remaining_seconds(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise OutOfTime
    return left


def _outwards(found: Any, outer: int, *, up: bool) -> int:
    """The relaxation's bound as a whole number on the safe side, if it is better than `outer`."""
    bound: float | None = getattr(found, "mip_dual_bound", None)
    if bound is None or not math.isfinite(bound):
        return outer
    # The objective of "largest" is the negative count; 1e-6 is the solver's own tolerance.
    return min(outer, math.floor(-bound + 1e-6)) if up else max(outer, math.ceil(bound - 1e-6))
