"""Regressions that draw categories: logistic, multinomial and ordered."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingsError, list_names
from unveil.models.axes import Sparse
from unveil.models.design import DummyCoding, Predictors, Values, owners, strip_prefix
from unveil.models.likelihood import Codes
from unveil.models.regression import (
    RegressionFit,
    draw_binary,
    draw_cumulative,
    draw_softmax,
    fit_binary,
    fit_cumulative,
    fit_softmax,
)
from unveil.synthesis.methods import Arrays, Options, Target
from unveil.synthesis.model_archive import add_prefix

# A fitted model of classes: what logistic, multinomial and ordered regression have in common.


@dataclass(frozen=True)
class ClassModel(ABC):
    """Coefficients for the classes that occur in the original; `classes` are their codes."""

    classes: NDArray[np.int32]
    coding: DummyCoding
    fit: RegressionFit
    notes: tuple[str, ...] = ()

    @staticmethod
    @abstractmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
        """Fit to classes numbered from 0, of which each occurs."""

    @abstractmethod
    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """The number of a class for each row."""

    @classmethod
    def of(cls, target: Target, predictors: Predictors) -> Self:
        """Fit to the classes that occur; a single one needs no model."""
        classes, y = np.unique(target.values, return_inverse=True)
        coding = DummyCoding.fit(predictors)
        x, pooled = coding.matrix(predictors), coding.pool(predictors)
        if len(classes) < 2:
            fit = RegressionFit(np.zeros(1), np.zeros((x.shape[1], 1)))
        else:
            fit = cls.estimate(x, y, len(classes))
        return cls(classes.astype(np.int32), coding, fit, notes_of(target.name, fit, pooled))

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """A code for every row, drawn by the probabilities of its predictors."""
        if len(self.classes) < 2:
            return np.repeat(self.classes, predictors.n_rows)
        return self.classes[self.draw(self.coding.matrix(predictors), rng)]

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {
            "classes": self.classes,
            "intercept": self.fit.intercept,
            "coefficients": self.fit.coefficients,
            "ridge": self.fit.ridge,
            **add_prefix("coding", self.coding.to_arrays()),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        fit = RegressionFit(arrays["intercept"], arrays["coefficients"], arrays["ridge"])
        return cls(arrays["classes"], DummyCoding.from_arrays(strip_prefix("coding", arrays)), fit)


SEPARATED = "predictors separate the classes, so coefficients were shrunk by a ridge penalty"


def notes_of(name: str, fit: RegressionFit, predictors: Predictors) -> tuple[str, ...]:
    """What had to be done to fit the model of a column."""
    of = f"In the model of {list_names([name])}"
    notes = []
    if len(fit.dropped):
        which = np.unique(owners(predictors)[fit.dropped])
        names = list_names(predictors.names[place] for place in which)
        notes.append(
            f"{of} these were excluded, wholly or in part, because the predictors before them"
            f" determine them: {names}."
        )
    if fit.ridge:
        notes.append(f"{of} {SEPARATED} of {fit.ridge:g}.")
    if not fit.converged:
        notes.append(f"{of} the fit was stopped near its highest point, to save time.")
    return tuple(notes)


# Two classes, from the columns before: logistic regression.


class LogisticModel(ClassModel):
    """P(second class | predictors) is the logistic function of a line."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
        """By maximum likelihood."""
        return fit_binary(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return draw_binary(self.fit, x, rng)


def fit_logistic(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> LogisticModel:
    """Fit by maximum likelihood (`fit_softmax`); nothing is left to chance.

    References
    ----------
    What synthpop calls `logreg`; separation is met by a ridge, as in `multinomial`.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'logistic' is for two levels, and {list_names([target.name])} holds "
            "numbers."
            " Use 'normrank', 'cart' or 'sample' for it."
        )
    n_seen = len(np.unique(target.values))
    if n_seen > 2:
        raise SettingsError(
            f"The method 'logistic' is for two levels, and {list_names([target.name])} has "
            f"{n_seen:,}"
            " (missing counts as one). Use 'multinomial', 'ordered' or 'cart' for it."
        )
    return LogisticModel.of(target, predictors)


# Categories without an order, from those before: multinomial logistic regression.


class MultinomialModel(ClassModel):
    """P(class | predictors) is proportional to exp(intercept + predictors x coefficients)."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
        """By maximum likelihood."""
        return fit_softmax(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return draw_softmax(self.fit, x, rng)


def fit_multinomial(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> MultinomialModel:
    """Fit by maximum likelihood (`fit_softmax`); nothing is left to chance.

    References
    ----------
    What synthpop calls `polyreg`. It adds a few made-up records to every fit against separation
    (White, Daniel and Royston 2010); we add a ridge, and only where classes are separated.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'multinomial' is for categories, and {list_names([target.name])} holds"
            " numbers. Use 'normrank', 'cart' or 'sample' for it."
        )
    return MultinomialModel.of(target, predictors)


# Categories in order, from the columns before: ordered logistic regression.
#
# Missing has no place in the order: whether a value is missing is modelled first, by logistic
# regression, then the order of those that are not.


class OrderedClasses(ClassModel):
    """P(class <= k | predictors) is the logistic function of cut_k less a line."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
        """By maximum likelihood."""
        return fit_cumulative(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return draw_cumulative(self.fit, x, rng)


@dataclass(frozen=True)
class OrderedModel:
    """Levels in order and, where values are missing, which."""

    levels: OrderedClasses
    missing: LogisticModel | None = None
    missing_code: int = 0
    notes: tuple[str, ...] = ()

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """A code for every row: missing or not, then the level."""
        codes = self.levels.sample(predictors, rng).astype(np.int32)
        if self.missing is not None:
            codes[self.missing.sample(predictors, rng) == 1] = self.missing_code
        return codes

    def to_arrays(self) -> Arrays:
        """For a model file."""
        missing = self.missing.to_arrays() if self.missing else {}
        return {
            "missing_code": self.missing_code,
            **add_prefix("levels", self.levels.to_arrays()),
            **add_prefix("missing", missing),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        missing = strip_prefix("missing", arrays)
        return cls(
            OrderedClasses.from_arrays(strip_prefix("levels", arrays)),
            LogisticModel.from_arrays(missing) if missing else None,
            arrays["missing_code"],
        )


def fit_ordered(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> OrderedModel:
    """Fit by maximum likelihood (`fit_cumulative`); nothing is left to chance.

    References
    ----------
    What synthpop calls `polr`. There missing is the last level of the order, and the multinomial
    model is taken where a fit fails; ours has a ridge to stand on.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'ordered' is for categories in order, and {list_names([target.name])} "
            "holds"
            " numbers. Use 'normrank', 'cart' or 'sample' for it."
        )
    last = target.n_levels - 1
    is_missing = target.values == last
    # All missing: one class, which needs no order.
    if not target.has_missing or not is_missing.any() or is_missing.all():
        levels = OrderedClasses.of(target, predictors)
        return OrderedModel(levels, notes=levels.notes)
    return _with_missing(target, predictors, is_missing, last)


def _with_missing(
    target: Target, predictors: Predictors, is_missing: Any, code: int
) -> OrderedModel:
    there = np.flatnonzero(~is_missing)
    states = Target(target.name, "category", is_missing.astype(np.int32), 2)
    plain = Target(target.name, "ordered", target.values[there], code)
    missing = LogisticModel.of(states, predictors)
    levels = OrderedClasses.of(plain, predictors.among(there))
    notes = tuple(dict.fromkeys((*missing.notes, *levels.notes)))
    return OrderedModel(levels, missing, code, notes)
