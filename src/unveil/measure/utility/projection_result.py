"""Where every record lies on the two axes: kept beside the record of a projection, never in it."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.profile import Mask
from unveil.measure.tabular import RowsResult
from unveil.measure.utility.coding import Floats
from unveil.measure.utility.compare_pairs import MOST_POINTS, drawn_rows
from unveil.records.comparison import Cloud
from unveil.records.projection import Projection

Places = tuple[Floats, ...]
"""For each side, records by two scores; NaN where a record has nothing to be placed by."""


@dataclass(frozen=True, repr=False, eq=False)
class ProjectionResult(RowsResult[Projection]):
    """The record of a projection, and beside it the places of single records."""

    places: Places = field(repr=False)
    kept: tuple[Mask | None, ...] = field(repr=False)  # for each copy

    def frame(self) -> pl.DataFrame:
        """Every record's place: side, copy, row from 0, PC1, PC2, kept. For your eyes only."""
        marks = (None, *self.kept)
        return pl.concat(
            [_frame(side, *one) for side, one in enumerate(zip(self.places, marks, strict=True))]
        )

    def cloud(self) -> Cloud:
        """At most 2,000 of the points, by chance: single records, so keep them in house."""
        original, copies = self.places[0], np.concatenate(self.places[1:])
        words = [_words(*one) for one in zip(self.kept, self.places[1:], strict=True)]
        here, there = _drawn(original), _drawn(copies)
        points = np.concatenate([original[here], copies[there]])
        marks = np.concatenate(words)[there].tolist()
        return Cloud(
            a="PC1",
            b="PC2",
            side=tuple(["original"] * len(here) + marks),
            x=tuple(points[:, 0].tolist()),
            y=tuple(points[:, 1].tolist()),
            n_original=int(_is_placed(original).sum()),
            n_synthetic=int(_is_placed(copies).sum()),
        )


def _frame(side: int, scores: Floats, kept: Mask | None) -> pl.DataFrame:
    placed = {"row": np.arange(len(scores)), "PC1": scores[:, 0], "PC2": scores[:, 1]}
    named = pl.DataFrame(placed).select(
        pl.lit("synthetic" if side else "original").alias("side"),
        pl.lit(side or None, dtype=pl.Int64).alias("copy"),
        "row",
        pl.col("PC1", "PC2").fill_nan(None),
    )
    if kept is None:
        return named.with_columns(pl.lit(None, dtype=pl.Boolean).alias("kept"))
    return named.with_columns(pl.Series("kept", kept))


def _is_placed(scores: Floats) -> Mask:
    placed: Mask = ~np.isnan(scores[:, 0] + scores[:, 1])
    return placed


def _drawn(scores: Floats) -> NDArray[np.intp]:
    """Some of the records that have a place."""
    return drawn_rows(np.flatnonzero(_is_placed(scores)), MOST_POINTS // 2)


def _words(kept: Mask | None, scores: Floats) -> NDArray[np.str_]:
    if kept is None:
        return np.full(len(scores), "synthetic")
    return np.where(kept, "retained", "filtered")
