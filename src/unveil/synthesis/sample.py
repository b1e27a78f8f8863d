"""A column without regard to any other: its original values, drawn with replacement."""

from dataclasses import dataclass

import numpy as np

from unveil.models.design import Predictors, Values
from unveil.models.stored import Stored
from unveil.synthesis.cart import Donors, LeafSmoothing
from unveil.synthesis.methods import Options, Target


@dataclass(frozen=True)
class SampleModel(Stored):
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
    """Keep the values; predictors and chance are not asked."""
    del predictors, rng
    if options.smoothing != "density" or target.kind != "number":
        return SampleModel(_sort_values(target.values))
    everyone = np.zeros(len(target.values), dtype=np.int32)
    return SampleModel(
        _sort_values(target.values), LeafSmoothing.of(Donors.of(target.values, everyone, 1))
    )


def _sort_values(values: Values) -> Values:
    made = values.copy()
    made.sort()
    return made
