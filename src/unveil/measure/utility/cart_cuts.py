"""Where is each node of a tree best cut in two by one column, all nodes of a level at once?

Gini's index, as rpart has it: of the cuts that leave enough records on both sides, the one with the
least impurity. Numbers are cut along their order; levels along the share of copies among their
records in that very node (Breiman and others 1984, theorem 4.5: for two classes no other cut can be
better).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# An array over all cells is faster than sorting while it is not much larger than the records.
ROOM = 4
EQUAL = 1e-12  # impurities that differ by no more than rounding


@dataclass(frozen=True)
class Predictor:
    """One column that may tell copy from original: codes from 0, in the order of numbers."""

    name: str
    codes: NDArray[np.unsignedinteger]
    n_levels: int
    is_ordered: bool


@dataclass(frozen=True)
class Front:
    """The nodes of one level that may be cut: their records, those of the original first."""

    rows: NDArray[np.intp]
    node: Whole  # of each row, from 0
    n_original: int  # so many of the rows
    sizes: Whole  # records of each node
    n_synthetic: Whole

    @property
    def n_nodes(self) -> int:
        """Nodes on this level."""
        return len(self.sizes)


@dataclass(frozen=True)
class Cuts:
    """The best cut of every node by one column."""

    column: Predictor
    impurity: Floats  # infinite where the column cannot cut the node
    last: Whole  # the highest code, or rank among all cells, that goes left in each node
    cells: Whole  # node x levels + level, sorted; of an ordered column none
    rank: Whole  # of each cell, in the order along which it is cut

    def sends_left(self, node: Whole, code: NDArray[np.unsignedinteger]) -> Mask:
        """Whether records of these nodes and levels go left."""
        if self.column.is_ordered:
            return code <= self.last[node]
        cells = node * self.column.n_levels + code
        place = np.searchsorted(self.cells, cells)
        return self.rank[place] <= self.last[node]


def best_cuts(front: Front, column: Predictor, min_leaf: int) -> Cuts:
    """The cut of every node by one column that leaves the least impurity."""
    cells, n, n_syn = _counted(front, column)
    node = cells // column.n_levels
    starts = np.searchsorted(node, np.arange(front.n_nodes))
    n_cells = np.diff(starts, append=len(cells))
    rank = cells[:0]
    if not column.is_ordered:
        # By node, then by share: half a share keeps the nodes apart. Levels of one share stand the
        # other way round, as rpart has them from the highest share down.
        order = len(node) - 1 - np.argsort((node + n_syn / (2 * n))[::-1], kind="stable")
        rank = np.empty(len(cells), np.int64)
        rank[order] = np.arange(len(cells))
        n, n_syn = n[order], n_syn[order]
    left = _within(n, front.sizes, n_cells)
    left_syn = _within(n_syn, front.n_synthetic, n_cells)
    after = _impurity(left, left_syn, front, n_cells, min_leaf)
    least = np.minimum.reduceat(after, starts)
    best = np.flatnonzero(after <= np.repeat(least * (1 + EQUAL), n_cells))
    if column.is_ordered:
        last = best[np.searchsorted(best, starts)]  # the first of equals
        return Cuts(column, least, cells[last] % column.n_levels, cells[:0], rank)
    # The last of equals: rpart goes through levels from the highest share of copies down.
    last = best[np.searchsorted(best, starts + n_cells) - 1]
    return Cuts(column, least, last, cells, rank)


def _counted(front: Front, column: Predictor) -> tuple[Whole, Whole, Whole]:
    """The cells of node and level that occur, their records, and those of the copy."""
    cells = front.node * column.n_levels
    cells += column.codes[front.rows]
    space = front.n_nodes * column.n_levels
    if space > ROOM * len(cells):
        return _sorted(cells, front.n_original)
    n = np.bincount(cells[: front.n_original], minlength=space)
    n_syn = np.bincount(cells[front.n_original :], minlength=space)
    n += n_syn
    occurs = np.flatnonzero(n > 0)
    return occurs, n[occurs], n_syn[occurs]


def _sorted(cells: Whole, n_original: int) -> tuple[Whole, Whole, Whole]:
    """The same where most cells are empty: in memory for the records only."""
    cells *= 2
    cells[n_original:] += 1
    cells.sort()
    is_syn = cells & 1
    cells >>= 1
    starts = np.concatenate(([0], np.flatnonzero(cells[1:] != cells[:-1]) + 1))
    n = np.diff(starts, append=len(cells))
    return cells[starts], n, np.add.reduceat(is_syn, starts)


def _within(counts: Whole, of_node: Whole, n_cells: Whole) -> Whole:
    """Records up to and with each cell, within its node."""
    return np.cumsum(counts) - np.repeat(np.cumsum(of_node) - of_node, n_cells)


def _impurity(left: Whole, left_syn: Whole, front: Front, n_cells: Whole, min_leaf: int) -> Floats:
    """Gini's impurity after each cut, times the records over two; infinite where not allowed."""
    right = np.repeat(front.sizes, n_cells) - left
    right_syn = np.repeat(front.n_synthetic, n_cells) - left_syn
    is_refused = np.minimum(left, right) < min_leaf
    after = left_syn * (left - left_syn) / left
    after += right_syn * (right - right_syn) / np.maximum(right, 1)
    after[is_refused] = np.inf
    return after
