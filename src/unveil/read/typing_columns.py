"""What is a column to be read as, where a project says so? Cast entry by entry, failures counted.

Casts are never strict: no message of another library can quote an entry.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from unveil.errors import ReadError
from unveil.read.table import Table, mid_sentence
from unveil.records.disclosure import Coercion

WORDS = {"integer": "whole number", "number": "number", "text": "text", "date": "date"}
"""What an entry of each type is called."""
_LONGEST_WHOLE = float(2**63)


def with_types(table: Table, types: Mapping[str, str]) -> Table:
    """The table with these columns in these types; a column that it has not is left aside.

    Raises
    ------
    ReadError
        If entries cannot be read as what the column is said to hold: how many, never which.
    """
    frame, notes, faults = table.frame, list(table.notes), []
    for name in (name for name in types if name in table.frame.columns):
        was = table.frame[name].alias("")
        now = _CASTS[types[name]](was)
        n_failed = now.null_count() - _known_missing(was)
        if n_failed > 0:
            faults.append(_fault(name, types[name], n_failed, table))
        elif now.dtype != was.dtype:
            frame = frame.with_columns(now.alias(name))
            notes.append(_note(name, types[name], was.dtype, table.side))
    if faults:
        raise ReadError("\n".join(faults))
    return replace(table, frame=frame, notes=tuple(notes))


def _fault(name: str, kind: str, n: int, table: Table) -> str:
    entries = f"1 entry that is no {WORDS[kind]}"
    if n > 1:
        entries = f"{n:,} entries that are no {WORDS[kind]}s"
    return (
        f"Column {name!r} of {mid_sentence(table.place)} has {entries}. [data.types] says {kind}:"
        " mend the file, name what stands for missing under missing_values, or change the type."
    )


def _note(name: str, kind: str, was: pl.DataType, side: str) -> Coercion:
    read = WORDS[kind] if kind == "text" else f"{WORDS[kind]}s"
    sentence = f"Column {name!r}: {_family(was)} read as {read}, as the project says."
    return Coercion(side=side, column=name, kind="type", sentence=sentence)


def _family(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "numbers"
    if dtype == pl.Boolean:
        return "truth values"
    return "dates" if dtype.is_temporal() else "text"


def _known_missing(column: pl.Series) -> int:
    """Entries that were missing before: null, NaN and empty text."""
    if column.dtype.is_float():
        return column.fill_nan(None).null_count()
    if column.dtype == pl.String:
        return column.null_count() + int((column.str.strip_chars() == "").sum())
    return column.null_count()


def _whole(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer() or column.dtype == pl.Null:
        return column
    exact = _text_of(column).cast(pl.Int64, strict=False)
    numbers = _number(column)
    is_whole = (numbers == numbers.round()) & (numbers.abs() < _LONGEST_WHOLE)
    by_value = numbers.set(~is_whole.fill_null(False), None).cast(pl.Int64, strict=False)
    return exact.zip_with(exact.is_not_null(), by_value)


def _number(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer() or column.dtype == pl.Null:
        return column
    if not column.dtype.is_float():
        column = _text_of(column).cast(pl.Float64, strict=False)
    return column.set(~column.is_finite().fill_null(False), None)


def _text(column: pl.Series) -> pl.Series:
    if not column.dtype.is_float():
        return column if column.dtype == pl.Null else column.cast(pl.String, strict=False)
    known = column.fill_nan(None)
    whole = _whole(known).cast(pl.String)
    return whole.zip_with(whole.is_not_null(), known.cast(pl.String))


def _date(column: pl.Series) -> pl.Series:
    if column.dtype in (pl.Date, pl.Null):
        return column
    if column.dtype == pl.Datetime:
        days = column.dt.date()
        is_a_day = days.cast(column.dtype) == column.dt.replace_time_zone(None)
        return days.set(~is_a_day.fill_null(False), None)
    return _text_of(column).str.to_date("%Y-%m-%d", strict=False)


def _text_of(column: pl.Series) -> pl.Series:
    """Text without spaces around it; nothing where a column is neither text nor numbers."""
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return pl.Series([None] * len(column), dtype=pl.String)
    return column.str.strip_chars()


_CASTS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "integer": _whole,
    "number": _number,
    "text": _text,
    "date": _date,
}
