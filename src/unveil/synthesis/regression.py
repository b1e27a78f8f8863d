"""Regressions that draw categories: logistic, multinomial and ordered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from unveil.errors import list_names
from unveil.models.array_record import ArrayRecord
from unveil.models.axes import Sparse
from unveil.models.design import DummyCoding, Predictors, Values, owners
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
from unveil.synthesis.methods import Options, Target

# A fitted model of classes: what logistic, multinomial and ordered regression have in common.


Estimate = Callable[[Sparse, Codes, int], RegressionFit]
"""Fits to classes numbered from 0, of which each occurs."""
Draw = Callable[[RegressionFit, Sparse, np.random.Generator], Codes]
"""The number of a class for each row, by its probabilities."""


@dataclass(frozen=True)
class ClassModel(ArrayRecord):
    """Coefficients for the classes that occur in the original; `classes` are their codes."""

    FLAT = ("fit",)
    FUNCTIONS: ClassVar[tuple[Estimate, Draw]]

    classes: NDArray[np.int32]
    coding: DummyCoding
    fit: RegressionFit
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, target: Target, predictors: Predictors) -> Self:
        """Fit to the classes that occur; a single one needs no model."""
        classes, y = np.unique(target.values, return_inverse=True)
        coding = DummyCoding.fit(predictors)
        x, pooled = coding.matrix(predictors), coding.pool(predictors)
        if len(classes) < 2:
            fit = RegressionFit(np.zeros(1), np.zeros((x.shape[1], 1)))
        else:
            fit = cls.FUNCTIONS[0](x, y, len(classes))
        return cls(classes.astype(np.int32), coding, fit, notes_of(target.name, fit, pooled))

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """A code for every row, drawn by the probabilities of its predictors."""
        if len(self.classes) < 2:
            return np.repeat(self.classes, predictors.n_rows)
        return self.classes[self.FUNCTIONS[1](self.fit, self.coding.matrix(predictors), rng)]


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

    FUNCTIONS = fit_binary, draw_binary


def fit_logistic(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> LogisticModel:
    """Fit by maximum likelihood (`fit_softmax`); nothing is left to chance.

    References
    ----------
    What synthpop calls `logreg`; separation is met by a ridge, as in `multinomial`.
    """
    del options, rng
    return LogisticModel.of(target, predictors)


# Categories without an order, from those before: multinomial logistic regression.


class MultinomialModel(ClassModel):
    """P(class | predictors) is proportional to exp(intercept + predictors x coefficients)."""

    FUNCTIONS = fit_softmax, draw_softmax


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
    return MultinomialModel.of(target, predictors)


# Categories in order, from the columns before: ordered logistic regression.
#
# Missing has no place in the order: whether a value is missing is modelled first, by logistic
# regression, then the order of those that are not.


class OrderedClasses(ClassModel):
    """P(class <= k | predictors) is the logistic function of cut_k less a line."""

    FUNCTIONS = fit_cumulative, draw_cumulative


@dataclass(frozen=True)
class OrderedModel(ArrayRecord):
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
