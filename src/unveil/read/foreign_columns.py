"""What pyreadstat gives for one column, as a series: numbers, letters of missing values, text."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from unveil.read.numbers import is_letter
from unveil.read.tags import LETTERS, TAGS

_NUMBER_OF: dict[Any, float] = {
    spelt: TAGS[f".{letter}"] for letter in LETTERS for spelt in (letter, letter.upper())
}
_LOWEST_LETTER = min(TAGS.values())


def series_of(values: list[Any], kind: str) -> pl.Series:
    """A column as the file has it."""
    if kind == "string":
        return pl.Series(values, dtype=pl.String)
    if str in set(map(type, values)):
        return pl.Series(list(map(_NUMBER_OF.get, values, values)), dtype=pl.Float64)
    if kind.startswith("int"):
        return pl.Series(values, dtype=pl.Int64)
    return pl.Series(values, dtype=pl.Float32 if kind == "float" else pl.Float64)


def joined(parts: Sequence[pl.Series]) -> pl.Series:
    """The parts of a column, one behind the other."""
    is_mixed = len({part.dtype for part in parts}) > 1  # letters in some of the parts only
    if len(parts) == 1:
        return parts[0]
    return pl.concat([part.cast(pl.Float64) for part in parts] if is_mixed else parts)


def _may_have_letters(column: pl.Series) -> bool:
    """Whether a number is as large as letters are; asked first, for it takes no time."""
    highest = column.max() if column.dtype == pl.Float64 else None
    return isinstance(highest, float) and highest >= _LOWEST_LETTER


def letters_in(column: pl.Series) -> tuple[str, ...]:
    """The letters of missing values that occur."""
    if not _may_have_letters(column):
        return ()
    found = set(column.filter(is_letter(column)).unique().to_list())
    return tuple(tag for tag, number in TAGS.items() if number in found)
