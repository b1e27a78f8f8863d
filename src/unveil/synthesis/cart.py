"""A tree for one target: rows that end in the same leaf take one another's values.

Reiter (2005); synthpop's `cart` (Nowok, Raab and Dibben 2016). Trees are scikit-learn's, with the
limits of rpart that synthpop uses. Numbers are drawn from the values in the leaf, categories in the
proportions of the leaf, which is the same: one of its rows, each as likely.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints
from unveil.count.packing import count_people
from unveil.models.array_record import ArrayRecord
from unveil.models.design import Predictors, TreeCoding, Values
from unveil.models.tree import LEAF, GrownTree, Nodes, TreeCuts, grow_tree
from unveil.seeding import tree_seed
from unveil.synthesis.methods import Options, Target

# Which original values stand in each leaf, and how is one drawn, as it is or smoothed?


@dataclass(frozen=True)
class Donors(ArrayRecord):
    """The values of all leaves in one array, sorted by leaf; each leaf is a stretch of it.

    `start` and `size` have an entry for every node of the tree; a node that is no leaf has none.
    """

    values: Values
    start: NDArray[np.int64]
    size: NDArray[np.int32]

    @classmethod
    def of(cls, values: Values, leaves: Nodes, n_nodes: int) -> Self:
        """The donors of every leaf."""
        size = np.bincount(leaves, minlength=n_nodes)
        start = np.cumsum(size) - size
        return cls(values[np.argsort(leaves, kind="stable")], start, size.astype(np.int32))

    def places(self, leaves: Nodes, rng: np.random.Generator) -> NDArray[np.int64]:
        """One donor drawn evenly from each row's leaf: its place in `values`."""
        within = (rng.random(len(leaves)) * self.size[leaves]).astype(np.int64)
        return self.start[leaves] + within


@dataclass(frozen=True)
class LeafSmoothing(ArrayRecord):
    """A Gaussian kernel around each donor, as wide as its leaf asks, within the column's range.

    Notes
    -----
    The width in a leaf of n values is 0.9 min(sd, IQR / 1.34) n^(-1/5) (Silverman 1986, equation
    3.31), with the standard deviation alone where the quartiles fall together. The kernel is cut
    off at the smallest and the largest value of the column, so that no value lies beyond them.
    Reiter (2005) draws from the same density. Values are rounded to the decimals of the column.
    Of columns in `Options.smooth` the range ends at the fifth smallest and largest value, `heaps`
    (values that five people have) stay as they are, and `step` is the grid in units of the last
    decimal.
    """

    width: NDArray[np.float64]  # of every node
    low: float  # a whole number where values are, lest the last digits be lost
    high: float
    decimals: int | None
    step: int = 1
    heaps: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, donors: Donors) -> Self:
        """The widths of every leaf."""
        values = donors.values.astype(float)
        decimals = 0 if donors.values.dtype.kind == "i" else _decimals(values)
        low, high = donors.values.min().item(), donors.values.max().item()
        return cls(_widths(values, donors), low, high, decimals)

    def within_tails(self, values: Values, people: Ints) -> Self:
        """The same between the fifth smallest and largest value, on the grid, beside heaps."""
        levels, codes = np.unique(values, return_inverse=True)
        order = np.argsort(values, kind="stable")
        _, lowest = np.unique(people[order], return_index=True)
        _, highest = np.unique(people[order[::-1]], return_index=True)
        few = min(_HOLDERS, len(lowest))
        step = 1
        if self.decimals is not None:
            units = np.rint(levels.astype(float) * 10.0**self.decimals)
            is_exact = bool(np.abs(units).max(initial=0) < 2.0**53)
            step = int(np.gcd.reduce(units.astype(np.int64))) if is_exact else 1
        return replace(
            self,
            low=np.sort(values[order][lowest])[few - 1].item(),
            high=np.sort(values[order[::-1]][highest])[-few].item(),
            step=max(step, 1),
            heaps=levels[count_people(codes, people, len(levels)) >= _HOLDERS].astype(float),
        )

    def around(self, centre: Values, leaves: Nodes, rng: np.random.Generator) -> Values:
        """One value from the kernel around each donor, by the inverse of its distribution."""
        from scipy.special import ndtr, ndtri

        width = self.width[leaves]
        moved = width > 0
        if self.heaps is not None:
            inside: Any = np.clip(centre, self.low, self.high)
            centre = inside.astype(centre.dtype)
            moved &= ~np.isin(centre.astype(float), self.heaps)
        h, x = width[moved], centre[moved].astype(float)
        below, above = ndtr((self.low - x) / h), ndtr((self.high - x) / h)
        drawn = x + h * ndtri(below + rng.random(len(x)) * (above - below))
        if self.decimals is not None:
            grid = self.step
            drawn = (
                drawn.round(self.decimals) if grid == 1 else _on_grid(drawn, grid, self.decimals)
            )
        made = centre.copy()
        made[moved] = np.clip(_in_64_bits(drawn, made.dtype), self.low, self.high)
        return made


def smooth_leaves(
    donors: Donors, target: Target, predictors: Predictors, options: Options
) -> LeafSmoothing | None:
    """The smoothing of a target; None where it is drawn as it is."""
    is_named = target.name in options.smooth
    if target.kind != "number" or not (is_named or options.smoothing == "density"):
        return None
    smoothing = LeafSmoothing.of(donors)
    if not is_named:
        return smoothing
    rows = np.arange(len(target.values))
    whose = rows if predictors.people is None else predictors.take(predictors.people)
    return smoothing.within_tails(target.values, whose)


def _on_grid(drawn: NDArray[np.float64], step: int, decimals: int) -> NDArray[np.float64]:
    """Numbers as multiples of so many units of the last decimal."""
    near: NDArray[np.float64] = np.rint(drawn * 10.0**decimals / step) * step
    return (near / 10.0**decimals).round(decimals)


def _in_64_bits(drawn: NDArray[np.float64], dtype: np.dtype[Any]) -> Values:
    """Whole numbers, none beyond the largest of 64 bits, where the column has such."""
    if dtype.kind != "i":
        return drawn
    largest = np.nextafter(2.0**63, 0)
    whole: Values = np.clip(drawn, -largest, largest).astype(np.int64)
    return whole


def _widths(values: NDArray[np.float64], donors: Donors) -> NDArray[np.float64]:
    size, start = donors.size.astype(np.int64), donors.start
    leaf = np.repeat(np.arange(len(size)), size)
    full = np.maximum(size, 1)
    mean = np.bincount(leaf, values, len(size)) / full
    squares = np.bincount(leaf, (values - mean[leaf]) ** 2, len(size))
    sd = np.sqrt(squares / np.maximum(size - 1, 1))
    in_order = values[np.lexsort((values, leaf))]
    last = len(values) - 1
    quartile = [in_order[np.minimum(start + size * q // 4, last)] for q in (1, 3)]
    spread = (quartile[1] - quartile[0]) / 1.34
    narrow = np.where(spread > 0, np.minimum(sd, spread), sd)
    return np.where(size > 1, 0.9 * narrow * full ** (-0.2), 0.0)


def _decimals(values: NDArray[np.float64], most: int = 6) -> int | None:
    """Decimals that all values are written with; None where more than `most`."""
    return next((d for d in range(most + 1) if np.array_equal(values.round(d), values)), None)


_HOLDERS = 5
_CLASS_WORK = 2_000_000
_FEWEST_CLASSES = 64
_FEW_ROWS = 20


@dataclass(frozen=True)
class CartModel(ArrayRecord):
    """A tree, what stands in its leaves, and how its predictors are turned into numbers."""

    coding: TreeCoding
    cuts: TreeCuts
    donors: Donors
    smoothing: LeafSmoothing | None = None
    notes: tuple[str, ...] = ()

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """One value from the leaf of every row."""
        leaves = self.cuts.leaves_of(self.coding.matrix(predictors))
        drawn = self.donors.values[self.donors.places(leaves, rng)]
        return drawn if self.smoothing is None else self.smoothing.around(drawn, leaves, rng)


def fit_cart(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> CartModel:
    """Grow the tree of one target, and put every original value into its leaf.

    Notes
    -----
    A leaf holds at least `min_leaf` rows; a node with fewer than `min_split` (three times as many)
    is not cut; nor is one where the best cut lessens the impurity (variance, or Gini's index),
    weighted by the node's share of rows, by less than `complexity` times that of the root. rpart
    counts the complexity of a classification in errors, so that it gives up cuts after which both
    sides still have the same most frequent class; here such cuts stay, or a rare outcome would
    depend on nothing. rpart also ends at a depth of 30, where classes that are as many as districts
    have not yet been parted; here no depth does.
    Where people have several rows, all these numbers of rows are of people: `merge_leaves`.
    """
    coding = TreeCoding.fit(predictors, target.values, target.n_levels)
    matrix = coding.matrix(predictors)
    is_number = target.kind == "number"
    grown = grow_tree(
        matrix,
        _standardise(target.values) if is_number else _group_codes(target.values, target.n_levels),
        is_number=is_number,
        min_leaf=options.min_leaf,
        min_split=max(2, options.min_split or 3 * options.min_leaf),
        complexity=options.complexity,
        seed=tree_seed(rng),
    )
    cuts = grown.cuts
    if predictors.people is not None:
        cuts = merge_leaves(cuts, matrix, predictors.take(predictors.people), target, options)
    elif options.min_spread:
        cuts = cuts.without(_too_alike(grown, options.min_spread, is_number=is_number))
    donors = Donors.of(target.values, cuts.leaves_of(matrix), len(cuts.left))
    return CartModel(coding, cuts, donors, smooth_leaves(donors, target, predictors, options))


def merge_leaves(
    cuts: TreeCuts, matrix: NDArray[np.float32], people: Ints, target: Target, options: Options
) -> TreeCuts:
    """The tree in which rows are counted by their people: `min_leaf`, `min_split`, `min_spread`.

    Notes
    -----
    From the root down: a node with fewer than `min_split` people is a leaf. Where one side of a cut
    has fewer than `min_leaf` people, the cut is given up and the rows of that side go down the
    other one; where both have, the node is a leaf. The tree below a cut that stays is as it was
    grown, so one person with many rows of their own costs one cut, not all that stand beside it.
    """
    feature, threshold = cuts.feature.copy(), cuts.threshold.copy()
    left, right = cuts.left.copy(), cuts.right.copy()
    least, marks = options.min_split or 3 * options.min_leaf, np.zeros(people.max(initial=0) + 1)
    failing = np.zeros(len(left), bool)
    spread = None if options.min_spread is None else _Spread.of(target, options.min_spread)
    waiting = [(0, np.arange(len(matrix)))]
    while waiting:
        node, rows = waiting.pop()
        is_large = _n_people(people[rows], marks) >= least
        while left[node] != LEAF:
            goes_left = matrix[rows, feature[node]] <= threshold[node]
            sides = (rows[goes_left], rows[~goes_left])
            enough = [_n_people(people[side], marks) >= options.min_leaf for side in sides]
            if is_large and all(enough):
                waiting += zip((left[node], right[node]), sides, strict=True)
                break
            if is_large and any(enough):
                child = left[node] if enough[0] else right[node]
                for of_node in (feature, threshold, left, right):
                    of_node[node] = of_node[child]
            else:
                left[node] = right[node] = LEAF
        failing[node] = spread is not None and spread.is_alike(rows)
    return TreeCuts(feature, threshold, left, right).without(failing)


def _n_people(people: Ints, marks: NDArray[np.float64]) -> int:
    """How many different people there are; `marks` has a place for each, of whatever content."""
    places = np.arange(len(people))
    marks[people] = places
    return int(np.count_nonzero(marks[people] == places))


@dataclass(frozen=True)
class _Spread:
    """What the rows of a node must differ by, as `_too_alike` has it of a tree as grown."""

    values: Values
    is_number: bool
    least: float

    @classmethod
    def of(cls, target: Target, min_spread: float) -> Self:
        if target.kind == "number":
            return cls(_standardise(target.values), True, min_spread)
        return cls(_group_codes(target.values, target.n_levels), False, min_spread)

    def is_alike(self, rows: Ints) -> bool:
        values = self.values[rows]
        if self.is_number:
            return bool(values.var() < self.least * self.values.var())
        return bool(np.bincount(values).max() > (1 - self.least) * len(rows))


def _standardise(values: Values) -> NDArray[np.float64]:
    """Numbers about 0 with a spread of 1: squares of dates or incomes would lose digits."""
    centred = np.asarray(values - float(values.mean()), dtype=np.float64)
    scale = float(np.abs(centred).max(initial=0))
    centred /= scale if scale > 0 else 1
    spread = float(centred.std())
    return centred / (spread if spread > 0 else 1)


def _group_codes(codes: Values, n_levels: int) -> Values:
    """Classes to cut by: the levels, or groups of neighbouring levels where there are very many.

    That is more than time allows, or more than half as many as rows, which scikit-learn warns of.
    Only the cuts see groups; what is drawn from a leaf is always one of its own levels.
    """
    most = max(_FEWEST_CLASSES, _CLASS_WORK // max(len(codes), 1))
    if len(codes) > _FEW_ROWS:
        most = min(most, len(codes) // 2)
    counts = np.bincount(codes, minlength=n_levels)
    if np.count_nonzero(counts) <= most:
        return codes
    up_to = np.cumsum(counts)
    group = np.minimum((up_to - 1) * most // len(codes), most - 1)
    grouped: Values = group[codes].astype(np.int32)
    return grouped


def _too_alike(tree: GrownTree, min_spread: float, *, is_number: bool) -> NDArray[np.bool_]:
    """Nodes whose rows are too alike to be a leaf.

    Of a number: a variance below `min_spread` times the column's; of a category: a largest share
    above 1 - `min_spread`. A threshold within leaves is one of the ways that Chapelle and
    Falissard (2023) name.
    """
    if is_number:
        return np.asarray(tree.impurity < min_spread * tree.impurity[0], bool)
    return np.asarray(tree.value.max(axis=1) > 1 - min_spread, bool)
