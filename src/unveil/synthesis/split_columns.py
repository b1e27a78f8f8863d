"""From a column of the original to what synthesis models, and from that back to a column.

What comes back has the original's type, whatever it was: whole numbers, dates, categories in their
order, truth values. No value is converted through text.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.kinds import kind_of_series, means_no_answer
from unveil.errors import ReadError
from unveil.io.numbers import TAGS
from unveil.io.table import Table
from unveil.models.design import MISSING, ColumnValues, Kind, ModelColumn, States, Values
from unveil.records.codebook import Variable

# Numbers that a text file holds as text, because letters of missing values stand among them.
#
# A codebook says that a column holds numbers, and the file has 1.5, .a and 2.25 in it: in a text
# file that is text. Synthesis needs the numbers, and each letter as the number that stands for
# it; writers turn them back.


def read_lettered_numbers(table: Table) -> Table:
    """The table, with text as numbers where all of it is numbers and letters, and so declared."""
    book = table.codebook
    declared = [] if book is None else [v.name for v in book.variables if v.kind == "number"]
    schema = table.frame.schema
    made = [
        numbers
        for name in declared
        if schema.get(name) == pl.String and (numbers := _numbers(table.frame[name])) is not None
    ]
    return replace(table, frame=table.frame.with_columns(made)) if made else table


def _numbers(text: pl.Series) -> pl.Series | None:
    """The numbers; None where some text is neither a number nor a letter, or no letter occurs."""
    name, text = text.name, text.alias("")
    letters = text.replace_strict(
        list(TAGS), list(TAGS.values()), default=None, return_dtype=pl.Float64
    )
    if letters.null_count() == len(letters):
        return None
    plain = text.cast(pl.Float64, strict=False)
    made = letters.fill_null(plain.set((~plain.is_finite()).fill_null(value=False), None))
    return made.alias(name) if made.null_count() == text.null_count() else None


_EMPTY = pl.Series([], dtype=pl.Null)
_MOST_CODES = 1_000
_LARGEST = 1e150  # the square is still a number


def split(
    series: pl.Series, *, special: Sequence[float] = (), variable: Variable | None = None
) -> ColumnValues:
    """One column of the original, taken apart: its kind, states and values."""
    # Without its name: polars takes some names, such as "^a$", for a pattern of names.
    name, dtype, series = series.name, series.dtype, series.alias("")
    series = series.fill_nan(None) if dtype.is_float() else series
    if series.null_count() == len(series):
        return _fixed_part(ModelColumn(name, "empty", dtype, has_missing=True), len(series))
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        raise ReadError(
            f"Column {name!r} holds {str(dtype).split('(', maxsplit=1)[0]} values, which cannot be"
            " synthesised. Omit the column, or turn it into text or numbers."
        )
    kind = kind_of_series(series, variable)
    if kind in ("category", "ordered"):
        return _category(name, series, is_ordered=kind == "ordered")
    return _number(name, series, special, variable)


def join_column(part: ColumnValues) -> pl.Series:
    """The column that a part stands for, with the original's name and type."""
    column = part.column
    if column.kind == "empty":
        return pl.Series(column.name, [None], dtype=column.dtype).new_from_index(0, len(part))
    if column.kind == "constant":
        return column.levels.alias(column.name).new_from_index(0, len(part))
    if column.is_category:
        levels = column.levels.alias("")
        if column.has_missing:
            levels = levels.extend_constant(None, 1)
        return levels.gather(part.values).alias(column.name)
    return _join_number(part)


def _join_number(part: ColumnValues) -> pl.Series:
    column = part.column
    plain = from_numbers(part.values, column.dtype).alias(column.name)
    if part.state is None:
        return plain
    others = pl.concat([pl.Series([None], dtype=column.dtype), column.special.cast(column.dtype)])
    elsewhere = pl.Series(np.maximum(part.state - MISSING, 0))
    return plain.zip_with(pl.Series(part.state == 0), others.gather(elsewhere)).alias(column.name)


def to_numbers(series: pl.Series) -> NDArray[np.int64] | NDArray[np.float64]:
    """The numbers behind a column, whole ones exactly; 0 where one is missing.

    Behind decimal numbers are whole ones: as many units of the last decimal.
    """
    dtype = series.dtype
    if dtype.is_temporal() or dtype.is_integer() or dtype.is_decimal():
        return series.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    return series.cast(pl.Float64).fill_null(0).to_numpy()


def from_numbers(values: Values, dtype: pl.DataType) -> pl.Series:
    """The column of a type that `to_numbers` gave; what is beside the type's grid is rounded."""
    numbers = pl.Series(values)
    if dtype.is_temporal():
        physical = pl.Int32 if dtype == pl.Date else pl.Int64
        return numbers.cast(physical).cast(dtype)
    if isinstance(dtype, pl.Decimal) and numbers.dtype.is_integer():
        unit = pl.Series([Decimal(1).scaleb(-dtype.scale)], dtype=pl.Decimal(38, dtype.scale))
        return (numbers.cast(pl.Decimal(38, 0)) * unit).cast(dtype)
    if dtype.is_integer() and numbers.dtype.is_float():
        numbers = numbers.round()
    return numbers.cast(dtype, strict=False)


def _category(name: str, series: pl.Series, *, is_ordered: bool) -> ColumnValues:
    levels = series.drop_nulls().unique().sort()
    has_missing = series.null_count() > 0
    if len(levels) == 1 and not has_missing:
        return _fixed_part(ModelColumn(name, "constant", series.dtype, levels), len(series))
    kind: Kind = "ordered" if is_ordered else "category"
    column = ModelColumn(name, kind, series.dtype, levels, has_missing=has_missing)
    return ColumnValues(column, _codes(series, levels))


def _codes(series: pl.Series, levels: pl.Series) -> NDArray[np.int32]:
    """The place of every value among the levels; of a missing one, the place after the last."""
    rank = series.rank("dense").cast(pl.Int32) - 1
    return rank.fill_null(len(levels)).to_numpy()


def _number(
    name: str, series: pl.Series, special: Sequence[Any], variable: Variable | None
) -> ColumnValues:
    if not series.null_count() and series.n_unique() == 1:
        return _fixed_part(ModelColumn(name, "constant", series.dtype, series[:1]), len(series))
    codes = _find_special(series, special, variable)
    _check_many(name, len(codes))
    _check_digits(name, series)
    state = _states(series, codes)
    has_missing = series.null_count() > 0
    values = to_numbers(series)
    knots = np.unique(values if state is None else values[state == 0]).astype(float)
    _check_huge(name, knots)
    column = ModelColumn(name, "number", series.dtype, _EMPTY, codes, np.unique(knots), has_missing)
    return ColumnValues(column, values, state)


def _check_many(name: str, n_codes: int) -> None:
    if n_codes > _MOST_CODES:
        raise ReadError(
            f"Column {name!r} has {n_codes:,} different special codes; at most {_MOST_CODES:,} can "
            "be modelled apart. Name fewer, or turn the column into text."
        )


def _check_digits(name: str, series: pl.Series) -> None:
    """Decimal numbers are counted in units of their last decimal, in 64 bits."""
    if not series.dtype.is_decimal():
        return
    units = series.to_physical()
    if units.cast(pl.Int64, strict=False).null_count() > units.null_count():
        raise ReadError(
            f"Column {name!r} holds decimal numbers of more than 18 digits, which cannot be "
            "synthesised. Give the type fewer decimals, or turn the column into text."
        )


def _check_huge(name: str, knots: NDArray[np.float64]) -> None:
    if float(np.abs(knots).max(initial=0)) > _LARGEST:
        raise ReadError(
            f"Column {name!r} holds numbers beyond {_LARGEST:g}, too large to compute with. If "
            "they are special codes, name them as such; else divide the column."
        )


def _find_special(
    series: pl.Series, special: Sequence[Any], variable: Variable | None
) -> pl.Series:
    """The special codes that occur, in order: those given, declared, and infinite numbers."""
    if not series.dtype.is_numeric():
        return series[:0]
    wanted = pl.Series([float(code) for code in special], dtype=pl.Float64)
    as_float = series.cast(pl.Float64)
    found = as_float.is_in(wanted.implode()) | as_float.is_infinite()
    if variable is not None:
        found |= means_no_answer(series, variable)
    return series.filter(found.fill_null(value=False)).unique().sort()


def _states(series: pl.Series, codes: pl.Series) -> States | None:
    if not len(codes) and not series.null_count():
        return None
    state = np.zeros(len(series), dtype=np.int16)
    for place, code in enumerate(codes):
        state[(series == code).fill_null(value=False).to_numpy()] = MISSING + 1 + place
    state[series.is_null().to_numpy()] = MISSING
    return state


def _fixed_part(column: ModelColumn, n_rows: int) -> ColumnValues:
    return ColumnValues(column, np.zeros(n_rows, dtype=np.int32))
