"""A classification tree that tells copy from original, grown and pruned as rpart does it.

Grown level by level, all nodes of a level at once, in the order in which no cut of rpart's is
missed; which cuts stay is settled afterwards (`cart_pruning`). Where two cuts are equally good the
first column wins, of a number the lowest cut, of levels that which splits off the fewest with the
highest shares of copies, as in rpart. There are no surrogate cuts: nothing is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unveil.measure.utility.cart_cuts import EQUAL, Cuts, Front, Mask, Predictor, Whole, best_cuts
from unveil.measure.utility.cart_pruning import pruned

COMPLEXITY = 0.001
MIN_LEAF = 5
MIN_SPLIT = 15
MAX_DEPTH = 30
NO_GAIN = 1e-9  # a gain that is no more than rounding is none


@dataclass(frozen=True)
class Leaves:
    """The leaves of a tree: their records, and those of the copy among them."""

    n: Whole
    n_synthetic: Whole


@dataclass
class Growth:
    """All nodes grown so far, by number; the roots first, children behind their parents."""

    n: list[Whole] = field(default_factory=list)
    n_synthetic: list[Whole] = field(default_factory=list)
    left: list[Whole] = field(default_factory=list)  # number of the left child; the right is next
    n_nodes: int = 0

    def add(self, front: Front) -> Whole:
        """Note nodes as leaves, for now; their numbers."""
        self.n.append(front.sizes)
        self.n_synthetic.append(front.n_synthetic)
        self.left.append(np.full(front.n_nodes, -1))
        self.n_nodes += front.n_nodes
        return np.arange(self.n_nodes - front.n_nodes, self.n_nodes)

    def join(self, parents: Whole, children: Whole) -> None:
        """Put the children last added below their parents, two to each."""
        level = self.left[-2]
        level[parents - (children[0] - len(level))] = children[::2]


def trees(columns: Sequence[Predictor], labels: Sequence[Mask]) -> list[Leaves]:
    """The leaves of rpart's tree of each label (true for a record of the copy) by all columns.

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
    growth = _grown(columns, _roots(labels), price)
    n, n_synthetic, left = (
        np.concatenate(part) for part in (growth.n, growth.n_synthetic, growth.left)
    )
    errors, sons = np.minimum(n_synthetic, n - n_synthetic).tolist(), left.tolist()
    leaves = [pruned(errors, sons, price, root) for root in range(len(labels))]
    return [Leaves(n[these], n_synthetic[these]) for these in leaves]


def _roots(labels: Sequence[Mask]) -> Front:
    """All records once for each label, a node for each; those of the original first."""
    sides = [[np.flatnonzero(label == side) for label in labels] for side in (False, True)]
    node = [np.repeat(np.arange(len(labels)), [len(rows) for rows in side]) for side in sides]
    n_original, n_synthetic = (np.array([len(rows) for rows in side]) for side in sides)
    rows = np.concatenate([*sides[0], *sides[1]])
    sizes = n_original + n_synthetic
    return Front(rows, np.concatenate(node), int(n_original.sum()), sizes, n_synthetic)


def _grown(columns: Sequence[Predictor], front: Front, price: float) -> Growth:
    """Every node that rpart may look at."""
    growth = Growth()
    numbers = growth.add(front)
    allowance = np.full(front.n_nodes, np.inf)
    for _ in range(MAX_DEPTH):
        allowance = np.minimum(allowance, _errors(front))
        # What a cut can save is never more than rpart thinks it might: its bound is tighter.
        is_open = (front.sizes >= MIN_SPLIT) & (allowance > price)
        front, numbers, allowance = _some(front, is_open), numbers[is_open], allowance[is_open]
        is_cut, front = _cut(front, columns)
        if not is_cut.any():
            break
        children = growth.add(front)
        growth.join(numbers[is_cut], children)
        numbers, allowance = children, np.repeat(allowance[is_cut] - price, 2)
    return growth


def _errors(front: Front) -> Whole:
    """Records of the rarer kind in each node."""
    errors: Whole = np.minimum(front.n_synthetic, front.sizes - front.n_synthetic)
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


def _cut(front: Front, columns: Sequence[Predictor]) -> tuple[Mask, Front]:
    """Which nodes can be cut, and the children of these, left and right by turns."""
    least = front.n_synthetic * (front.sizes - front.n_synthetic) / front.sizes * (1 - NO_GAIN)
    winner = np.full(front.n_nodes, -1)
    cuts: list[Cuts] = []
    for number, column in enumerate(columns if front.n_nodes else ()):
        cuts.append(best_cuts(front, column, MIN_LEAF))
        is_better = cuts[-1].impurity < least
        winner[is_better] = number
        least = np.where(is_better, cuts[-1].impurity * (1 - EQUAL), least)
    is_right = _goes_right(front, winner, cuts)
    is_cut = winner >= 0
    unknown = np.zeros(2 * front.n_nodes, np.int64)
    halves = replace(front, node=2 * front.node + is_right, sizes=unknown, n_synthetic=unknown)
    return is_cut, _counted(_some(halves, np.repeat(is_cut, 2)), 2 * int(is_cut.sum()))


def _goes_right(front: Front, winner: Whole, cuts: Sequence[Cuts]) -> Mask:
    """Whether each record goes to the right child of its node."""
    is_right = np.ones(len(front.rows), bool)
    by = (winner + 1).astype(np.uint16)[front.node]
    order = np.argsort(by, kind="stable")  # of small whole numbers, faster than asking for each
    ends = np.cumsum(np.bincount(by, minlength=len(cuts) + 1))
    for cut, start, end in zip(cuts, ends[:-1], ends[1:], strict=True):
        rows = order[start:end]
        codes = cut.column.codes[front.rows[rows]]
        is_right[rows] = ~cut.sends_left(front.node[rows], codes)
    return is_right


def _counted(front: Front, n_nodes: int) -> Front:
    """The same with its nodes counted."""
    n_original = np.bincount(front.node[: front.n_original], minlength=n_nodes)
    n_synthetic = np.bincount(front.node[front.n_original :], minlength=n_nodes)
    return replace(front, sizes=n_original + n_synthetic, n_synthetic=n_synthetic)
