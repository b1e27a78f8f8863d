"""The most and the fewest a cell can have, by the largest flow round its arc of the network.

From the true counts, which fit, people are led along shortest paths of the residual network until
no path is left: Edmonds and Karp (1972). What is found is whole by itself, and a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measure.tables.integer_programme import Extreme
from unveil.measure.tables.parts import Sum, Sums, System, sums_of

# Sums of a one- or two-way table as flows in a network, where whole numbers come by themselves.
#
# A family of sets is laminar when any two are apart or one holds the other: the rows of a table
# and its total, or the levels of a hierarchy. Where the sums of a release split into two such
# families, the table is a circulation: from the root down the first family's tree, through the
# cell, up the second family's tree and back. Its matrix is totally unimodular, so that every
# question about whole tables is one about paths. (Schrijver, Combinatorial Optimization, 13.4.)


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
    def _lowering_steps(self) -> list[list[tuple[int, int]]]:
        """For each node, whom it reaches by lowering a cell that is not full, and which cells."""
        steps: list[dict[int, int]] = [{} for _ in range(self.n_nodes)]
        for cell, arc in enumerate(self.cells):
            if arc.falls:
                steps[arc.head][arc.tail] = steps[arc.head].get(arc.tail, 0) | 1 << cell
        return [list(step.items()) for step in steps]

    @cached_property
    def _ways(self) -> list[int]:
        """For each node, whom it reaches while no cell is full (bits)."""
        lowered = (sum(1 << tail for tail, _ in step) for step in self._lowering_steps)
        return [step | more for step, more in zip(self._always, lowered, strict=True)]

    @cached_property
    def _between(self) -> dict[tuple[int, int], int]:
        """The cells (bits) that can be lowered, by the nodes from and to which that leads."""
        pairs = enumerate(self._lowering_steps)
        return {(head, tail): cells for head, step in pairs for tail, cells in step}

    @cached_property
    def _falling(self) -> int:
        return _bits([cell for cell, arc in enumerate(self.cells) if arc.falls])

    @cached_property
    def _last_ways(self) -> dict[int, list[int]]:
        """The ways of the full cells that were asked about last."""
        return {}

    def _ways_beside(self, full: int) -> list[int]:
        """For each node, whom it reaches beside full cells (bits)."""
        if full not in self._last_ways:
            ways = [*self._ways]
            for cell in _places(full & self._falling):
                arc = self.cells[cell]
                if not self._between[arc.head, arc.tail] & ~full:
                    ways[arc.head] &= ~(1 << arc.tail) | self._always[arc.head]
            self._last_ways.clear()
            self._last_ways[full] = ways
        return self._last_ways[full]

    def reach(self, start: int, full: int) -> int:
        """The nodes (bits) that one more person at `start` can be led on to."""
        return _reachable_nodes(self._ways_beside(full), 1 << start)

    def is_exposed(self, cell: int) -> bool:
        """Whether the cell is recovered once all its own people are known, and nobody else."""
        arc = self.cells[cell]
        if not arc.rises or arc.tail == arc.head:
            return not arc.rises
        goal, first = 1 << arc.tail, self._ways[arc.head]
        beside = self._between.get((arc.head, arc.tail), 0) & ~(1 << cell)
        if not beside and not self._always[arc.head] & goal:
            first &= ~goal
        # Through its own end a circle need not lead again.
        return not _reachable_nodes(self._ways, first, goal, barred=1 << arc.head) & goal

    def find_recovered(self, full: int, cells: Sequence[int]) -> int:
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
                for tail, cells in self._lowering_steps[node]:
                    if not reached >> tail & 1:
                        found |= cells & full
        return found


def _reachable_nodes(ways: Sequence[int], new: int, goal: int = 0, barred: int = 0) -> int:
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
    families = split_families([entry.cells for entry in sums.sums])
    if families is None:
        return None
    return _build_network(system.counts, sums, families)


def split_families(sets: Sequence[tuple[int, ...]]) -> list[int] | None:
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


def _build_network(counts: Sequence[int], sums: Sums, families: Sequence[int]) -> Network:
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


Capacity = NDArray[Any]
"""Whole numbers of 64 bits, or Python's own where these are too short."""
LARGEST = 1 << 60
MOST_NODES = 2_000
"""Of a network whose rooms are kept as a square; 32 MB."""


class Flow:
    """The residual network at the true counts."""

    def __init__(self, network: Network) -> None:
        self._arcs = (*network.cells, *network.sums)
        self._n_cells = len(network.cells)
        self._between: dict[frozenset[int], list[int]] = {}
        for number, arc in enumerate(self._arcs):
            self._between.setdefault(frozenset((arc.tail, arc.head)), []).append(number)
        square = (network.n_nodes, network.n_nodes)
        self._every = 1 + sum(self._most_of(number) for number in range(len(self._arcs)))
        """More than all rooms together: the room of an arc without an upper limit."""
        kind = np.int64 if self._every <= LARGEST else object
        self._finite: Capacity = np.zeros(square, kind)
        self._endless: Capacity = np.zeros(square, np.int64)
        for number, arc in enumerate(self._arcs):
            self._add(number, arc.tail, arc.head, 1)
            self._add(number, arc.head, arc.tail, 1)

    def extreme(self, cell: int, *, up: bool, outer: int) -> Extreme:
        """The largest or smallest count of a cell; `outer` limits it already."""
        arc = self._arcs[cell]
        before = self._without(cell)
        room = before.copy()
        start, end = (arc.head, arc.tail) if up else (arc.tail, arc.head)
        wanted = abs(outer - arc.flow)
        moved = wanted if start == end else _most(room, start, end, wanted)
        table = self._table(before - room, cell)
        table[cell] += moved if up else -moved
        return Extreme(table[cell], True, tuple(table))

    def _add(self, number: int, tail: int, head: int, times: int) -> None:
        """Count the room of an arc one way, or (`times` -1) no longer."""
        room = self._room_of(number, tail)
        if room is None:
            self._endless[tail, head] += times
        else:
            self._finite[tail, head] += times * room

    def _without(self, number: int) -> Capacity:
        """The room between all nodes through every arc but one."""
        arc = self._arcs[number]
        ways = ((arc.tail, arc.head), (arc.head, arc.tail))
        for tail, head in ways:
            self._add(number, tail, head, -1)
        room = self._finite.copy()
        room[self._endless > 0] = self._every
        for tail, head in ways:
            self._add(number, tail, head, 1)
        return room

    def _most_of(self, number: int) -> int:
        arc = self._arcs[number]
        return max(self._room_of(number, end) or 0 for end in (arc.tail, arc.head))

    def _room_of(self, number: int, tail: int) -> int | None:
        """How many more an arc can lead away from one of its ends; None where there is no limit."""
        arc = self._arcs[number]
        if arc.tail != tail:
            return arc.flow - arc.lo
        return None if arc.hi is None else arc.hi - arc.flow

    def _table(self, moved: Capacity, cell: int) -> list[int]:
        """The table that a flow leads to: what went between two nodes, handed out to their arcs."""
        table = [arc.flow for arc in self._arcs[: self._n_cells]]
        for tail, head in np.argwhere(moved > 0).tolist():
            left = int(moved[tail, head])
            for number in self._between[frozenset((tail, head))]:
                room = 0 if number == cell else self._room_of(number, tail)
                part = left if room is None else min(left, room)
                left -= part
                if number < self._n_cells:
                    table[number] += part if self._arcs[number].tail == tail else -part
        return table


def _most(room: Capacity, start: int, end: int, wanted: int) -> int:
    """How many of those wanted can be led from start to end; `room` is what is left."""
    moved = 0
    while moved < wanted:
        path = _shortest(room, start, end)
        if path is None:
            break
        tails, heads = path[:-1], path[1:]
        step = min(wanted - moved, int(room[tails, heads].min()))
        room[tails, heads] -= step
        room[heads, tails] += step
        moved += step
    return moved


def _shortest(room: Capacity, start: int, end: int) -> list[int] | None:
    """A shortest path with room on it."""
    before = np.full(len(room), -1)
    before[start] = start
    front = np.array([start])
    while len(front) and before[end] < 0:
        opens = room[front] > 0
        new = np.flatnonzero(opens.any(axis=0) & (before < 0))
        before[new] = front[opens[:, new].argmax(axis=0)]
        front = new
    if before[end] < 0:
        return None
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path[::-1]
