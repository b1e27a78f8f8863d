"""How is a level of a column written as text, and which level does a text name?

Text is itself; numbers are matched by value, truth values as true and false, dates and times as ISO
text, bands by their label. The missing level is written as nothing.
"""

import math
import re
from datetime import date, datetime, time

import numpy as np
import polars as pl

from unveil.count.codes import Column

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf)", re.ASCII)


def label(column: Column, code: int) -> str | None:
    """The level as text; None is the missing level."""
    return _as_text(column.levels[code], is_single=column.is_single)


def labels(column: Column) -> list[str]:
    """Every level as text, the missing one left out."""
    return [text for text in labels_or_none(column) if text is not None]


def labels_or_none(column: Column) -> list[str | None]:
    """Every level as text, in the order of the codes; None is the missing level."""
    return [_as_text(level, is_single=column.is_single) for level in column.levels]


def code_of(column: Column, text: str) -> int | None:
    """The code of the level that the text names; None where there is none."""
    if text == "":
        return column.n_levels - 1 if column.has_missing else None
    if column.levels.dtype == pl.String:
        return column.levels.index_of(text)
    if column.levels.dtype.is_numeric():
        number = _as_number(text.strip())
        return None if number is None else _place_of(column, number)
    known = labels(column)
    wanted = _as_written(text, column.levels.dtype)
    return known.index(wanted) if wanted in known else None


def _as_text(level: object, *, is_single: bool) -> str | None:
    if level is None:
        return None
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, date | datetime | time):
        return level.isoformat()
    if isinstance(level, float):
        if level.is_integer() and abs(level) < 2**53:
            return str(int(level))
        return str(np.float32(level)) if is_single else str(level)
    return str(level)


def _as_written(text: str, dtype: pl.DataType) -> str:
    """A text as the level would be written: truth in small letters, moments with their T."""
    if dtype == pl.Boolean:
        return text.strip().lower()
    if isinstance(dtype, pl.Datetime):
        moment = text.strip().replace(" ", "T", 1)
        return moment if "T" in moment else f"{moment}T00:00:00"
    return text


def _as_number(text: str) -> int | float | None:
    if _WHOLE.fullmatch(text):
        return int(text)
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return None if math.isinf(number) and "inf" not in text else number


def _place_of(column: Column, number: int | float) -> int | None:
    """Where a number stands among the levels, by value."""
    levels = column.levels
    if column.is_single and float(str(np.float32(number))) == number:
        number = float(np.float32(number))
    wanted = pl.Series([number], strict=False).cast(levels.dtype, strict=False)[0]
    # A decimal cut to a whole number, or a number too large for the type, is not the same number.
    is_same = wanted is not None and (levels.dtype.is_float() or wanted == number)
    return levels.index_of(wanted) if is_same else None
