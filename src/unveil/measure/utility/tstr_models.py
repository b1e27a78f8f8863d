"""The models themselves: scikit-learn's logistic, linear and tree, on one thread, seeded."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.utility.coding import Floats, Whole
from unveil.measure.utility.tstr_coding import Design
from unveil.records.tstr import ModelKind

MIN_LEAF = 10
_MOST_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Chances of each class; a class that nobody trained on has is held impossible."""

    design: Design
    classes: Whole
    n_classes: int
    model: Any

    def chances(self, side: int, rows: Whole) -> Floats:
        """For each record the chance of every class."""
        made = np.zeros((len(rows), self.n_classes))
        made[:, self.classes] = self.model.predict_proba(self.design.matrix(side, rows))
        return made


@dataclass(frozen=True, eq=False)
class NumberModel:
    """A predicted number for each record."""

    design: Design
    mean: float
    model: Any  # None: no predictor varies, so the mean is all there is

    def predicted(self, side: int, rows: Whole) -> Floats:
        """For each record the number expected."""
        if self.model is None:
            return np.full(len(rows), self.mean)
        matrix = self.design.matrix(side, rows).astype(np.float64)
        made: Floats = self.model.predict(matrix)
        return made


def class_model(
    design: Design,
    side: int,
    rows: Whole,
    truth: Whole,
    *,
    n_classes: int,
    kind: ModelKind,
    seed: int,
) -> ClassModel:
    """Train a logistic model or a tree on some records of a side."""
    classes = np.unique(truth)
    if len(classes) == 1 or not design.variables:
        return _by_shares(design, truth, n_classes)
    model = _classifier(kind, seed)
    _fit(model, design.matrix(side, rows), truth)
    return ClassModel(design, classes, n_classes, model)


class _Shares:
    """The same chances for everybody."""

    def __init__(self, shares: Floats) -> None:
        self.shares = shares

    def predict_proba(self, matrix: Any) -> Floats:
        """The shares, once for each record."""
        return np.tile(self.shares, (len(matrix), 1))


def _by_shares(design: Design, truth: Whole, n_classes: int) -> ClassModel:
    counts = np.bincount(truth, minlength=n_classes)
    classes = np.flatnonzero(counts)
    return ClassModel(design, classes, n_classes, _Shares(counts[classes] / len(truth)))


def number_model(
    design: Design, side: int, rows: Whole, truth: Floats, *, kind: ModelKind, seed: int
) -> NumberModel:
    """Train a linear model or a tree on some records of a side."""
    if not design.variables:
        return NumberModel(design, float(truth.mean()), None)
    model = _regressor(kind, seed)
    # Least squares in single precision would lose digits that dummies and numbers share.
    _fit(model, design.matrix(side, rows).astype(np.float64), truth)
    return NumberModel(design, float(truth.mean()), model)


def _classifier(kind: ModelKind, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    if kind == "tree":
        return DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, random_state=seed)
    return LogisticRegression(max_iter=_MOST_ROUNDS)


def _regressor(kind: ModelKind, seed: int) -> Any:
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    if kind == "tree":
        return DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=seed)
    return LinearRegression()


def _fit(model: Any, matrix: Any, truth: Any) -> None:
    from threadpoolctl import threadpool_limits

    # One thread: sums in another order would make another model of the same seed.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(matrix, truth)
        except (ValueError, MemoryError):
            raise SettingsError(
                "The model could not be fitted to these records. Choose another model, fewer"
                " predictors, or another outcome."
            ) from None
