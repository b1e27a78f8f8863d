"""Which missing values of a SAS transport file (.xpt) are letters? Its parser makes them all one.

The file is made of lines of 80 bytes: headers, then a description of 140 bytes (136 on VAX) for
each column, then the records. A number is missing where it is one byte (a point, a letter or an
underscore) and then zeros, which no number is. Laid down in SAS's technical notes TS-140 (the
format of 1989) and TS-140-2 (version 8).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unveil.read.tags import LETTERS

_LINE = 80
_HEADER = b"HEADER RECORD*******"
_NUMERIC = 1
_MOST_HEADERS = 100_000
_IS_LETTER = np.isin(np.arange(256), [ord(letter.upper()) for letter in LETTERS])


@dataclass(frozen=True)
class _Column:
    is_number: bool
    start: int
    length: int


def declared_rows(path: bytes) -> int | None:
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
