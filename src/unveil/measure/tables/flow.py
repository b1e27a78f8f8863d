"""The most and the fewest a cell can have, by the largest flow round its arc of the network.

From the true counts, which fit, people are led along shortest paths of the residual network until
no path is left: Edmonds and Karp (1972). What is found is whole by itself, and a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measure.tables.network import Network
from unveil.measure.tables.programme import Extreme

Room = NDArray[Any]
"""Whole numbers of 64 bits, or Python's own where these are too short."""
LARGEST = 1 << 60
MOST_NODES = 2_000
"""Of a network whose rooms are kept as a square; 32 MB."""


class Flow:
    """The residual network at the true counts, with people known beforehand in their cells."""

    def __init__(self, network: Network, at_least: Sequence[int]) -> None:
        self._arcs = (*network.cells, *network.sums)
        self._n_cells = len(network.cells)
        lows = [max(arc.lo, low) for arc, low in zip(network.cells, at_least, strict=True)]
        self._lows = [*lows, *(arc.lo for arc in network.sums)]
        self._between: dict[frozenset[int], list[int]] = {}
        for number, arc in enumerate(self._arcs):
            self._between.setdefault(frozenset((arc.tail, arc.head)), []).append(number)
        square = (network.n_nodes, network.n_nodes)
        self._every = 1 + sum(self._most_of(number) for number in range(len(self._arcs)))
        """More than all rooms together: the room of an arc without an upper limit."""
        kind = np.int64 if self._every <= LARGEST else object
        self._finite: Room = np.zeros(square, kind)
        self._endless: Room = np.zeros(square, np.int64)
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

    def _without(self, number: int) -> Room:
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
            return arc.flow - self._lows[number]
        return None if arc.hi is None else arc.hi - arc.flow

    def _table(self, moved: Room, cell: int) -> list[int]:
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


def _most(room: Room, start: int, end: int, wanted: int) -> int:
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


def _shortest(room: Room, start: int, end: int) -> list[int] | None:
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
