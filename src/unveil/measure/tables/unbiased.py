"""Controlled rounding that is right on average, of a table with at most two margins.

Cells, margins and total are flows around a network; cycles of values that are no multiples yet are
shifted, one way or the other, until none is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.measure.tables.grid import Counts


def unbiased(
    counts: Counts, base: int, draws: np.random.Generator, sums: Sequence[Counts]
) -> Counts:
    """Round counts so that they, at most two margins and the total go to neighbouring multiples.

    Notes
    -----
    A cell runs from its entry of the first margin to its entry of the second; a margin that is not
    there has one entry, the total. Where one value at a node is no multiple of the base, another is
    not either, so there is a cycle of such values. Along it, values can be raised by at most p
    until one is a multiple, or lowered by at most q. They are raised by p with probability
    q / (p + q), and lowered by q otherwise: no value changes on average. Each shift makes one more
    value a multiple, none leaves the two multiples it began between, and multiples never move. So
    every published value, margins and total included, has its true count for its mean over draws.

    References
    ----------
    Cox 1987, A constructive procedure for unbiased controlled rounding, for two-way tables.
    """
    first, second = (_entries(len(counts), sums, place) for place in (0, 1))
    flow = _Flow(counts, base, first, second)
    for node in range(len(flow.at)):
        while flow.at[node]:
            flow.shift(flow.cycle(node), draws)
    made: Counts = np.array(flow.value[: len(counts)], dtype=np.int64)
    return made


def _entries(n_cells: int, sums: Sequence[Counts], place: int) -> list[int]:
    """Of each cell: its entry of a margin, 0 for all where there is none."""
    entry = np.zeros(n_cells, np.int64)
    if place < len(sums):
        entry[sums[place]] = np.arange(len(sums[place]))[:, None]
    found: list[int] = entry.tolist()
    return found


class _Flow:
    """Values on the edges of a network that flow around; at each node, those not yet multiples."""

    def __init__(self, counts: Counts, base: int, first: list[int], second: list[int]) -> None:
        n, m = max(first) + 1, max(second) + 1
        source, sink = n + m, n + m + 1
        self.base = base
        self.ends = [
            *((i, n + j) for i, j in zip(first, second, strict=True)),
            *((source, i) for i in range(n)),
            *((n + j, sink) for j in range(m)),
            (sink, source),
        ]
        margins = [np.bincount(e, weights=counts).astype(np.int64) for e in (first, second)]
        self.value: list[int] = [*counts.tolist(), *margins[0].tolist(), *margins[1].tolist()]
        self.value.append(int(counts.sum()))
        self.at: list[dict[int, None]] = [{} for _ in range(n + m + 2)]
        for edge, (tail, head) in enumerate(self.ends):
            if self.value[edge] % base:
                self.at[tail][edge] = self.at[head][edge] = None

    def cycle(self, start: int) -> list[tuple[int, int]]:
        """A cycle of values that are no multiples, each with the direction it is passed in."""
        seen, path, node, came = {start: 0}, [], start, -1
        while True:
            edge = next(one for one in self.at[node] if one != came)
            tail, head = self.ends[edge]
            path.append((edge, 1 if node == tail else -1))
            node, came = head if node == tail else tail, edge
            if node in seen:
                return path[seen[node] :]
            seen[node] = len(path)

    def shift(self, cycle: Sequence[tuple[int, int]], draws: np.random.Generator) -> None:
        """Raise or lower the flow along a cycle until one of its values is a multiple."""
        left = [(self.value[edge] % self.base, way) for edge, way in cycle]
        p = min(self.base - rest if way > 0 else rest for rest, way in left)
        q = min(rest if way > 0 else self.base - rest for rest, way in left)
        by = p if draws.integers(p + q) < q else -q
        for edge, way in cycle:
            self.value[edge] += way * by
            if self.value[edge] % self.base == 0:
                for node in self.ends[edge]:
                    del self.at[node][edge]
