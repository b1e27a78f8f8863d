"""What do SPSS, Stata and SAS declare about the columns of a file?"""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from unveil.io.code_meanings import kind_of
from unveil.io.numbers import LETTERS, TAGS, as_code
from unveil.io.wire import ReadRequest
from unveil.records.codebook import Code, Codebook, Level, MissingRange, Variable

# Does a SAS file have its catalogue of labels (.sas7bcat) beside it?


ENDING = ".sas7bcat"
_MAGIC = bytes(12) + bytes.fromhex("c2ea8163b31411cfbd92080009c7318c181f1011")


@dataclass(frozen=True)
class Catalogue:
    """The labels of codes by the name of their format."""

    name: str
    sets: dict[str, dict[Any, str]]


def catalogue_beside(question: ReadRequest) -> Catalogue | None:
    """The catalogue of the same name, if there is one and it can be read."""
    import pyreadstat

    path = Path(os.fsdecode(question.path)).with_suffix(ENDING)
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
        _, found = pyreadstat.read_sas7bcat(os.fsencode(path), output_format="dict")
    except (OSError, UnicodeDecodeError, pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        return None
    return Catalogue(path.name, dict(found.value_labels or {}))


# Which missing values of a SAS transport file (.xpt) are letters? Its parser makes them all one.
#
# The file is made of lines of 80 bytes: headers, then a description of 140 bytes (136 on VAX) for
# each column, then the records. A number is missing where it is one byte (a point, a letter or an
# underscore) and then zeros, which no number is. Laid down in SAS's technical notes TS-140 (the
# format of 1989) and TS-140-2 (version 8).


_LINE = 80
_HEADER = b"HEADER RECORD*******"
_NUMERIC = 1
_MOST_HEADERS = 100_000
_MEMBER = _HEADER + b"MEMB"
_LINES = 1 << 14
_IS_LETTER = np.isin(np.arange(256), [ord(letter.upper()) for letter in LETTERS])


@dataclass(frozen=True)
class _Column:
    is_number: bool
    start: int
    length: int


def read_declared_rows(path: bytes) -> int | None:
    """How many records the file says it has; None where it does not say, as before version 8."""
    with open(path, "rb") as file:
        for _ in range(_MOST_HEADERS):
            line = file.read(_LINE)
            if len(line) < _LINE or line.startswith(_HEADER + b"OBS "):
                return None
            if line.startswith(_HEADER + b"OBSV8"):
                count = line[48:63].strip()
                return int(count) if count.isdigit() else None
    return None


def count_members(path: bytes) -> int:
    """How many tables a transport file holds."""
    with open(path, "rb") as file:
        lines = iter(lambda: file.read(_LINE * _LINES), b"")
        return sum(
            piece[at : at + len(_MEMBER)] == _MEMBER
            for piece in lines
            if _MEMBER in piece
            for at in range(0, len(piece), _LINE)
        )


def letters_of(path: bytes, n_rows: int) -> Iterator[tuple[int, str, npt.NDArray[np.intp]]]:
    """By the column's place and the letter: which of the first `n_rows` records have it there."""
    columns, offset = _layout(path)
    length = max((column.start + column.length for column in columns), default=0)
    if not n_rows or offset + n_rows * length > os.path.getsize(path):
        return
    records = np.memmap(path, np.uint8, "r", offset, (n_rows, length))
    for place, column in enumerate(columns):
        if not column.is_number:
            continue
        # The second byte of a number is never zero, so that few are left to be looked at.
        first, second = records[:, column.start].copy(), records[:, column.start + 1]
        found = np.flatnonzero((second == 0) & _IS_LETTER[first])
        rest = records[found, column.start + 1 : column.start + column.length]
        found = found[~rest.any(axis=1)]
        for letter in LETTERS:
            rows = found[first[found] == ord(letter.upper())]
            if rows.size:
                yield place, letter, rows


def _layout(path: bytes) -> tuple[list[_Column], int]:
    """The columns, and where the records begin."""
    columns: list[_Column] = []
    size = 140
    with open(path, "rb") as file:
        for _ in range(_MOST_HEADERS):
            line = file.read(_LINE)
            if len(line) < _LINE:
                break
            if not line.startswith(_HEADER):
                continue
            name = line[len(_HEADER) :]
            if name.startswith(b"MEMB"):
                size = int(line[74:78])
            elif name.startswith((b"NAMESTR", b"NAMSTV8")):
                n = int(line[48:58])
                found = file.read(-(-n * size // _LINE) * _LINE)
                columns = [_column(found[i * size : (i + 1) * size]) for i in range(n)]
            elif name.startswith(b"OBS"):
                return columns, file.tell()
    return [], 0


def _column(found: bytes) -> _Column:
    kind, length, start = (int.from_bytes(found[a:b], "big") for a, b in ((0, 2), (4, 6), (84, 88)))
    return _Column(kind == _NUMERIC, start, length)


Text = Callable[[str], str]
"""What makes the file's texts readable."""

_MEASURES = ("nominal", "ordinal", "scale")
_ENDLESS = 1.797e308  # SPSS writes LO and HI as the lowest and highest number there is


@dataclass(frozen=True)
class StatColumn:
    """One column that was read: its name, how the file spells it, and what was found in it."""

    name: str
    spelt: str
    dtype: pl.DataType
    letters: tuple[str, ...]  # of missing values, as they occur


def codebook_of(
    meta: Any,
    *,
    sets: Mapping[str, Mapping[Any, str]],
    columns: Sequence[StatColumn],
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
        file_label=_decode_text(meta.file_label, text),
        notes=tuple(text(line) for line in meta.notes or ()),
        encoding=meta.file_encoding or None,
        variables=tuple(_variable(meta, column, levels, text) for column in columns),
    )


def _variable(
    meta: Any, column: StatColumn, levels: Mapping[str, tuple[Level, ...]], text: Text
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
        label=_decode_text(meta.column_names_to_labels.get(spelt), text),
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


def _letters(column: StatColumn, known: Sequence[Level]) -> list[str]:
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


def _decode_text(text: str | None, decoded: Text) -> str | None:
    return decoded(text) if text else None
