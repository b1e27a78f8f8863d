"""Gower's distance, column by column, and which records may be near a row by it.

Gower (1971): the mean over columns of |a - b| / range for numbers, and of 0 or 1 for categories
that agree or differ. Anonymeter 1.1.0 (Giomi et al. 2023) takes the sum in place of the mean; of
categories alone that is the number of columns that differ (Hamming).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, Codes
from unveil.errors import AlignError, RolesError, list_names
from unveil.models.neighbours.distances import Singles

Unplaced = Literal["level", "near", "far"]
"""What a level without a place is (missing, a special code): a level of its own, 0 from itself and
1 from all others; or any value, as near as it may be to the other, or as far."""


@dataclass(frozen=True)
class GowerAxis:
    """One column to measure along: codes over all rows, and what each level is.

    `places` has for each level where it lies between the lowest (0) and the highest number (1);
    None for categories. `apart` is 0 for a value, else which of the levels without a place it is;
    None where every level is a value.
    """

    name: str
    codes: Codes
    n_levels: int
    places: Floats | None = None
    apart: Codes | None = None
    unplaced: Unplaced = "level"

    @property
    def is_number(self) -> bool:
        """Whether its values are scaled by their range."""
        return self.places is not None

    @cached_property
    def singles(self) -> Singles:
        """The place of every row in single precision, for the bound."""
        places = np.zeros(self.n_levels) if self.places is None else self.places
        return places.astype(np.float32)[self.codes]

    @cached_property
    def largest(self) -> float:
        """How far from 0 a place is at most: 1, but where the user gave a smaller range."""
        return 1.0 if self.places is None else float(np.abs(self.places).max(initial=1.0))

    @cached_property
    def stands_apart(self) -> Codes | None:
        """For every row 0, or which level it is that has no place; None if none is."""
        if self.apart is None or not self.apart.any():
            return None
        return self.apart[self.codes]

    def measure(self, some: Ints, others: Ints) -> Floats:
        """The distance of each row to the one beside it, in double precision."""
        mine, its = self.codes[some], self.codes[others]
        if self.places is None:
            apart: Floats = (mine != its).astype(np.float64)
            x = y = np.zeros(1)
        else:
            x, y = self.places[mine], self.places[its]
            apart = np.abs(x - y)
        if self.apart is None:
            return apart
        mine, its = self.apart[mine], self.apart[its]
        if self.unplaced == "level":
            return np.where((mine > 0) | (its > 0), mine != its, apart)
        if self.unplaced == "near":
            return np.where((mine > 0) | (its > 0), 0.0, apart)
        apart = np.where(mine > 0, self._farthest(y), np.where(its > 0, self._farthest(x), apart))
        return np.where((mine > 0) & (its > 0), 1.0, apart)

    def _farthest(self, places: NDArray[Any]) -> NDArray[Any]:
        """How far any value of the column may be from these."""
        return np.maximum(places, 1 - places) if self.is_number else np.ones_like(places)

    def fill(self, apart: NDArray[Any], rows: Ints, others: Ints) -> None:
        """Put in the pairs of which one has no place, all others being there."""
        if self.stands_apart is None:
            return
        mine, its = self.stands_apart[rows], self.stands_apart[others]
        has_none, has_not = np.flatnonzero(mine), np.flatnonzero(its)
        if self.unplaced == "level":
            apart[has_none] = mine[has_none, np.newaxis] != its
            apart[:, has_not] = mine[:, np.newaxis] != its[has_not]
        elif self.unplaced == "near":
            apart[has_none] = 0
            apart[:, has_not] = 0
        else:
            apart[has_none] = self._farthest(self.singles[others])
            apart[:, has_not] = self._farthest(self.singles[rows])[:, np.newaxis]
            apart[np.ix_(has_none, has_not)] = 1


def axes_of(
    columns: Iterable[CodedColumn], categorical: Sequence[str] = ()
) -> tuple[GowerAxis, ...]:
    """Each column as an axis; numbers named as categorical are compared level by level.

    Ranges are over all files together. A column of one number throughout has no range: its numbers
    differ by 0.
    """
    return tuple(
        _number_axis(column)
        if column.is_scaled and column.name not in categorical
        else GowerAxis(column.name, column.codes, column.n_levels)
        for column in columns
    )


def _number_axis(column: CodedColumn) -> GowerAxis:
    if np.isinf(column.numbers).any():
        raise AlignError(
            f"Column {column.name!r} holds infinite numbers, so it has no range. Recode them, or"
            " treat the column as categorical."
        )
    is_number = column.is_ordinary
    places = np.zeros(column.n_levels)
    numbers = column.numbers[is_number]
    if column.is_single:
        # As written: 0.2 is as far from 0 as from 0.4, which the nearest singles are not.
        written = pl.Series(numbers, dtype=pl.Float32).cast(pl.String)
        numbers = written.cast(pl.Float64).to_numpy()
    # Halved before they are subtracted, or the largest floats would have no range.
    span = float(np.ptp(numbers / 2)) if len(numbers) else 0.0
    if span > 0:
        places[is_number] = (numbers / 2 - numbers.min() / 2) / span
    return GowerAxis(column.name, column.codes, column.n_levels, places, number_apart(~is_number))


def number_apart(is_apart: Mask) -> Codes:
    """For each level 0, or which of those that stand apart it is."""
    apart = np.zeros(len(is_apart), np.min_scalar_type(len(is_apart)))
    apart[is_apart] = np.arange(1, int(is_apart.sum()) + 1)
    return apart


def check_without_a_difference(axes: Sequence[GowerAxis]) -> None:
    """Refuse columns with one value each: everyone would be as near as anybody else."""
    if all(axis.n_levels == 1 for axis in axes):
        raise RolesError(
            f"What the intruder knows ({list_names(axis.name for axis in axes)}) has one value"
            " throughout and no range, so no record is nearer than another. Name other columns."
        )


# Records that lie together are in one box, and boxes have bounds.
#
# Records are cut in two again and again, each time along the column by which the halves keep most
# rows of the other away. Of a box it is known from where to where its numbers go and which levels
# it has; a row is no nearer to any record in it than to these.


BOX = 256
"""Records in a box at most."""
KEYS = 1024
"""Levels, and steps of a number, that are told apart; levels beyond share one."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Records box by box: `order` has their places among all rows, each box is a run of it."""

    axes: Sequence[GowerAxis]
    order: Ints
    runs: tuple[slice, ...]

    @classmethod
    def of(cls, axes: Sequence[GowerAxis], records: slice) -> "Boxes":
        """Cut a run of the rows into boxes."""
        keys = [_keys(axis)[records] for axis in axes]
        masses = [np.cumsum(np.bincount(key, minlength=KEYS)) for key in keys]
        left, found = [np.arange(records.stop - records.start)], []
        while left:
            rows = left.pop()
            halves = _halve(axes, keys, masses, rows) if len(rows) > BOX else []
            left += halves
            if not halves:
                found.append(rows)
        ends = np.cumsum([0, *map(len, found)]).tolist()
        runs = tuple(map(slice, ends[:-1], ends[1:]))
        return cls(axes, np.concatenate(found) + records.start, runs)

    @cached_property
    def _sides(self) -> "list[_Numbers | _Levels]":
        made = (_Numbers if axis.is_number else _Levels for axis in self.axes)
        pairs = zip(made, self.axes, strict=True)
        return [kind.of(axis, self.order, self.runs) for kind, axis in pairs]

    def below(self, rows: Ints, without: Sequence[int | None]) -> list[Singles]:
        """Rows x boxes: below the sum of differences to any record; without one axis for each."""
        apart = [side.below(rows) for side in self._sides]
        total = np.zeros((len(rows), len(self.runs)), np.float32)
        for one in apart:
            total += one
        return [total if out is None else total - apart[out] for out in without]


def _keys(axis: GowerAxis) -> Codes:
    """What the rows are cut by: the level, or the step of a number; what has no place is last."""
    if axis.places is None:
        return axis.codes if axis.n_levels <= KEYS else axis.codes % KEYS
    keys = np.clip(axis.places * (KEYS - 2), 0, KEYS - 2).astype(np.uint16)
    if axis.apart is not None:
        keys[axis.apart > 0] = KEYS - 1
    return keys[axis.codes]


def _halve(
    axes: Sequence[GowerAxis], keys: Sequence[Codes], masses: Sequence[Ints], rows: Ints
) -> list[Ints]:
    """Both halves of some records; none where these differ in nothing."""
    best, chosen = 0.0, None
    for axis, key, mass in zip(axes, keys, masses, strict=True):
        counts = np.cumsum(np.bincount(key[rows], minlength=KEYS))
        low, high = np.searchsorted(counts, (1, len(rows)))
        if low == high:
            continue
        cut = min(int(np.searchsorted(counts, (len(rows) + 1) // 2)), int(high) - 1)
        share, base = counts[cut] / len(rows), mass[low - 1] if low else 0
        gain = share * (mass[high] - mass[cut]) + (1 - share) * (mass[cut] - base)
        # Rows beyond a cut differ by 1 in a level, but by a quarter of the range in a number.
        gain *= (high - low) / (4 * KEYS) if axis.is_number else 1.0
        if gain > best:
            best, chosen = gain, (key, cut)
    if chosen is None:
        return []
    is_below = chosen[0][rows] <= chosen[1]
    return [rows[~is_below], rows[is_below]]


@dataclass(frozen=True, eq=False)
class _Numbers:
    """From where to where the numbers of each box go."""

    axis: GowerAxis
    low: Singles
    high: Singles
    most: Singles  # what a number differs by at most from those of a box that have no place

    @classmethod
    def of(cls, axis: GowerAxis, order: Ints, runs: Sequence[slice]) -> "_Numbers":
        values, starts = axis.singles[order], [run.start for run in runs]
        apart = axis.stands_apart
        is_apart = np.zeros(len(order), bool) if apart is None else apart[order] > 0
        low = np.minimum.reduceat(np.where(is_apart, np.inf, values), starts)
        high = np.maximum.reduceat(np.where(is_apart, -np.inf, values), starts)
        most = np.where(
            np.logical_or.reduceat(is_apart, starts), float(axis.unplaced == "level"), np.inf
        )
        return cls(axis, *(ends.astype(np.float32) for ends in (low, high, most)))

    def below(self, rows: Ints) -> Singles:
        values, apart = self.axis.singles[rows][:, np.newaxis], self.axis.stands_apart
        found = np.maximum(self.low - values, values - self.high)
        np.clip(found, 0, self.most, out=found)
        if apart is not None:
            is_level = self.axis.unplaced == "level"
            found[apart[rows] > 0] = np.isinf(self.most) if is_level else 0
        return found


@dataclass(frozen=True, eq=False)
class _Levels:
    """Which levels each box lacks."""

    axis: GowerAxis
    keys: Codes
    lacks: Mask  # levels x boxes

    @classmethod
    def of(cls, axis: GowerAxis, order: Ints, runs: Sequence[slice]) -> "_Levels":
        lacks = np.ones((min(axis.n_levels, KEYS), len(runs)), bool)
        keys, apart = _keys(axis), axis.stands_apart
        for number, run in enumerate(runs):
            rows = order[run]
            lacks[keys[rows], number] = False
            if apart is not None and axis.unplaced != "level" and apart[rows].any():
                lacks[:, number] = False
        return cls(axis, keys, lacks)

    def below(self, rows: Ints) -> NDArray[np.bool_]:
        found = self.lacks[self.keys[rows]]
        if self.axis.stands_apart is not None and self.axis.unplaced != "level":
            found[self.axis.stands_apart[rows] > 0] = False
        return found


@dataclass(frozen=True)
class Gower:
    """Gower's distance of stacked rows to a run of others; a sum where it is divided by 1."""

    is_tight: ClassVar[bool] = True
    at_once: ClassVar[int] = 2**17
    axes: Sequence[GowerAxis]
    others: slice
    divisor: int = 1

    @property
    def n_others(self) -> int:
        """How many others there are."""
        return len(range(self.others.start, self.others.stop))

    @cached_property
    def slack(self) -> float:
        """A bound on what single precision is off by in a sum of so many terms."""
        n, largest = len(self.axes), max((axis.largest for axis in self.axes), default=1.0)
        return (n + 1) * (n + 4) * 2.0**-24 * largest

    def lift(self, distance: Floats) -> Floats:
        """The sum over the columns."""
        return distance * self.divisor

    def measure(self, rows: Ints, others: Ints, limit: Floats | None = None) -> Floats:
        """The distance of each row to the other beside it, added up in the order of the axes."""
        total = np.zeros(len(rows))
        for axis in self.axes:
            total += axis.measure(rows, others + self.others.start)
        return total / self.divisor

    @cached_property
    def boxes(self) -> Boxes:
        """The others that lie together."""
        return Boxes.of(self.axes, self.others)

    @property
    def tiles(self) -> Sequence[slice]:
        """The boxes."""
        return self.boxes.runs

    def numbers(self, tile: slice) -> Ints:
        """Which others a box has."""
        return self.boxes.order[tile] - self.others.start

    def below(self, rows: Ints, without: Sequence[int | None]) -> list[Singles]:
        """How near a record of each box may be, in single precision."""
        return self.boxes.below(rows, without)

    def slack_of(self, rows: Ints) -> Floats:
        """The same of every row."""
        return np.full(len(rows), self.slack)

    def bounds(
        self, rows: Ints, tile: slice, without: Sequence[int | None] = (None,)
    ) -> Iterator[Singles]:
        """The sum over the columns in single precision; all share the sum over all axes."""
        run = self.boxes.order[tile]
        shape = (len(rows), len(run))
        one, differs = np.empty(shape, np.float32), np.empty(shape, np.bool_)

        def along(axis: GowerAxis) -> NDArray[Any]:
            apart: NDArray[Any] = one if axis.is_number else differs
            if axis.is_number:
                np.subtract(axis.singles[rows][:, np.newaxis], axis.singles[run], out=one)
                np.abs(one, out=one)
            else:
                np.not_equal(axis.codes[rows][:, np.newaxis], axis.codes[run], out=differs)
            axis.fill(apart, rows, run)
            return apart

        total = np.zeros(shape, np.float32)
        n_differing = np.zeros(shape, np.min_scalar_type(len(self.axes)))
        for axis in self.axes:
            if axis.is_number:
                total += along(axis)
            else:
                np.add(n_differing, along(axis).view(np.uint8), out=n_differing)
        total += n_differing
        for left_out in without:
            if left_out is None:
                yield total
            else:
                yield np.subtract(total, along(self.axes[left_out]), out=one)
