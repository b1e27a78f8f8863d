"""Trees: grown as rpart does for two classes, by scikit-learn for the rest; where a row ends.

`grow_rpart_trees` is for propensities; `grow_tree` for anything that is predicted or drawn.
`TreeCuts` are the cuts of a tree without the values it was grown on, for models that are stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.models.array_record import ArrayRecord

# Where is each node of a tree best cut in two by one column, all nodes of a level at once?
#
# Gini's index, as rpart has it: of the cuts that leave enough records on both sides, the one with
# the least impurity. Numbers are cut along their order; levels along the share of copies among
# their records in that very node (Breiman and others 1984, theorem 4.5: for two classes no other
# cut can be better).


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
    node: Ints  # of each row, from 0
    n_original: int  # so many of the rows
    sizes: Ints  # records of each node
    n_synthetic: Ints

    @property
    def n_nodes(self) -> int:
        """Nodes on this level."""
        return len(self.sizes)


@dataclass(frozen=True)
class ColumnCuts:
    """The best cut of every node by one column."""

    column: Predictor
    impurity: Floats  # infinite where the column cannot cut the node
    last: Ints  # the highest code, or rank among all cells, that goes left in each node
    cells: Ints  # node x levels + level, sorted; of an ordered column none
    rank: Ints  # of each cell, in the order along which it is cut

    def is_left(self, node: Ints, code: NDArray[np.unsignedinteger]) -> Mask:
        """Whether records of these nodes and levels go left."""
        if self.column.is_ordered:
            return code <= self.last[node]
        cells = node * self.column.n_levels + code
        place = np.searchsorted(self.cells, cells)
        return self.rank[place] <= self.last[node]


def best_cuts(front: Front, column: Predictor, min_leaf: int) -> ColumnCuts:
    """The cut of every node by one column that leaves the least impurity."""
    cells, n, n_syn = _count_cells(front, column)
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
        return ColumnCuts(column, least, cells[last] % column.n_levels, cells[:0], rank)
    # The last of equals: rpart goes through levels from the highest share of copies down.
    last = best[np.searchsorted(best, starts + n_cells) - 1]
    return ColumnCuts(column, least, last, cells, rank)


def _count_cells(front: Front, column: Predictor) -> tuple[Ints, Ints, Ints]:
    """The cells of node and level that occur, their records, and those of the synthetic file."""
    cells = front.node * column.n_levels
    cells += column.codes[front.rows]
    space = front.n_nodes * column.n_levels
    if space > ROOM * len(cells):
        return _count_by_sorting(cells, front.n_original)
    n = np.bincount(cells[: front.n_original], minlength=space)
    n_syn = np.bincount(cells[front.n_original :], minlength=space)
    n += n_syn
    occurs = np.flatnonzero(n > 0)
    return occurs, n[occurs], n_syn[occurs]


def _count_by_sorting(cells: Ints, n_original: int) -> tuple[Ints, Ints, Ints]:
    """The same where most cells are empty: in memory for the records only."""
    cells *= 2
    cells[n_original:] += 1
    cells.sort()
    is_syn = cells & 1
    cells >>= 1
    starts = np.concatenate(([0], np.flatnonzero(cells[1:] != cells[:-1]) + 1))
    n = np.diff(starts, append=len(cells))
    return cells[starts], n, np.add.reduceat(is_syn, starts)


def _within(counts: Ints, of_node: Ints, n_cells: Ints) -> Ints:
    """Records up to and with each cell, within its node."""
    return np.cumsum(counts) - np.repeat(np.cumsum(of_node) - of_node, n_cells)


def _impurity(left: Ints, left_syn: Ints, front: Front, n_cells: Ints, min_leaf: int) -> Floats:
    """Gini's impurity after each cut, times the records over two; infinite where not allowed."""
    right = np.repeat(front.sizes, n_cells) - left
    right_syn = np.repeat(front.n_synthetic, n_cells) - left_syn
    is_refused = np.minimum(left, right) < min_leaf
    after = left_syn * (left - left_syn) / left
    after += right_syn * (right - right_syn) / np.maximum(right, 1)
    after[is_refused] = np.inf
    return after


# Which cuts of a tree are worth their price? rpart's rule, which is settled while it grows.
#
# The price of a cut is cp times the errors at the root. rpart visits the nodes from the left, and
# what the left branch saved says how much is still to be had on the right; so it leaves branches
# alone that pruning of the full tree, the least errors plus price for each leaf, would keep.


@dataclass
class _Visit:
    """The nodes, and the complexity that rpart notes at each."""

    errors: list[int]
    left: list[int]
    price: float
    complexity: list[float]

    def partition(self, node: int, given: float) -> tuple[int, float]:
        """Cuts kept below a node, and the errors left with them."""
        errors, son = self.errors[node], self.left[node]
        hope = min(errors, given)
        if son < 0 or hope <= self.price:
            self.left[node] = -1
            return 0, errors
        n_left, left = self.partition(son, hope - self.price)
        saved = max((errors - left) / (n_left + 1), errors - self.errors[son])
        n_right, right = self.partition(son + 1, min(saved, given) - self.price)
        if n_left or n_right:
            n_cuts, below = self._after_collapse(node, (n_left, left), (n_right, right))
        else:
            n_cuts, below = 0, left + right
        worth = (errors - below) / (n_cuts + 1)
        if worth <= self.price:
            self.left[node] = -1
            return 0, errors
        self.complexity[node] = worth
        return n_cuts + 1, below

    def _after_collapse(
        self, node: int, left: tuple[int, float], right: tuple[int, float]
    ) -> tuple[int, float]:
        """Cuts and errors below, once the children that give way before their parent have."""
        son, errors = self.left[node], self.errors[node]
        weak, strong = (son, son + 1), (left, right)
        if self.complexity[son + 1] <= self.complexity[son]:
            weak, strong = (son + 1, son), (right, left)
        (n_first, first), (n_second, second) = strong
        worth = (errors - first - second) / (n_first + n_second + 1)
        if worth > self.complexity[weak[0]]:
            n_first, first = 0, self.errors[weak[0]]
            worth = (errors - first - second) / (n_second + 1)
            if worth > self.complexity[weak[1]]:
                n_second, second = 0, self.errors[weak[1]]
        return n_first + n_second, first + second


def prune_tree(errors: list[int], left: list[int], price: float, root: int) -> list[int]:
    """The leaves of rpart's tree below a root, from the left.

    `errors` are those of each node as a leaf, `left` the number of its left child (the right one
    is the next) or -1. A cut stays where its complexity, the errors saved for each cut at and
    below it, is more than the price: Therneau and Atkinson (2022), section 3.1.
    """
    visit = _Visit(errors, left, price, [price] * len(errors))
    visit.partition(root, errors[root])
    leaves, nodes = [], [root]
    while nodes:
        node = nodes.pop()
        if left[node] < 0:
            leaves.append(node)
        else:
            nodes += [left[node] + 1, left[node]]
    return leaves


# A classification tree that tells copy from original, grown and pruned as rpart does it.
#
# Grown level by level, all nodes of a level at once, in the order in which no cut of rpart's is
# missed; which cuts stay is settled afterwards (`cart_pruning`). Where two cuts are equally good
# the first column wins, of a number the lowest cut, of levels that which splits off the fewest
# with the highest shares of copies, as in rpart. There are no surrogate cuts: nothing is missing.


COMPLEXITY = 0.001
MIN_LEAF = 5
MIN_SPLIT = 15
MAX_DEPTH = 30
NO_GAIN = 1e-9  # a gain that is no more than rounding is none


@dataclass(frozen=True)
class Leaves:
    """The leaves of a tree: their records, and those of the synthetic file among them."""

    n: Ints
    n_synthetic: Ints


@dataclass
class Growth:
    """All nodes grown so far, by number; the roots first, children behind their parents."""

    n: list[Ints] = field(default_factory=list)
    n_synthetic: list[Ints] = field(default_factory=list)
    left: list[Ints] = field(default_factory=list)  # number of the left child; the right is next
    n_nodes: int = 0

    def add(self, front: Front) -> Ints:
        """Note nodes as leaves, for now; their numbers."""
        self.n.append(front.sizes)
        self.n_synthetic.append(front.n_synthetic)
        self.left.append(np.full(front.n_nodes, -1))
        self.n_nodes += front.n_nodes
        return np.arange(self.n_nodes - front.n_nodes, self.n_nodes)

    def join(self, parents: Ints, children: Ints) -> None:
        """Put the children last added below their parents, two to each."""
        level = self.left[-2]
        level[parents - (children[0] - len(level))] = children[::2]


def grow_rpart_trees(columns: Sequence[Predictor], labels: Sequence[Mask]) -> list[Leaves]:
    """The leaves of rpart's tree of each label (true for a synthetic record) by all columns.

    Labels of equally many copies are grown side by side, for few large steps are faster than many
    small ones.

    Notes
    -----
    Class tree, Gini's index, cp 0.001, minbucket 5, minsplit 15, maxdepth 30: what synthpop's
    utility.gen asks of rpart. A node is cut if it has 15 records and more errors than cp times
    the errors at the root.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984); Therneau and Atkinson (2022), An introduction to
    recursive partitioning using the rpart routines, sections 3 and 4.
    """
    price = COMPLEXITY * min(int(labels[0].sum()), int((~labels[0]).sum()))
    growth = _grow(columns, _roots(labels), price)
    n, n_synthetic, left = (
        np.concatenate(part) for part in (growth.n, growth.n_synthetic, growth.left)
    )
    errors, sons = np.minimum(n_synthetic, n - n_synthetic).tolist(), left.tolist()
    leaves = [prune_tree(errors, sons, price, root) for root in range(len(labels))]
    return [Leaves(n[these], n_synthetic[these]) for these in leaves]


def _roots(labels: Sequence[Mask]) -> Front:
    """All records once for each label, a node for each; those of the original first."""
    sides = [[np.flatnonzero(label == side) for label in labels] for side in (False, True)]
    node = [np.repeat(np.arange(len(labels)), [len(rows) for rows in side]) for side in sides]
    n_original, n_synthetic = (np.array([len(rows) for rows in side]) for side in sides)
    rows = np.concatenate([*sides[0], *sides[1]])
    sizes = n_original + n_synthetic
    return Front(rows, np.concatenate(node), int(n_original.sum()), sizes, n_synthetic)


def _grow(columns: Sequence[Predictor], front: Front, price: float) -> Growth:
    """Every node that rpart may look at."""
    growth = Growth()
    numbers = growth.add(front)
    allowance = np.full(front.n_nodes, np.inf)
    for _ in range(MAX_DEPTH):
        allowance = np.minimum(allowance, _errors(front))
        # What a cut can save is never more than rpart thinks it might: its bound is tighter.
        is_open = (front.sizes >= MIN_SPLIT) & (allowance > price)
        front, numbers, allowance = _some(front, is_open), numbers[is_open], allowance[is_open]
        is_cut, front = _cut_nodes(front, columns)
        if not is_cut.any():
            break
        children = growth.add(front)
        growth.join(numbers[is_cut], children)
        numbers, allowance = children, np.repeat(allowance[is_cut] - price, 2)
    return growth


def _errors(front: Front) -> Ints:
    """Records of the rarer kind in each node."""
    errors: Ints = np.minimum(front.n_synthetic, front.sizes - front.n_synthetic)
    return errors


def _some(front: Front, is_kept: Mask) -> Front:
    """The same with some of the nodes only."""
    if is_kept.all():
        return front
    place = np.cumsum(is_kept) - 1
    stays = np.flatnonzero(is_kept[front.node])
    return Front(
        front.rows[stays],
        place[front.node[stays]],
        int(np.searchsorted(stays, front.n_original)),
        front.sizes[is_kept],
        front.n_synthetic[is_kept],
    )


def _cut_nodes(front: Front, columns: Sequence[Predictor]) -> tuple[Mask, Front]:
    """Which nodes can be cut, and the children of these, left and right by turns."""
    least = front.n_synthetic * (front.sizes - front.n_synthetic) / front.sizes * (1 - NO_GAIN)
    winner = np.full(front.n_nodes, -1)
    cuts: list[ColumnCuts] = []
    for number, column in enumerate(columns if front.n_nodes else ()):
        cuts.append(best_cuts(front, column, MIN_LEAF))
        is_better = cuts[-1].impurity < least
        winner[is_better] = number
        least = np.where(is_better, cuts[-1].impurity * (1 - EQUAL), least)
    is_right = _goes_right(front, winner, cuts)
    is_cut = winner >= 0
    unknown = np.zeros(2 * front.n_nodes, np.int64)
    halves = replace(front, node=2 * front.node + is_right, sizes=unknown, n_synthetic=unknown)
    return is_cut, _count_nodes(_some(halves, np.repeat(is_cut, 2)), 2 * int(is_cut.sum()))


def _goes_right(front: Front, winner: Ints, cuts: Sequence[ColumnCuts]) -> Mask:
    """Whether each record goes to the right child of its node."""
    is_right = np.ones(len(front.rows), bool)
    by = (winner + 1).astype(np.uint16)[front.node]
    order = np.argsort(by, kind="stable")  # of small whole numbers, faster than asking for each
    ends = np.cumsum(np.bincount(by, minlength=len(cuts) + 1))
    for cut, start, end in zip(cuts, ends[:-1], ends[1:], strict=True):
        rows = order[start:end]
        codes = cut.column.codes[front.rows[rows]]
        is_right[rows] = ~cut.is_left(front.node[rows], codes)
    return is_right


def _count_nodes(front: Front, n_nodes: int) -> Front:
    """The same with its nodes counted."""
    n_original = np.bincount(front.node[: front.n_original], minlength=n_nodes)
    n_synthetic = np.bincount(front.node[front.n_original :], minlength=n_nodes)
    return replace(front, sizes=n_original + n_synthetic, n_synthetic=n_synthetic)


Nodes = NDArray[np.int32]

LEAF = -1


@dataclass(frozen=True)
class TreeCuts(ArrayRecord):
    """A binary tree as arrays, one entry for every node; node 0 is the root.

    A row goes left where its predictor is at most the threshold. Leaves have no children: -1.
    """

    feature: Nodes
    threshold: NDArray[np.float64]
    left: Nodes
    right: Nodes

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        leaf: NDArray[np.bool_] = self.left == LEAF
        return leaf

    def leaves_of(self, matrix: NDArray[np.float32]) -> Nodes:
        """The leaf, by its node, that each row of a matrix ends in."""
        n_rows = len(matrix)
        found = np.zeros(n_rows, dtype=np.int32)
        if self.left[0] == LEAF or not n_rows:
            return found
        entries = np.ravel(matrix, order="F")  # column after column: one index finds an entry
        column_start = self.feature.astype(np.intp) * n_rows
        children = np.stack([self.right, self.left], axis=1).ravel().astype(np.intp)
        is_leaf = self.is_leaf
        row, node = np.arange(n_rows), np.zeros(n_rows, dtype=np.intp)
        while len(row):
            goes_left = entries[column_start[node] + row] <= self.threshold[node]
            node = children[2 * node + goes_left]
            ends = is_leaf[node]
            if ends.any():
                found[row[ends]] = node[ends]
                row, node = row[~ends], node[~ends]
        return found

    def without(self, failing: NDArray[np.bool_]) -> "TreeCuts":
        """The tree in which no leaf is among the failing nodes, other than the root.

        A failing leaf is given up together with the cut above it, from the deepest upwards. Nodes
        keep their places; those that are cut off are out of reach.
        """
        left, right = self.left.copy(), self.right.copy()
        for nodes in reversed(self._by_depth()):
            inner = nodes[left[nodes] != LEAF]
            a, b = left[inner], right[inner]
            given_up = ((left[a] == LEAF) & failing[a]) | ((left[b] == LEAF) & failing[b])
            left[inner[given_up]] = right[inner[given_up]] = LEAF
        return TreeCuts(self.feature, self.threshold, left, right)

    def _by_depth(self) -> list[Nodes]:
        depths, nodes = [], np.zeros(1, dtype=np.int32)
        while len(nodes):
            depths.append(nodes)
            inner = nodes[self.left[nodes] != LEAF]
            nodes = np.concatenate([self.left[inner], self.right[inner]])
        return depths


@dataclass(frozen=True)
class GrownTree:
    """The cuts of a tree, and of every node its impurity and its mean, or its share of classes."""

    cuts: TreeCuts
    value: Floats  # nodes x classes that occur, in order; of a number nodes x 1
    impurity: Floats  # variance, or Gini's index

    def predict(self, matrix: NDArray[np.float32]) -> Floats:
        """The value of the leaf that each row ends in."""
        return self.value[self.cuts.leaves_of(matrix)]


def grow_tree(
    matrix: NDArray[np.float32],
    outcome: NDArray[Any],
    *,
    is_number: bool,
    min_leaf: int,
    min_split: int = 2,
    complexity: float = 0.0,
    seed: int,
) -> GrownTree:
    """Grow the tree of a number, or of classes, by scikit-learn.

    A node is not cut where the best cut lessens the impurity, weighted by the node's share of rows,
    by less than `complexity` times that of the root.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if is_number:
        kind, impurity = DecisionTreeRegressor, float(outcome.var())
    else:
        shares = np.bincount(outcome) / max(len(outcome), 1)
        kind, impurity = DecisionTreeClassifier, float(1 - (shares**2).sum())
    if not matrix.shape[1]:  # nothing to cut by: scikit-learn asks for a column all the same
        matrix = np.zeros((len(matrix), 1), dtype=np.float32)
    grown = kind(
        min_samples_leaf=min_leaf,
        min_samples_split=min_split,
        min_impurity_decrease=complexity * impurity,
        random_state=seed,
    )
    tree = grown.fit(matrix, outcome).tree_
    cuts = TreeCuts(
        tree.feature.astype(np.int32),
        tree.threshold.copy(),
        tree.children_left.astype(np.int32),
        tree.children_right.astype(np.int32),
    )
    return GrownTree(cuts, tree.value[:, 0, :], tree.impurity)
