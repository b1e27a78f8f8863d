"""The fewest and the most that each cell can have, over all whole tables that fit a system.

Each fact limits some sum of cells. Together they say more than each alone: Smith and Elliot (2008),
Figures 5 and 6.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.count.scenario import Progress, silent
from unveil.measure.tables.facts import System
from unveil.measure.tables.flow import MOST_NODES, Flow
from unveil.measure.tables.network import network_of
from unveil.measure.tables.programme import Extreme, OutOfTime, Programme
from unveil.measure.tables.sums import Sums, sums_of

ROUNDS = 100
"""Of propagation: each is cheap, and what it does not settle is solved for."""


@dataclass(frozen=True)
class Bounds:
    """Certified bounds of every cell; the tightest where `settled`."""

    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    """None: nothing limits the cell from above."""
    settled: tuple[bool, ...]
    network: bool
    """Whether flows in a network found them; integer programmes did elsewhere."""
    n_solves: int
    too_far: bool = False
    """Whether some bound is not settled because the solver's numbers grew too large."""

    @property
    def complete(self) -> bool:
        """Whether every bound is the tightest."""
        return all(self.settled)


def tightest(
    system: System,
    *,
    at_least: Sequence[int] | None = None,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Bounds:
    """The smallest and largest count of every cell over all whole tables that fit the system.

    Parameters
    ----------
    at_least
        People known beforehand in each cell.
    seconds
        Stop after so long. What is not settled then has bounds that hold, but may be loose: those
        of the relaxation, or of sums taken one by one.

    Notes
    -----
    lower_i = min c'_i and upper_i = max c'_i over whole c' >= at_least that fit every fact. A cell
    has no upper bound iff no fact with one counts it: cells are not negative, so that any such
    fact limits it. Every table found moves the inner bounds of all cells, and a cell whose inner
    and outer bound meet needs no search of its own.
    """
    least = tuple(at_least) if at_least is not None else (0,) * len(system.counts)
    search = _Search(system, least, None if seconds is None else time.monotonic() + seconds)
    return search.run(progress)


class _Search:
    """Outer bounds that hold and inner bounds that tables reach, until they meet."""

    def __init__(self, system: System, least: tuple[int, ...], until: float | None) -> None:
        self._least, self._until = least, until
        sums = sums_of(system)
        self.lower, self.upper = propagated(sums, least)
        # Sums that share no cell say nothing about each other: one at a time is the tightest.
        members = [cell for entry in sums.sums for cell in entry.cells]
        self._apart = len(members) == len(set(members))
        self._inner_lower, self._inner_upper = [*system.counts], [*system.counts]
        network = network_of(system)
        self._is_network = network is not None
        self._solver: Flow | Programme = (
            Flow(network, least)
            if network is not None and network.n_nodes <= MOST_NODES
            else Programme(system)
        )
        self._n_solves = 0
        self._too_far = False

    def run(self, progress: Progress) -> Bounds:
        """Settle cell after cell, from above and from below, until done or out of time."""
        size = len(self.lower)
        for cell in range(0 if self._apart else size):
            if cell % 16 == 0:
                progress("bounding the cells", cell, size)
            if not self._settle(cell, up=True) or not self._settle(cell, up=False):
                break  # no time is left
        settled = tuple(self._apart or self._is_settled(cell) for cell in range(size))
        return Bounds(
            tuple(self.lower),
            tuple(self.upper),
            settled,
            self._is_network,
            self._n_solves,
            self._too_far and not all(settled),
        )

    def _is_settled(self, cell: int) -> bool:
        return self._meets(cell, up=True) and self._meets(cell, up=False)

    def _meets(self, cell: int, *, up: bool) -> bool:
        """Whether a table reaches the outer bound; one that does not exist is reached too."""
        if up:
            return self.upper[cell] in (None, self._inner_upper[cell])
        return self.lower[cell] == self._inner_lower[cell]

    def _settle(self, cell: int, *, up: bool) -> bool:
        """Make one bound the tightest; False where time has run out."""
        if self._meets(cell, up=up):
            return True
        outer = self.upper[cell] if up else self.lower[cell]
        if outer is None or (self._until is not None and time.monotonic() >= self._until):
            return False
        self._n_solves += 1
        try:
            found = self._extreme(cell, outer, up=up)
        except OutOfTime:
            return False
        if up:
            self.upper[cell] = found.value
        else:
            self.lower[cell] = found.value
        self._learn(found)
        self._too_far |= found.too_far
        return found.reached or found.too_far

    def _extreme(self, cell: int, outer: int, *, up: bool) -> Extreme:
        if isinstance(self._solver, Flow):
            return self._solver.extreme(cell, up=up, outer=outer)
        return self._solver.extreme((cell,), self._least, up=up, outer=outer, until=self._until)

    def _learn(self, found: Extreme) -> None:
        """What a table shows about all the other cells."""
        if found.table is not None:
            self._inner_lower = list(map(min, self._inner_lower, found.table))
            self._inner_upper = list(map(max, self._inner_upper, found.table))


def propagated(sums: Sums, least: Sequence[int]) -> tuple[list[int], list[int | None]]:
    """Bounds by taking one sum at a time, again and again: certified, and often the tightest."""
    lower = [max(lo, low) for lo, low in zip(sums.lo, least, strict=True)]
    upper = [*sums.hi]
    for _ in range(ROUNDS):
        before = [*lower], [*upper]
        for entry in sums.sums:
            _tightened(entry.cells, entry.lo, entry.hi, lower, upper)
        if before == (lower, upper):
            break
    return lower, upper


def _tightened(
    cells: Sequence[int], lo: int, hi: int | None, lower: list[int], upper: list[int | None]
) -> None:
    """What one sum leaves to each of its cells, given the bounds of the others."""
    if hi is not None:
        spare = hi - sum(lower[cell] for cell in cells)
        for cell in cells:
            own, most = upper[cell], lower[cell] + spare
            upper[cell] = most if own is None else min(own, most)
    tops = [upper[cell] for cell in cells]
    finite = [top for top in tops if top is not None]
    if len(finite) < len(tops) - 1:
        return
    needed = lo - sum(finite)
    for cell, top in zip(cells, tops, strict=True):
        if len(finite) == len(tops):
            lower[cell] = max(lower[cell], needed + (top or 0))
        elif top is None:
            lower[cell] = max(lower[cell], needed)
