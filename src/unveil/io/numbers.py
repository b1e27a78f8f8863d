"""Are all sides of a numeric column whole numbers, or must they be compared as decimals?

1 and 1.0 are the same level. Whole numbers stay whole however large they are; decimals are compared
as 64-bit floats.
"""

import struct
from collections.abc import Sequence
from datetime import date, datetime, time
from string import ascii_lowercase

import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.errors import AlignError
from unveil.io.table import Table
from unveil.records.disclosure import Coercion

# Stata's and SAS's letters of missing values, kept apart inside a column of numbers.
#
# Both programs have more than one missing value: `.`, and `.a` to `.z` (SAS also `._`), so that
# "refused" and "not applicable" stay two answers. A column of numbers keeps such a letter as the
# number that Stata itself stores for it, above every number that Stata allows: equal in every
# file, and never equal to an answer.


LETTERS = (*ascii_lowercase, "_")
"""The letters behind the point, in Stata's order; the underscore is SAS's own."""

# Stata keeps `.` as the double 0x7fe0000000000000, and every letter 2**40 further on.
_BASE, _STEP = 0x7FE0 << 48, 1 << 40

TAGS: dict[str, float] = {
    f".{letter}": struct.unpack(">d", (_BASE + place * _STEP).to_bytes(8, "big"))[0]
    for place, letter in enumerate(LETTERS, start=1)
}
"""Each tag, as it is written (".a"), and the number that stands for it."""

TAG_OF: dict[float, str] = {number: tag for tag, number in TAGS.items()}
"""The tag that a number stands for."""


EXACT_IN_FLOAT = 2**53
EXACT_IN_SINGLE = 2**24
DECIMAL_ONLY = ("spss", "sas", "excel")
"""Programs that store every number as a decimal: that says nothing about the column."""


def as_code(number: float) -> int | float:
    """A number as codebooks have it: whole where it is one."""
    return int(number) if number.is_integer() and abs(number) < EXACT_IN_FLOAT else number


def is_letter(side: pl.Series) -> pl.Series:
    """Which entries stand for letters of missing values."""
    if side.dtype != pl.Float64:
        return pl.Series([False]).new_from_index(0, len(side))
    return side.alias("").is_in(list(TAG_OF)).fill_null(value=False)


def letters_in(column: pl.Series) -> tuple[str, ...]:
    """The letters of missing values that a column holds: ".a" and others."""
    highest = column.max() if column.dtype == pl.Float64 else None
    if not isinstance(highest, float) or highest < min(TAG_OF):  # which takes no time to see
        return ()
    found = set(column.filter(is_letter(column)).to_list())
    return tuple(tag for tag, number in TAGS.items() if number in found)


def unify_number_types(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """All sides as Int64, or all as Float64, or huge whole numbers as their digits."""
    sides = [without_nan(side) if side.dtype.is_float() else side for side in sides]
    _check_inexact(name, sides)
    whole = [cast_to_int(side) for side in sides]
    notes = _mixed_storage(name, sides, tables)
    if all(side is not None for side in whole):
        return [side for side in whole if side is not None], notes
    if all(side.dtype.is_integer() for side in sides):  # beyond 64 bits: their digits still compare
        return [side.cast(pl.String) for side in sides], notes
    if any(side.dtype.is_integer() and _is_beyond(side, EXACT_IN_FLOAT) for side in sides):
        raise AlignError(_inexact(name))
    sides, precision_notes = _one_precision(name, sides, tables)
    # Adding zero makes -0.0 the same level as 0.0.
    return [side.cast(pl.Float64) + 0.0 for side in sides], notes + precision_notes


def separate_letters(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """The same, where numbers may stand for letters of missing values: those are no numbers."""
    letters = [is_letter(side) for side in sides]
    if not any(found.any() for found in letters):
        return unify_number_types(name, sides, tables)
    numbers = [
        side.set(found, None) if found.any() else side
        for side, found in zip(sides, letters, strict=True)
    ]
    made, notes = unify_number_types(name, numbers, tables)
    return [
        side.cast(pl.Float64).zip_with(found, number.cast(pl.Float64))
        for side, found, number in zip(sides, letters, made, strict=True)
    ], notes


def _one_precision(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """Decimals as the coarsest side keeps them: 0.1 must match 0.1 in single precision too."""
    coarse = [side.dtype == pl.Float32 for side in sides]
    finer = [side.dtype != pl.Float32 and not side.dtype.is_integer() for side in sides]
    if not any(coarse) or not any(finer):
        return list(sides), []
    sentence = (
        f"Column {name!r}: stored in single precision here and in double elsewhere; compared in"
        " single precision."
    )
    notes = _notes_of_sides(tables, coarse, column=name, kind="precision", sentence=sentence)
    return [s if s.dtype.is_integer() else s.cast(pl.Float32) for s in sides], notes


def cast_to_int(side: pl.Series) -> pl.Series | None:
    """The same values as Int64, or None where that would change one of them."""
    if side.dtype.is_decimal() and side.dtype.scale:  # type: ignore[attr-defined]
        return cast_to_int(side.cast(pl.Float64))
    if side.dtype == pl.Float64 and not side.null_count():
        values = side.to_numpy()
        return pl.Series(values.astype(np.int64)) if _is_whole(values) else None
    whole = side.cast(pl.Int64, strict=False)
    is_changed = side.dtype.is_float() and not (whole == side).all()
    return whole if whole.null_count() == side.null_count() and not is_changed else None


def _is_whole(values: Floats) -> bool:
    """Whether all decimals are whole numbers of 64 bits; the first that is not ends the search."""
    parts = (values[start : start + 2**15] for start in range(0, len(values), 2**15))
    return all(
        bool((np.floor(part) == part).all()) and part.min() >= -(2.0**63) and part.max() < 2.0**63
        for part in parts
    )


def without_nan(side: pl.Series) -> pl.Series:
    """Decimals with NaN as missing."""
    return side.fill_nan(None) if side.is_nan().any() else side


def _check_inexact(name: str, sides: Sequence[pl.Series]) -> None:
    """Refuse large numbers that one side holds as decimals, rounded, and another exactly."""
    for side in sides:
        exact = EXACT_IN_SINGLE if side.dtype == pl.Float32 else EXACT_IN_FLOAT
        is_alone = any(other.dtype != side.dtype for other in sides)
        if side.dtype.is_float() and is_alone and _is_beyond(side, exact):
            raise AlignError(_inexact(name))


def _is_beyond(side: pl.Series, exact: int) -> bool:
    known = side.filter(side.is_finite()) if side.dtype.is_float() else side
    ends = [end for end in (known.min(), known.max()) if isinstance(end, int | float)]
    return any(abs(end) > exact for end in ends)


def _inexact(name: str) -> str:
    return (
        f"Column {name!r} has whole numbers beyond {EXACT_IN_FLOAT:,} in one file and decimals in"
        " another, which cannot be compared exactly. If they are identifiers, drop the column or"
        " store it as text in every file."
    )


def _mixed_storage(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> list[Coercion]:
    """A note where some sides hold whole numbers and others were stored as decimals."""
    decimal = [
        not side.dtype.is_integer() and _form(table) not in DECIMAL_ONLY
        for side, table in zip(sides, tables, strict=True)
    ]
    if not any(side.dtype.is_integer() for side in sides):
        return []
    sentence = (
        f"Column {name!r}: stored as decimals here and as whole numbers elsewhere; compared by"
        " value."
    )
    return _notes_of_sides(tables, decimal, column=name, kind="number", sentence=sentence)


def _form(table: Table) -> str | None:
    return None if table.codebook is None else table.codebook.format


def _notes_of_sides(
    tables: Sequence[Table], chosen: Sequence[bool], *, column: str, kind: str, sentence: str
) -> list[Coercion]:
    return [
        Coercion(side=table.side, column=column, kind=kind, sentence=sentence)
        for table, is_chosen in zip(tables, chosen, strict=True)
        if is_chosen
    ]


# How is one level of a column written as text?
#
# Text is itself; whole numbers have no point, truth values are true and false, dates and times ISO
# text, a letter of missing values is what Stata writes (``.a``). Missing is written as nothing.


def level_text(level: object, *, is_single: bool = False) -> str | None:
    """The level as text; None is the missing level. Decimals may come from single precision."""
    if level is None:
        return None
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, date | datetime | time):
        return level.isoformat()
    return _number_text(level, is_single=is_single) if isinstance(level, float) else str(level)


def _number_text(number: float, *, is_single: bool) -> str:
    if number in TAG_OF:
        return TAG_OF[number]
    if number.is_integer() and abs(number) < EXACT_IN_FLOAT:
        return str(int(number))
    return str(np.float32(number)) if is_single else str(number)
