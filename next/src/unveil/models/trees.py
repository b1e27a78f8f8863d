"""rpart's tree of two classes, as synthpop grows it to tell synthetic from original records.

Gini's index; at least 5 records in a leaf and 15 in a node that is cut; a cut must save more than
`COMPLEXITY` of the errors at the root for each leaf that it adds (Breiman and others 1984; Therneau
and Atkinson 2022, section 4). The trees of scikit-learn know neither cuts of a category into two
sets of levels nor a price in errors, and give other figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

COMPLEXITY = 0.001
MIN_LEAF = 5
MIN_SPLIT = 15
MAX_DEPTH = 30
ROUNDING = 1e-9  # a cut that saves less than this part of the impurity saves nothing
SPARSE = 4  # levels for each entry of a node, above which only those that occur are counted


class Predictor(NamedTuple):
    """A column as codes: of a number in order, or of the levels of a category."""

    codes: Ints
    is_ordered: bool


class Predictors(NamedTuple):
    """Columns side by side: the levels of each have numbers of their own."""

    codes: Ints  # records x columns
    column: Ints  # of each level
    is_ordered: Mask  # of each level

    @classmethod
    def of(cls, columns: Sequence[Predictor]) -> "Predictors":
        """All columns that have more than one level."""
        found = [(*np.unique(codes, return_inverse=True), order) for codes, order in columns]
        varying = [(codes, len(levels), order) for levels, codes, order in found if len(levels) > 1]
        sizes = [size for _, size, _ in varying]
        first = np.cumsum(sizes, dtype=np.int64) - sizes
        codes = [codes + start for (codes, _, _), start in zip(varying, first, strict=True)]
        return cls(
            np.stack(codes, axis=1) if codes else np.zeros((len(columns[0].codes), 0), np.int64),
            np.repeat(np.arange(len(sizes)), sizes),
            np.repeat([is_ordered for _, _, is_ordered in varying], sizes).astype(bool),
        )


@dataclass
class Node:
    """Some records, how many are of the second class, and the two nodes below."""

    n: int
    n_second: int
    children: "tuple[Node, Node] | None" = None
    worth: float = 0.0  # errors saved by each cut at and below it

    @property
    def errors(self) -> int:
        """Records of the rarer class."""
        return min(self.n_second, self.n - self.n_second)


def leaves_of_tree(predictors: Predictors, is_second: Mask) -> tuple[Ints, Ints]:
    """The records of every leaf, and those of the second class."""
    codes = 2 * predictors.codes + is_second[:, None]  # of a level and a class
    rows, n_second = np.arange(len(codes)), int(is_second.sum())
    price = COMPLEXITY * min(n_second, len(codes) - n_second)
    root = _grow(predictors, codes, rows, n_second, price, np.inf, 0)
    _prune(root, price, root.errors)
    leaves, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children or ()
        if node.children is None:
            leaves.append((node.n, node.n_second))
    n, n_second_of = np.array(leaves, np.int64).T
    return n, n_second_of


def _grow(
    predictors: Predictors,
    codes: Ints,
    rows: Ints,
    n_second: int,
    price: float,
    hope: float,
    depth: int,
) -> Node:
    """A node with all below it; `hope` is the most errors that cuts there can still save."""
    node = Node(len(rows), n_second)
    hope = min(hope, node.errors)
    if node.n < MIN_SPLIT or hope <= price or depth == MAX_DEPTH:
        return node
    if cut := _best_cut(predictors, codes[rows], n_second):
        is_left, n_left = cut
        left, right = (
            _grow(predictors, codes, rows[side], n, price, hope - price, depth + 1)
            for side, n in ((is_left, n_left), (~is_left, n_second - n_left))
        )
        node.children = left, right
    return node


def _best_cut(predictors: Predictors, codes: Ints, n_second: int) -> tuple[Mask, int] | None:
    """Which records go left by the cut that leaves the least impurity, all columns at once.

    With how many of them are of the second class. Levels of a category are cut along their share of
    it: for two classes no other cut into two sets can be better (Breiman and others 1984, 4.5).
    """
    n, entries = len(codes), codes.ravel()
    levels: Ints = np.arange(len(predictors.column))
    if len(entries) * SPARSE < len(levels):  # count only those that occur
        levels, places = np.unique(entries >> 1, return_inverse=True)
        entries = 2 * places.ravel() + entries % 2
    counts = np.bincount(entries, minlength=2 * len(levels)).reshape(-1, 2)
    second = counts[:, 1]
    both = counts[:, 0] + second
    occurs = both > 0
    levels, both, second = levels[occurs], both[occurs], second[occurs]
    if not len(levels):
        return None
    column, share = predictors.column[levels], second / both
    along = np.where(predictors.is_ordered[levels], 0, 1 - share)  # the highest share first
    order = np.argsort(2 * column + along, kind="stable")
    levels, column = levels[order], column[order]
    left = np.cumsum(both[order]) - column * n
    left_second = np.cumsum(second[order]) - column * n_second
    right, right_second = n - left, n_second - left_second
    impurity = left_second * (left - left_second) / left
    impurity += right_second * (right - right_second) / np.maximum(right, 1)
    impurity[np.minimum(left, right) < MIN_LEAF] = np.inf
    least = impurity.min()
    if not least < n_second * (n - n_second) / n * (1 - ROUNDING):
        return None
    best = int((impurity <= least * (1 + 1e-12)).argmax())
    first = np.searchsorted(column, column[best])
    goes_left = np.zeros(len(predictors.column), bool)
    goes_left[levels[first : best + 1]] = True
    return goes_left[codes[:, column[best]] >> 1], int(left_second[best])


def _prune(node: Node, price: float, given: float) -> tuple[int, float]:
    """Give up cuts that are not worth their price; the cuts kept, and the errors left."""
    hope = min(node.errors, given)
    if node.children is None or hope <= price:
        node.children = None
        return 0, node.errors
    left, right = node.children
    n_left, errors_left = _prune(left, price, hope - price)
    saved = max((node.errors - errors_left) / (n_left + 1), node.errors - left.errors)
    n_right, errors_right = _prune(right, price, min(saved, given) - price)
    branches = sorted(
        ((left.worth, n_left, errors_left, left), (right.worth, n_right, errors_right, right)),
        key=lambda branch: branch[0],
    )
    n_cuts, errors = n_left + n_right, errors_left + errors_right
    for worth, n_below, errors_below, child in branches:  # the weaker branch gives way first
        if (node.errors - errors) / (n_cuts + 1) <= worth:
            break
        n_cuts, errors = n_cuts - n_below, errors - errors_below + child.errors
    node.worth = (node.errors - errors) / (n_cuts + 1)
    if node.worth <= price:
        node.children, node.worth = None, 0.0
        return 0, node.errors
    return n_cuts + 1, errors
