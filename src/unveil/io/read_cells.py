"""What stands in each cell of a sheet or a text file, as text, wherever its table begins?"""

import csv
import os
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from unveil.errors import ReadError
from unveil.io.csv_dialect import SEPARATORS, detect_dialect
from unveil.io.file_checks import guard
from unveil.io.memory import open_file
from unveil.io.sources import TEXT, read_apart_file, split_sheet
from unveil.io.table import place_of

LARGEST_TEXT = 1 << 26
"""Bytes of a text file whose cells are read one by one."""


@dataclass(frozen=True)
class SheetCells:
    """Rows of cells; None is an empty one."""

    place: str
    rows: tuple[tuple[str | None, ...], ...]


def has_cells(source: Any) -> bool:
    """Whether a source is a workbook or a text file."""
    if not isinstance(source, str | os.PathLike):
        return False
    path, _ = split_sheet(Path(os.fsdecode(source)))
    return path.suffix.lower() in (*TEXT, ".xlsx", ".xlsm")


def read_place(source: Any, side: str) -> str:
    """How a sentence names the file."""
    return place_of(side, split_sheet(Path(os.fsdecode(source)))[0].name)


def read_cells(source: Any, *, side: str) -> SheetCells:
    """The cells of a sheet, or of a text file."""
    path, sheet = split_sheet(Path(os.fsdecode(source)))
    place = place_of(side, path.name)
    if path.suffix.lower() not in TEXT:
        frame = read_apart_file(path, side, None, sheet, cells=True).frame
        return SheetCells(place, tuple(tuple(map(_bare, row)) for row in frame.iter_rows()))
    guard(path, "text", place)
    with open_file(path, place) as file:
        text, _ = detect_dialect(file, place)
        text.seek(0)
        content = text.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise ReadError(f"{place} is too large for a cross-table. Give the counts in a long file.")
    try:
        found = [_split(content.decode(errors="replace"), one) for one in SEPARATORS]
    except csv.Error:
        fault = "cannot be read as cells. Look for a stray quotation mark."
        raise ReadError(f"{place} {fault}") from None
    # Lines of titles have fewer cells than others: the separator that cuts most lines is it.
    rows = max(found, key=lambda rows: (sum(len(row) > 1 for row in rows), sum(map(len, rows))))
    return SheetCells(place, tuple(tuple(map(_bare, row)) for row in rows))


def _split(text: str, separator: str) -> list[list[str]]:
    return [*csv.reader(StringIO(text, newline=""), delimiter=separator)]


def _bare(cell: str | None) -> str | None:
    return (cell or "").strip() or None
