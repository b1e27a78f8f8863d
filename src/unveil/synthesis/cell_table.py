"""A table of all combinations of several categories, laid out: its size, noise, and drawing.

Noise is drawn once, when the model is fitted, so that more copies do not average it away. It is
what differential privacy would add, and still no guarantee of it: the levels, the number of records
and every column modelled otherwise come from the original as they are, and noise is drawn in
floating point (Mironov 2012).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingsError
from unveil.synthesis.impossible import codes_of
from unveil.synthesis.methods import Arrays, Options, Target

Floats = NDArray[np.float64]
Columns = tuple[NDArray[np.int32], ...]

MOST_CELLS = 2**24
"""The largest table that is laid out: 128 MB, and as much again while it is fitted."""


@dataclass(frozen=True)
class CellTable:
    """The running sum of the weights of all cells, the last column changing fastest."""

    up_to: Floats
    shape: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, weights: Floats, notes: Sequence[str] = ()) -> Self:
        """A table to draw from; at least one cell must have a weight."""
        return cls(np.cumsum(weights), weights.shape, tuple(notes))

    def sample(self, n_rows: int, rng: np.random.Generator) -> Columns:
        """Combinations, one for every row: a multinomial draw of all cells, in random order."""
        place = np.searchsorted(self.up_to, rng.random(n_rows) * self.up_to[-1], side="right")
        # A product that rounds up to the whole sum belongs to the last cell that has a weight.
        last = np.searchsorted(self.up_to, self.up_to[-1], side="left")
        codes = np.unravel_index(np.minimum(place, last), self.shape)
        return tuple(code.astype(np.int32) for code in codes)

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {"up_to": self.up_to, "shape": np.array(self.shape)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The table that `to_arrays` wrote."""
        return cls(arrays["up_to"], tuple(int(n) for n in arrays["shape"]))


def shape_of(targets: Sequence[Target], method: str) -> tuple[int, ...]:
    """The levels of each column; a table that cannot be laid out is refused."""
    shape = tuple(target.n_levels for target in targets)
    if prod(shape) > MOST_CELLS:
        raise SettingsError(
            f"The table of the {len(shape)} columns of {method} would have {prod(shape):,} cells;"
            f" at most {MOST_CELLS:,} can be laid out. Give some of the columns another method,"
            " or use 'catall' without noise, which has no limit."
        )
    return shape


def counted(targets: Sequence[Target], axes: Sequence[int]) -> Floats:
    """How many records each combination of some of the columns has, as a table of these."""
    shape = tuple(targets[axis].n_levels for axis in axes)
    place = np.zeros(len(targets[0].values), np.int64)
    for axis, n in zip(axes, shape, strict=True):
        place *= n
        place += codes_of(targets[axis])
    return np.bincount(place, minlength=prod(shape)).reshape(shape).astype(np.float64)


def prior_of(options: Options) -> float:
    """The number of records the prior counts for: 1 unless said otherwise."""
    prior = 1.0 if options.prior is None else float(options.prior)
    if not (isfinite(prior) and prior >= 0):
        raise SettingsError(f"The prior is {prior:g}; it must be 0 or more.")
    return prior


def noise_scale(options: Options, n_tables: int) -> float | None:
    """The scale of Laplace noise on each count: epsilon is shared among the tables.

    For one record more or less; a record replaced by another changes two counts of each table.
    """
    if options.noise is None:
        return None
    epsilon = float(options.noise)
    if not (isfinite(epsilon) and epsilon > 0):
        raise SettingsError(f"The noise has an epsilon of {epsilon:g}; it must be above 0.")
    return n_tables / epsilon


def noisy(counts: Floats, scale: float, rng: np.random.Generator) -> Floats:
    """Counts with Laplace noise, none below 0."""
    return np.maximum(counts + rng.laplace(scale=scale, size=counts.shape), 0.0)


def noise_note(scale: float) -> str:
    """What is said of noise: how much, and that it promises nothing."""
    return (
        f"Laplace noise of scale {scale:g} was added to every count. It gives no formal guarantee:"
        " the levels, the number of records and all other columns come from the original as it is."
    )


def with_prior(weights: Floats, prior: float, impossible: NDArray[np.bool_], n: int) -> Floats:
    """(n p + prior / C) for each of the C cells that can be, 0 for the others; p sums to 1."""
    total = float(weights.sum())
    n_cells = int(impossible.size - impossible.sum())
    if not n_cells or (total <= 0 and prior == 0):
        raise SettingsError(
            "No combination of the columns is left to draw. Declare fewer combinations impossible,"
            " add less noise, or set a prior above 0."
        )
    made = weights * (n / total) if total > 0 else np.zeros(weights.shape)
    made += prior / n_cells
    made[impossible] = 0.0
    return made
