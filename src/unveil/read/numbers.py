"""Are all sides of a numeric column whole numbers, or must they be compared as decimals?

1 and 1.0 are the same level. Whole numbers stay whole however large they are; decimals are compared
as 64-bit floats.
"""

from collections.abc import Sequence

import polars as pl

from unveil.errors import AlignError
from unveil.read.table import Table
from unveil.read.tags import TAG_OF
from unveil.records.disclosure import Coercion

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


def one_number_type(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """All sides as Int64, or all as Float64, or huge whole numbers as their digits."""
    sides = [side.fill_nan(None) if side.dtype.is_float() else side for side in sides]
    _refuse_inexact(name, sides)
    whole = [as_whole(side) for side in sides]
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


def with_letters_apart(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """The same, where numbers may stand for letters of missing values: those are no numbers."""
    letters = [is_letter(side) for side in sides]
    if not any(found.any() for found in letters):
        return one_number_type(name, sides, tables)
    numbers = [
        side.set(found, None) if found.any() else side
        for side, found in zip(sides, letters, strict=True)
    ]
    made, notes = one_number_type(name, numbers, tables)
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
    notes = _of_some(tables, coarse, column=name, kind="precision", sentence=sentence)
    return [s if s.dtype.is_integer() else s.cast(pl.Float32) for s in sides], notes


def as_whole(side: pl.Series) -> pl.Series | None:
    """The same values as Int64, or None where that would change one of them."""
    if side.dtype.is_float() and not (side.drop_nulls() % 1 == 0).all():
        return None
    if side.dtype.is_decimal() and side.dtype.scale:  # type: ignore[attr-defined]
        return as_whole(side.cast(pl.Float64))
    whole = side.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == side.null_count() else None


def _refuse_inexact(name: str, sides: Sequence[pl.Series]) -> None:
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
    return _of_some(tables, decimal, column=name, kind="number", sentence=sentence)


def _form(table: Table) -> str | None:
    return None if table.codebook is None else table.codebook.format


def _of_some(
    tables: Sequence[Table], chosen: Sequence[bool], *, column: str, kind: str, sentence: str
) -> list[Coercion]:
    return [
        Coercion(side=table.side, column=column, kind=kind, sentence=sentence)
        for table, is_chosen in zip(tables, chosen, strict=True)
        if is_chosen
    ]
