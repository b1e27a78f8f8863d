"""`unveil.compare`: do the columns of a copy look like the original's, alone and in pairs?

What Chapelle and Falissard (2023) and Raab, Nowok and Dibben (2021) look at before any model:
distributions side by side, distances, and associations of both with their differences.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.measure.opening import sides_of
from unveil.measure.tabular import RowsResult
from unveil.measure.utility.associations import Pair, associations
from unveil.measure.utility.coding import Opened, Variable, opened_columns
from unveil.measure.utility.compare_pairs import cloud, pair_counts
from unveil.measure.utility.compare_record import (
    association_rows,
    changes,
    most_changed,
    not_measured,
)
from unveil.measure.utility.distributions import distance_row, distribution, mean_row
from unveil.records.comparison import Cloud, Comparison, DistanceRow, Distribution, PairCounts


@dataclass(frozen=True, repr=False, eq=False)
class CompareResult(RowsResult[Comparison]):
    """The record of a comparison; pairs of numbers are counted when they are asked for."""

    opened: Opened = field(repr=False)

    def associations(self) -> pl.DataFrame:
        """Every association as a row, unrounded."""
        rows = [{**row.to_dict(), "copy": str(row.copy)} for row in self.record.associations]
        return pl.DataFrame(rows, infer_schema_length=None)

    def pair(self, a: str, b: str) -> PairCounts:
        """Two columns of numbers in hexagons: how many people of each side are in each."""
        return pair_counts(self.opened.of(a), self.opened.of(b))

    def pairs(self) -> Iterator[PairCounts]:
        """Every pair of columns of numbers in hexagons, one after the other."""
        for a, b in self._held_pairs():
            yield pair_counts(a, b)

    def cloud(self, a: str, b: str) -> Cloud:
        """Some of the points of two columns of numbers: single records, so keep them in house."""
        return cloud(self.opened.of(a), self.opened.of(b))

    def clouds(self) -> Iterator[Cloud]:
        """Some of the points of every pair of columns of numbers, one pair after the other."""
        for a, b in self._held_pairs():
            yield cloud(a, b)

    def _held_pairs(self) -> Iterator[tuple[Variable, Variable]]:
        return combinations([one for one in self.opened.numbers if one.is_ordinary.any()], 2)


def compare(
    original: Any,
    synthetic: Any,
    *,
    columns: str | Iterable[str] | None = None,
    categories: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> CompareResult:
    """Put every column of the copies beside the original's, and every pair of columns.

    Parameters
    ----------
    original
        The confidential data, in any of the forms of `unveil.disclosure`.
    synthetic
        One copy, or a list of copies.
    columns
        The columns to compare; all that every file has if left out.
    categories
        Columns of numbers that are only names: they are compared by level.
    special_codes, missing_values, progress
        As in `unveil.disclosure`; special codes get bars of their own and are never numbers.

    Returns
    -------
    CompareResult
        `.rows`, one per column and copy: Hellinger, total variation and Wasserstein distance; of
        several copies also their mean. `.record` has distributions, associations of every pair and
        what changed most. `.pair(a, b)` counts people in hexagons, `.cloud(a, b)` gives points;
        `.pairs()` and `.clouds()` do so for every pair of numbers.
        All of it shows the original's figures: confidential.
    """
    progress = progress or silent
    opened = opened_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    return CompareResult(_record(opened, progress), opened)


def _record(opened: Opened, progress: Progress) -> Comparison:
    found = []
    for done, variable in enumerate(opened.variables):
        progress(f"comparing {variable.name}", done, len(opened.variables))
        found.append(distribution(variable))
    rows = tuple(_distances(opened, found))
    by_side = list(_by_side(opened, progress))
    related = association_rows(by_side)
    return Comparison(
        files=opened.files,
        columns=opened.names,
        numbers=tuple(one.name for one in opened.numbers),
        n_original=opened.sides.rows[0],
        n_synthetic=opened.sides.rows[1:],
        distributions=tuple(found),
        rows=rows,
        associations=related,
        changes=changes(related, opened.names),
        most_changed=most_changed(related),
        coercions=opened.notes,
        not_measured=tuple(not_measured(rows, related)),
    )


def _distances(opened: Opened, found: Sequence[Distribution]) -> Iterator[DistanceRow]:
    for variable, one in zip(opened.variables, found, strict=True):
        rows = [distance_row(variable, one, copy) for copy in range(1, opened.n_copies + 1)]
        yield from rows
        if len(rows) > 1:
            yield mean_row(rows)


def _by_side(opened: Opened, progress: Progress) -> Iterator[dict[Pair, float | None]]:
    for side in range(opened.n_copies + 1):
        progress("relating the columns", side, opened.n_copies + 1)
        yield associations(opened.variables, side)
