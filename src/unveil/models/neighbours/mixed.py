"""Which records of the copy come nearest to a person, all ties among them?

Blocks of distances in single precision say who may be among the k nearest; the distances of these
candidates are then computed anew in double precision, straight from the values. So what is found
does not depend on the blocks, the threads, or on how a distance without one column was come by.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, Codes
from unveil.count.kinds import unit_of
from unveil.count.packing import Ids, Integers, blocks, number, pack
from unveil.errors import AlignError, RolesError, list_names
from unveil.records.attacks import ClosestRow, Pair
from unveil.study.scenario import Progress

# How far apart are two records? The sum of what they differ by in each column.
#
# Numbers, dates and times differ by their distance as a share of the column's range, taken over
# original, copy and control together: 0 to 1. Categories differ by 0 or 1. A missing value and a
# special code are levels of their own: 0 from themselves, 1 from anything else. A column with one
# number throughout has no range, and its numbers differ by 0.
#
# The distance of Anonymeter 1.1.0, which is Gower's (1971) without the division by the number of
# columns; the rules for missing values and special codes are ours.


Singles = NDArray[np.float32]

ROUNDING = 1e-12
"""Distances that differ by less are equal: they are added up from floats in one order."""


@dataclass(frozen=True)
class DistanceAxis:
    """One column to measure along: codes over all sides, and what each level is.

    `places` has for each level where it lies between the lowest (0) and the highest number (1), and
    `apart` 0 for a number, else which of the other levels it is; both None for categories.
    """

    name: str
    codes: Codes
    n_levels: int
    places: Floats | None = None
    apart: Codes | None = None

    @property
    def is_number(self) -> bool:
        """Whether its values are scaled by their range."""
        return self.places is not None

    @cached_property
    def singles(self) -> Singles:
        """The place of every stacked record in single precision, to look for candidates."""
        places = np.zeros(self.n_levels) if self.places is None else self.places
        return places.astype(np.float32)[self.codes]

    @cached_property
    def stands_apart(self) -> Codes | None:
        """For every stacked record 0, or which level it is that is no number; None if none is."""
        if self.apart is None or not self.apart.any():
            return None
        return self.apart[self.codes]

    def between(self, some: Ints, others: Ints) -> Floats:
        """The distance of each record to the one beside it, in double precision."""
        mine, its = self.codes[some], self.codes[others]
        if self.places is None or self.apart is None:
            differs: Floats = (mine != its).astype(np.float64)
            return differs
        apart = np.abs(self.places[mine] - self.places[its])
        mine, its = self.apart[mine], self.apart[its]
        with_others: Floats = np.where((mine > 0) | (its > 0), mine != its, apart)
        return with_others


def axes_of(
    columns: Iterable[CodedColumn], categorical: Sequence[str] = ()
) -> tuple[DistanceAxis, ...]:
    """Each column as an axis; numbers named as categorical are compared level by level."""
    return tuple(
        _number_axis(column)
        if column.is_scaled and column.name not in categorical
        else DistanceAxis(column.name, column.codes, column.n_levels)
        for column in columns
    )


def numbers_of(column: CodedColumn) -> tuple[Floats, Mask]:
    """For each level its number (days for dates, seconds for times), and whether it is one."""
    dtype = column.levels.dtype
    physical = column.levels.to_physical()
    if column.is_single:
        # As written: 0.2 is as far from 0 as from 0.4, which the nearest singles are not.
        physical = physical.cast(pl.Float32).cast(pl.String)
    values = physical.cast(pl.Float64).fill_null(np.nan).to_numpy()
    is_number = ~(np.isnan(values) | np.isin(values, column.special_codes))
    if np.isinf(values[is_number]).any():
        raise AlignError(
            f"Column {column.name!r} holds infinite numbers, so it has no range. Recode them, or"
            " treat the column as categorical."
        )
    return values / unit_of(dtype), is_number


def _number_axis(column: CodedColumn) -> DistanceAxis:
    values, is_number = numbers_of(column)
    places = np.zeros(len(values))
    numbers = values[is_number]
    # Halved before they are subtracted, or the largest floats would have no range.
    span = float(np.ptp(numbers / 2)) if len(numbers) else 0.0
    if span > 0:
        places[is_number] = (numbers / 2 - numbers.min() / 2) / span
    apart = np.zeros(len(values), np.min_scalar_type(len(values)))
    apart[~is_number] = np.arange(1, int((~is_number).sum()) + 1)
    return DistanceAxis(column.name, column.codes, column.n_levels, places, apart)


def distances(axes: Sequence[DistanceAxis], some: Ints, others: Ints) -> Floats:
    """The distance of each record to the one beside it, added up in the order of the axes."""
    total = np.zeros(len(some))
    for axis in axes:
        total += axis.between(some, others)
    return total


def check_without_a_difference(axes: Sequence[DistanceAxis]) -> None:
    """Refuse columns with one value each: everybody would be as near as anybody else."""
    if all(axis.n_levels == 1 for axis in axes):
        raise RolesError(
            f"What the intruder knows ({list_names(axis.name for axis in axes)}) has one value"
            " throughout and no range, so no record is nearer than another. Name other columns."
        )


BLOCK = 2**17
"""How many distances are held at once: few enough to stay close to the processor."""
PAIRS = 2**20
"""How many pairs may be candidates at once."""
MOST_THREADS = 8


@dataclass(frozen=True)
class NearestPairs:
    """Pairs of a person and one of their nearest: sure to be among the k, or tied for the last.

    In the order of the persons. `person` counts from 0 within those asked for, `row` within the
    copy.
    """

    n_persons: int
    person: Ids
    row: Ids
    distance: Floats
    is_tied: Mask

    def per_person(self, of_pairs: NDArray[np.generic]) -> Floats:
        """The sum over the pairs of each person."""
        sums = np.bincount(self.person, of_pairs.astype(np.float64), self.n_persons)
        return sums.astype(np.float64)  # bincount of nothing counts in whole numbers


def run_in_pieces(
    persons: Ints,
    n_rows: int,
    task: Callable[[Ints], Floats],
    *,
    what: str,
    progress: Progress,
) -> Floats:
    """Do a task for some persons at a time, in threads; its answers have persons as last axis."""
    pieces = [persons[some] for some in blocks(len(persons), n_rows, PAIRS)]
    pool = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1))
    answers = []
    try:
        for done, answer in enumerate(pool.map(task, pieces)):
            progress(what, done, len(pieces))
            answers.append(answer)
    finally:
        # Whoever interrupts does not wait for the pieces that are left.
        pool.shutdown(cancel_futures=True)
    return np.concatenate(answers, axis=-1)


def representatives(digits: Sequence[tuple[Integers, int]], persons: Ints) -> tuple[Ints, Ids]:
    """One of the persons for each combination of codes, and for each person which of these."""
    mine = [(codes[persons], n_levels) for codes, n_levels in digits]
    ids, n_ids = number(*pack(mine, len(persons)))
    example = np.empty(n_ids, np.int64)
    example[ids] = persons
    return example, ids


def find(
    axes: Sequence[DistanceAxis],
    persons: Ints,
    copy: slice,
    *,
    k: int = 1,
    without: Sequence[int | None] = (None,),
) -> list[NearestPairs]:
    """The k nearest of each person along all axes but one, for each axis to be left out.

    `persons` and `copy` are places in the stacked sides. All searches share the distances over all
    axes, from which the one that is left out is subtracted.
    """
    slack = 2 * _rounding_bound(len(axes))
    candidates: list[list[tuple[Ids, Ids]]] = [[] for _ in without]
    for some in blocks(len(persons), copy.stop - copy.start, BLOCK):
        block = _Block(axes, persons[some], copy)
        for place, left_out in enumerate(without):
            apart = block.total if left_out is None else block.but_for(axes[left_out])
            reach = _kth(apart, k) + slack
            at = np.flatnonzero(apart <= reach[:, np.newaxis])
            person, row = np.divmod(at, apart.shape[1])
            candidates[place].append((_short(person + some.start), _short(row)))
    return [
        _settle_candidates(
            [axis for i, axis in enumerate(axes) if i != left_out], persons, copy.start, pairs, k
        )
        for left_out, pairs in zip(without, candidates, strict=True)
    ]


def _short(places: Ints) -> Ids:
    """Half the room: ties can be very many."""
    return places.astype(np.int32)


def _rounding_bound(n_axes: int) -> np.float32:
    """A bound on what single precision is off by in a sum of so many terms from 0 to 1."""
    return np.float32((n_axes + 1) * (n_axes + 4) * 2.0**-24)


def _kth(apart: Singles, k: int) -> Singles:
    kth: Singles = apart.min(axis=1) if k == 1 else np.partition(apart, k - 1)[:, k - 1]
    return kth


class _Block:
    """Distances in single precision of a few persons to the whole copy, in one set of arrays."""

    def __init__(self, axes: Sequence[DistanceAxis], persons: Ints, copy: slice) -> None:
        self._persons, self._copy = persons, copy
        shape = (len(persons), copy.stop - copy.start)
        self.total = np.zeros(shape, np.float32)
        self._one = np.empty(shape, np.float32)
        self._differs = np.empty(shape, np.bool_)
        self._add_up(axes)

    def _add_up(self, axes: Sequence[DistanceAxis]) -> None:
        for axis in axes:
            if axis.is_number:
                self.total += self._along(axis)
        n_differing = np.zeros(self.total.shape, np.min_scalar_type(len(axes)))
        for axis in axes:
            if not axis.is_number:
                np.add(n_differing, self._unlike(axis).view(np.uint8), out=n_differing)
        self.total += n_differing

    def but_for(self, axis: DistanceAxis) -> Singles:
        """The distances less those along one axis."""
        apart = self._along(axis) if axis.is_number else self._unlike(axis)
        return np.subtract(self.total, apart, out=self._one)

    def _along(self, axis: DistanceAxis) -> Singles:
        apart = self._one
        places = axis.singles
        np.subtract(places[self._persons][:, np.newaxis], places[self._copy], out=apart)
        np.abs(apart, out=apart)
        if axis.stands_apart is not None:
            mine, its = axis.stands_apart[self._persons], axis.stands_apart[self._copy]
            no_number = np.flatnonzero(mine)
            apart[no_number] = mine[no_number, np.newaxis] != its
            no_number = np.flatnonzero(its)
            apart[:, no_number] = mine[:, np.newaxis] != its[no_number]
        return apart

    def _unlike(self, axis: DistanceAxis) -> Mask:
        mine, its = axis.codes[self._persons], axis.codes[self._copy]
        return np.not_equal(mine[:, np.newaxis], its, out=self._differs)


def _settle_candidates(
    axes: Sequence[DistanceAxis],
    persons: Ints,
    first: int,
    pairs: Sequence[tuple[Ids, Ids]],
    k: int,
) -> NearestPairs:
    """The candidates that are among the k nearest, by their distance in double precision."""
    person, row = (np.concatenate(part) for part in zip(*pairs, strict=True))
    apart = distances(axes, persons[person], first + row)
    starts = np.searchsorted(person, np.arange(len(persons)))
    if k == 1:
        kth = np.minimum.reduceat(apart, starts)
    else:
        kth = apart[np.lexsort((apart, person))][starts + k - 1]
    kept = apart <= kth[person] + ROUNDING
    person, row, apart = person[kept], row[kept], apart[kept]
    return NearestPairs(len(persons), person, row, apart, apart >= kth[person] - ROUNDING)


# How close do the records of one data set come to those of another?
#
# DCR, the distance to the closest record, and NNDR, the distance to the closest over that to the
# second closest. Distances are those of `unveil.models.neighbours.mixed`. A larger reference holds
# closer records whatever it holds, so references of one size are compared.


N_DRAWS = 5
"""Samples of the larger reference over which figures are averaged."""
LOW = 0.05


@dataclass(frozen=True)
class Closest:
    """Of each record the distance to the closest of a reference, and to the second closest."""

    first: Floats
    second: Floats | None  # None where the reference has one record
    share_exact: float  # of records that the reference has with all their values

    @property
    def ratios(self) -> Floats | None:
        """NNDR: 1 where the two are equally far, both at distance 0 included."""
        if self.second is None:
            return None
        return np.divide(
            self.first, self.second, out=np.ones(len(self.first)), where=self.second > 0
        )


def closest(
    axes: Sequence[DistanceAxis],
    row_ids: Ids,
    records: Ints,
    reference: Ints,
    *,
    progress: Progress,
    what: str,
) -> Closest:
    """The two smallest distances of each record to a reference; both are stacked rows.

    Which are equal is told by their values: numbers may be at distance 0 and differ, where the
    range is very large.
    """
    # Neighbours are looked for in a run of rows, so these are put side by side.
    stacked = np.concatenate((records, reference))
    restacked = [replace(axis, codes=axis.codes[stacked]) for axis in axes]
    run = slice(len(records), len(stacked))
    k = min(2, len(reference))

    def task(persons: Ints) -> Floats:
        (found,) = find(restacked, persons, run, k=k)
        in_order = np.lexsort((found.distance, found.person))
        starts = np.searchsorted(found.person, np.arange(found.n_persons))
        return np.stack([found.distance[in_order][starts + place] for place in range(k)])

    made = run_in_pieces(
        np.arange(len(records)), len(reference), task, what=what, progress=progress
    )
    is_exact = np.isin(row_ids[records], row_ids[reference])
    return Closest(made[0], made[1] if k > 1 else None, float(is_exact.mean()))


def closest_row(pair: Pair, draws: Sequence[Closest], n_reference: int) -> ClosestRow:
    """The figures of one pair of data sets, each a mean over the draws.

    Notes
    -----
    Percentiles are those of numpy: linear between neighbours.
    """
    ratios = [draw.ratios for draw in draws]
    known = [each for each in ratios if each is not None]
    return ClosestRow(
        pair=pair,
        n=len(draws[0].first),
        n_reference=n_reference,
        n_draws=len(draws),
        share_exact=_mean([draw.share_exact for draw in draws]),
        dcr_5=_mean([float(np.quantile(draw.first, LOW)) for draw in draws]),
        dcr_median=_mean([float(np.median(draw.first)) for draw in draws]),
        dcr_mean=_mean([float(draw.first.mean()) for draw in draws]),
        nndr_5=_mean([float(np.quantile(each, LOW)) for each in known]) if known else None,
        nndr_median=_mean([float(np.median(each)) for each in known]) if known else None,
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def closer_share(first: Sequence[Closest], second: Sequence[Closest]) -> float:
    """The share of records closer to the first reference than to the second; ties are half.

    Where both are as many and the records owe nothing to either, it is 0.5 on average.
    """
    shares = [
        float((np.sign(np.round((other.first - one.first) / ROUNDING)) / 2 + 0.5).mean())
        for one in first
        for other in second
    ]
    return _mean(shares)
