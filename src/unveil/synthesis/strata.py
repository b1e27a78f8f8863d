"""Which rows belong together and are synthesised apart from all others?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.models.design import ColumnValues
from unveil.seeding import stream


@dataclass(frozen=True)
class Strata:
    """The strata of an original: their sizes, and what their columns hold, a row for each stratum.

    Without strata there is one, with every row. `of_rows` is the stratum of every original row.
    """

    sizes: Ints
    of_rows: Ints
    parts: tuple[ColumnValues, ...] = ()

    @classmethod
    def of(
        cls, frame: pl.DataFrame, names: tuple[str, ...], parts: Mapping[str, ColumnValues]
    ) -> Self:
        """Each combination that the named columns have in the original, missing included."""
        combined = np.zeros(len(frame), dtype=np.int64)
        for name in names:
            ranks = frame[name].alias("").rank("dense").fill_null(0)
            codes = ranks.to_numpy().astype(np.int64)
            combined = combined * (int(codes.max()) + 1) + codes
            combined = np.unique(combined, return_inverse=True)[1]
        _, first, of_rows, sizes = np.unique(
            combined, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(sizes, of_rows, tuple(parts[name].select(first) for name in names))

    def draw(self, n_rows: int, seed: int, copy: int) -> Ints:
        """The stratum of each synthetic record, by bootstrap: sizes vary as a sample's do."""
        if len(self.sizes) == 1:
            return np.zeros(n_rows, dtype=np.int64)
        rng = stream(seed, "copy", copy, "strata")
        return np.searchsorted(
            np.cumsum(self.sizes), rng.integers(self.sizes.sum(), size=n_rows), side="right"
        )

    def shuffle(self, n_rows: int, seed: int, copy: int) -> Ints:
        """A row of the original for each synthetic record, each as often as any other, mixed."""
        n_all = len(self.of_rows)
        rounds = np.tile(np.arange(n_all), (-(-n_rows // n_all), 1))
        return stream(seed, "copy", copy, "rows").permuted(rounds, axis=1).ravel()[:n_rows]

    def rows(self, of_rows: Ints) -> tuple[Ints, ...]:
        """The rows of every stratum."""
        if len(self.sizes) == 1:
            return (np.arange(len(of_rows)),)
        in_order = np.argsort(of_rows, kind="stable")
        ends = np.cumsum(np.bincount(of_rows, minlength=len(self.sizes)))
        return tuple(np.split(in_order, ends[:-1]))
