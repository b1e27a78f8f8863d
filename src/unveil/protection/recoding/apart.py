"""Which numbers of a column stand for no answer, whether they occur or not?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.protection.recoding.held import Floats, floats_of, kept_in
from unveil.read.meanings import number_held
from unveil.read.tags import TAGS
from unveil.records.codebook import MissingRange, Variable


@dataclass(frozen=True)
class Apart:
    """Numbers that stand apart from the answers: special codes, and what a codebook declares."""

    codes: tuple[float, ...] = ()
    ranges: tuple[MissingRange, ...] = ()

    def among(self, numbers: Floats, dtype: pl.DataType) -> NDArray[np.bool_]:
        """Which numbers of a column of that type stand apart."""
        found = np.isin(numbers, np.array([kept_in(dtype, code) for code in self.codes]))
        with np.errstate(invalid="ignore"):
            for gap in self.ranges:
                above = True if gap.lo is None else numbers >= gap.lo
                below = True if gap.hi is None else numbers <= gap.hi
                found |= ~np.isnan(numbers) & above & below
        return found

    def has(self, number: float) -> bool:
        """Whether a number stands apart."""
        return bool(self.among(np.array([number]), pl.Float64())[0])

    def also(self, given: Iterable[float]) -> "Apart":
        """With codes that a step names."""
        return Apart((*self.codes, *map(float, given)), self.ranges)


def apart_of(variable: Variable | None) -> Apart:
    """The numbers that are declared to be no answers, letters of missing values among them."""
    if variable is None:
        return Apart()
    held = (number_held(code) for code in variable.missing)
    codes = [code for code in held if code is not None]
    return Apart((*codes, *TAGS.values()), variable.missing_ranges)


def occurring(sides: Sequence[pl.Series], apart: Apart) -> tuple[float, ...]:
    """The numbers that stand apart and occur, as they are written: 0.7, not as a float holds it."""
    found: set[float] = set()
    for side in sides:
        if side.dtype.is_numeric():
            numbers = np.unique(_held(side))
            held = {kept_in(side.dtype, code): code for code in apart.codes}
            there = numbers[apart.among(numbers, side.dtype)].tolist()
            found |= {held.get(number, number) for number in there}
    return tuple(sorted(found))


def _held(side: pl.Series) -> Floats:
    return floats_of(side.alias("").drop_nulls())  # a name such as "^a$" polars takes for a pattern


def ordinary(side: pl.Series, apart: Apart) -> Floats:
    """The finite numbers of a column that do not stand apart."""
    numbers = _held(side)
    found: Floats = numbers[np.isfinite(numbers) & ~apart.among(numbers, side.dtype)]
    return found


def declared_by_any(variables: Sequence[Variable | None]) -> Variable | None:
    """What is declared of a column by the data, and by its copy where the data says nothing."""
    known = [variable for variable in variables if variable is not None]
    if not known:
        return None
    levels = {level.code: level for one in reversed(known) for level in one.levels}
    order = dict.fromkeys(level.code for one in known for level in one.levels)
    return msgspec.structs.replace(
        known[0],
        levels=tuple(levels[code] for code in order),
        missing=tuple(dict.fromkeys(chain.from_iterable(one.missing for one in known))),
        missing_ranges=tuple(
            dict.fromkeys(chain.from_iterable(one.missing_ranges for one in known))
        ),
    )
