"""The cells of a sheet, a text file or a frame as they stand, for tables laid out to be read."""

import csv
import hashlib
import io
from pathlib import Path
from typing import Any

import polars as pl

from unveil.data.apart import read_apart
from unveil.data.codebook import Data
from unveil.data.excel import check_archive
from unveil.data.read import BOOKS, TEXTS, How, OpenFile, open_file, place_of
from unveil.data.text import DELIMITERS, naming
from unveil.errors import InputError, check_name

Grid = list[list[str]]
"""Rows of equally many cells; an empty cell is an empty text."""


def open_grid(source: Any, role: str) -> tuple[OpenFile, Grid]:
    """All cells, names of columns among them."""
    if isinstance(source, str | Path):
        path, sheet = place_of(source)
        is_laid_out = path.suffix.lower() in BOOKS or path.suffix.lower() in TEXTS
        if is_laid_out and path.is_file() and not path.is_symlink():
            with naming(path):
                check_archive(path)
                is_book = path.suffix.lower() in BOOKS
                rows = _of_book(path, sheet) if is_book else _of_text(path)
                frame = pl.DataFrame(rows, orient="row")
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            file = OpenFile(Data(frame), role, "", 1, path.name, digest, source, How())
            return file, rows
    file = open_file(source, role)
    texts = file.frame.with_columns(pl.all().cast(pl.String, strict=False).fill_null(""))
    return file, [[*file.frame.columns], *map(list, texts.rows())]


def _of_book(path: Path, sheet: str) -> Grid:
    return [list(row) for row in read_apart(__name__, path, sheet).frame.rows()]


def parse(path: Path, sheet: str) -> Data:
    """In the child."""
    import fastexcel

    with naming(path):
        book = fastexcel.read_excel(path)
        sheet = sheet or book.sheet_names[0]
        check_name(sheet, book.sheet_names, "has no sheet")
        cells = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return Data(cells.select(pl.all().fill_null("").str.strip_chars()))


def _of_text(path: Path) -> Grid:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("windows-1252", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    mark = max(DELIMITERS, key=lambda sign: sum(sign in line for line in lines))
    rows = list(csv.reader(io.StringIO(text), delimiter=mark))
    width = max(map(len, rows), default=0)
    if not width:
        raise InputError("is empty. Check that its export was finished.")
    return [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in rows]
