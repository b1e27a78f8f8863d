"""How is a level of a column written as text, and which level does a text name?

Text is itself; numbers are matched by value, truth values as true and false, dates and times as ISO
text, bands by their label. The missing level is written as nothing.
"""

import math
import re

import numpy as np
import polars as pl

from unveil.count.codes import Column
from unveil.read.level_text import level_text
from unveil.read.tags import TAGS

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf)", re.ASCII)


def label(column: Column, code: int) -> str | None:
    """The level as text; None is the missing level."""
    return level_text(column.levels[code], is_single=column.is_single)


def labels(column: Column) -> list[str]:
    """Every level as text, the missing one left out."""
    return [text for text in labels_or_none(column) if text is not None]


def labels_or_none(column: Column) -> list[str | None]:
    """Every level as text, in the order of the codes; None is the missing level."""
    return [level_text(level, is_single=column.is_single) for level in column.levels]


def label_beside(column: Column, code: int) -> str | None:
    """The label of a level with its code beside it; None where it has no label."""
    meaning = column.meanings.get(label(column, code) or "")
    return None if meaning is None else meaning.shown


def as_read(column: Column, text: str) -> str:
    """A level as people read it, by its text: its label with the code beside it, or the text."""
    meaning = column.meanings.get(text)
    return text if meaning is None else meaning.shown


def all_as_read(column: Column) -> list[str | None]:
    """Every level as people read it, in the order of the codes; None is the missing level."""
    return [None if text is None else as_read(column, text) for text in labels_or_none(column)]


def code_of(column: Column, text: str) -> int | None:
    """The code of the level that the text names; None where there is none.

    A level is named by its text or, where it has one, by its label.
    """
    code = _by_text(column, text)
    if code is not None or text not in column.level_of_label:
        return code
    return _by_text(column, column.level_of_label[text])


def _by_text(column: Column, text: str) -> int | None:
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


def _as_written(text: str, dtype: pl.DataType) -> str:
    """A text as the level would be written: truth in small letters, moments with their T."""
    if dtype == pl.Boolean:
        return text.strip().lower()
    if isinstance(dtype, pl.Datetime):
        moment = text.strip().replace(" ", "T", 1)
        return moment if "T" in moment else f"{moment}T00:00:00"
    return text


def _as_number(text: str) -> int | float | None:
    if text in TAGS:
        return TAGS[text]
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
