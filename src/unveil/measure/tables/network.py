"""Sums of a one- or two-way table as flows in a network, where whole numbers come by themselves.

A family of sets is laminar when any two are apart or one holds the other: the rows of a table and
its total, or the levels of a hierarchy. Where the sums of a release split into two such families,
the table is a circulation: from the root down the first family's tree, through the cell, up the
second family's tree and back. Its matrix is totally unimodular, so that every question about whole
tables is one about paths. (Schrijver, Combinatorial Optimization, 13.4.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from unveil.measure.tables.facts import System
from unveil.measure.tables.sums import Sum, Sums, sums_of

ROOT = 0


@dataclass(frozen=True)
class Arc:
    """One cell or one sum: what flows from `tail` to `head`, and between which limits."""

    tail: int
    head: int
    flow: int
    lo: int
    hi: int | None

    @property
    def rises(self) -> bool:
        """Whether one more fits."""
        return self.hi is None or self.flow < self.hi

    @property
    def falls(self) -> bool:
        """Whether one less does."""
        return self.flow > self.lo


@dataclass(frozen=True)
class Network:
    """The circulation of a system at its true counts: the arcs of its cells, then of its sums."""

    cells: tuple[Arc, ...]
    sums: tuple[Arc, ...]
    n_nodes: int

    @cached_property
    def _always(self) -> list[int]:
        """For each node, whom it reaches whatever is sampled (bits): sums, and cells that rise."""
        steps = [0] * self.n_nodes
        for arc in (*self.sums, *self.cells):
            steps[arc.tail] |= arc.rises << arc.head
        for arc in self.sums:
            steps[arc.head] |= arc.falls << arc.tail
        return steps

    @cached_property
    def _lowered(self) -> list[list[tuple[int, int]]]:
        """For each node, whom it reaches by lowering a cell that is not full, and which cells."""
        steps: list[dict[int, int]] = [{} for _ in range(self.n_nodes)]
        for cell, arc in enumerate(self.cells):
            if arc.falls:
                steps[arc.head][arc.tail] = steps[arc.head].get(arc.tail, 0) | 1 << cell
        return [list(step.items()) for step in steps]

    @cached_property
    def _ways(self) -> list[int]:
        """For each node, whom it reaches while no cell is full (bits)."""
        lowered = (sum(1 << tail for tail, _ in step) for step in self._lowered)
        return [step | more for step, more in zip(self._always, lowered, strict=True)]

    @cached_property
    def _between(self) -> dict[tuple[int, int], int]:
        """The cells (bits) that can be lowered, by the nodes from and to which that leads."""
        pairs = enumerate(self._lowered)
        return {(head, tail): cells for head, step in pairs for tail, cells in step}

    @cached_property
    def _falling(self) -> int:
        return _bits([cell for cell, arc in enumerate(self.cells) if arc.falls])

    @cached_property
    def _opened(self) -> dict[int, list[int]]:
        """The ways of the full cells that were asked about last."""
        return {}

    def _ways_beside(self, full: int) -> list[int]:
        """For each node, whom it reaches beside full cells (bits)."""
        if full not in self._opened:
            ways = [*self._ways]
            for cell in _places(full & self._falling):
                arc = self.cells[cell]
                if not self._between[arc.head, arc.tail] & ~full:
                    ways[arc.head] &= ~(1 << arc.tail) | self._always[arc.head]
            self._opened.clear()
            self._opened[full] = ways
        return self._opened[full]

    def reach(self, start: int, full: int) -> int:
        """The nodes (bits) that one more person at `start` can be led on to."""
        return _reached(self._ways_beside(full), 1 << start)

    def rises_alone(self, cell: int) -> bool:
        """Whether a cell can be raised that is full, while no other cell of anybody is."""
        arc = self.cells[cell]
        if not arc.rises or arc.tail == arc.head:
            return arc.rises
        goal, first = 1 << arc.tail, self._ways[arc.head]
        beside = self._between.get((arc.head, arc.tail), 0) & ~(1 << cell)
        if not beside and not self._always[arc.head] & goal:
            first &= ~goal
        # Through its own end a circle need not lead again.
        return bool(_reached(self._ways, first, goal, barred=1 << arc.head) & goal)

    def recovered(self, full: int, cells: Sequence[int]) -> int:
        """Those of the cells (bits) that are full and cannot be raised: recovered zeros.

        Notes
        -----
        A full cell can be raised iff it is below its own upper limit and the one person more can be
        led back, in the residual network, from where the cell ends to where it begins.
        """
        reached: dict[int, int] = {}
        found = 0
        for cell in cells:
            if not full >> cell & 1:
                continue
            arc = self.cells[cell]
            if arc.rises:
                if arc.head not in reached:
                    reached[arc.head] = self.reach(arc.head, full)
                if reached[arc.head] >> arc.tail & 1:
                    continue
            found |= 1 << cell
        return found

    def blocking(self, cell: int, full: int) -> int:
        """Full cells (bits) that keep a recovered cell from rising, itself among them."""
        arc = self.cells[cell]
        if not arc.rises:
            return 1 << cell
        reached = self.reach(arc.head, full)
        found = 1 << cell
        for node in range(self.n_nodes):
            if reached >> node & 1:
                for tail, cells in self._lowered[node]:
                    if not reached >> tail & 1:
                        found |= cells & full
        return found


def _reached(ways: Sequence[int], new: int, goal: int = 0, barred: int = 0) -> int:
    """The nodes (bits) that some nodes lead to; it ends where a goal is among them."""
    new &= ~barred
    seen = new | barred
    while new and not seen & goal:
        node = new.bit_length() - 1
        new &= ~(1 << node)
        more = ways[node] & ~seen
        seen |= more
        new |= more
    return seen


def _bits(cells: Sequence[int]) -> int:
    """Cells as bits, in one go: to add them up one by one takes long for tens of thousands."""
    held = bytearray(max(cells, default=0) // 8 + 1)
    for cell in cells:
        held[cell // 8] |= 1 << cell % 8
    return int.from_bytes(held, "little")


def _places(bits: int) -> Iterator[int]:
    while bits:
        place = bits.bit_length() - 1
        yield place
        bits ^= 1 << place


def network_of(system: System) -> Network | None:
    """The network of a system; None where its sums do not split into two laminar families."""
    sums = sums_of(system)
    families = two_families([entry.cells for entry in sums.sums])
    if families is None:
        return None
    return _built(system.counts, sums, families)


def two_families(sets: Sequence[tuple[int, ...]]) -> list[int] | None:
    """Family 0 or 1 of each set so that no two of a family cross; None where that cannot be."""
    bits = [_bits(cells) for cells in sets]
    around: dict[int, list[int]] = {}
    for number, cells in enumerate(sets):
        for cell in cells:
            around.setdefault(cell, []).append(number)
    family: list[int | None] = [None] * len(bits)
    for first in range(len(bits)):
        if family[first] is not None:
            continue
        family[first] = 0
        queue = [first]
        while queue:
            one = queue.pop()
            for other in {number for cell in sets[one] for number in around[cell]}:
                if not _cross(bits[one], bits[other]):
                    continue
                if family[other] is None:
                    family[other] = 1 - (family[one] or 0)
                    queue.append(other)
                elif family[other] == family[one]:
                    return None
    return [side or 0 for side in family]


def _cross(one: int, other: int) -> bool:
    common = one & other
    return common not in (0, one, other)


def _built(counts: Sequence[int], sums: Sums, families: Sequence[int]) -> Network:
    """Arcs of both trees and of the cells; each set is the node below its arc."""
    inner = [[ROOT] * len(counts), [ROOT] * len(counts)]  # the smallest set so far around a cell
    arcs = []
    order = sorted(zip(sums.sums, families, strict=True), key=lambda pair: -len(pair[0].cells))
    for node, (entry, side) in enumerate(order, start=1):
        arcs.append(_arc(entry, node, inner[side][entry.cells[0]], side, counts))
        for cell in entry.cells:
            inner[side][cell] = node
    cells = tuple(
        Arc(inner[0][cell], inner[1][cell], count, sums.lo[cell], sums.hi[cell])
        for cell, count in enumerate(counts)
    )
    return Network(cells, tuple(arcs), len(order) + 1)


def _arc(entry: Sum, node: int, parent: int, side: int, counts: Sequence[int]) -> Arc:
    flow = sum(counts[cell] for cell in entry.cells)
    tail, head = (parent, node) if side == 0 else (node, parent)
    return Arc(tail, head, flow, entry.lo, entry.hi)
