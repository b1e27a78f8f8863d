"""How far apart are two records? The sum of what they differ by in each column.

Numbers, dates and times differ by their distance as a share of the column's range, taken over
original, copy and control together: 0 to 1. Categories differ by 0 or 1. A missing value and a
special code are levels of their own: 0 from themselves, 1 from anything else. A column with one
number throughout has no range, and its numbers differ by 0.

The distance of Anonymeter 1.1.0, which is Gower's (1971) without the division by the number of
columns; the rules for missing values and special codes are ours.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Codes, Column
from unveil.count.packing import Whole
from unveil.errors import AlignError, RolesError, listed
from unveil.read.level_text import level_text

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.bool_]

ROUNDING = 1e-12
"""Distances that differ by less are equal: they are added up from floats in one order."""
_SCALED = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


@dataclass(frozen=True)
class Axis:
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

    def between(self, some: Whole, others: Whole) -> Floats:
        """The distance of each record to the one beside it, in double precision."""
        mine, its = self.codes[some], self.codes[others]
        if self.places is None or self.apart is None:
            differs: Floats = (mine != its).astype(np.float64)
            return differs
        apart = np.abs(self.places[mine] - self.places[its])
        mine, its = self.apart[mine], self.apart[its]
        with_others: Floats = np.where((mine > 0) | (its > 0), mine != its, apart)
        return with_others


def axes_of(columns: Iterable[Column], categorical: Sequence[str] = ()) -> tuple[Axis, ...]:
    """Each column as an axis; numbers named as categorical are compared level by level."""
    return tuple(
        _number_axis(column)
        if is_scaled(column) and column.name not in categorical
        else Axis(column.name, column.codes, column.n_levels)
        for column in columns
    )


def is_scaled(column: Column) -> bool:
    """Whether a column holds numbers, dates or times, and not codes that all have a label."""
    dtype = column.levels.dtype
    if not (dtype.is_numeric() or dtype.base_type() in _SCALED):
        return False
    if not column.meanings:
        return True
    levels = column.levels.drop_nulls().to_list()
    return any(
        level_text(level) not in column.meanings and level not in column.special_codes
        for level in levels
    )


def numbers_of(column: Column) -> tuple[Floats, Mask]:
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
    return values / _unit(dtype), is_number


def _unit(dtype: pl.DataType) -> float:
    """How many of a type's units make a day (moments) or a second (times and spans)."""
    if isinstance(dtype, pl.Datetime | pl.Duration):
        second = {"ms": 1e3, "us": 1e6, "ns": 1e9}[dtype.time_unit]
        return second * (86400 if isinstance(dtype, pl.Datetime) else 1)
    return 1e9 if dtype == pl.Time else 1.0


def _number_axis(column: Column) -> Axis:
    values, is_number = numbers_of(column)
    places = np.zeros(len(values))
    numbers = values[is_number]
    # Halved before they are subtracted, or the largest floats would have no range.
    span = float(np.ptp(numbers / 2)) if len(numbers) else 0.0
    if span > 0:
        places[is_number] = (numbers / 2 - numbers.min() / 2) / span
    apart = np.zeros(len(values), np.min_scalar_type(len(values)))
    apart[~is_number] = np.arange(1, int((~is_number).sum()) + 1)
    return Axis(column.name, column.codes, column.n_levels, places, apart)


def distances(axes: Sequence[Axis], some: Whole, others: Whole) -> Floats:
    """The distance of each record to the one beside it, added up in the order of the axes."""
    total = np.zeros(len(some))
    for axis in axes:
        total += axis.between(some, others)
    return total


def refuse_without_a_difference(axes: Sequence[Axis]) -> None:
    """Refuse columns with one value each: everybody would be as near as anybody else."""
    if all(axis.n_levels == 1 for axis in axes):
        raise RolesError(
            f"What the intruder knows ({listed(axis.name for axis in axes)}) has one value"
            " throughout and no range, so no record is nearer than another. Name other columns."
        )
