"""A column without regard to any other: its original values, drawn with replacement."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from unveil.synthesis.arrays import prefixed, under
from unveil.synthesis.column import Values
from unveil.synthesis.design_matrix import Predictors
from unveil.synthesis.donors import Donors, Smoothing
from unveil.synthesis.methods import Arrays, Options, Target


@dataclass(frozen=True)
class Model:
    """The original values, sorted: nothing tells whose they were."""

    values: Values
    smoothing: Smoothing | None = None
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
        return {"values": self.values, **prefixed("smoothing", smoothing)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        smoothing = under("smoothing", arrays)
        return cls(arrays["values"], Smoothing.from_arrays(smoothing) if smoothing else None)


def fit(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> Model:
    """Keep the values; predictors and chance are not asked."""
    del predictors, rng
    if options.smoothing != "density" or target.kind != "number":
        return Model(_sorted(target.values))
    everyone = np.zeros(len(target.values), dtype=np.int32)
    return Model(_sorted(target.values), Smoothing.of(Donors.of(target.values, everyone, 1)))


def _sorted(values: Values) -> Values:
    made = values.copy()
    made.sort()
    return made
