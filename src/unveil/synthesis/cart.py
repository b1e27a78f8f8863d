"""A tree for one target: rows that end in the same leaf take one another's values.

Reiter (2005); synthpop's `cart` (Nowok, Raab and Dibben 2016). Trees are scikit-learn's, with the
limits of rpart that synthpop uses. Numbers are drawn from the values in the leaf, categories in the
proportions of the leaf, which is the same: one of its rows, each as likely.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.count.streams import tree_seed
from unveil.synthesis.arrays import prefixed, under
from unveil.synthesis.column import Values
from unveil.synthesis.design_matrix import Predictors, TreeCoding
from unveil.synthesis.donors import Donors, Smoothing
from unveil.synthesis.methods import Arrays, Options, Target
from unveil.synthesis.tree import Cuts

_CLASS_WORK = 2_000_000
_FEWEST_CLASSES = 64
_FEW_ROWS = 20


@dataclass(frozen=True)
class Model:
    """A tree, what stands in its leaves, and how its predictors are turned into numbers."""

    coding: TreeCoding
    cuts: Cuts
    donors: Donors
    smoothing: Smoothing | None = None
    notes: tuple[str, ...] = ()

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """One value from the leaf of every row."""
        leaves = self.cuts.leaves_of(self.coding.matrix(predictors))
        drawn = self.donors.values[self.donors.places(leaves, rng)]
        return drawn if self.smoothing is None else self.smoothing.around(drawn, leaves, rng)

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {
            **prefixed("coding", self.coding.to_arrays()),
            **prefixed("cuts", self.cuts.to_arrays()),
            **prefixed("donors", self.donors.to_arrays()),
            **prefixed("smoothing", self.smoothing.to_arrays() if self.smoothing else {}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        smoothing = under("smoothing", arrays)
        return cls(
            TreeCoding.from_arrays(under("coding", arrays)),
            Cuts.from_arrays(under("cuts", arrays)),
            Donors.from_arrays(under("donors", arrays)),
            Smoothing.from_arrays(smoothing) if smoothing else None,
        )


def fit(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> Model:
    """Grow the tree of one target, and put every original value into its leaf.

    Notes
    -----
    A leaf holds at least `min_leaf` rows; a node with fewer than `min_split` (three times as many)
    is not cut; nor is one where the best cut lessens the impurity (variance, or Gini's index),
    weighted by the node's share of rows, by less than `complexity` times that of the root. rpart
    counts the complexity of a classification in errors, so that it gives up cuts after which both
    sides still have the same most frequent class; here such cuts stay. rpart also ends at a depth
    of 30, where classes that are as many as districts have not yet been parted; here no depth does.
    """
    coding = TreeCoding.fitted(predictors, target.values, target.n_levels)
    matrix = coding.matrix(predictors)
    if not matrix.shape[1]:  # nothing to cut by: scikit-learn asks for a column all the same
        matrix = np.zeros((len(matrix), 1), dtype=np.float32)
    grown = _grown(target, matrix, options, tree_seed(rng))
    cuts = _cuts(grown.tree_)
    if options.min_spread:
        cuts = cuts.without(_too_alike(target, grown.tree_, options.min_spread))
    donors = Donors.of(target.values, cuts.leaves_of(matrix), len(cuts.left))
    is_smooth = options.smoothing == "density" and target.kind == "number"
    return Model(coding, cuts, donors, Smoothing.of(donors) if is_smooth else None)


def tree_of(target: Target, options: Options, seed: int) -> tuple[Any, NDArray[Any]]:
    """The tree of scikit-learn for a target, not yet grown, and what it is grown on."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    limits = {
        "min_samples_leaf": options.min_leaf,
        "min_samples_split": max(2, options.min_split or 3 * options.min_leaf),
        "random_state": seed,
    }
    if target.kind == "number":
        values = _standardised(target.values)
        least = options.complexity * float(values.var())
        return DecisionTreeRegressor(min_impurity_decrease=least, **limits), values
    classes = _grouped(target.values, target.n_levels)
    shares = np.bincount(classes) / max(len(classes), 1)
    least = options.complexity * float(1 - (shares**2).sum())
    return DecisionTreeClassifier(min_impurity_decrease=least, **limits), classes


def _grown(target: Target, matrix: NDArray[np.float32], options: Options, seed: int) -> Any:
    tree, values = tree_of(target, options, seed)
    return tree.fit(matrix, values)


def _cuts(tree: Any) -> Cuts:
    return Cuts(
        tree.feature.astype(np.int32),
        tree.threshold.copy(),
        tree.children_left.astype(np.int32),
        tree.children_right.astype(np.int32),
    )


def _standardised(values: Values) -> NDArray[np.float64]:
    """Numbers about 0 with a spread of 1: squares of dates or incomes would lose digits."""
    centred = np.asarray(values - float(values.mean()), dtype=np.float64)
    scale = float(np.abs(centred).max(initial=0))
    centred /= scale if scale > 0 else 1
    spread = float(centred.std())
    return centred / (spread if spread > 0 else 1)


def _grouped(codes: Values, n_levels: int) -> Values:
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


def _too_alike(target: Target, tree: Any, min_spread: float) -> NDArray[np.bool_]:
    """Nodes whose rows are too alike to be a leaf.

    Of a number: a variance below `min_spread` times the column's; of a category: a largest share
    above 1 - `min_spread`. A threshold within leaves is one of the ways that Chapelle and
    Falissard (2023) name.
    """
    if target.kind == "number":
        alike: NDArray[np.bool_] = tree.impurity < min_spread * tree.impurity[0]
        return alike
    largest: NDArray[np.bool_] = tree.value[:, 0, :].max(axis=1) > 1 - min_spread
    return largest
