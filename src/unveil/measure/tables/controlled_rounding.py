"""Controlled rounding: every value goes to a neighbouring multiple, and all of them still add up.

Zero-restricted and additive: Cox and Ernst 1982; Causey, Cox and Ernst 1985.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, InternalError
from unveil.measure.tables.grid import Counts

# Controlled rounding that is right on average, of a table with at most two margins.
#
# Cells, margins and total are flows around a network; cycles of values that are no multiples yet
# are shifted, one way or the other, until none is left.


def round_unbiased(
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


LIMIT_SECONDS = 300.0


def round_controlled(
    counts: Counts, base: int, draws: np.random.Generator, sums: Sequence[Counts]
) -> Counts:
    """Round counts so that every sum of rounded counts is a neighbouring multiple of its sum.

    Notes
    -----
    A count c = base (w + f), 0 <= f < 1, becomes base (w + y) with y = 0 or 1, and 0 where f = 0.
    `sums` are the margins, each with a row of cells per entry: the rounded cells of a row must add
    up to the multiple at, next below or next above the row's own true sum.

    - No margin: y = 1 with probability f, each by itself. This is random rounding.
    - One or two margins: every value has its count for its mean over draws; see `round_unbiased`.
      The
      total is controlled too, whether it is asked for or not.
    - More: an integer programme. Among all such roundings the one with the least sum of (u - f) y
      is taken, u uniform. Without margins that would be y = 1 where u < f, random rounding; margins
      bend it as little as they can, but the mean over draws is then not exactly the count. Three
      and more dimensions may have no controlled rounding at all, and then the table is refused.

    References
    ----------
    Cox and Ernst 1982, Controlled rounding; Causey, Cox and Ernst 1985, Applications of
    transportation theory to statistical problems, which has a three-way table without any.
    """
    margins = [cells for cells in sums if len(cells) > 1]
    made = (
        round_unbiased(counts, base, draws, margins)
        if sums and len(margins) <= 2
        else _round_by_programme(counts, base, draws, sums)
    )
    _check(made, counts, base, sums)
    return made


def _round_by_programme(
    counts: Counts, base: int, draws: np.random.Generator, sums: Sequence[Counts]
) -> Counts:
    whole, rest = np.divmod(counts, base)
    thresholds = draws.random(len(counts))
    free = np.flatnonzero(rest)
    up = np.zeros(len(counts), np.int64)
    if free.size:
        f = rest[free] / base
        up[free] = _choose_up(
            thresholds[free] - f, _rows(counts, whole, free, base=base, sums=sums)
        )
    made: Counts = (whole + up) * base
    return made


Rows = tuple[Counts, Counts, Counts, Counts]


def _rows(
    counts: Counts, whole: Counts, free: Counts, *, base: int, sums: Sequence[Counts]
) -> Rows | None:
    """Each margin as: how many of its free cells may go up, at least and at most."""
    place = np.full(len(counts), -1, np.int64)
    place[free] = np.arange(free.size)
    rows: list[Counts] = []
    columns: list[Counts] = []
    least: list[Counts] = []
    most: list[Counts] = []
    for cells in sums:
        true = counts[cells].sum(axis=1)
        below = true // base - whole[cells].sum(axis=1)
        entry, member = np.nonzero(place[cells] >= 0)
        rows.append(entry + sum(len(one) for one in least))
        columns.append(place[cells][entry, member])
        least.append(below)
        most.append(below + (true % base > 0))
    if not rows:
        return None
    return (
        np.concatenate(rows),
        np.concatenate(columns),
        np.concatenate(least),
        np.concatenate(most),
    )


def _choose_up(cost: NDArray[np.float64], rows: Rows | None) -> NDArray[np.int64]:
    """Which free cells go up, at the least cost."""
    if rows is None:
        return (cost < 0).astype(np.int64)
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    row, column, least, most = rows
    matrix = csr_array((np.ones(len(row)), (row, column)), shape=(len(least), len(cost)))
    found = milp(
        cost,
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, least, most),
        options={"time_limit": LIMIT_SECONDS, "mip_rel_gap": 0},
    )
    if found.status == 0:
        chosen: NDArray[np.int64] = np.rint(found.x).astype(np.int64)
        return chosen
    if found.status == 2:
        raise InputError(
            "No controlled rounding adds up to all the margins asked for: tables of three and more"
            " dimensions may have none. Ask for fewer margins, or round with 'random'."
        )
    raise InputError(
        f"No controlled rounding was found within {LIMIT_SECONDS:,.0f} seconds. Ask for fewer"
        " margins, or round with 'random'."
    )


def _check(made: Counts, counts: Counts, base: int, sums: Sequence[Counts]) -> None:
    """A solver works in floats: that its answer is a controlled rounding is checked in integers."""
    for true, rounded in (
        (counts, made),
        *((counts[cells].sum(axis=1), made[cells].sum(axis=1)) for cells in sums),
    ):
        if (rounded % base).any() or (abs(rounded - true) >= base).any():
            raise InternalError("A controlled rounding does not add up.")
