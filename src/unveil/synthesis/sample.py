"""A column without regard to any other: its original values, drawn with replacement."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from unveil.models.design import Predictors, Values, strip_prefix
from unveil.synthesis.cart import Donors, LeafSmoothing
from unveil.synthesis.methods import Arrays, Options, Target
from unveil.synthesis.model_archive import add_prefix


@dataclass(frozen=True)
class SampleModel:
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

    def to_arrays(self) -> Arrays:
        """For a model file."""
        smoothing = self.smoothing.to_arrays() if self.smoothing else {}
        return {"values": self.values, **add_prefix("smoothing", smoothing)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        smoothing = strip_prefix("smoothing", arrays)
        return cls(arrays["values"], LeafSmoothing.from_arrays(smoothing) if smoothing else None)


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
