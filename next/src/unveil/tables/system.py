"""Published values as one linear system: what each says by itself, and the sums that tie them.

Every figure is an unknown x_j with lower_j <= x_j <= upper_j: an exact count, the interval that a
rounding leaves, a suppressed value. Every equation is a sum. Counts are whole numbers, amounts are
not. Bounds, SAP, suppression and plans are all asked of this one object.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError

Truths = NDArray[np.bool_]
Fact = tuple[Sequence[int] | Ints, float, float]
"""Cells, and the least and the most that they hold together."""

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Sums:
    """Equations: in each row the figures of sign 1 add up to the one of sign -1."""

    row: Ints
    figure: Ints
    sign: Floats
    n_rows: int

    @classmethod
    def of(cls, groups: Sequence[Any], n_cells: int) -> "Sums":
        """One row for each group of cells; the sums are the figures after the cells."""
        sizes = [len(cells) for cells in groups]
        wholes = np.arange(len(groups))
        parts = np.concatenate([np.zeros(0, np.int64), *map(np.asarray, groups)]).astype(np.int64)
        return cls.sorted(
            np.concatenate([np.repeat(wholes, sizes), wholes]),
            np.concatenate([parts, n_cells + wholes]),
            np.concatenate([np.ones(len(parts)), -np.ones(len(groups))]),
            len(groups),
        )

    @classmethod
    def sorted(cls, row: Ints, figure: Ints, sign: Floats, n_rows: int) -> "Sums":
        """Entries in the order of their figures."""
        order = np.lexsort((row, figure))
        return cls(row[order], figure[order], sign[order], n_rows)

    def beside(self, row: Ints, figure: Ints, sign: Floats) -> "Sums":
        """With further equations, their rows counted from 0."""
        n_rows = self.n_rows + (int(row.max()) + 1 if len(row) else 0)
        return Sums.sorted(
            np.concatenate([self.row, row + self.n_rows]),
            np.concatenate([self.figure, figure]),
            np.concatenate([self.sign, sign]),
            n_rows,
        )

    def matrix(self, n_figures: int) -> Any:
        """Rows by figures; every row times x is 0."""
        from scipy.sparse import csr_array

        return csr_array((self.sign, (self.row, self.figure)), shape=(self.n_rows, n_figures))


@dataclass(frozen=True, eq=False)
class System:
    """Bounds of every figure and the sums between them; the first `n_cells` figures are cells."""

    lower: Floats
    upper: Floats
    sums: Sums
    n_cells: int
    is_whole: bool = True
    truth: Floats | None = None  # the true figures, where they are known
    figure_of: dict[tuple[int, ...], int] = field(default_factory=dict)  # by its cells

    def within(self, lower: Floats, upper: Floats) -> "System":
        """The same with other bounds."""
        return replace(self, lower=lower, upper=upper)

    @property
    def size(self) -> int:
        return len(self.lower)

    @cached_property
    def matrix(self) -> Any:
        return self.sums.matrix(self.size)

    @cached_property
    def is_open(self) -> Truths:
        """Figures that are not known yet."""
        return np.asarray(self.lower < self.upper)


def system_of(n_cells: int, facts: Iterable[Fact], truth: Floats | None = None) -> System:
    """The system of facts on sums of cells; facts on the same cells are put together."""
    bounds: dict[tuple[int, ...], tuple[float, float]] = {
        (cell,): (0.0, np.inf) for cell in range(n_cells)
    }
    for cells, low, high in facts:
        key = tuple(sorted(int(cell) for cell in cells))
        known_low, known_high = bounds.get(key, (0.0, np.inf))
        bounds[key] = max(known_low, low), min(known_high, high)
    groups = [cells for cells in bounds if len(cells) > 1]
    order = [*((cell,) for cell in range(n_cells)), *groups]
    lower, upper = np.array([bounds[cells] for cells in order], np.float64).T
    if truth is not None:
        sums = [truth[list(cells)].sum() for cells in groups]
        truth = np.concatenate([truth, np.array(sums, np.float64)])
    figure_of = {cells: figure for figure, cells in enumerate(order)}
    return System(lower, upper, Sums.of(groups, n_cells), n_cells, truth=truth, figure_of=figure_of)


def propagate(system: System, rounds: int = 100) -> System:
    """The bounds that follow from one equation at a time, repeated until nothing moves.

    A part is at most the whole less the least of the other parts (shuttle algorithm: Buzzigoli and
    Giusti 1999). Every bound holds at every moment, so that the rounds may end any time.
    """
    lower, upper = system.lower.copy(), system.upper.copy()
    row, figure, n_rows = system.sums.row, system.sums.figure, system.sums.n_rows
    is_part, moved = system.sums.sign > 0, np.ones(system.size, bool)
    for _ in range(rounds):
        is_active = np.zeros(n_rows, bool)
        is_active[row[moved[figure]]] = True
        chosen = is_active[row]
        if not chosen.any():
            break
        r, j, part = row[chosen], figure[chosen], is_part[chosen]
        least = _of_others(np.where(part, lower[j], -upper[j]), r, n_rows)
        most = _of_others(np.where(part, upper[j], -lower[j]), r, n_rows)
        highs, lows = np.where(part, -least, most), np.where(part, -most, least)
        if system.is_whole:
            lows, highs = np.ceil(lows - TOLERANCE), np.floor(highs + TOLERANCE)
        start = np.flatnonzero(np.diff(j, prepend=-1))
        at, high, low = (
            j[start],
            np.minimum.reduceat(highs, start),
            np.maximum.reduceat(lows, start),
        )
        width = np.minimum(upper[at], 1e15) - lower[at]
        gain = 0 if system.is_whole else 1e-9 * (1 + np.abs(width))
        is_higher, is_lower = low > lower[at] + gain, high < upper[at] - gain
        lower[at[is_higher]], upper[at[is_lower]] = low[is_higher], high[is_lower]
        apart = lower - upper
        if (apart > TOLERANCE * (1 + np.abs(lower))).any():
            refuse_contradiction()
        np.minimum(lower, upper, out=lower)
        moved = np.zeros(system.size, bool)
        moved[at] = is_higher | is_lower
    return system.within(lower, upper)


def _of_others(terms: Floats, row: Ints, n_rows: int) -> Floats:
    """In each entry the sum of the other terms of its row; of infinite ones it is infinite."""
    is_infinite = np.isinf(terms)
    finite = np.where(is_infinite, 0.0, terms)
    others = np.bincount(row, finite, n_rows)[row] - finite
    signs = np.where(is_infinite, np.sign(terms), 0.0)
    infinite = np.bincount(row, signs, n_rows)[row] - signs
    return np.where(infinite > 0, np.inf, np.where(infinite < 0, -np.inf, others))


def refuse_contradiction() -> None:
    raise InputError(
        "The published values contradict each other: no table of counts has them all. Check the"
        " schemes (publish), impossible cells (structural) and values that were drawn (published)."
    )


def components(system: System) -> Ints:
    """For each open figure the number of those it hangs together with by sums; -1 of known ones."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    is_tied = system.is_open[system.sums.figure]
    ends = system.sums.figure[is_tied], system.size + system.sums.row[is_tied]
    size = system.size + system.sums.n_rows
    graph = csr_array((np.ones(is_tied.sum()), ends), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    return np.where(system.is_open, label[: system.size], -1)


def has_whole_vertices(system: System) -> bool:
    """Whether the sums are of two families, in each of which two sums are apart or one in another.

    Two such (laminar) families are totally unimodular (Edmonds 1970): linear programmes then have
    whole solutions, and tables differ by moves that change every cell by at most one. A two-way
    table with its totals and nested hierarchies are so; a three-way table with all its two-way
    margins is not.
    """
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.csgraph import connected_components

    if (system.sums.figure[system.sums.sign > 0] >= system.n_cells).any():
        return False  # sums of sums are not looked through
    parts = (system.matrix[:, : system.n_cells] != 0).astype(np.int64)
    parts = parts[np.diff(parts.indptr) > 1]
    if parts.shape[0] < 3:
        return True
    size, common = np.diff(parts.indptr), (parts @ parts.T).tocoo()
    crosses = common.data < np.minimum(size[common.row], size[common.col])
    pairs = np.ones(crosses.sum()), (common.row[crosses], common.col[crosses])
    graph = csr_array(pairs, shape=common.shape)
    if not graph.nnz:
        return True
    # Two families serve if no sum is led back to itself by an odd number of crossings.
    twice = block_array([[None, graph], [graph, None]])
    _, label = connected_components(twice, directed=False)
    return bool((label[: len(size)] != label[len(size) :]).all())
