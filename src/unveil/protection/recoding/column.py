"""One column as a recoding step meets it: its values, its special codes, and the change."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.errors import RolesError, SettingsError
from unveil.io.code_meanings import NOUNS, find_code_number, kind_of, texts_of
from unveil.io.numbers import TAGS
from unveil.records.codebook import Kind, MissingRange, Variable
from unveil.records.recoding import Step
from unveil.study.band_spec import format_n
from unveil.study.bands import LARGEST_EXACT

# Numbers as a column holds them: its type stays, wherever it can hold what is put into it.


def to_floats(side: pl.Series) -> Floats:
    """The numbers of a column, missing ones as NaN."""
    return side.cast(pl.Float64).to_numpy()


def store_number(dtype: pl.DataType, number: float) -> float:
    """A number as a column holds it: 0.7 in single precision is less than 0.7 in double."""
    if dtype != pl.Float32:
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def are_whole(numbers: Floats) -> bool:
    """Whether all finite numbers are whole."""
    held = numbers[np.isfinite(numbers)]
    return bool((held == np.rint(held)).all())


def replace_values(side: pl.Series, chosen: NDArray[np.bool_], values: Floats | float) -> pl.Series:
    """The column with other numbers in some places, in its own type where that can hold them."""
    if not chosen.any():
        return side
    numbers = np.where(chosen, values, 0.0)
    new, where = pl.Series(numbers), pl.Series(chosen)
    for dtype in _types(side.dtype, numbers):
        cast = new.cast(dtype, strict=False)
        if cast.null_count() == 0 and (dtype == pl.Float64 or _same(cast, numbers)):
            return cast.zip_with(where, side.cast(dtype)).alias(side.name)
    return new.zip_with(where, side.cast(pl.Float64)).alias(side.name)


def _types(dtype: pl.DataType, numbers: Floats) -> list[pl.DataType]:
    """The types that might hold the numbers and the rest of the column, the own one first."""
    if not dtype.is_integer():
        return [dtype] if dtype.is_numeric() else []
    is_small = are_whole(numbers) and np.abs(numbers).max() <= LARGEST_EXACT
    return [dtype, pl.Int64()] if is_small else []


def _same(cast: pl.Series, numbers: Floats) -> bool:
    # Single precision holds what it can: its own numbers are as fine as that.
    return cast.dtype == pl.Float32 or np.array_equal(to_floats(cast), numbers)


# Which numbers of a column stand for no answer, whether they occur or not?


@dataclass(frozen=True)
class SpecialCodes:
    """Numbers that stand apart from the answers: special codes, and what a codebook declares."""

    codes: tuple[float, ...] = ()
    ranges: tuple[MissingRange, ...] = ()

    def among(self, numbers: Floats, dtype: pl.DataType) -> NDArray[np.bool_]:
        """Which numbers of a column of that type stand apart."""
        found = np.isin(numbers, np.array([store_number(dtype, code) for code in self.codes]))
        with np.errstate(invalid="ignore"):
            for gap in self.ranges:
                above = True if gap.lo is None else numbers >= gap.lo
                below = True if gap.hi is None else numbers <= gap.hi
                found |= ~np.isnan(numbers) & above & below
        return found

    def has(self, number: float) -> bool:
        """Whether a number stands apart."""
        return bool(self.among(np.array([number]), pl.Float64())[0])

    def also(self, given: Iterable[float]) -> "SpecialCodes":
        """With codes that a step names."""
        return SpecialCodes((*self.codes, *map(float, given)), self.ranges)


def declared_codes(variable: Variable | None) -> SpecialCodes:
    """The numbers that are declared to be no answers, letters of missing values among them."""
    if variable is None:
        return SpecialCodes()
    held = (find_code_number(code) for code in variable.missing)
    codes = [code for code in held if code is not None]
    return SpecialCodes((*codes, *TAGS.values()), variable.missing_ranges)


def find_codes(sides: Sequence[pl.Series], apart: SpecialCodes) -> tuple[float, ...]:
    """The numbers that stand apart and occur, as they are written: 0.7, not as a float holds it."""
    found: set[float] = set()
    for side in sides:
        if side.dtype.is_numeric():
            numbers = np.unique(_stored_numbers(side))
            held = {store_number(side.dtype, code): code for code in apart.codes}
            there = numbers[apart.among(numbers, side.dtype)].tolist()
            found |= {held.get(number, number) for number in there}
    return tuple(sorted(found))


def _stored_numbers(side: pl.Series) -> Floats:
    return to_floats(side.alias("").drop_nulls())  # a name such as "^a$" polars takes for a pattern


def ordinary(side: pl.Series, apart: SpecialCodes) -> Floats:
    """The finite numbers of a column that do not stand apart."""
    numbers = _stored_numbers(side)
    found: Floats = numbers[np.isfinite(numbers) & ~apart.among(numbers, side.dtype)]
    return found


def find_declaration(variables: Sequence[Variable | None]) -> Variable | None:
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


# One column as a step meets it, and what the step makes of it.


Chance = Callable[[int], np.random.Generator]
"""The random numbers of a step, for the data (0) and for its copy (1)."""
SIDES = ("", " in the synthetic data")


@dataclass(frozen=True)
class RecodedColumn:
    """A column of the data and, where there is one, of its copy; and what is declared about it."""

    name: str
    sides: tuple[pl.Series, ...]
    variable: Variable | None  # by the data, and by its copy where the data says nothing
    apart: SpecialCodes
    chance: Chance

    @cached_property
    def special_codes(self) -> tuple[float, ...]:
        """The numbers that stand for no answer and occur, in the data or in its copy."""
        return find_codes(self.sides, self.apart)


def keep_variable(variable: Variable) -> Variable:
    """What is declared of a column stays as it is."""
    return variable


@dataclass(frozen=True)
class Change:
    """What a step makes of a column: other values, or which records stay; and how it is told."""

    told: Callable[[int], str]  # of how many records it changed
    sides: tuple[pl.Series, ...] | None = None  # None: the values stay as they are
    kept: tuple[pl.Series, ...] | None = None  # None: all records stay
    declared: Callable[[Variable], Variable] = keep_variable  # of what is declared on one side
    is_dropped: bool = False
    fixed: tuple[Step, ...] | None = None  # with the numbers found in its place; None: the step


def check_unless(column: RecodedColumn, kinds: Sequence[Kind], what: str, instead: str) -> None:
    """Refuse a column that holds something else; one that is empty holds anything."""
    for side, where in zip(column.sides, SIDES, strict=False):
        kind = kind_of(side.dtype)
        if kind not in kinds and side.null_count() < len(side):
            raise SettingsError(
                f"column {column.name!r} holds {NOUNS[kind]}{where}, not {what}. {instead}"
            )


def check_names(column: RecodedColumn) -> None:
    """Refuse to reckon with codes that stand for names."""
    if column.variable is not None and column.variable.measure == "nominal":
        raise RolesError(
            f"column {column.name!r} is declared nominal: its numbers stand for names. Merge its"
            " levels instead."
        )


def check_large(name: str, sides: Sequence[pl.Series]) -> None:
    """Refuse whole numbers that are too large to be reckoned with exactly."""
    for side in sides:
        ends = [end for end in (side.min(), side.max()) if isinstance(end, int)]
        if side.dtype.is_integer() and any(abs(end) > LARGEST_EXACT for end in ends):
            raise SettingsError(
                f"column {name!r} holds whole numbers beyond 9,007,199,254,740,992, too"
                " large to be reckoned with exactly. Drop it, if it is an identifier."
            )


def n_changed(before: pl.Series, after: pl.Series) -> int:
    """How many records have another value now."""
    before, after = before.alias(""), after.alias("")
    if before.dtype == after.dtype and not isinstance(before.dtype, pl.Enum | pl.Categorical):
        return int(before.ne_missing(after).sum())
    return int(format_change(before).ne_missing(format_change(after)).sum())


def format_change(values: pl.Series) -> pl.Series:
    """Values as their levels are written; missing stays missing."""
    if values.dtype.is_decimal():  # 5.1, as people write it, and not 5.10
        whole_or_not = values.cast(pl.String).str.replace(r"(\.\d*?)0+$", "$1")
        return whole_or_not.str.strip_suffix(".")
    if values.dtype.is_float():
        values = values.fill_nan(None)
    is_plain = values.dtype.is_numeric() or values.dtype in (pl.String, pl.Boolean)
    return texts_of(values) if is_plain else values.cast(pl.String)


def records(n: int) -> str:
    """1 record, 5 records; no record."""
    return format_n(n, "record") if n else "no record"


def were(n: int) -> str:
    """Was or were, after so many."""
    return "was" if n < 2 else "were"
