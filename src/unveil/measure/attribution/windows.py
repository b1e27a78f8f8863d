"""Which values of a column lie near each other, and how near?

A column with a radius becomes an axis: its levels in order, numbers first, and for each level the
run of levels that lie within the radius. Two values are near when their distance is smaller than
the radius, and their proximity falls evenly from 1 to 0 (Chapelle and Falissard 2023, Algorithm 2,
lines 14 and 29).
0.7 is not within 0.3 of 0.4, whatever becomes of the last binary digit.
Levels that are no numbers (missing, special codes, infinite) are near nothing but themselves, and a
radius of 0 means equality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Codes, Column
from unveil.count.packing import Whole
from unveil.errors import AlignError
from unveil.read.casts import MOMENT, SPAN, TEXT, TIME, TRUTH

Floats = NDArray[np.float64]

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
class Part:
    """One part of each level, and of the radius, as whole multiples of a unit."""

    unit: float
    levels: Whole
    radius: int


@dataclass(frozen=True)
class Axis:
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
    first: Whole
    past: Whole

    @property
    def n_levels(self) -> int:
        """Levels over all sides."""
        return len(self.values)

    @cached_property
    def is_equality(self) -> bool:
        """Whether every level is near itself alone."""
        return bool((self.past - self.first == 1).all())

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The levels and the radius in parts that can be summed without loss."""
        return tuple(_parts(self.values[: self.n_numbers], self.n_levels, self.radius, self.codes))

    @property
    def width(self) -> float:
        """The mean share of levels that are near a level."""
        return float((self.past - self.first).mean()) / self.n_levels

    def n_near(self, some: slice | Whole, others: slice) -> int:
        """How many pairs of some records and others are near, whatever their buckets."""
        counts = np.bincount(self.codes[others], minlength=self.n_levels)
        until = np.concatenate(([0], np.cumsum(counts)))
        near = until[self.past] - until[self.first]
        return int(np.bincount(self.codes[some], minlength=self.n_levels) @ near)

    def cells(self) -> Whole:
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


def axis_of(column: Column, radius: float, special_codes: Sequence[float] = ()) -> Axis:
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
    return Axis(
        column.name,
        radius,
        limit,
        codes,
        np.concatenate([numbers, _far(numbers, radius, len(alone))]),
        n_numbers,
        np.concatenate([first, alone]),
        np.concatenate([past, alone + 1]),
    )


def _numbers_of(column: Column, special_codes: Sequence[float]) -> tuple[Floats, NDArray[np.bool_]]:
    """The levels that are numbers, in order, and which of all the levels they are."""
    known = column.levels.drop_nulls()
    is_number = np.zeros(column.n_levels, bool)
    if not len(known):
        return np.empty(0), is_number
    _refuse_other_than_numbers(column)
    values = known.to_physical().to_numpy()
    if values.dtype.kind == "i":
        values = values.astype(np.int64)
        kept = ~np.isin(values.astype(np.float64), special_codes)
        numbers = _from_the_lowest(column.name, values[kept])
    else:
        kept = np.isfinite(values) & ~np.isin(values, special_codes)
        numbers = values[kept]
    if len(numbers) and max(abs(numbers[0]), abs(numbers[-1])) > LARGEST:
        raise AlignError(f"{_too_far(column.name)} Leave its radius out, or recode it.")
    is_number[: len(known)] = kept
    return numbers, is_number


def _from_the_lowest(name: str, whole: Whole) -> Floats:
    """Whole numbers as their distance from the lowest, which a float holds exactly."""
    if not len(whole):
        return np.empty(0)
    if int(whole[-1]) - int(whole[0]) > _EXACT_WHOLE:
        raise AlignError(f"{_too_far(name)} If they are identifiers, leave its radius out.")
    numbers: Floats = (whole - whole[0]).astype(np.float64)
    return numbers


def _too_far(name: str) -> str:
    return f"Column {name!r} has numbers too large, or too far apart, to be compared by a radius."


def _refuse_other_than_numbers(column: Column) -> None:
    dtype = column.levels.dtype
    if not dtype.is_numeric() and dtype != pl.Date:
        raise AlignError(
            f"Column {column.name!r} holds {_KINDS.get(dtype.base_type(), TEXT)}, not numbers, and"
            " cannot have a radius. Leave its radius out: it is then compared level by level."
        )


def _limit(numbers: Floats, radius: float) -> float:
    """The radius less the most by which two decimals, their distance and it are off as floats."""
    largest = np.abs(numbers).max(initial=radius)
    return float(max(radius - 2 * np.spacing(largest), np.spacing(0.0)))


def _windows(numbers: Floats, limit: float) -> tuple[Whole, Whole]:
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


def _parts(numbers: Floats, n_levels: int, radius: float, codes: Codes) -> list[Part]:
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
    parts: list[Part] = []
    while True:
        whole, of_radius = np.rint(rest / unit), round(rest_of_radius / unit)
        rest -= whole * unit
        rest_of_radius -= of_radius * unit
        levels = np.zeros(n_levels, np.int64)
        levels[: len(numbers)] = whole - (whole[:1] if not parts else 0)
        parts.append(Part(unit, levels, of_radius))
        if unit <= radius * _FINEST or not (rest.any() or rest_of_radius):
            return parts
        unit *= 2.0**-bits


def proximity(distance: Floats, axis: Axis) -> Floats:
    """How near values at this signed distance are, from 0 to 1; computed in place."""
    np.abs(distance, out=distance)
    is_near = distance < axis.limit
    if axis.radius:
        distance /= -axis.radius
        distance += 1
        distance *= is_near
        return distance
    return is_near.astype(np.float64)
