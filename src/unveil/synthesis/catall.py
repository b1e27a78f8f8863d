"""Several categories at once, from the table of all their combinations and a prior.

The table is not laid out: a draw from it is a combination that was seen or, with the weight of the
prior, one in which every level is as likely as any other. So its size has no limit: a table of
10^20 cells costs no more than the records do. Only with noise must it be laid out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.count.packing import number, pack
from unveil.errors import SettingsError
from unveil.synthesis.arrays import prefixed, under
from unveil.synthesis.cell_table import (
    CellTable,
    Columns,
    counted,
    noise_note,
    noise_scale,
    noisy,
    prior_of,
    shape_of,
    with_prior,
)
from unveil.synthesis.impossible import Impossible, Zeros, codes_of
from unveil.synthesis.methods import Arrays, Options, Target

_TRIES = 1_000


@dataclass(frozen=True)
class SeenCells:
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
            wanting = wanting[self.zeros.met(list(drawn[wanting].T))]
            if not len(wanting):
                return drawn
        raise SettingsError(
            "Hardly any combination of the columns of 'catall' can be, so the prior has no place."
            " Set the prior to 0, or declare fewer combinations impossible."
        )

    def to_arrays(self) -> Arrays:
        """For a model file."""
        return {
            "seen": self.seen,
            "up_to": self.up_to,
            "n_levels": np.array(self.n_levels),
            "prior": self.prior,
            **prefixed("zeros", self.zeros.to_arrays()),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The combinations that `to_arrays` wrote."""
        n_levels = tuple(int(n) for n in arrays["n_levels"])
        zeros = Zeros.from_arrays(under("zeros", arrays))
        return cls(arrays["seen"], arrays["up_to"], n_levels, arrays["prior"], zeros)


@dataclass(frozen=True)
class Model:
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
        kind = CellTable if arrays["laid_out"] else SeenCells
        return cls(kind.from_arrays(arrays))


def fit_joint(
    targets: Sequence[Target],
    options: Options,
    rng: np.random.Generator,
    *,
    impossible: Sequence[Impossible] = (),
) -> Model:
    """Count the table; chance is asked for noise alone.

    References
    ----------
    What synthpop calls `catall` (Jackson and others 2022), with `priorn` and `structzero`. It lays
    the table out, which ours does only for noise; its `proper` draws are not there.
    """
    prior, scale = prior_of(options), noise_scale(options, 1)
    zeros = Zeros.of(impossible, targets)
    zeros.refuse_seen(targets)
    if scale is None:
        return Model(SeenCells.of(targets, prior, zeros))
    shape = shape_of(targets, "'catall' with noise")
    cannot = zeros.table(shape)
    counts = noisy(counted(targets, range(len(shape))), scale, rng)
    counts[cannot] = 0.0
    weights = with_prior(counts, prior, cannot, len(targets[0].values))
    return Model(CellTable.of(weights), (noise_note(scale),))
