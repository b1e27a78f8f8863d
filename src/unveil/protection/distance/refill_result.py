"""The result of `unveil.refill`: the rows, and how the rounds went."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.count.profile import Mask
from unveil.protection.distance.result import DistanceFilterResult, warnings_of
from unveil.protection.distance.settings import Settings
from unveil.protection.distance.shifts import shifts, told
from unveil.records.distance_filter import Refill, RefillRound
from unveil.records.view import Plotted, as_html, as_text


@dataclass(frozen=True, eq=False)
class Drawn:
    """One round: the rows drawn, and what the filter said of them."""

    frame: pl.DataFrame
    found: DistanceFilterResult

    @property
    def keep(self) -> Mask:
        """Which rows are kept."""
        return self.found.keep

    @property
    def n_kept(self) -> int:
        """How many."""
        return self.found.n_kept


@dataclass(frozen=True, eq=False, repr=False)
class RefillResult(Plotted):
    """The rows kept, and the rounds. `seed` is confidential: with it the draws can be repeated."""

    _drawn: tuple[Drawn, ...]
    _settings: Settings
    _n_wanted: int
    _max_rounds: int
    _stopped: Literal["enough rows", "nothing is kept", "cannot finish", "last round"]
    seed: int

    @cached_property
    def _keep(self) -> Mask:
        keep = np.concatenate([one.keep for one in self._drawn])
        first: Mask = keep & (np.cumsum(keep) <= self._n_wanted)
        return first

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return pl.concat([one.frame for one in self._drawn])

    @cached_property
    def data(self) -> pl.DataFrame:
        """The first rows kept, in the order they were drawn in: at most as many as wanted."""
        return self._frame.filter(pl.Series(self._keep))

    @cached_property
    def record(self) -> Refill:
        """How the rounds went, in figures over all rows."""
        settings, one = self._settings, self._drawn[0].found.record
        n_rows, n_kept = self.data.height, sum(one.n_kept for one in self._drawn)
        n_drawn = len(self._keep)
        strict = np.concatenate([one.found.refused_by_strict for one in self._drawn])
        n_strict = int((strict & self._keep).sum())
        moved = shifts(self._frame, self._keep)
        need = ceil((self._n_wanted - n_rows) * n_drawn / n_kept) if n_kept else None
        return Refill(
            rows_wanted=self._n_wanted,
            n_rows=n_rows,
            is_finished=n_rows == self._n_wanted,
            stopped=self._stopped,
            rows_to_draw=need,
            max_rounds=self._max_rounds,
            rounds=tuple(_round(number, found) for number, found in enumerate(self._drawn, 1)),
            acceptance=n_kept / n_drawn,
            metric=settings.metric,
            rule=settings.rule,
            ties=settings.ties,
            missing=settings.fill,
            columns=one.columns,
            dropped_columns=one.dropped_columns,
            n_original=one.n_original,
            n_refused_by_strict=n_strict,
            share_refused_by_strict=n_strict / n_rows if n_rows else None,
            shifts=moved,
            warnings=(
                *self._unfinished(n_rows, need),
                *warnings_of(self._drawn[0].found),
                *told(moved),
            ),
            coercions=one.coercions,
        )

    def _unfinished(self, n_rows: int, need: int | None) -> list[str]:
        if n_rows == self._n_wanted:
            return []
        head = f"Only {n_rows:,} of the {self._n_wanted:,} wanted were kept"
        if need is None:
            return [f"{head}: the filter refused every row of the first round. Use fewer columns."]
        why = {
            "cannot finish": "the rounds left could not be enough",
            "last round": f"{self._max_rounds:,} rounds are over",
        }[self._stopped]
        return [
            f"{head}, for {why}. About {need:,} more rows would have to be drawn: allow more"
            " rounds (max_rounds), ask for fewer rows, or use fewer columns."
        ]

    def to_dict(self) -> dict[str, Any]:
        """How the rounds went."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """How the rounds went, as one JSON document."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row for each round."""
        return pl.DataFrame([one.to_dict() for one in self.record.rounds])

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def _round(number: int, drawn: Drawn) -> RefillRound:
    return RefillRound(
        round=number,
        drawn=len(drawn.keep),
        kept=drawn.n_kept,
        acceptance=drawn.n_kept / len(drawn.keep),
    )
