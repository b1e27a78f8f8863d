"""`unveil.compare`: do the columns of synthetic data look like the original's, alone and in pairs?

What Chapelle and Falissard (2023) and Raab, Nowok and Dibben (2021) look at before any model:
distributions side by side, distances, and associations of both with their differences.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints
from unveil.count.codes import CodedColumn
from unveil.errors import RolesError
from unveil.measure.result import RowsResult, mean_row, rows_frame
from unveil.measure.utility.associations import Pair, associations, have_both
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.distributions import bin_edges, distance_row, distribution
from unveil.records.base import Copy
from unveil.records.comparison import (
    AssociationChange,
    AssociationRow,
    Cloud,
    Comparison,
    DistanceRow,
    Distribution,
    PairCounts,
)
from unveil.records.disclosure import NotMeasured
from unveil.seeding import sample_rows
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

# How do two columns of numbers lie together? Hexagons with counts, or some of the points.


ACROSS = 20
MOST_POINTS = 2_000
_CHUNK = 2**18

_HEIGHT = math.sqrt(3)  # of two rows of hexagons that are 1 wide


def pair_counts(a: CodedColumn, b: CodedColumn) -> PairCounts:
    """Two numbers in hexagons on every side, without the outermost half percent of either.

    Notes
    -----
    Hexagons stand on a corner, 20 across; a point belongs to the nearest centre of two rectangular
    lattices, one shifted by half a hexagon (Carr and others 1987).
    """
    _check_other(a, b)
    ranges = _range(a), _range(b)
    n_rows = 2 * (math.ceil(ACROSS / _HEIGHT) + 2)
    n_sides = len(a.sides.rows)
    table = np.zeros((n_sides, n_rows * (ACROSS + 2)), np.int64)
    n_outside = np.zeros(n_sides, np.int64)
    for side in range(n_sides):
        for u, v in _points(a, b, side, ranges):
            inside = (u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)
            n_outside[side] += int((~inside).sum())
            table[side] += np.bincount(_hexagon(u[inside], v[inside]), minlength=table.shape[1])
    cells = np.flatnonzero(table.any(axis=0))
    x, y = _centre(cells)
    return PairCounts(
        a=a.name,
        b=b.name,
        kind_a=a.scale,
        kind_b=b.scale,
        range_a=ranges[0],
        range_b=ranges[1],
        n_across=ACROSS,
        x=tuple(_unscale(x, ranges[0]).tolist()),
        y=tuple(_unscale(y, ranges[1]).tolist()),
        n_original=tuple(table[0, cells].tolist()),
        n_synthetic=tuple(table[1:, cells].sum(axis=0).tolist()),
        n_outside_original=int(n_outside[0]),
        n_outside_synthetic=int(n_outside[1:].sum()),
    )


def cloud(a: CodedColumn, b: CodedColumn) -> Cloud:
    """Points of both, records of each side by chance: at most 2,000, half of them original."""
    _check_other(a, b)
    n_sides = len(a.sides.rows)
    kept = [np.flatnonzero(have_both(a, b, side)) for side in range(n_sides)]
    n_synthetic = sum(len(rows) for rows in kept[1:])
    original = _values(a, b, 0, sample_points(kept[0], MOST_POINTS // 2))
    copies = [
        _values(
            a, b, side, sample_points(rows, MOST_POINTS * len(rows) // (2 * max(n_synthetic, 1)))
        )
        for side, rows in enumerate(kept[1:], start=1)
    ]
    points = np.concatenate([original, *copies])
    is_original = np.arange(len(points)) < len(original)
    return Cloud(
        a=a.name,
        b=b.name,
        side=tuple("original" if one else "synthetic" for one in is_original),
        x=tuple(points[:, 0].tolist()),
        y=tuple(points[:, 1].tolist()),
        n_original=len(kept[0]),
        n_synthetic=n_synthetic,
    )


def _check_other(a: CodedColumn, b: CodedColumn) -> None:
    for one in (a, b):
        if not one.is_scaled or not one.is_ordinary.any():
            raise RolesError(f"Column {one.name!r} holds no numbers. Choose two columns that do.")
    if a.name == b.name:
        raise RolesError(f"Column {a.name!r} is given twice. Choose two columns.")


def _range(variable: CodedColumn) -> tuple[float, float]:
    counts = sum(variable.amount_counts(side) for side in range(len(variable.sides.rows)))
    occurs = np.asarray(counts) > 0
    edges, _ = bin_edges(variable.amounts[occurs], np.asarray(counts)[occurs])
    return float(edges[0]), float(edges[-1])


def _points(
    a: CodedColumn, b: CodedColumn, side: int, ranges: Sequence[tuple[float, float]]
) -> Iterator[tuple[Floats, Floats]]:
    """Both numbers of a side on a scale from 0 to 1, a chunk of records at a time."""
    for start in range(0, a.sides.rows[side], _CHUNK):
        rows = slice(start, start + _CHUNK)
        kept = have_both(a, b, side, rows)
        u, v = (
            _scale(one.amounts[one.codes_on(side)[rows][kept]], limits)
            for one, limits in zip((a, b), ranges, strict=True)
        )
        yield u, v


def _scale(values: Floats, limits: tuple[float, float]) -> Floats:
    made: Floats = (values / 2 - limits[0] / 2) / (limits[1] / 2 - limits[0] / 2)
    return made


def _unscale(places: Floats, limits: tuple[float, float]) -> Floats:
    made: Floats = limits[0] / 2 + places * (limits[1] / 2 - limits[0] / 2)
    return np.clip(made, -8e307, 8e307) * 2


def _hexagon(u: Floats, v: Floats) -> Ints:
    """The number of the hexagon that each point is in."""
    x, y = u * ACROSS, v * ACROSS / _HEIGHT
    even = np.rint(x), np.rint(y)
    odd = np.floor(x), np.floor(y)
    to_even = (x - even[0]) ** 2 + 3 * (y - even[1]) ** 2
    to_odd = (x - odd[0] - 0.5) ** 2 + 3 * (y - odd[1] - 0.5) ** 2
    is_odd = to_odd < to_even
    column = np.where(is_odd, odd[0], even[0]).astype(np.int64)
    row = np.where(is_odd, 2 * odd[1] + 1, 2 * even[1]).astype(np.int64)
    return row * (ACROSS + 2) + column


def _centre(cells: Ints) -> tuple[Floats, Floats]:
    row, column = np.divmod(cells, ACROSS + 2)
    return (column + 0.5 * (row % 2)) / ACROSS, row / 2 * _HEIGHT / ACROSS


def sample_points(rows: Ints, most: int) -> Ints:
    """So many of the rows, always the same ones.

    By chance and not evenly spaced: every fifth of rows in a pattern of five shows one of five.
    """
    return sample_rows(rows, most, 0, "points")


def _values(a: CodedColumn, b: CodedColumn, side: int, rows: Ints) -> Floats:
    return np.stack([one.amounts[one.codes_on(side)[rows]] for one in (a, b)], axis=1)


# Which associations changed, and which most? From figures by side to rows of the record.


WHY = {
    "pearson": "one of the two is constant, or fewer than two records have both",
    "spearman": "one of the two is constant, or fewer than two records have both",
    "cramer_v": "one of the two has a single level",
    "correlation_ratio": "the number is constant or the category has a single level",
}


def association_rows(
    by_side: Sequence[Mapping[Pair, float | None]],
) -> tuple[AssociationRow, ...]:
    """A row for every pair, measure and copy; of several copies also their mean."""
    original, *copies = by_side
    rows: list[AssociationRow] = []
    for pair, there in original.items():
        figures = [copy[pair] for copy in copies]
        rows += [_row(pair, number, there, here) for number, here in enumerate(figures, start=1)]
        if len(copies) > 1:
            known = [figure for figure in figures if figure is not None]
            mean = sum(known) / len(known) if len(known) == len(figures) else None
            rows.append(_row(pair, "mean", there, mean))
    return tuple(rows)


def _row(pair: Pair, copy: Copy, there: float | None, here: float | None) -> AssociationRow:
    a, b, measure = pair
    return AssociationRow(
        a=a,
        b=b,
        measure=measure,
        copy=copy,
        original=there,
        synthetic=here,
        difference=None if there is None or here is None else here - there,
    )


def changes(
    rows: Sequence[AssociationRow], columns: Sequence[str]
) -> tuple[AssociationChange, ...]:
    """For every column and copy how much its associations changed, the most changed one named."""
    held: dict[tuple[str, Copy], list[tuple[float, str]]] = {
        (column, row.copy): [] for column in columns for row in rows
    }
    for row in rows:
        if row.difference is not None:
            held[row.a, row.copy].append((abs(row.difference), row.b))
            held[row.b, row.copy].append((abs(row.difference), row.a))
    return tuple(_change(column, copy, found) for (column, copy), found in held.items())


def _change(column: str, copy: Copy, found: Sequence[tuple[float, str]]) -> AssociationChange:
    largest, partner = max(found, key=lambda one: one[0], default=(None, None))
    return AssociationChange(
        column=column,
        copy=copy,
        mean_difference=sum(size for size, _ in found) / len(found) if found else None,
        largest_difference=largest,
        largest_with=partner,
    )


def find_most_changed(rows: Sequence[AssociationRow]) -> AssociationRow | None:
    """The row with the largest difference: of the only copy, or of the mean of all."""
    headline: Copy = "mean" if any(row.copy == "mean" for row in rows) else 1
    known = [row for row in rows if row.copy == headline and row.difference is not None]
    return max(known, key=lambda row: abs(row.difference or 0.0), default=None)


def list_not_measured(
    rows: Sequence[DistanceRow], related: Sequence[AssociationRow]
) -> Iterator[NotMeasured]:
    """Why a figure is None; of categories Wasserstein is not asked for."""
    for row in rows:
        for field, reason in _list_undefined(row):
            yield NotMeasured(target=row.column, copy=row.copy, field=field, reason=reason)
    for one in related:
        if one.difference is None:
            places = ["original"] * (one.original is None) + ["copy"] * (one.synthetic is None)
            reason = f"in the {' and the '.join(places)}: {WHY[one.measure]}"
            yield NotMeasured(
                target=f"{one.a} and {one.b}", copy=one.copy, field=one.measure, reason=reason
            )


def _list_undefined(row: DistanceRow) -> Iterator[tuple[str, str]]:
    if row.hellinger is None:
        yield "hellinger", "a file has no record"
        yield "total_variation", "a file has no record"
    if row.kind == "category":
        return
    if row.wasserstein is None:
        yield "wasserstein", "a file has no number in this column"
    elif row.wasserstein_sd is None:
        yield "wasserstein_sd", "the original's numbers are all the same, or only one"


@dataclass(frozen=True, repr=False, eq=False)
class CompareResult(RowsResult[Comparison]):
    """The record of a comparison; pairs of numbers are counted when they are asked for."""

    opened: UtilityData = dataclass_field(repr=False)

    def associations(self) -> pl.DataFrame:
        """Every association as a row, unrounded."""
        return rows_frame(self.record.associations)

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

    def _held_pairs(self) -> Iterator[tuple[CodedColumn, CodedColumn]]:
        return combinations([one for one in self.opened.numbers if one.is_ordinary.any()], 2)


@takes_study
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
        The columns to compare; all that every file has if omitted.
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
    progress = progress or no_progress
    opened = open_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    return CompareResult(_record(opened, progress), opened)


def _record(opened: UtilityData, progress: Progress) -> Comparison:
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
        most_changed=find_most_changed(related),
        coercions=opened.notes,
        not_measured=tuple(list_not_measured(rows, related)),
    )


def _distances(opened: UtilityData, found: Sequence[Distribution]) -> Iterator[DistanceRow]:
    for variable, one in zip(opened.variables, found, strict=True):
        rows = [distance_row(variable, one, copy) for copy in range(1, opened.n_copies + 1)]
        yield from rows
        if len(rows) > 1:
            yield mean_row(rows, column=variable.name, kind=rows[0].kind, copy="mean")


def _by_side(opened: UtilityData, progress: Progress) -> Iterator[dict[Pair, float | None]]:
    for side in range(opened.n_copies + 1):
        progress("relating the columns", side, opened.n_copies + 1)
        yield associations(opened.variables, side)
