"""What does a frame of this or another library hold?

Polars is taken as it is, and with its codebook where it is `Labelled`; pandas column by column,
all else through narwhals. Columns asked for are chosen before anything is computed or copied.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from unveil.errors import ReadError, RolesError
from unveil.io.table import Labelled, Table, choose, has_pattern, place_of

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


# What does a pandas frame hold?
#
# Column by column, through numpy where its type is numpy's and through a list where it is not:
# this needs no pyarrow, and a column of several types is refused instead of turned into text.


# In this order: a bool is also an int, a datetime also a date.
_FAMILIES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "truth": (bool, np.bool_),
    "number": (int, float, np.integer, np.floating),
    "decimal": (Decimal,),
    "moment": (datetime,),
    "date": (date,),
    "time": (time,),
    "span": (timedelta,),
}

_SINGLE = {"float32", "float16", "float[pyarrow]", "halffloat[pyarrow]"}


def from_pandas(frame: Any, wanted: Sequence[str], place: str) -> pl.DataFrame:
    """The wanted columns of a pandas frame, missing entries as nulls; its index is left behind."""
    # Columns get their names at the end, for polars takes some names for patterns of names.
    return pl.DataFrame({name: _column(frame[name], name, place) for name in wanted})


def _column(column: Any, name: str, place: str) -> pl.Series:
    dtype = column.dtype
    if hasattr(dtype, "categories"):
        return _categories(column, name, place)
    if getattr(dtype, "tz", None) is not None:
        bare = column.dt.tz_convert("UTC").dt.tz_localize(None)
        return _column(bare, name, place).dt.replace_time_zone("UTC")
    if isinstance(dtype, np.dtype) and dtype.kind in "iufbmM":
        return _from_numpy(column.to_numpy())
    return _from_list(column, name, place)


def _from_numpy(values: np.ndarray[Any, Any]) -> pl.Series:
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    if values.dtype.kind == "f":  # single precision stays: what it is compared with must know
        values = values.astype(np.float32 if values.dtype.itemsize <= 4 else np.float64)
    return pl.Series(values, nan_to_null=True)


def _categories(column: Any, name: str, place: str) -> pl.Series:
    """Each record's category, whatever type the categories have."""
    levels = _column(column.cat.categories.to_series(), name, place)
    codes = pl.Series(column.cat.codes.to_numpy().astype(np.int64))
    return levels.gather(codes.set(codes < 0, None))


def _from_list(column: Any, name: str, place: str) -> pl.Series:
    objects = column.to_numpy(dtype=object).copy()
    objects[column.isna().to_numpy(dtype=bool)] = None
    values = objects.tolist()
    types = set(map(type, values)) - {type(None)}
    if not types:
        return pl.Series(values, dtype=pl.Null)
    families = {_family(found) for found in types}
    if len(families) > 1:
        raise ReadError(
            f"{place} has a column {name!r} that holds values of more than one type, such as "
            "numbers among text. Turn it into one type first."
        )
    if None in families:
        raise ReadError(_unreadable(name, place))
    has_float = any(issubclass(found, float | np.floating) for found in types)
    try:
        made = pl.Series(values, dtype=pl.Float64 if has_float else None)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise ReadError(_unreadable(name, place)) from None
    return made.cast(pl.Float32) if str(column.dtype).lower() in _SINGLE else made


def _family(found: type) -> str | None:
    return next((name for name, types in _FAMILIES.items() if issubclass(found, types)), None)


def _unreadable(name: str, place: str) -> str:
    return (
        f"{place} has a column {name!r} of a type that unveil does not read. Turn it into numbers, "
        "text, truth values or dates first, or omit it."
    )


def read_frame(frame: Any, *, side: str, columns: Sequence[str] | None = None) -> Table:
    """The table a frame holds; only `columns`, in that order, where they are given."""
    if isinstance(frame, Labelled):
        table = read_frame(frame.frame, side=side, columns=columns)
        return replace(table, source=frame.codebook.source, codebook=frame.codebook)
    place = place_of(side)
    found = _read_frame(frame, columns, place)
    if found.is_empty():
        raise ReadError(f"{place} has columns but no rows. Check how the frame was made.")
    return Table(side=side, place=place, frame=found)


def _read_frame(frame: Any, columns: Sequence[str] | None, place: str) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame[choose(frame.columns, columns, place)]
    # Only frames of other libraries pay for the import.
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame, pass_through=True)
    if isinstance(native, pl.DataFrame):
        return _read_frame(native, columns, place)
    if nw.dependencies.is_pandas_dataframe(native):
        names = _text_names(native.columns.to_list(), place)
        return from_pandas(native, choose(names, columns, place), place)
    return _collect_frame(_as_narwhals(native, place), columns, place)


def _text_names(names: Sequence[Any], place: str) -> Sequence[str]:
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise RolesError(
                f"{place} has a column whose name is not text (column {position}: "
                f"{type(name).__name__}). Give every column a name in text."
            )
    return names


def _as_narwhals(frame: Any, place: str) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_pyarrow_table(frame):
        choose(frame.column_names, None, place)  # narwhals fails on two columns of one name
    try:
        known: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
    except TypeError:
        raise ReadError(
            f"{place} is given as {_a(type(frame).__name__)}. unveil reads file paths and data "
            "frames: polars, pandas, pyarrow, DuckDB and all that narwhals knows."
        ) from None
    except nw.exceptions.NarwhalsError:
        raise ReadError(_refusal_sentence(place)) from None
    return known


def _collect_frame(
    frame: "nw.DataFrame[Any] | nw.LazyFrame[Any]", columns: Sequence[str] | None, place: str
) -> pl.DataFrame:
    import narwhals.stable.v2 as nw

    # Any engine may stand behind the frame, with error classes of its own that may quote values.
    try:
        names = frame.collect_schema().names()
    except (Exception, pl.exceptions.PanicException):
        raise ReadError(_refusal_sentence(place)) from None
    wanted = choose(names, columns, place)
    try:
        chosen = frame if has_pattern(wanted) else frame.select(*wanted)
        eager = chosen.collect("polars") if isinstance(chosen, nw.LazyFrame) else chosen
        return eager.to_polars()[wanted]
    except (Exception, pl.exceptions.PanicException):
        raise ReadError(_refusal_sentence(place)) from None


def _refusal_sentence(place: str) -> str:
    return (
        f"{place} could not be turned into a table: the library behind the frame refused. Compute "
        "it there first, or save it as Parquet and give the path."
    )


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
