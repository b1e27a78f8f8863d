"""The result of `unveil.distance_filter`: what was kept, and beside it the figures of each row.

What belongs to single rows is confidential: it says which original a synthetic row is near to. No
view shows it; it is asked for by name, or with `.to_dict()`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.errors import listed
from unveil.protection.distance.choices import MOST_CHOICES
from unveil.protection.distance.prepare import Prepared
from unveil.protection.distance.settings import Floats, Settings
from unveil.protection.distance.shifts import shifts, told
from unveil.read.labelled import Labelled
from unveil.read.table import Table
from unveil.records.distance_filter import DistanceFilter
from unveil.records.view import as_html, as_text


@dataclass(frozen=True, eq=False, repr=False)
class DistanceFilterResult:
    """The rows kept, and for each synthetic row why.

    `nearest` is the place of the nearest original (the first of those tied), `d_synthetic` the
    distance to it, `d_original` the distance of that original to its nearest other original. With
    ties "any" a row is compared with the largest such distance among the originals tied: `limit`.

    The record is made when it is first asked for: to say how many of the rows kept the strict rule
    would refuse takes a search of its own, which nobody waits for who wants the rows alone.
    """

    keep: Mask
    nearest: Whole
    d_synthetic: Floats
    d_original: Floats
    limit: Floats
    _prepared: Prepared
    _settings: Settings
    _tables: tuple[Table, Table]
    _is_labelled: bool = False

    @cached_property
    def data(self) -> pl.DataFrame | Labelled:
        """The rows kept, with all columns of the copy, in its order."""
        table = self._tables[1]
        frame = table.frame.filter(pl.Series(self.keep))
        if self._is_labelled and table.codebook is not None:
            return Labelled(frame, table.codebook)
        return frame

    @property
    def n_kept(self) -> int:
        """How many rows are kept."""
        return int(self.keep.sum())

    @property
    def acceptance(self) -> float | None:
        """The share of rows kept; None of no rows."""
        return self.n_kept / len(self.keep) if len(self.keep) else None

    @cached_property
    def refused_by_strict(self) -> Mask:
        """Which of all rows are kept, but would be refused by the strict rule."""
        refused = np.zeros(len(self.keep), bool)
        if self._settings.rule == "paper":
            rows = np.flatnonzero(self.keep)
            refused[rows] = self._prepared.space.within(rows)
        return refused

    @cached_property
    def record(self) -> DistanceFilter:
        """What was done, in figures over all rows."""
        settings, found = self._settings, self._prepared
        n_strict = int(self.refused_by_strict.sum())
        moved = shifts(self._tables[1].frame, self.keep)
        return DistanceFilter(
            files=tuple(table.source for table in self._tables),
            metric=settings.metric,
            rule=settings.rule,
            ties=settings.ties,
            missing=settings.fill,
            columns=tuple(column.column for column in found.used),
            used=found.used,
            dropped_columns=found.dropped,
            condition=found.condition,
            n_original=self._tables[0].frame.height,
            n_synthetic=len(self.keep),
            n_incomplete_original=found.n_incomplete[0],
            n_incomplete_synthetic=found.n_incomplete[1],
            n_kept=self.n_kept,
            acceptance=self.acceptance,
            n_refused_by_strict=n_strict,
            share_refused_by_strict=n_strict / self.n_kept if self.n_kept else None,
            shifts=moved,
            warnings=(*warnings_of(self), *told(moved)),
            coercions=found.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the figures of each row among it: confidential."""
        per_row = ("d_synthetic", "d_original", "limit")
        return {
            **self.record.to_dict(),
            "keep": self.keep.tolist(),
            "nearest": self.nearest.tolist(),
            **{name: _finite(getattr(self, name)) for name in per_row},
        }

    def to_json(self, *, indent: int = 2) -> str:
        """The figures over all rows as one JSON document; nothing in it is about one row."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row for each synthetic row: confidential."""
        return pl.DataFrame(
            {
                "keep": self.keep,
                "nearest": self.nearest,
                "d_synthetic": pl.Series(_finite(self.d_synthetic), dtype=pl.Float64),
                "d_original": pl.Series(_finite(self.d_original), dtype=pl.Float64),
                "limit": pl.Series(_finite(self.limit), dtype=pl.Float64),
            }
        )

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def _finite(values: Floats) -> list[float | None]:
    """The values as a list; None where there is no distance."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def warnings_of(result: DistanceFilterResult) -> list[str]:
    """What to know about the rows compared, before what the filter did to them."""
    found = []
    n_original = result._tables[0].frame.height
    if n_original == 1:
        found.append("The original has one row, which has no neighbour: every row is refused.")
    elif result._prepared.n_incomplete[0]:
        found.append(_incomplete(result, n_original))
    if result._prepared.space.is_bounded:
        found.append(
            f"Some rows miss so many values that more than {MOST_CHOICES:,} combinations would have"
            " to be tried; their distances are bounded instead. The strict rule then refuses more"
            " rows, never fewer; the paper rule may take another original for the nearest."
        )
    return found


def _incomplete(result: DistanceFilterResult, n_original: int) -> str:
    """Why originals with missing values refuse so much, and what to do."""
    is_empty = result._settings.rule == "strict" and not result.n_kept
    strict = "which is why it keeps none" if is_empty else "and may keep none"
    return (
        f"{result._prepared.n_incomplete[0]:,} of {n_original:,} original rows miss a value. At"
        " worst such a row is far from every other, so all synthetic rows that may be nearer to it"
        f" are refused; the strict rule asks every such row, {strict}. To keep more, take distances"
        " on columns that every original row has (columns=...), or fill in missing values before"
        f" the copy is made. Values are missing in {listed(result._prepared.gaps)}."
    )
