"""A sheet of a book: one row of names, and columns in the types of their cells."""

import logging
import zipfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import fastexcel
import polars as pl

from unveil.data.codebook import Data
from unveil.data.text import BOMB, EXACT, TIMES, check_names, naming, type_column
from unveil.errors import InputError, check_name, list_names

HEAD = 100  # rows that the names are looked for in
NO_DAY = date(1899, 12, 31)  # on which a book has times of day

for library in ("fastexcel", "calamine"):
    logging.getLogger(library).setLevel(logging.CRITICAL)


def read_excel(path: Path, sheet: str, missing: Sequence[str]) -> Data:
    """A sheet, the first if none is named; a row without any cell is no record."""
    with naming(path):
        _check_archive(path)
        book = fastexcel.read_excel(path)
        sheets = book.sheet_names
        sheet = sheet or sheets[0]
        check_name(sheet, sheets, "has no sheet")
        cells, above = _load(book, sheet)
        frame = cells.filter(~pl.all_horizontal(pl.all().is_null()))
        if frame.is_empty():
            raise InputError("has names but no records. Check that its export was finished.")
    columns, about = zip(*(_type_cells(column, missing) for column in frame), strict=True)
    notes = [f"Sheet {sheet!r} was read, of {list_names(sheets)}."] * (len(sheets) > 1)
    notes += [f"The names are in row {above + 1}; the rows above were left out."] * (above > 0)
    return Data(pl.DataFrame(columns), {}, (*notes, *filter(None, about)))


def _check_archive(path: Path) -> None:
    """Refuse what is damaged or would fill the memory; old books are no archives."""
    if not zipfile.is_zipfile(path):
        return
    limit = max(BOMB, TIMES * path.stat().st_size)
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > limit:
            raise InputError(f"is over {TIMES} times as large when unpacked. Save it as CSV.")
        if archive.testzip():
            raise zipfile.BadZipFile


def _load(book: fastexcel.ExcelReader, sheet: str) -> tuple[pl.DataFrame, int]:
    """The cells below the names, and how many rows are above these: titles, filled in part."""
    head = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=HEAD, dtypes="string")
    rows = [[(cell or "").strip() for cell in row] for row in head.to_polars().rows()]
    filled = [len(list(filter(None, row))) for row in rows]
    if not any(filled):
        raise InputError(f"has nothing on sheet {sheet!r}. Name another, as in book.xlsx#people.")
    above = next((i for i, n in enumerate(filled) if 2 * n > head.width), filled.index(max(filled)))
    check_names(rows[above])
    cells = book.load_sheet(
        sheet, header_row=None, column_names=rows[above], skip_rows=above + 1,
        schema_sample_rows=None,
    )  # fmt: skip
    return cells.to_polars(), above


def _type_cells(column: pl.Series, missing: Sequence[str]) -> tuple[pl.Series, str]:
    """Whole numbers, days and times of day, which a book has as decimals and moments."""
    if column.dtype == pl.String and (is_missing := column.is_in(list(missing))).any():
        return type_column(column.set(is_missing, None))
    if column.dtype == pl.Float64:
        is_whole = (column.floor() == column) & column.is_between(-EXACT, EXACT)
        return column.cast(pl.Int64) if is_whole.all() else column, ""
    if column.dtype == pl.Datetime:
        days = column.dt.date()
        if (days == NO_DAY).all():
            return column.dt.time(), ""
        is_day = (days.cast(column.dtype) == column).all()
        return days if is_day else column.cast(pl.Datetime("us")), ""
    return column, ""
