"""How much weight lies near a record, on one axis and within its bucket? No pairs are listed.

The sum of proximities over a window is that of a triangle: records in the window, less their
distances over the radius. Sorted once, both come from running sums: O(n log m).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import PACKED, Ids, Integers, is_dense, number, pack
from unveil.errors import AlignError
from unveil.io.text_types import MOMENT, SPAN, TEXT, TIME, TRUTH

# Which values of a column lie near each other, and how near?
#
# A column with a radius becomes an axis: its levels in order, numbers first, and for each level
# the run of levels that lie within the radius. Two values are near when their distance is smaller
# than the radius, and their proximity falls evenly from 1 to 0 (Chapelle and Falissard 2023,
# Algorithm 2, lines 14 and 29). 0.7 is not within 0.3 of 0.4, whatever becomes of the last binary
# digit. Levels that are no numbers (missing, special codes, infinite) are near nothing but
# themselves, and a radius of 0 means equality.


LARGEST = 1e100
MOST_CELLS = 2**20
_KINDS: dict[type[pl.DataType], str] = {
    pl.Boolean: TRUTH,
    pl.Datetime: MOMENT,
    pl.Time: TIME,
    pl.Duration: SPAN,
}
_EXACT_WHOLE = 2**53
# Parts of a value smaller than this share of the radius change no proximity that a float can hold.
_FINEST = 2.0**-56


@dataclass(frozen=True)
class RadiusPart:
    """One part of each level, and of the radius, as whole multiples of a unit."""

    unit: float
    levels: Ints
    radius: int


@dataclass(frozen=True)
class RadiusAxis:
    """A column with a radius: codes into `values`, of which the first `n_numbers` are in order.

    `first` and `past` bound the run of levels near each level, itself among them. The values of
    levels that stand apart lie farther than a radius from each other and from all numbers.
    """

    name: str
    radius: float
    limit: float  # distances below it are near: the radius, less what decimals lose as floats
    codes: Codes
    values: Floats
    n_numbers: int
    first: Ints
    past: Ints

    @property
    def n_levels(self) -> int:
        """Levels over all sides."""
        return len(self.values)

    @cached_property
    def is_equality(self) -> bool:
        """Whether every level is near itself alone."""
        return bool((self.past - self.first == 1).all())

    @cached_property
    def parts(self) -> tuple[RadiusPart, ...]:
        """The levels and the radius in parts that can be summed without loss."""
        return tuple(_parts(self.values[: self.n_numbers], self.n_levels, self.radius, self.codes))

    @property
    def width(self) -> float:
        """The mean share of levels that are near a level."""
        return float((self.past - self.first).mean()) / self.n_levels

    def n_near(self, some: slice | Ints, others: slice) -> int:
        """How many pairs of some records and others are near, whatever their buckets."""
        counts = np.bincount(self.codes[others], minlength=self.n_levels)
        until = np.concatenate(([0], np.cumsum(counts)))
        near = until[self.past] - until[self.first]
        return int(np.bincount(self.codes[some], minlength=self.n_levels) @ near)

    def cells(self) -> Ints:
        """For each record the number of its cell, such that what is near is at most one cell off.

        Cells are a little wider than the radius, so that no rounding puts two cells between.
        """
        numbers = self.values[: self.n_numbers]
        of_level = np.zeros(self.n_levels, np.int64)
        width = max(1.001 * self.radius, float(np.ptp(numbers)) / MOST_CELLS if len(numbers) else 0)
        of_level[: self.n_numbers] = (numbers - numbers[:1]) / width
        return of_level[self.codes]

    def apart(self) -> tuple[Codes, int]:
        """For each record 0, or which of the levels that are no numbers it has; and their range."""
        state = np.zeros(self.n_levels, self.codes.dtype)
        state[self.n_numbers :] = np.arange(1, self.n_levels - self.n_numbers + 1)
        return state[self.codes], self.n_levels - self.n_numbers + 1


def axis_of(column: CodedColumn, radius: float, special_codes: Sequence[float] = ()) -> RadiusAxis:
    """The column as an axis, or a refusal where it holds no numbers to be near."""
    numbers, is_number = _numbers_of(column, special_codes)
    n_numbers = len(numbers)
    # Numbers first, in their order; then the rest, the missing level last as before.
    place = np.empty(column.n_levels, column.codes.dtype)
    place[is_number] = np.arange(n_numbers)
    place[~is_number] = np.arange(n_numbers, column.n_levels)
    codes = column.codes if is_number[:n_numbers].all() else place[column.codes]
    limit = _limit(numbers, radius)
    first, past = _windows(numbers, limit)
    alone = np.arange(n_numbers, column.n_levels)
    return RadiusAxis(
        column.name,
        radius,
        limit,
        codes,
        np.concatenate([numbers, _far(numbers, radius, len(alone))]),
        n_numbers,
        np.concatenate([first, alone]),
        np.concatenate([past, alone + 1]),
    )


def _numbers_of(
    column: CodedColumn, special_codes: Sequence[float]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The levels that are numbers, in order, and which of all the levels they are."""
    is_number = column.is_number(special_codes)
    if column.levels.null_count() == column.n_levels:
        return np.empty(0), is_number
    _check_other_than_numbers(column)
    numbers = column.numbers[is_number]
    values = column.levels.filter(pl.Series(is_number)).to_physical()
    if values.dtype.is_integer():
        numbers = _from_the_lowest(column.name, values.cast(pl.Int64).to_numpy())
    if len(numbers) and max(abs(numbers[0]), abs(numbers[-1])) > LARGEST:
        raise AlignError(f"{_too_far(column.name)} Omit its radius, or recode it.")
    return numbers, is_number


def _from_the_lowest(name: str, whole: Ints) -> Floats:
    """Whole numbers as their distance from the lowest, which a float holds exactly."""
    if not len(whole):
        return np.empty(0)
    if int(whole[-1]) - int(whole[0]) > _EXACT_WHOLE:
        raise AlignError(f"{_too_far(name)} If they are identifiers, omit its radius.")
    numbers: Floats = (whole - whole[0]).astype(np.float64)
    return numbers


def _too_far(name: str) -> str:
    return f"Column {name!r} has numbers too large, or too far apart, to be compared by a radius."


def _check_other_than_numbers(column: CodedColumn) -> None:
    dtype = column.levels.dtype
    if not dtype.is_numeric() and dtype != pl.Date:
        raise AlignError(
            f"Column {column.name!r} holds {_KINDS.get(dtype.base_type(), TEXT)}, not numbers, and"
            " cannot have a radius. Omit it: the column is then compared level by level."
        )


def _limit(numbers: Floats, radius: float) -> float:
    """The radius less the most by which two decimals, their distance and it are off as floats."""
    largest = np.abs(numbers).max(initial=radius)
    return float(max(radius - 2 * np.spacing(largest), np.spacing(0.0)))


def _windows(numbers: Floats, limit: float) -> tuple[Ints, Ints]:
    """The run of numbers near each number: first, and one past the last.

    The place where number + limit would stand is off by a rounding, so it is put right by looking
    at the distances themselves.
    """
    n = len(numbers)
    own = np.arange(n)
    past = np.maximum(np.searchsorted(numbers, numbers + limit), own + 1)
    padded = np.append(numbers, np.inf)
    while (early := padded[past] - numbers < limit).any():
        past += early
    while (late := (past > own + 1) & (padded[past - 1] - numbers >= limit)).any():
        past -= late
    # Nearness is mutual: the first level near this one is the first whose run reaches it.
    return np.cumsum(np.bincount(past, minlength=n + 1))[:n], past


def _far(numbers: Floats, radius: float, n: int) -> Floats:
    """Values for levels that are no numbers: a radius and more from each other and all numbers."""
    top = 2 * float(np.abs(numbers).max(initial=0.0)) + 2 * radius + 1
    return np.arange(1, n + 1, dtype=np.float64) * top


def _parts(numbers: Floats, n_levels: int, radius: float, codes: Codes) -> list[RadiusPart]:
    """Numbers as sums of whole multiples of ever finer units, so that adding them up is exact.

    Sums of floats lose digits where a few values near the edge of a window are what is left of the
    difference of two large sums; sums of whole numbers do not, nor do they depend on the order of
    the records.
    """
    bits = 60 - len(codes).bit_length()
    span = float(numbers[-1] - numbers[0]) if len(numbers) else 0.0
    coarsest = np.spacing(np.abs(numbers).max(initial=0.0))
    unit = max(2.0 ** (np.ceil(np.log2(max(span, radius))) - bits), float(coarsest))
    rest, rest_of_radius = numbers.copy(), radius
    parts: list[RadiusPart] = []
    while True:
        whole, of_radius = np.rint(rest / unit), round(rest_of_radius / unit)
        rest -= whole * unit
        rest_of_radius -= of_radius * unit
        levels = np.zeros(n_levels, np.int64)
        levels[: len(numbers)] = whole - (whole[:1] if not parts else 0)
        parts.append(RadiusPart(unit, levels, of_radius))
        if unit <= radius * _FINEST or not (rest.any() or rest_of_radius):
            return parts
        unit *= 2.0**-bits


def proximity(distance: Floats, axis: RadiusAxis) -> Floats:
    """How near values at this signed distance are, from 0 to 1; computed in place."""
    np.abs(distance, out=distance)
    is_near = distance < axis.limit
    if axis.radius:
        distance /= -axis.radius
        distance += 1
        distance *= is_near
        return distance
    return is_near.astype(np.float64)


# Which records can be compared at all? Those in one bucket: alike in every categorical column.
#
# Buckets are numbers over the stacked records of all sides, so that the same combination has the
# same number in the original and in every copy.


@dataclass(frozen=True)
class Buckets:
    """The bucket of every stacked record."""

    ids: Ids
    n: int

    def split(self, digits: Sequence[tuple[Integers, int]]) -> "Buckets":
        """Finer buckets: alike in these codes too, each given with its number of levels."""
        if not digits:
            return self
        return Buckets(*number(*pack([(self.ids, self.n), *digits], len(self.ids))))

    def counts(self, rows: slice) -> Ints:
        """How many of these records each bucket holds."""
        return np.bincount(self.ids[rows], minlength=self.n)


@dataclass(frozen=True)
class Columns:
    """Some columns of all stacked records: buckets of the categorical ones, and the other axes."""

    buckets: Buckets
    axes: tuple[RadiusAxis, ...]

    def and_also(self, others: "Columns") -> "Columns":
        """These columns and others together."""
        cells = self.buckets.split([(others.buckets.ids, others.buckets.n)])
        return Columns(cells, self.axes + others.axes)

    def fold(self) -> "Columns":
        """The same for pairs that are near on every axis, with fewer axes left to look at.

        An axis on which only equals are near parts records as a category does; and on any other,
        numbers are not near what is no number.
        """
        digits: list[tuple[Integers, int]] = []
        for axis in self.axes:
            if axis.is_equality:
                digits.append((axis.codes, axis.n_levels))
            elif axis.n_numbers < axis.n_levels:
                digits.append(axis.apart())
        left = tuple(axis for axis in self.axes if not axis.is_equality)
        return Columns(self.buckets.split(digits), left)


def columns_of(
    n_rows: int, categorical: Iterable[CodedColumn], axes: Iterable[RadiusAxis]
) -> Columns:
    """Columns of so many stacked records, by their kind."""
    together = Buckets(np.zeros(n_rows, np.int32), 1)
    digits = [(column.codes, column.n_levels) for column in categorical]
    return Columns(together.split(digits), tuple(axes))


# The least that a proximity above 0 can be in 64-bit floats.
SMALLEST = 2.0**-53


@dataclass(frozen=True)
class NeighbourWeights:
    """For each record asked about: how many others are near, and the sum of their proximities."""

    n: Ints
    weight: Floats


def count_near(buckets: Buckets, files: Sequence[slice], asked: Ints) -> Iterator[NeighbourWeights]:
    """All of a bucket are equally near: how many there are in each file."""
    for data in files:
        n = buckets.counts(data)[buckets.ids[asked]]
        yield NeighbourWeights(n, n.astype(np.float64))


@dataclass(frozen=True)
class SortedKeys:
    """Packed numbers of some data in their order, and how to find a place among them."""

    in_order: Ints
    starts: Ints | None  # for each number of a small range, where it starts

    def place(self, wanted: Ints) -> Ints:
        """Where the first number is that is not below each of these."""
        if self.starts is None:
            return np.searchsorted(self.in_order, wanted)
        return self.starts[wanted]


def pack_levels(axis: RadiusAxis, buckets: Buckets, rows: slice | Ints) -> Ints:
    """Bucket and level as one number, in the order of both."""
    return buckets.ids[rows].astype(np.int64) * axis.n_levels + axis.codes[rows]


def sort_packed(axis: RadiusAxis, buckets: Buckets, data: slice) -> SortedKeys:
    """The packed numbers of some data, sorted; by counting where their range is small."""
    numbers, space = pack_levels(axis, buckets, data), buckets.n * axis.n_levels
    if not is_dense(space, len(numbers)):
        return SortedKeys(np.sort(numbers), None)
    counts = np.bincount(numbers, minlength=space)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return SortedKeys(np.repeat(np.arange(space), counts), starts)


def bounds(axis: RadiusAxis, order: SortedKeys, own: Ints) -> tuple[Ints, Ints]:
    """Where the window of each packed number starts and ends in the order."""
    level = own % axis.n_levels
    bucket = own - level
    return order.place(bucket + axis.first[level]), order.place(bucket + axis.past[level])


def sum_near(
    axis: RadiusAxis, buckets: Buckets, files: Sequence[slice], asked: Ints
) -> Iterator[NeighbourWeights]:
    """The sum of proximities of each file's records in the bucket to each record asked about.

    Paper 004, Algorithm 2, line 30, for one column and summed over line 35. Exact but for the last
    rounding, whatever the offset of the values and however close they are to the radius.
    """
    own, place = distinct(pack_levels(axis, buckets, asked))
    for data in files:
        near = _sum_near(axis, sort_packed(axis, buckets, data), own)
        yield NeighbourWeights(near.n[place], near.weight[place])


def distinct(numbers: Ints) -> tuple[Ints, Ints]:
    """The numbers that occur, in order, and the place of each: what is in order is found faster."""
    return np.unique(numbers, return_inverse=True)


def _sum_near(axis: RadiusAxis, order: SortedKeys, own: Ints) -> NeighbourWeights:
    """The sum over one file, for packed numbers."""
    first, past = bounds(axis, order, own)
    n = past - first
    if axis.is_equality:
        return NeighbourWeights(n, n.astype(np.float64))
    middle = order.place(own)
    n_above_less_below = past - 2 * middle + first
    data_level, own_level = order.in_order % axis.n_levels, own % axis.n_levels
    weight = np.zeros(len(own))
    for part in axis.parts:
        distances: Ints | int = 0
        if part.levels.any():
            sums = np.concatenate(([0], np.cumsum(part.levels[data_level])))
            distances = sums[past] - 2 * sums[middle] + sums[first]
            distances -= n_above_less_below * part.levels[own_level]
        weight += (n * part.radius - distances) * part.unit
    weight /= axis.radius
    return NeighbourWeights(n, np.maximum(weight, n * SMALLEST))


# Pairs of records that are near on one axis and in one bucket, a block at a time.
#
# Where a sum does not fall apart into sums over single axes, pairs have to be looked at. They are
# those of a sorted window on one axis, never all; and a block of them at a time, so that memory
# does not grow with their number.


BLOCK = 2**16
LONG, WORTHWHILE = 100, 4
"""Cells are worth their trouble where windows are long, and few pairs near on the cells' axis."""


@dataclass(frozen=True)
class PairBlock:
    """Some pairs: each of a few records asked about with a run of the data.

    `asked` are places among the records asked about, `lengths` how many pairs each is in, and
    `data` for each pair the place of its other record in the sorted data.
    """

    asked: Ints
    lengths: Ints
    data: Ints

    def sums(self, of_pairs: Floats) -> Floats:
        """A figure of pairs, added up for each record asked about."""
        added: Floats = np.add.reduceat(of_pairs, np.cumsum(self.lengths) - self.lengths)
        return added


@dataclass(frozen=True)
class OnAxis:
    """An axis as a sweep sees it."""

    data: Floats
    asked: Floats
    axis: RadiusAxis

    def proximity(self, block: PairBlock) -> Floats:
        """How near the two of each pair are."""
        return proximity(self._distance(block), self.axis)

    def is_near(self, block: PairBlock) -> Mask:
        """Whether the two of each pair are near."""
        near: Mask = np.abs(self._distance(block)) < self.axis.limit
        return near

    def _distance(self, block: PairBlock) -> Floats:
        distance = self.data[block.data]
        distance -= np.repeat(self.asked[block.asked], block.lengths)
        return distance


@dataclass(frozen=True)
class Sweep:
    """Sorted windows on one axis: for each record asked about, a run of the data in order.

    A record has as many windows as there are cells to look into; `asked` has it once for each.
    """

    axis: RadiusAxis
    asked: Ints
    data: Ints
    first: Ints
    past: Ints
    n_cells: int = 1

    @property
    def n_pairs(self) -> int:
        """How many pairs there are to look at."""
        return int((self.past - self.first).sum())

    def sum_by_record(self, of_windows: Floats) -> Floats:
        """Sums over windows as sums over all windows of each record asked about."""
        summed: Floats = of_windows.reshape(self.n_cells, -1).sum(axis=0)
        return summed

    def is_alike(self, ids: Integers, block: PairBlock) -> Mask:
        """Whether the two of each pair have the same number."""
        own = np.repeat(ids[self.asked[block.asked]], block.lengths)
        alike: Mask = ids[self.data[block.data]] == own
        return alike

    def on(self, axis: RadiusAxis) -> OnAxis:
        """The values of an axis, as this sweep needs them."""
        data, asked = axis.codes[self.data], axis.codes[self.asked]
        return OnAxis(axis.values[data], axis.values[asked], axis)

    def blocks(self, size: int | None = None) -> Iterator[PairBlock]:
        """All pairs, `size` at a time; those of a long window may be in several blocks."""
        size = size or BLOCK
        asked = np.flatnonzero(self.past > self.first)
        ends = np.cumsum((self.past - self.first)[asked])
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, size):
            stop = min(start + size, total)
            low = int(np.searchsorted(ends, start, side="right"))
            high = int(np.searchsorted(ends, stop)) + 1
            some = asked[low:high]
            first, past = self.first[some], self.past[some]
            first[0] += start - (int(ends[low - 1]) if low else 0)
            past[-1] -= int(ends[high - 1]) - stop
            lengths = past - first
            shift = first - (np.cumsum(lengths) - lengths)
            yield PairBlock(some, lengths, np.arange(stop - start) + np.repeat(shift, lengths))


def is_long(n_pairs: int, n_windows: int) -> bool:
    """Whether windows with so many pairs are long on average."""
    return n_pairs >= LONG * n_windows


def sweep(axis: RadiusAxis, buckets: Buckets, data: slice, asked: Ints) -> Sweep:
    """The windows of one axis, within buckets: all pairs that are near on it."""
    return _sweep(axis, buckets, data, asked)


def sweep_all(axes: Sequence[RadiusAxis], buckets: Buckets, data: slice, asked: Ints) -> Sweep:
    """Windows that hold all pairs near on every one of the axes, and as few others as may be.

    They are those of the axis on which the fewest are near, within cells a radius wide of the next
    such axis: what is near on it lies in the same cell or in one beside it.
    """
    n_near = {place: axis.n_near(asked, data) for place, axis in enumerate(axes)}
    first, *others = sorted(n_near, key=lambda place: n_near[place])
    swept = sweep(axes[first], buckets, data, asked)
    if not others or not is_long(swept.n_pairs, len(asked)):
        return swept
    cells = axes[others[0]].cells()
    n_pairs = len(asked) * (data.stop - data.start)
    n_packed = buckets.n * (int(cells.max()) + 3) * axes[first].n_levels
    if n_near[others[0]] * WORTHWHILE > n_pairs or n_packed > PACKED:
        return swept
    return _sweep(axes[first], buckets, data, asked, cells=cells, shifts=(0, -1, 1))


def _sweep(
    axis: RadiusAxis,
    buckets: Buckets,
    data: slice,
    asked: Ints,
    *,
    cells: Ints | None = None,
    shifts: Sequence[int] = (0,),
) -> Sweep:
    """Windows within buckets and cells, those that many cells away from the own one."""

    def packed_cells(rows: slice | Ints, shift: int) -> Ints:
        if cells is None:
            return pack_levels(axis, buckets, rows)
        n_cells = int(cells.max(initial=0)) + 3  # one beside the first, and one beside the last
        in_cell = buckets.ids[rows].astype(np.int64) * n_cells + (cells[rows] + (1 + shift))
        return in_cell * axis.n_levels + axis.codes[rows]

    of_data = packed_cells(data, 0)
    rows = np.argsort(of_data)
    order = SortedKeys(of_data[rows], None)
    firsts, pasts = [], []
    for shift in shifts:
        own, place = distinct(packed_cells(asked, shift))
        first, past = bounds(axis, order, own)
        firsts.append(first[place])
        pasts.append(past[place])
    return Sweep(
        axis,
        np.tile(asked, len(shifts)),
        rows + data.start,
        np.concatenate(firsts),
        np.concatenate(pasts),
        len(shifts),
    )
