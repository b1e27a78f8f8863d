"""What do SPSS, Stata and SAS declare about the columns of a file?"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.read.numbers import as_code
from unveil.read.tags import LETTERS, TAGS
from unveil.read.undeclared import kind_of
from unveil.records.codebook import Code, Codebook, Level, MissingRange, Variable

Text = Callable[[str], str]
"""What makes the file's texts readable."""

_MEASURES = ("nominal", "ordinal", "scale")
_ENDLESS = 1.797e308  # SPSS writes LO and HI as the lowest and highest number there is


@dataclass(frozen=True)
class Declared:
    """One column that was read: its name, how the file spells it, and what was found in it."""

    name: str
    spelt: str
    dtype: pl.DataType
    letters: tuple[str, ...]  # of missing values, as they occur


def codebook_of(
    meta: Any,
    *,
    sets: Mapping[str, Mapping[Any, str]],
    columns: Sequence[Declared],
    source: str,
    program: str,
    text: Text,
) -> Codebook:
    """What is declared about the columns that were read; `sets` are the labels by their names."""
    # Each set once: hundreds of columns may share one.
    used = {meta.variable_to_label.get(column.spelt) for column in columns}
    levels = {name: _levels(labels, text) for name, labels in sets.items() if name in used}
    return Codebook(
        source=source,
        format=program,  # type: ignore[arg-type]
        file_label=_told(meta.file_label, text),
        notes=tuple(text(line) for line in meta.notes or ()),
        encoding=meta.file_encoding or None,
        variables=tuple(_variable(meta, column, levels, text) for column in columns),
    )


def _variable(
    meta: Any, column: Declared, levels: Mapping[str, tuple[Level, ...]], text: Text
) -> Variable:
    spelt = column.spelt
    known = levels.get(meta.variable_to_label.get(spelt), ())
    if column.dtype != pl.String:
        known = _with_letters(known)
    measure = meta.variable_measure.get(spelt)
    given = meta.missing_ranges.get(spelt, ())
    single = tuple(_code(end["lo"], text) for end in given if end["lo"] == end["hi"])
    return Variable(
        name=column.name,
        label=_told(meta.column_names_to_labels.get(spelt), text),
        kind=kind_of(column.dtype),
        measure=measure if measure in _MEASURES else None,
        format=meta.original_variable_types.get(spelt) or None,
        width=abs(meta.variable_display_width.get(spelt) or 0) or None,
        levels=known,
        missing=(*single, *_letters(column, known)),
        missing_ranges=tuple(
            MissingRange(lo=_end(end["lo"]), hi=_end(end["hi"]))
            for end in given
            if end["lo"] != end["hi"] and not isinstance(end["lo"], str)
        ),
    )


def _letters(column: Declared, known: Sequence[Level]) -> list[str]:
    """The letters of missing values that occur, or have a label."""
    if not column.dtype.is_numeric():
        return []
    codes = {level.code for level in known}
    return [tag for tag in TAGS if tag in column.letters or tag in codes]


def _levels(labels: Mapping[Any, str], text: Text) -> tuple[Level, ...]:
    return tuple(Level(code=_code(code, text), label=text(of)) for code, of in labels.items())


def _with_letters(known: tuple[Level, ...]) -> tuple[Level, ...]:
    """Labels of a column of numbers, in which a letter is one of the missing values."""
    if not any(isinstance(level.code, str) for level in known):
        return known
    return tuple(
        Level(code=f".{level.code.lower()}", label=level.label)
        if isinstance(level.code, str) and level.code.lower() in LETTERS
        else level
        for level in known
    )


def _code(code: Any, text: Text) -> Code:
    """A code as a codebook has it: a whole number where it is one."""
    if isinstance(code, str):
        return text(code)
    return as_code(float(code))


def _end(number: float) -> float | None:
    return None if math.isinf(number) or abs(number) >= _ENDLESS else float(number)


def _told(text: str | None, decoded: Text) -> str | None:
    return decoded(text) if text else None
