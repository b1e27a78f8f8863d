"""Several categories at once, from the table of all their combinations and a prior.

The table is not laid out: a draw from it is a combination that was seen or, with the weight of the
prior, one in which every level is as likely as any other. So its size has no limit: a table of
10^20 cells costs no more than the records do. Only with noise must it be laid out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.count.packing import number, pack
from unveil.errors import SettingsError
from unveil.models.array_record import ArrayRecord, Arrays
from unveil.synthesis.impossible import Impossible, Zeros, codes_of
from unveil.synthesis.methods import Options, Target

# A table of all combinations of several categories, laid out: its size, noise, and drawing.
#
# Noise is drawn once, when the model is fitted, so that more copies do not average it away. It is
# what differential privacy would add, and still no guarantee of it: the levels, the number of
# records and every column modelled otherwise come from the original as they are, and noise is
# drawn in floating point (Mironov 2012).


Columns = tuple[NDArray[np.int32], ...]

MOST_CELLS = 2**24
"""The largest table that is laid out: 128 MB, and as much again while it is fitted."""


@dataclass(frozen=True)
class CellTable(ArrayRecord):
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


def count_cells(targets: Sequence[Target], axes: Sequence[int]) -> Floats:
    """How many records each combination of some of the columns has, as a table of these."""
    shape = tuple(targets[axis].n_levels for axis in axes)
    place = np.zeros(len(targets[0].values), np.int64)
    for axis, n in zip(axes, shape, strict=True):
        place *= n
        place += codes_of(targets[axis])
    return np.bincount(place, minlength=prod(shape)).reshape(shape).astype(np.float64)


def prior_of(options: Options) -> float:
    """The number of records the prior counts for: 1 unless said otherwise."""
    return 1.0 if options.prior is None else options.prior


def noise_scale(options: Options, n_tables: int) -> float | None:
    """The scale of Laplace noise on each count: epsilon is shared among the tables.

    For one record more or less; a record replaced by another changes two counts of each table.
    """
    return None if options.noise is None else n_tables / options.noise


def noisy(counts: Floats, scale: float, rng: np.random.Generator) -> Floats:
    """Counts with Laplace noise, none below 0."""
    return np.maximum(counts + rng.laplace(scale=scale, size=counts.shape), 0.0)


def noise_note(scale: float) -> str:
    """What is said of noise: how much, and that it promises nothing."""
    return (
        f"Laplace noise of scale {scale:g} was added to every count. It gives no formal guarantee:"
        " the levels, the number of records and all other columns come from the original as it is."
    )


def add_prior(weights: Floats, prior: float, impossible: NDArray[np.bool_], n: int) -> Floats:
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


_TRIES = 1_000


@dataclass(frozen=True)
class SeenCells(ArrayRecord):
    """The combinations seen and how often, the prior, and the combinations that cannot be."""

    seen: NDArray[np.int32]  # combinations x columns
    up_to: NDArray[np.int64]  # the running count of the combinations
    n_levels: tuple[int, ...]
    prior: float
    zeros: Zeros

    @classmethod
    def of(cls, targets: Sequence[Target], prior: float, zeros: Zeros) -> Self:
        """Count the combinations that occur."""
        n = len(targets[0].values)
        packed, space = pack([(codes_of(target), target.n_levels) for target in targets], n)
        ids, n_seen = number(packed, space)
        some_record = np.zeros(n_seen, np.int64)
        some_record[ids] = np.arange(n)
        seen = np.stack([codes_of(target)[some_record] for target in targets], axis=1)
        counts = np.bincount(ids, minlength=n_seen)
        n_levels = tuple(target.n_levels for target in targets)
        return cls(seen, np.cumsum(counts), n_levels, prior, zeros)

    def sample(self, n_rows: int, rng: np.random.Generator) -> Columns:
        """A combination seen, with probability n / (n + prior), or any that can be."""
        n = int(self.up_to[-1])
        record = rng.integers(n, size=n_rows)
        drawn = self.seen[np.searchsorted(self.up_to, record, side="right")]
        anywhere = np.flatnonzero(rng.random(n_rows) * (n + self.prior) >= n)
        drawn[anywhere] = self._evenly(len(anywhere), rng)
        return tuple(np.ascontiguousarray(column) for column in drawn.T)

    def _evenly(self, n_rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Combinations that can be, each as likely: drawn freely, and again where they cannot."""
        drawn = np.empty((n_rows, len(self.n_levels)), np.int32)
        wanting = np.arange(n_rows)
        for _ in range(_TRIES):
            for column, n in enumerate(self.n_levels):
                drawn[wanting, column] = rng.integers(n, size=len(wanting))
            wanting = wanting[self.zeros.find_rows(list(drawn[wanting].T))]
            if not len(wanting):
                return drawn
        raise SettingsError(
            "Hardly any combination of the columns of 'catall' can be, so the prior has no place."
            " Set the prior to 0, or declare fewer combinations impossible."
        )


@dataclass(frozen=True)
class CatallModel(ArrayRecord):
    """A saturated table: P(cell) = (n_cell + prior / C) / (n + prior), C the cells that can be.

    That is the expectation of the posterior under a Dirichlet prior with parameters prior / C.
    """

    cells: SeenCells | CellTable
    notes: tuple[str, ...] = ()

    def sample(self, n_rows: int, rng: np.random.Generator) -> Columns:
        """Codes, one array for each column."""
        return self.cells.sample(n_rows, rng)

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {"laid_out": isinstance(self.cells, CellTable), **self.cells.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        kind = CellTable if arrays.get("laid_out", True) else SeenCells
        return cls(kind.from_arrays(arrays))


def fit_catall(
    targets: Sequence[Target],
    options: Options,
    rng: np.random.Generator,
    *,
    impossible: Sequence[Impossible] = (),
) -> CatallModel:
    """Count the table; chance is asked for noise alone.

    References
    ----------
    What synthpop calls `catall` (Jackson and others 2022), with `priorn` and `structzero`. It lays
    the table out, which ours does only for noise; its `proper` draws are not there.
    """
    prior, scale = prior_of(options), noise_scale(options, 1)
    zeros = Zeros.of(impossible, targets)
    zeros.check_unseen(targets)
    if scale is None:
        return CatallModel(SeenCells.of(targets, prior, zeros))
    shape = shape_of(targets, "'catall' with noise")
    cannot = zeros.table(shape)
    counts = noisy(count_cells(targets, range(len(shape))), scale, rng)
    counts[cannot] = 0.0
    weights = add_prior(counts, prior, cannot, len(targets[0].values))
    return CatallModel(CellTable.of(weights), (noise_note(scale),))
