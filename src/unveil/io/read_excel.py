"""What does a sheet of an Excel workbook hold?

The first row holds the names. Cells keep their types where a column has one; where numbers stand
as text, or among text, the column is typed like that of a text file. Midnights are dates, and
whole numbers whole. Cells with an error (#N/A) are missing, and that is told.
"""

import html
import os
import re
import zipfile
from collections.abc import Sequence
from datetime import date
from typing import Any

import polars as pl

from unveil.errors import ReadError, RolesError, list_names, unknown_name
from unveil.io.code_meanings import variable_of
from unveil.io.numbers import EXACT_IN_FLOAT
from unveil.io.table import choose, note_beside
from unveil.io.text_types import infer_type
from unveil.io.wire import ParsedFile, ReadRequest
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

# What does a workbook say that its parser does not: errors, merged cells, hidden sheets?
#
# A workbook is an archive of XML files. Nothing is parsed here: marks are looked for in its bytes,
# piece by piece.


_PIECE = 1 << 20
_PARTS = {
    "comments": re.compile(r"xl/(threadedC|c)omments"),
    "the data behind pivot tables": re.compile(r"xl/pivotCache/"),
    "embedded files": re.compile(r"xl/(embeddings|media|model)/"),
    "macros": re.compile(r"xl/vbaProject"),
    "values of other workbooks": re.compile(r"xl/externalLinks/"),
    "attached documents": re.compile(r"customXml/"),
}
"""What of a workbook is no sheet, by the names of its parts."""
_SHEET = re.compile(r"<(?:\w+:)?sheet\b[^>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\b[^>]*>")
_ERROR = re.compile(rb"<(?:\w+:)?c\b[^<>]*\bt=[\"']e[\"']")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^<>]*\bref=[\"']([A-Z]+\d+:[A-Z]+(\d+))[\"']")
_LONGEST_MARK = 200
_MOST_MERGED = 1 << 20
_LARGEST_INDEX = 1 << 24


def hidden_sheets(path: str) -> set[str]:
    """The names of the sheets that Excel does not show."""
    with zipfile.ZipFile(path) as archive:
        try:
            tags = _tags(archive, "xl/workbook.xml", _SHEET)
        except KeyError:
            return set()
    hidden = [tag for tag in tags if _attribute(tag, "state") in ("hidden", "veryHidden")]
    return {_attribute(tag, "name") or "" for tag in hidden}


def count_merged(path: str, sheet: str) -> int:
    """How many times cells below the first row were merged into one."""
    found: set[bytes] = set()
    with zipfile.ZipFile(path) as archive:
        part = _part(archive, sheet)
        if part is None:
            return 0
        tail = b""
        with archive.open(part) as file:
            while (piece := file.read(_PIECE)) and len(found) < _MOST_MERGED:
                text = tail + piece
                if b"mergeCell" in text:
                    found |= {cells for cells, last in _MERGED.findall(text) if int(last) > 1}
                tail = text[-_LONGEST_MARK:]
    return len(found)


def count_errors(path: str, sheet: str) -> int:
    """How many cells of the sheet hold an error; 0 where the sheet's file cannot be found."""
    with zipfile.ZipFile(path) as archive:
        part = _part(archive, sheet)
        if part is None:
            return 0
        n, tail = 0, b""
        with archive.open(part) as file:
            while piece := file.read(_PIECE):
                found = tail + piece
                if b'e"' not in found and b"e'" not in found:  # quicker than looking for cells
                    tail = found[-_LONGEST_MARK:]
                    continue
                n += len(_ERROR.findall(found))
                # What was counted is not looked at again.
                ends = [match.end() for match in _ERROR.finditer(found, len(found) - _LONGEST_MARK)]
                tail = found[max([len(found) - _LONGEST_MARK, *ends]) :]
        return n


def _part(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """The file in the archive that holds a sheet."""
    try:
        sheets = _tags(archive, "xl/workbook.xml", _SHEET)
        relations = _tags(archive, "xl/_rels/workbook.xml.rels", _RELATION)
    except KeyError:
        return None
    mark = next(
        (_attribute(tag, r"\w+:id") for tag in sheets if _attribute(tag, "name") == sheet), None
    )
    target = next(
        (_attribute(tag, "Target") for tag in relations if _attribute(tag, "Id") == mark), None
    )
    if target is None:
        return None
    part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None


def _tags(archive: zipfile.ZipFile, part: str, pattern: re.Pattern[str]) -> list[str]:
    with archive.open(part) as file:
        return pattern.findall(file.read(_LARGEST_INDEX).decode("utf-8", "replace"))


def _attribute(tag: str, name: str) -> str | None:
    found = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", tag)
    return html.unescape(found[1] or found[2] or "") if found else None


_UNNAMED = re.compile(r"__UNNAMED__\d+")
_NUMBERED = re.compile(r".*_\d+|")
_NO_DAY = (date(1899, 12, 30), date(1899, 12, 31))  # the days on which Excel puts times of day


def parse(question: ReadRequest) -> ParsedFile:
    """What the sheet holds; only the columns asked for, in that order, where they are given."""
    import fastexcel

    path = os.fsdecode(question.path)
    book = fastexcel.read_excel(path)
    sheet, cells = _choose_sheet(book, question)
    if question.cells:
        return _read_as_text(book, sheet, question)
    given = _first_row(book, sheet, cells.columns)
    names = _names(given, question)
    unnamed = [name for name, was in zip(names, given, strict=True) if not _is_named(was)]
    cells.columns = names
    cells = cells.filter(~pl.all_horizontal(pl.all().is_null()))
    empty = {name for name in unnamed if _is_empty(cells[name])}
    if len(names) - 1 == len(unnamed) > len(empty) and names[0] not in unnamed:
        raise ReadError(_title(question))
    wanted = choose([name for name in names if name not in empty], question.columns, question.place)
    if cells.is_empty():
        raise ReadError(
            f"{question.place} has a header but no rows. Check that its export was finished."
        )
    frame = pl.DataFrame({name: _type_column(cells[name]) for name in wanted})
    notes = [_unnamed_note(name, question) for name in unnamed if name in wanted]
    notes += _sheet_notes(book, sheet, question) + _error_notes(path, sheet, question)
    notes += _merged_notes(path, sheet, question) + _beside_notes(book, sheet, question)
    variables = tuple(map(variable_of, frame.get_columns()))
    declared = Codebook(source=question.name, format="excel", variables=variables)
    return ParsedFile(frame, declared, tuple(notes))


def _read_as_text(book: Any, sheet: str, question: ReadRequest) -> ParsedFile:
    """Every cell of the only sheet, or of the one asked for."""
    if question.sheet is None and len(book.sheet_names) > 1:
        names = book.sheet_names
        raise ReadError(
            f"{question.place} has {len(names):,} sheets: {list_names(names)}. Name"
            f" one behind the file, as in {f'{question.name}#{sheet}'!r}."
        )
    cells = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return ParsedFile(cells, None, ())


def _choose_sheet(book: Any, question: ReadRequest) -> tuple[str, pl.DataFrame]:
    """The sheet asked for, or the first with anything on it, those that show before the hidden."""
    names: list[str] = book.sheet_names
    hidden = hidden_sheets(os.fsdecode(question.path))
    if question.sheet is not None and question.sheet not in names:
        raise RolesError(
            unknown_name(f"{question.place} has no sheet", question.sheet, names, "Its sheets are")
        )
    in_turn = sorted(names, key=hidden.__contains__)
    for name in in_turn if question.sheet is None else [question.sheet]:
        # Each column in the type that all its cells have, or as text.
        found = book.load_sheet(name, header_row=0, schema_sample_rows=None)
        if found.width:
            return name, found.to_polars()
    where = "its sheets" if question.sheet is None else f"the sheet {question.sheet!r}"
    raise ReadError(f"{question.place} has nothing on {where}. Check that it is the right one.")


def _names(given: Sequence[str | None], question: ReadRequest) -> list[str]:
    """The names in the first row, with one for each column that has none."""
    if len(given) > 2 and sum(map(_is_named, given)) * 2 < len(given):
        raise ReadError(_title(question))
    names = [
        name.strip() if name and _is_named(name) else f"unnamed_{place}"
        for place, name in enumerate(given, 1)
    ]
    return choose(names, None, question.place)


def _title(question: ReadRequest) -> str:
    return (
        f"{question.place} has a title or merged cells above the names of its columns. Delete "
        "the rows above the names, and give every column a name in one row."
    )


def _first_row(book: Any, sheet: str, columns: Sequence[str]) -> Sequence[str | None]:
    """The first row as it stands."""
    # The second of two columns "a" comes as "a_1", which may also be what it is called.
    if not any(_NUMBERED.fullmatch(name) for name in columns):
        return columns
    row = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=1, dtypes="string")
    found: Sequence[str | None] = row.to_polars().row(0)
    return found


def _is_named(name: str | None) -> bool:
    return bool(name and name.strip()) and _UNNAMED.fullmatch(name or "") is None


def _unnamed_note(name: str, question: ReadRequest) -> Coercion:
    sentence = f"A column without a name in the header is called {name!r}."
    return Coercion(side=question.side, column=name, kind="unnamed_column", sentence=sentence)


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column)


def _type_column(column: pl.Series) -> pl.Series:
    bare = column.alias("")
    if bare.dtype == pl.String:
        return infer_type(bare)
    if _is_empty(bare):
        return pl.Series([None] * len(bare), dtype=pl.Null)
    if bare.dtype.is_float():
        return _whole(bare)
    if isinstance(bare.dtype, pl.Datetime):
        return _day_or_time(bare.cast(pl.Datetime("us")))
    return bare


def _whole(numbers: pl.Series) -> pl.Series:
    is_whole = (numbers == numbers.floor()) & (numbers.abs() < EXACT_IN_FLOAT)
    return numbers.cast(pl.Int64) if is_whole.all() else numbers


def _day_or_time(moments: pl.Series) -> pl.Series:
    days, times = moments.dt.date(), moments.dt.time()
    if days.is_in(_NO_DAY).all():
        return times
    is_midnight = moments == days.cast(pl.Datetime("us"))
    return days if is_midnight.all() else moments


def _sheet_notes(book: Any, sheet: str, question: ReadRequest) -> list[Coercion]:
    names: list[str] = book.sheet_names
    if question.sheet is not None or len(names) == 1:
        return []
    hidden = hidden_sheets(os.fsdecode(question.path))
    shown = list_names(f"{name} [hidden]" if name in hidden else name for name in names)
    other = next(name for name in names if name != sheet)
    sentence = (
        f"The workbook has {len(names):,} sheets ({shown}); only {sheet!r} was read. To read "
        f"another, name it behind the file, as in {f'{question.name}#{other}'!r}."
    )
    return [Coercion(side=question.side, column=None, kind="sheet", sentence=sentence)]


def _beside_notes(book: Any, sheet: str, question: ReadRequest) -> list[Coercion]:
    """What a synthetic workbook holds beside this sheet: others, comments, and copies of data."""
    if not question.side.startswith("synthetic"):
        return []
    held = [f"the sheet {one!r}" for one in book.sheet_names if one != sheet]
    with zipfile.ZipFile(os.fsdecode(question.path)) as archive:
        held += [what for what, mark in _PARTS.items() if any(map(mark.match, archive.namelist()))]
    if not held:
        return []
    sentence = f"The workbook also holds {list_names(held)}."
    return [note_beside(question.side, sentence)]


def _merged_notes(path: str, sheet: str, question: ReadRequest) -> list[Coercion]:
    n = count_merged(path, sheet)
    if not n:
        return []
    sentence = (
        f"The sheet has {n:,} {'group' if n == 1 else 'groups'} of merged cells. Only the first "
        "cell of such a group has a value; the others are taken as missing. If the value is meant "
        "for all of them, unmerge the cells and fill them."
    )
    return [Coercion(side=question.side, column=None, kind="merged", sentence=sentence)]


def _error_notes(path: str, sheet: str, question: ReadRequest) -> list[Coercion]:
    n = count_errors(path, sheet)
    if not n:
        return []
    cells = (
        "1 cell with an error, such as #N/A; it is"
        if n == 1
        else f"{n:,} cells with an error, such as #N/A; they are"
    )
    sentence = f"The sheet has {cells} taken as missing."
    return [Coercion(side=question.side, column=None, kind="missing", sentence=sentence)]
