"""Models of a column given those before it: whose value does a synthetic record take?

A synthetic record is a row of *donors*: for each column, a record of the original whose value it
takes. A tree gives any record of the leaf in which it ends, each as likely (Reiter 2005; synthpop's
``cart``: Nowok, Raab and Dibben 2016). So a synthetic value is one of the original, with its type.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.columns import Coded
from unveil.errors import InputError
from unveil.making.closeness import amounts_of

AMOUNT = 0  # the state of a number that is neither missing nor a special code
MOST_CLASSES = 64  # a tree is cut by no more; neighbouring levels form groups
LEAST_GAIN = 1e-8  # a node is split for more than rounding
WEAK = 1e4  # the inverse of the penalty that keeps a logistic regression finite

Donors = Mapping[str, Ints]
"""For each column, the record of the original that each synthetic record has its value from."""


class Leaf(NamedTuple):
    """The fewest records of a leaf, and of a node that is split."""

    fewest: int = 33
    split: int = 100


@dataclass(frozen=True, eq=False)
class View:
    """One column of the original as models see it: the state of each record, and its amount."""

    name: str
    kind: str
    states: Ints  # levels of a category; of a number AMOUNT, missing, or which special code
    amounts: Floats | None = None  # NaN where there is none

    @classmethod
    def of(cls, column: Coded, special: tuple[float, ...], *, is_number: bool) -> "View":
        if not is_number:
            return cls(column.name, "category", column.codes.astype(np.intp))
        numbers, has_amount = amounts_of(column, special)
        others = np.cumsum(~has_amount)
        states = np.where(has_amount, AMOUNT, others)
        amounts = np.where(has_amount, numbers, np.nan)
        codes = column.codes
        return cls(column.name, column.kind, states[codes], amounts[codes])

    @property
    def n_states(self) -> int:
        return int(self.states.max()) + 1

    @property
    def has_amount(self) -> Mask:
        if self.amounts is None:
            return np.zeros(len(self.states), bool)
        return ~np.isnan(self.amounts)

    def is_frequent(self, rows: Ints, fewest: int) -> Mask:
        """Which states so many records have.

        A model that is shown a level of three people ties them to their own values in every later
        column. A leaf must hold more people than they are: they could not be told apart anyway.
        """
        return np.bincount(self.states[rows], minlength=self.n_states) >= fewest


class Model(Protocol):
    """Draws the donors of one column, given those of the columns before."""

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints: ...


Fit = Callable[[View, Sequence[View], Leaf, np.random.Generator], Model]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """Any of these records, each as likely."""

    rows: Ints

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints:
        return rng.choice(self.rows, n_rows)


def fit_sample(target: View, before: Sequence[View], leaf: Leaf, rng: Any) -> Model:
    """Drawn without regard to other columns."""
    return AnyOf(np.arange(len(target.states)))


# What a model is shown of the columns before


@dataclass(frozen=True, eq=False)
class Predictor:
    """The amounts of a column, or a number for each of its states."""

    view: View
    value_of_state: Floats | None = None

    def values(self, rows: Ints) -> Floats:
        if self.value_of_state is not None:
            return self.value_of_state[self.view.states[rows]]
        amounts = self.view.amounts
        return np.zeros(len(rows)) if amounts is None else amounts[rows]


def shown(predictors: Sequence[Predictor], donors: Donors) -> Floats:
    """A row for each record, a column for each predictor."""
    return np.stack([p.values(donors[p.view.name]) for p in predictors], axis=1)


def order_states(view: View, rows: Ints, outcome: Floats, fewest: int) -> Floats:
    """A number for each state: what it means for the outcome, which has one column or several.

    The mean of the outcome; of several classes, where their shares lie on the first principal
    component (Coppersmith, Hong and Hosking 1999). Rare states share one number.
    """
    frequent = view.is_frequent(rows, fewest)
    group = np.where(frequent, np.cumsum(frequent), 0)
    states = group[view.states[rows]]
    n = np.bincount(states, minlength=int(group.max()) + 1)
    sums = np.stack([np.bincount(states, part, len(n)) for part in outcome.T], axis=1)
    means = sums / np.maximum(n, 1)[:, None] - outcome.mean(axis=0)
    if means.shape[1] > 1:
        _, _, axes = np.linalg.svd(means * np.sqrt(n)[:, None], full_matrices=False)
        means = means @ axes[0][:, None]
    return np.asarray(means[group, 0])


# Trees


@dataclass(frozen=True, eq=False)
class Leaves:
    """A tree, and the records of the original in each of its leaves."""

    tree: Any
    predictors: Sequence[Predictor]
    rows: Ints  # by leaf
    start: Ints
    size: Ints

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints:
        leaf = self.tree.apply(shown(self.predictors, donors))
        return self.rows[self.start[leaf] + rng.integers(self.size[leaf])]


def grow(
    target: View, rows: Ints, before: Sequence[View], leaf: Leaf, seed: int, *, of_amounts: bool
) -> Model:
    """The tree of the amounts, or of the states, of some records."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if of_amounts and target.amounts is not None:
        kind, amounts = DecisionTreeRegressor, target.amounts[rows]
        outcome = (amounts - amounts.mean()) / (amounts.std() or 1)  # squares of dates lose digits
        columns = outcome[:, None]
    else:
        kind, outcome = DecisionTreeClassifier, few_classes(target.states[rows])
        columns = np.eye(outcome.max() + 1)[outcome]
    predictors = [Predictor(view) for view in before if view.amounts is not None] + [
        Predictor(view, order_states(view, rows, columns, leaf.fewest))
        for view in before
        if view.n_states > 1
    ]
    if not predictors:
        return AnyOf(rows)
    inputs = shown(predictors, {view.name: rows for view in before})
    tree = kind(
        min_samples_leaf=leaf.fewest, min_samples_split=max(leaf.split, 2),
        min_impurity_decrease=LEAST_GAIN, random_state=seed,
    ).fit(inputs, outcome)  # fmt: skip
    leaf_of = tree.apply(inputs)
    size = np.bincount(leaf_of, minlength=tree.tree_.node_count)
    in_order = rows[np.argsort(leaf_of, kind="stable")]
    return Leaves(tree, predictors, in_order, np.cumsum(size) - size, size)


def few_classes(states: Ints) -> Ints:
    """Classes to cut by: states, or groups of neighbouring ones where there are very many.

    Only the cuts see groups; what is drawn from a leaf is a record of the leaf.
    """
    n = np.bincount(states)
    if len(n) <= MOST_CLASSES:
        return states
    group: Ints = (np.cumsum(n) - 1) * MOST_CLASSES // len(states)
    return group[states]


@dataclass(frozen=True, eq=False)
class ByState:
    """First whether a number is an amount, missing or a special code; then which amount."""

    state_model: Model
    amount_model: Model
    states: Ints

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints:
        drawn = self.state_model.draw(donors, n_rows, rng)
        is_amount = self.states[drawn] == AMOUNT
        if is_amount.any():
            among = {name: rows[is_amount] for name, rows in donors.items()}
            drawn[is_amount] = self.amount_model.draw(among, int(is_amount.sum()), rng)
        return drawn


def fit_cart(target: View, before: Sequence[View], leaf: Leaf, rng: np.random.Generator) -> Model:
    """A tree for the states of a column, a tree for its amounts, or both."""
    everyone, rows = np.arange(len(target.states)), np.flatnonzero(target.has_amount)
    seed = int(rng.integers(2**31))
    if not len(rows):
        return grow(target, everyone, before, leaf, seed, of_amounts=False)
    amounts = grow(target, rows, before, leaf, seed, of_amounts=True)
    if len(rows) == len(everyone):
        return amounts
    states = grow(target, everyone, before, leaf, seed, of_amounts=False)
    return ByState(states, amounts, target.states)


# Regressions


@dataclass(frozen=True, eq=False)
class StateRegression:
    """Any record of the state that a logistic regression draws."""

    regression: Any
    predictors: Sequence[Predictor]
    rows_of_state: Sequence[Ints]

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints:
        inputs = np.nan_to_num(shown(self.predictors, donors))
        up_to = self.regression.predict_proba(inputs).cumsum(axis=1)
        state = (rng.random((n_rows, 1)) > up_to[:, :-1]).sum(axis=1)
        drawn = np.empty(n_rows, np.intp)
        for place, rows in enumerate(self.rows_of_state):
            drawn[state == place] = rng.choice(rows, int((state == place).sum()))
        return drawn


@dataclass(frozen=True, eq=False)
class RankRegression:
    """synthpop's ``normrank``: the amount that has the rank drawn."""

    regression: Any
    predictors: Sequence[Predictor]
    spread: float
    rows: Ints  # in the order of their amounts

    def draw(self, donors: Donors, n_rows: int, rng: np.random.Generator) -> Ints:
        from scipy.special import ndtr

        score = self.regression.predict(np.nan_to_num(shown(self.predictors, donors)))
        share = ndtr(score + self.spread * rng.standard_normal(n_rows))
        return self.rows[np.minimum(share * len(self.rows), len(self.rows) - 1).astype(np.intp)]


def fit_parametric(target: View, before: Sequence[View], leaf: Leaf, rng: Any) -> Model:
    """A logistic regression of the states, a regression of the ranks of amounts, or both."""
    everyone, rows = np.arange(len(target.states)), np.flatnonzero(target.has_amount)
    predictors = [Predictor(view) for view in before if view.amounts is not None] + [
        Predictor(view, np.eye(view.n_states)[state])
        for view in before
        for state in np.flatnonzero(view.is_frequent(everyone, leaf.fewest))[1:]
    ]
    if not predictors:
        return AnyOf(everyone)
    inputs = np.nan_to_num(shown(predictors, {view.name: everyone for view in before}))
    if not len(rows):
        return _regress_states(target, predictors, inputs)
    model = _regress_ranks(target, rows, predictors, inputs[rows])
    if len(rows) == len(everyone):
        return model
    return ByState(_regress_states(target, predictors, inputs), model, target.states)


def fit_normrank(target: View, before: Sequence[View], leaf: Leaf, rng: Any) -> Model:
    if target.amounts is None:
        raise InputError(f"'method' normrank is for numbers, and {target.name!r} holds none.")
    return fit_parametric(target, before, leaf, rng)


def _regress_states(target: View, predictors: Sequence[Predictor], inputs: Floats) -> Model:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows_of_state = [np.flatnonzero(target.states == state) for state in np.unique(target.states)]
    if len(rows_of_state) == 1:
        return AnyOf(rows_of_state[0])
    regression = make_pipeline(StandardScaler(), LogisticRegression(C=WEAK, max_iter=1000))
    return StateRegression(regression.fit(inputs, target.states), predictors, rows_of_state)


def _regress_ranks(
    target: View, rows: Ints, predictors: Sequence[Predictor], inputs: Floats
) -> RankRegression:
    from scipy.special import ndtri
    from scipy.stats import rankdata
    from sklearn.linear_model import LinearRegression

    amounts = target.amounts[rows] if target.amounts is not None else np.zeros(len(rows))
    scores = ndtri(rankdata(amounts) / (len(rows) + 1))
    regression = LinearRegression().fit(inputs, scores)
    squares = ((scores - regression.predict(inputs)) ** 2).sum()
    spread = float(np.sqrt(squares / max(len(rows) - inputs.shape[1] - 1, 1)))
    in_order = rows[np.argsort(amounts, kind="stable")]
    return RankRegression(regression, predictors, spread, in_order)


Method = Literal["cart", "parametric", "sample", "normrank", "keep"]
FITS: Mapping[str, Fit] = {
    "cart": fit_cart, "parametric": fit_parametric, "sample": fit_sample, "normrank": fit_normrank,
}  # fmt: skip
