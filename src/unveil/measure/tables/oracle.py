"""Can a cell be raised, given what an intruder has counted? And is a sample a risk?

A cell whose people are all known is a recovered zero when no table that fits the release, and holds
the people known, has more in it (docs/measures/bounds.md). Two oracles answer: paths in a network
where sums allow it, integer programmes elsewhere. Both remember what they have learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unveil.measure.tables.facts import System
from unveil.measure.tables.network import Network, network_of
from unveil.measure.tables.programme import Programme, Table
from unveil.measure.tables.sums import sums_of

# More witnesses than this are not looked through faster than a programme is solved.
WITNESSES = 512


class Oracle(Protocol):
    """Answers whether a cell can have more people than it has."""

    system: System
    by_fullness: bool
    """Whether only WHICH cells are fully known matters, not how many people of the others are."""

    def raisable(self, cell: int, at_least: Sequence[int]) -> bool:
        """Whether a table of at least `at_least` fits the release with more in the cell."""
        ...

    def recovered(self, at_least: Sequence[int], cells: Sequence[int]) -> frozenset[int]:
        """Those of the cells that are fully known and cannot be raised."""
        ...

    def recovers_all(self, at_least: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether each of the cells is fully known and cannot be raised."""
        ...

    def is_exposed(self, cell: int) -> bool:
        """Whether the cell is recovered once all its own people are known, and nobody else."""
        ...


class NetworkOracle:
    """By reachability: a cell is raised by leading one person round a circle of the network."""

    by_fullness = True

    def __init__(self, system: System, network: Network) -> None:
        self.system = system
        self.network = network

    def raisable(self, cell: int, at_least: Sequence[int]) -> bool:
        """Whether the cell is below its limit, and a path leads one person more back to it."""
        arc = self.network.cells[cell]
        full = self.full(at_least) | 1 << cell
        return arc.rises and bool(self.network.reach(arc.head, full) >> arc.tail & 1)

    def recovered(self, at_least: Sequence[int], cells: Sequence[int]) -> frozenset[int]:
        """Those of the cells that are fully known and cannot be raised."""
        bits = self.network.recovered(self.full(at_least), cells)
        return frozenset(cell for cell in cells if bits >> cell & 1)

    def recovers_all(self, at_least: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether each of the cells is fully known and cannot be raised."""
        return len(self.recovered(at_least, cells)) == len(set(cells))

    def is_exposed(self, cell: int) -> bool:
        """Whether the cell is recovered once all its own people are known, and nobody else."""
        return not self.network.rises_alone(cell)

    def full(self, at_least: Sequence[int]) -> int:
        """The cells (bits) all of whose people are known."""
        pairs = enumerate(zip(self.system.counts, at_least, strict=True))
        return sum(1 << cell for cell, (count, known) in pairs if known >= count)


class ProgrammeOracle:
    """By integer programmes, each table found being a witness for every smaller sample."""

    by_fullness = False

    def __init__(self, system: System) -> None:
        self.system = system
        self.until: float | None = None
        self._programme = Programme(system)
        sums = sums_of(system)
        limited = {cell for entry in sums.sums if entry.hi is not None for cell in entry.cells}
        limited |= {cell for cell, hi in enumerate(sums.hi) if hi is not None}
        self._limited = limited
        self._witnesses: list[list[Table]] = [[] for _ in system.counts]

    def raisable(self, cell: int, at_least: Sequence[int]) -> bool:
        """Whether a table of at least `at_least` fits the release with more in the cell."""
        if cell not in self._limited:
            return True
        for witness in self._witnesses[cell]:
            if all(low <= count for low, count in zip(at_least, witness, strict=True)):
                return True
        table = self._programme.above(cell, self.system.counts[cell], at_least, self.until)
        if table is None:
            return False
        self._remember(table)
        return True

    def recovered(self, at_least: Sequence[int], cells: Sequence[int]) -> frozenset[int]:
        """Those of the cells that are fully known and cannot be raised."""
        return frozenset(cell for cell in cells if self.recovers_all(at_least, (cell,)))

    def recovers_all(self, at_least: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether each of the cells is fully known and cannot be raised."""
        full = all(at_least[cell] >= self.system.counts[cell] for cell in cells)
        return full and not any(self.raisable(cell, at_least) for cell in cells)

    def is_exposed(self, cell: int) -> bool:
        """Whether the cell is recovered once all its own people are known, and nobody else."""
        alone = [0] * len(self.system.counts)
        alone[cell] = self.system.counts[cell]
        return not self.raisable(cell, alone)

    def _remember(self, table: Table) -> None:
        for cell, (found, count) in enumerate(zip(table, self.system.counts, strict=True)):
            if found > count:
                self._witnesses[cell].insert(0, table)
                del self._witnesses[cell][WITNESSES:]


AnyOracle = NetworkOracle | ProgrammeOracle


def oracle_of(system: System) -> AnyOracle:
    """The network's oracle where the sums of a system are a network, else the programme's."""
    network = network_of(system)
    return ProgrammeOracle(system) if network is None else NetworkOracle(system, network)
