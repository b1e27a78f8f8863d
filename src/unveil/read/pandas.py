"""What does a pandas frame hold?

Column by column, through numpy where its type is numpy's and through a list where it is not: this
needs no pyarrow, and a column of several types is refused instead of turned into text.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from unveil.errors import ReadError

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
        "text, truth values or dates first, or leave it out."
    )
