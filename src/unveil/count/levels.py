"""How is a level of a column written as text, and which level does a text name?

Text is itself; numbers are matched by value, truth values as true and false, dates and times as ISO
text, bands by their label. The missing level is written as nothing.
"""

import math

import polars as pl

from unveil.count.codes import Column


def label(column: Column, code: int) -> str | None:
    """The level as text; None is the missing level."""
    return _as_text(column.levels[code])


def labels(column: Column) -> list[str]:
    """Every level as text, the missing one left out."""
    return [text for level in column.levels if (text := _as_text(level)) is not None]


def code_of(column: Column, text: str) -> int | None:
    """The code of the level that the text names; None where there is none."""
    if text == "":
        return column.n_levels - 1 if column.has_missing else None
    if column.levels.dtype == pl.String:
        return column.levels.index_of(text)
    if column.levels.dtype.is_numeric():
        number = _as_number(text)
        return None if number is None else _place_of(column.levels, number)
    known = labels(column)
    folded = text.strip().lower() if column.levels.dtype == pl.Boolean else text
    return known.index(folded) if folded in known else None


def _as_text(level: object) -> str | None:
    if level is None:
        return None
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer() and abs(level) < 2**53:
        return str(int(level))
    return str(level)


def _as_number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _place_of(levels: pl.Series, number: int | float) -> int | None:
    """Where a number stands among the levels, by value."""
    wanted = pl.Series([number], strict=False).cast(levels.dtype, strict=False)[0]
    # A decimal cut to a whole number, or a number too large for the type, is not the same number.
    return levels.index_of(wanted) if wanted is not None and wanted == number else None
