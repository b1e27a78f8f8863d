"""What does a text file of comma-separated values hold, and how was it written?

Everything is read as text and typed afterwards, so that nothing depends on the first rows, nothing
is guessed in silence, and no message of another library can quote a person's value.
"""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from unveil.errors import InternalError, ReadError
from unveil.read.archives import inflated
from unveil.read.columns import choose
from unveil.read.damage import Shape, check_records
from unveil.read.dialect import CHUNK, Dialect, understand
from unveil.read.disk import open_file
from unveil.read.table import Table, place_of
from unveil.read.types import decimal_marks, is_almost_numbers, typed, without
from unveil.records.disclosure import Coercion


def read_csv(
    path: Path,
    *,
    side: str,
    columns: Sequence[str] | None = None,
    missing_values: Sequence[str] = (),
) -> Table:
    """The table a text file holds; only `columns`, in that order, where they are given.

    A file whose name ends in .gz is unpacked first.
    """
    place = place_of(side, path.name)
    with open_file(path, place) as file:
        plain = inflated(file, place) if path.suffix.lower() == ".gz" else file
        text, dialect = understand(plain, place)
        given = _header(text, dialect, place)
        names = [name.strip() or f"unnamed_{i}" for i, name in enumerate(given, 1)]
        wanted = choose(names, columns, place)
        shape = check_records(text, dialect, len(names), place)
        if shape.n_lines == shape.blank.size:
            raise ReadError(
                f"{place} has a header but no rows. Check that its export was finished."
            )
        # In the file's order: what order polars gives to positions out of order is its own affair.
        in_file = [name for name in names if name in wanted]
        lines = _as_text(text, dialect, [names.index(name) for name in in_file], place)
    lines.columns = in_file
    frame = _records(lines[wanted], shape, place)
    frame, notes = _typed(frame, dialect, side, missing_values)
    renamed = [(name, was) for name, was in zip(names, given, strict=True) if name != was]
    notes = [
        *dialect.notes(side),
        *_blank_notes(shape, side),
        *(_renamed_note(name, was, side) for name, was in renamed if name in wanted),
        *notes,
    ]
    return Table(side=side, place=place, frame=frame, source=path.name, notes=tuple(notes))


def _header(text: BinaryIO, dialect: Dialect, place: str) -> list[str]:
    """The names in the first line that is not blank."""
    text.seek(0)
    head = text.read(CHUNK).decode(errors="ignore")
    if head.startswith("sep="):
        raise ReadError(f"{place} begins with a line 'sep=' meant for Excel. Delete that line.")
    lines = StringIO(head, newline=dialect.line_end)
    try:
        names = next((row for row in csv.reader(lines, delimiter=dialect.separator) if row), None)
    except csv.Error:
        raise ReadError(_unreadable_header(place)) from None
    if names is None:
        raise ReadError(f"{place} has nothing but blank lines. Check that its export was finished.")
    # Such a name is mostly a quotation mark astray, and would quote records in messages.
    if any("\n" in name or "\r" in name for name in names):
        raise ReadError(_unreadable_header(place))
    return names


def _unreadable_header(place: str) -> str:
    return (
        f"{place} has a header that cannot be read: a column name runs over the end of the line. "
        "Look for a quotation mark astray in the first line, or shorten the name to one line."
    )


def _as_text(
    text: BinaryIO, dialect: Dialect, positions: Sequence[int], place: str
) -> pl.DataFrame:
    text.seek(0)
    try:
        return pl.read_csv(
            text,
            columns=positions,
            separator=dialect.separator,
            eol_char=dialect.line_end,
            infer_schema=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise ReadError(f"{place} cannot be read as a table. Export it again as CSV.") from None


def _records(lines: pl.DataFrame, shape: Shape, place: str) -> pl.DataFrame:
    """The lines that are not blank."""
    if lines.height != shape.n_lines:
        raise InternalError(f"{place} was counted in one way and read in another.")
    if not shape.blank.size:
        return lines
    keep = np.ones(shape.n_lines, dtype=bool)
    keep[shape.blank] = False
    return lines.filter(pl.Series(keep))


def _typed(
    frame: pl.DataFrame, dialect: Dialect, side: str, missing_values: Sequence[str]
) -> tuple[pl.DataFrame, list[Coercion]]:
    # Without their names, for polars takes some names for patterns of names.
    bare = [column.alias("") for column in frame.get_columns()]
    texts = [without(column, missing_values) for column in bare]
    # Where commas part the columns, a comma in a quoted field may part anything.
    may_be_comma = dialect.separator != ","
    marks = decimal_marks(texts) if may_be_comma else set()
    made = [typed(text, decimal_comma=marks == {","}) for text in texts]
    almost = [
        name
        for name, column in zip(frame.columns, made, strict=True)
        if column.dtype == pl.String and is_almost_numbers(column, decimal_comma=may_be_comma)
    ]
    notes = _decimal_notes(marks, side) + [_almost_note(name, side) for name in almost]
    return pl.DataFrame(dict(zip(frame.columns, made, strict=True))), notes


def _decimal_notes(marks: set[str], side: str) -> list[Coercion]:
    if "," not in marks:
        return []
    sentence = (
        "Some columns have decimal commas and others decimal points; those with commas were left "
        "as text."
        if "." in marks
        else "Decimals are written with a comma and were read as numbers."
    )
    return [Coercion(side=side, column=None, kind="decimal_comma", sentence=sentence)]


def _blank_notes(shape: Shape, side: str) -> list[Coercion]:
    """Blank lines at the end are usual; those between records are told."""
    n_last = np.count_nonzero(
        shape.blank == np.arange(shape.n_lines - shape.blank.size, shape.n_lines)
    )
    if n_last == shape.blank.size:
        return []
    sentence = "Blank lines between the records were passed over."
    return [Coercion(side=side, column=None, kind="blank_lines", sentence=sentence)]


def _renamed_note(name: str, was: str, side: str) -> Coercion:
    if was.strip():
        sentence = f"The name of column {name!r} has blanks around it, which were left out."
        return Coercion(side=side, column=name, kind="column_name", sentence=sentence)
    sentence = f"A column without a name in the header is called {name!r}."
    return Coercion(side=side, column=name, kind="unnamed_column", sentence=sentence)


def _almost_note(name: str, side: str) -> Coercion:
    sentence = (
        f"Column {name!r} was read as text: most of its entries are numbers and all the others are "
        "one and the same word. If that word means missing, say so with missing_values "
        "(--missing on the command line)."
    )
    return Coercion(side=side, column=name, kind="almost_numbers", sentence=sentence)
