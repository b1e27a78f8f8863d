"""A column without regard to any other: its original values, drawn with replacement."""

from dataclasses import dataclass

import numpy as np

from unveil.models.array_record import ArrayRecord
from unveil.models.design import Predictors, Values
from unveil.synthesis.cart import Donors, LeafSmoothing, smooth_leaves
from unveil.synthesis.methods import Options, Target


@dataclass(frozen=True)
class SampleModel(ArrayRecord):
    """The original values, sorted: nothing tells whose they were."""

    values: Values
    smoothing: LeafSmoothing | None = None
    notes: tuple[str, ...] = ()

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """One value for every row, each original row as likely: the bootstrap."""
        drawn = self.values[rng.integers(len(self.values), size=predictors.n_rows)]
        if self.smoothing is None:
            return drawn
        return self.smoothing.around(drawn, np.zeros(len(drawn), dtype=np.int32), rng)


def fit_sample(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> SampleModel:
    """Keep the values; predictors say whose they are, and chance is not asked."""
    del rng
    everyone = Donors.of(target.values, np.zeros(len(target.values), dtype=np.int32), 1)
    smoothing = smooth_leaves(everyone, target, predictors, options)
    return SampleModel(_sort_values(target.values), smoothing)


def _sort_values(values: Values) -> Values:
    made = values.copy()
    made.sort()
    return made
