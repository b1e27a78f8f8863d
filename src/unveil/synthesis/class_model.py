"""A fitted model of classes: what logistic, multinomial and ordered regression have in common."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.count.likelihoods import Codes
from unveil.errors import listed
from unveil.synthesis.arrays import prefixed, under
from unveil.synthesis.column import Values
from unveil.synthesis.design_matrix import DummyCoding, Predictors
from unveil.synthesis.dummies import dummies, owners
from unveil.synthesis.likelihood import Fit, Sparse
from unveil.synthesis.methods import Arrays, Target


@dataclass(frozen=True)
class ClassModel(ABC):
    """Coefficients for the classes that occur in the original; `classes` are their codes."""

    classes: NDArray[np.int32]
    coding: DummyCoding
    fit: Fit
    notes: tuple[str, ...] = ()

    @staticmethod
    @abstractmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> Fit:
        """Fit to classes numbered from 0, of which each occurs."""

    @abstractmethod
    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """The number of a class for each row."""

    @classmethod
    def of(cls, target: Target, predictors: Predictors) -> Self:
        """Fit to the classes that occur; a single one needs no model."""
        classes, y = np.unique(target.values, return_inverse=True)
        coding = DummyCoding.fitted(predictors)
        x, pooled = dummies(coding, predictors), coding.pooled(predictors)
        if len(classes) < 2:
            fit = Fit(np.zeros(1), np.zeros((x.shape[1], 1)))
        else:
            fit = cls.estimate(x, y, len(classes))
        return cls(classes.astype(np.int32), coding, fit, notes_of(target.name, fit, pooled))

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """A code for every row, drawn by the probabilities of its predictors."""
        if len(self.classes) < 2:
            return np.repeat(self.classes, predictors.n_rows)
        return self.classes[self.draw(dummies(self.coding, predictors), rng)]

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {
            "classes": self.classes,
            "intercept": self.fit.intercept,
            "coefficients": self.fit.coefficients,
            "ridge": self.fit.ridge,
            **prefixed("coding", self.coding.to_arrays()),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        fit = Fit(arrays["intercept"], arrays["coefficients"], arrays["ridge"])
        return cls(arrays["classes"], DummyCoding.from_arrays(under("coding", arrays)), fit)


SEPARATED = "predictors separate the classes, so coefficients were held back by a ridge"


def notes_of(name: str, fit: Fit, predictors: Predictors) -> tuple[str, ...]:
    """What had to be done to fit the model of a column."""
    of = f"In the model of {listed([name])}"
    notes = []
    if len(fit.dropped):
        which = np.unique(owners(predictors)[fit.dropped])
        names = listed(predictors.names[place] for place in which)
        notes.append(
            f"{of} these were left out, wholly or in part, because the predictors before them"
            f" determine them: {names}."
        )
    if fit.ridge:
        notes.append(f"{of} {SEPARATED} of {fit.ridge:g}.")
    if not fit.converged:
        notes.append(f"{of} the fit was stopped near its highest point, to save time.")
    return tuple(notes)
