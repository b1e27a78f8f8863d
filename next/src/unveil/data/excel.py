"""A sheet of a book: one row of names, and columns in the types of their cells."""

import zipfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl

from unveil.data.apart import read_apart
from unveil.data.codebook import Data
from unveil.data.text import (
    BOMB,
    EXACT,
    TIMES,
    check_names,
    naming,
    tidy_names,
    type_column,
    without_nameless,
)
from unveil.errors import InputError, check_name, list_names

HEAD = 100  # rows that the names are looked for in
NO_DAY = date(1899, 12, 31)  # on which a book has times of day


def read_excel(path: Path, sheet: str, missing: Sequence[str]) -> Data:
    """A sheet, the first if none is named; a row without any cell is no record."""
    with naming(path):
        check_archive(path)
    return read_apart(__name__, path, sheet, *missing)


def parse(path: Path, sheet: str, *missing: str) -> Data:
    """In the child."""
    import fastexcel

    with naming(path):
        book = fastexcel.read_excel(path)
        sheets = book.sheet_names
        sheet = sheet or sheets[0]
        check_name(sheet, sheets, "has no sheet")
        texts = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars()
        names, above = _find_names(texts[:HEAD], sheet)
        cells = book.load_sheet(
            sheet, header_row=None, column_names=names, skip_rows=above + 1,
            schema_sample_rows=None,
        ).to_polars()  # fmt: skip
        is_filled = ~cells.select(pl.all_horizontal(pl.all().is_null())).to_series()
        if not is_filled.any():
            raise InputError("has names but no records. Check that its export was finished.")
        pairs = zip(cells.filter(is_filled), texts[above + 1 :].filter(is_filled), strict=True)
        columns, about = zip(*(_type_cells(*pair, missing) for pair in pairs), strict=True)
        frame, unnamed = without_nameless(pl.DataFrame(columns))
    notes = [f"Sheet {sheet!r} was read, of {list_names(sheets)}."] * (len(sheets) > 1)
    notes += [f"The names are in row {above + 1}; the rows above were left out."] * (above > 0)
    return Data(frame, {}, (*notes, *unnamed, *filter(None, about)))


def check_archive(path: Path) -> None:
    """Refuse what is damaged or would fill the memory; old books are no archives."""
    if not zipfile.is_zipfile(path):
        return
    limit = max(BOMB, TIMES * path.stat().st_size)
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > limit:
            raise InputError(f"is over {TIMES} times as large when unpacked. Save it as CSV.")
        if archive.testzip():
            raise zipfile.BadZipFile


def _find_names(head: pl.DataFrame, sheet: str) -> tuple[list[str], int]:
    """The first row that is not filled in part, as titles are, and how many rows are above it."""
    rows = [[(cell or "").strip() for cell in row] for row in head.rows()]
    filled = [len(list(filter(None, row))) for row in rows]
    if not any(filled):
        raise InputError(f"has nothing on sheet {sheet!r}. Name another, as in book.xlsx#people.")
    above = next((i for i, n in enumerate(filled) if 2 * n > head.width), filled.index(max(filled)))
    names = tidy_names(rows[above])
    check_names(names)
    return names, above


def _type_cells(
    column: pl.Series, texts: pl.Series, missing: Sequence[str]
) -> tuple[pl.Series, str]:
    """Whole numbers, days and times of day, which a book has as decimals and moments."""
    note = ""
    if column.null_count() > texts.null_count():  # NA and None, which fastexcel takes as missing
        column, note = type_column(texts.alias(column.name))
    if column.dtype == pl.String and (is_missing := column.is_in(list(missing))).any():
        column, note = type_column(column.set(is_missing, None))
    if column.dtype == pl.Float64:
        is_whole = (column.floor() == column) & column.is_between(-EXACT, EXACT)
        return column.cast(pl.Int64) if is_whole.all() else column, note
    if column.dtype == pl.Datetime:
        days = column.dt.date()
        if (days == NO_DAY).all():
            return column.dt.time(), note
        is_day = (days.cast(column.dtype) == column).all()
        return days if is_day else column.cast(pl.Datetime("us")), note
    return column, note
