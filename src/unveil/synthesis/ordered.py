"""Categories in order, from the columns before: ordered logistic regression.

Missing has no place in the order: whether a value is missing is modelled first, by logistic
regression, then the order of those that are not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from unveil.count.likelihoods import Codes
from unveil.errors import SettingsError, listed
from unveil.synthesis import logistic
from unveil.synthesis.arrays import prefixed, under
from unveil.synthesis.class_model import ClassModel
from unveil.synthesis.column import Values
from unveil.synthesis.cumulative import drawn, fit_cumulative
from unveil.synthesis.design_matrix import Predictors
from unveil.synthesis.likelihood import Fit, Sparse
from unveil.synthesis.methods import Arrays, Options, Target


class Levels(ClassModel):
    """P(class <= k | predictors) is the logistic function of cut_k less a line."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> Fit:
        """By maximum likelihood."""
        return fit_cumulative(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return drawn(self.fit, x, rng)


@dataclass(frozen=True)
class Model:
    """Levels in order and, where values are missing, which."""

    levels: Levels
    missing: logistic.Model | None = None
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
            **prefixed("levels", self.levels.to_arrays()),
            **prefixed("missing", missing),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        missing = under("missing", arrays)
        return cls(
            Levels.from_arrays(under("levels", arrays)),
            logistic.Model.from_arrays(missing) if missing else None,
            arrays["missing_code"],
        )


def fit(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> Model:
    """Fit by maximum likelihood (`cumulative.fit_cumulative`); nothing is left to chance.

    References
    ----------
    What synthpop calls `polr`. There missing is the last level of the order, and the multinomial
    model is taken where a fit fails; ours has a ridge to stand on.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'ordered' is for categories in order, and {listed([target.name])} holds"
            " numbers. Use 'normrank', 'cart' or 'sample' for it."
        )
    last = target.n_levels - 1
    is_missing = target.values == last
    # All missing: one class, which needs no order.
    if not target.has_missing or not is_missing.any() or is_missing.all():
        levels = Levels.of(target, predictors)
        return Model(levels, notes=levels.notes)
    return _with_missing(target, predictors, is_missing, last)


def _with_missing(target: Target, predictors: Predictors, is_missing: Any, code: int) -> Model:
    there = np.flatnonzero(~is_missing)
    states = Target(target.name, "category", is_missing.astype(np.int32), 2)
    plain = Target(target.name, "ordered", target.values[there], code)
    missing = logistic.Model.of(states, predictors)
    levels = Levels.of(plain, predictors.among(there))
    notes = tuple(dict.fromkeys((*missing.notes, *levels.notes)))
    return Model(levels, missing, code, notes)
