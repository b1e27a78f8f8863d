"""The result of `unveil.gtcap`: its record, and beside it the scores of each statistical unique.

The scores belong to single people, so no view shows them: they are asked for by name, with `.rows`,
`.frame()` or `.to_dict()`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.measure.attribution.windows import Floats
from unveil.records.gtcap import Gtcap, UniqueScore
from unveil.records.view import Plotted, as_html, as_text

SAME = 1e-12
"""Original and baseline closer than this are the same, and leave nothing to normalise by."""


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of the statistical uniques, in the order of the original."""

    row: Whole
    synthetic: Floats
    baseline: Floats
    original: Floats

    @cached_property
    def is_kept(self) -> Mask:
        """Whether original and baseline differ, so that there is a scale between them."""
        kept: Mask = np.abs(self.original - self.baseline) > SAME
        return kept

    @cached_property
    def normalised(self) -> Floats:
        """(synthetic - baseline) / (original - baseline); NaN where dropped.

        Paper 004, Algorithm 2, line 68. Negative values occur and are kept; so are those above 1.
        """
        found = np.full(len(self.row), np.nan)
        gain, most = self.synthetic - self.baseline, self.original - self.baseline
        np.divide(gain, most, out=found, where=self.is_kept)
        return found


@dataclass(frozen=True, eq=False)
class GtcapResult(Plotted):
    """GTCAP: its figures, and on request the scores of each statistical unique.

    `unique` says of every original record whether it is a statistical unique. Of several copies,
    the scores are those of all of them pooled.
    """

    record: Gtcap
    unique: Mask
    _scores: Scores

    @property
    def n_unique(self) -> int:
        """How many original records are statistical uniques."""
        return self.record.n_unique

    @property
    def n_dropped(self) -> int:
        """How many of them have no scale, because original and baseline are the same."""
        return self.record.n_dropped

    @property
    def mean(self) -> float | None:
        """The mean of the normalised scores; None where there is none."""
        return self.record.mean

    @property
    def ratio_of_means(self) -> float | None:
        """The same ratio from the means of all uniques; None where there is none."""
        return self.record.ratio_of_means

    @cached_property
    def rows(self) -> tuple[UniqueScore, ...]:
        """The scores of each statistical unique."""
        return tuple(UniqueScore(**row) for row in self.frame().iter_rows(named=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the scores of each unique among it."""
        return {
            **self.record.to_dict(),
            "unique": self.unique.tolist(),
            "rows": self.frame().to_dicts(),
        }

    def to_json(self, *, indent: int = 2) -> str:
        """The figures as one JSON document; nothing in it is about one person."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """The scores of each statistical unique, unrounded; null is dropped."""
        scores = self._scores
        return pl.DataFrame(
            {
                "row": scores.row,
                "synthetic": scores.synthetic,
                "baseline": scores.baseline,
                "original": scores.original,
                "normalised": scores.normalised,
            },
            nan_to_null=True,
        )

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)
