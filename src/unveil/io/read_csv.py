"""What does a text file of comma-separated values hold, and how was it written?

Everything is read as text and typed afterwards, so that nothing depends on the first rows, nothing
is guessed in silence, and no message of another library can quote a person's value.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from unveil.arrays import Mask
from unveil.errors import InternalError, ReadError
from unveil.io.csv_dialect import CHUNK, SEPARATORS, Dialect, chunks, detect_dialect
from unveil.io.file_checks import open_gzip
from unveil.io.memory import open_file
from unveil.io.table import Table, choose, place_of
from unveil.io.text_types import decimal_marks, infer_type, is_almost_numbers, without
from unveil.records.disclosure import Coercion

# Is every record of the text file whole?
#
# Polars fills short records with missing values and guesses where quotation marks are astray, so
# the shape is checked here first: separators and line ends are counted outside quotation marks,
# in pieces of whole records and bounded size. An error is named by its line, never by its content.
#
# Most files need no such look: where nothing is quoted, polars refuses records that are too long,
# and those that are too short leave the last column empty.


LONGEST_RECORD = 16 * CHUNK

_QUOTE, _RETURN = ord('"'), ord("\r")

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class LineCounts:
    """How many lines stand below the header, and which of them are blank."""

    n_lines: int
    blank: Places
    is_quoted: bool = True  # something may be; where nothing is, no text is empty: it is missing

    def notes(self, side: str) -> list[Coercion]:
        """Blank lines at the end are usual; those between records are told."""
        n_last = np.count_nonzero(
            self.blank == np.arange(self.n_lines - self.blank.size, self.n_lines)
        )
        if n_last == self.blank.size:
            return []
        sentence = "Blank lines between the records were skipped."
        return [Coercion(side=side, column=None, kind="blank_lines", sentence=sentence)]


@dataclass(frozen=True)
class _Text:
    file: BinaryIO
    dialect: Dialect
    n_fields: int
    place: str

    @property
    def separator(self) -> int:
        return ord(self.dialect.separator)

    @property
    def line_end(self) -> int:
        return ord(self.dialect.line_end)

    def line_of(self, offset: int) -> int:
        """The line a byte stands in; looked for only once there is an error."""
        line = 1
        for chunk in chunks(self.file):
            line += chunk[: max(offset, 0)].count(self.line_end)
            offset -= len(chunk)
        return line

    def refusal(self, line: int, fault: str) -> ReadError:
        return ReadError(f"{self.place} is damaged at line {line:,}: {fault}")


@dataclass(frozen=True)
class _FilePiece:
    """Whole records: where they begin in the file, their bytes, and which of these are quoted."""

    offset: int
    bytes: Bytes
    inside: Mask | None


def check_records(file: BinaryIO, dialect: Dialect, n_fields: int, place: str) -> LineCounts:
    """The shape of a UTF-8 file each of whose records has `n_fields`, or a refusal."""
    text = _Text(file, dialect, n_fields, place)
    _check_nul(text)
    n_records = 0
    blanks: list[Places] = []
    for piece in _pieces(text):
        blank, _ = _blank_records(text, piece)
        blanks.append(np.flatnonzero(blank) + n_records)
        n_records += blank.size
    return _below_header(n_records, np.concatenate(blanks))


def count_plain_lines(text: BinaryIO, dialect: Dialect) -> int | None:
    """The lines below the first of a file; None where one has a quotation mark or a NUL byte."""
    end = ord(dialect.line_end)
    n_lines, last = 0, end
    for chunk in chunks(text):
        if b'"' in chunk or 0 in chunk:
            return None
        n_lines += int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == end))
        last = chunk[-1]
    return n_lines - int(last == end)


def _below_header(n_records: int, blank: Places) -> LineCounts:
    # The header is the first line that is not blank.
    header = int(np.count_nonzero(blank == np.arange(blank.size)))
    return LineCounts(n_records - header - 1, blank[header:] - header - 1)


def _blank_records(text: _Text, piece: _FilePiece) -> tuple[Mask, Places]:
    """Which records are blank lines (all others are whole), and where each record begins."""
    is_mark = (piece.bytes == text.separator) | (piece.bytes == text.line_end)
    marks = _outside(is_mark, piece.inside)
    closing = np.flatnonzero(piece.bytes[marks] == text.line_end)
    ends = marks[closing]
    starts = np.concatenate(([0], ends[:-1] + 1))
    n_separators = np.diff(closing, prepend=-1) - 1
    blank: Mask = (n_separators == 0) & _is_empty(piece.bytes, starts, ends)
    uneven = np.flatnonzero((n_separators != text.n_fields - 1) & ~blank)[:1]
    # A quotation mark astray upsets all that follows it, so it is named before what follows.
    _check_stray_quotes(text, piece, int(ends[uneven[0]]) + 1 if uneven.size else ends[-1] + 1)
    if uneven.size:
        raise _uneven(text, piece.offset + int(starts[uneven[0]]), int(n_separators[uneven[0]]) + 1)
    return blank, starts


def _is_empty(text: Bytes, starts: Places, ends: Places) -> Mask:
    lengths = ends - starts
    empty: Mask = (lengths == 0) | ((lengths == 1) & (text[starts] == _RETURN))
    return empty


def _pieces(text: _Text) -> Iterator[_FilePiece]:
    offset, rest = 0, b""
    for chunk in _close_last_line(text):
        rest += chunk
        found = np.frombuffer(rest, np.uint8)
        inside = _inside(found)
        ends = _outside(found == text.line_end, inside)
        if ends.size:
            n = int(ends[-1]) + 1
            yield _FilePiece(offset, found[:n], None if inside is None else inside[:n])
            offset, rest = offset + n, rest[n:]
        elif len(rest) > LONGEST_RECORD:
            break
    if rest:
        raise _unclosed_quote_error(text, offset, rest)


def _close_last_line(text: _Text) -> Iterator[bytes]:
    """The file in pieces, its last line closed."""
    end = last = text.dialect.line_end.encode()
    for chunk in chunks(text.file):
        yield chunk
        last = chunk[-1:]
    if last != end:
        yield end


def _inside(text: Bytes) -> Mask | None:
    """Which bytes are quoted: those after an odd number of quotation marks."""
    quotes = text == _QUOTE
    return np.logical_xor.accumulate(quotes) if quotes.any() else None


def _outside(found: Mask, inside: Mask | None) -> Places:
    return np.flatnonzero(found if inside is None else found & ~inside)


def _check_nul(text: _Text) -> None:
    offset = 0
    for chunk in chunks(text.file):
        if (found := chunk.find(0)) >= 0:
            raise text.refusal(
                text.line_of(offset + found),
                "it has a NUL byte, which no text has. Export it again as CSV in UTF-8.",
            )
        offset += len(chunk)


def _check_stray_quotes(text: _Text, piece: _FilePiece, n_bytes: int) -> None:
    """A quotation mark may open only where a field begins and close only where one ends."""
    if piece.inside is None:
        return
    found = piece.bytes[:n_bytes]
    quotes = np.flatnonzero(found == _QUOTE)
    is_opening = piece.inside[quotes]
    opening, closing = quotes[is_opening], quotes[~is_opening]
    edges = np.array([text.separator, text.line_end, _QUOTE], np.uint8)
    begins = np.isin(found[opening - 1], edges) | (opening == 0)
    # The bytes end in a line end, so a closing mark has one byte behind it, a return has two.
    behind = np.minimum(closing + 2, n_bytes - 1)
    returns = (found[closing + 1] == _RETURN) & (found[behind] == text.line_end)
    ends = np.isin(found[closing + 1], edges) | returns
    # A mark that closes in the wrong place was mostly opened there, lines above.
    stray = np.concatenate((opening[~begins], opening[: closing.size][~ends]))
    if stray.size:
        raise text.refusal(
            text.line_of(piece.offset + int(stray.min())),
            'a quotation mark (") there does not enclose a whole field. Close it at the end of the '
            "field, or put the whole field in quotation marks and double those inside it.",
        )


def _unclosed_quote_error(text: _Text, offset: int, rest: bytes) -> ReadError:
    found = np.frombuffer(rest + text.dialect.line_end.encode(), np.uint8)
    _check_stray_quotes(text, _FilePiece(offset, found, _inside(found)), found.size)
    return text.refusal(
        text.line_of(offset + rest.rfind(b'"')),
        'a quotation mark (") opens there and is not closed. Close it, or double it if it belongs '
        "to the text.",
    )


def _uneven(text: _Text, offset: int, n_found: int) -> ReadError:
    line = text.line_of(offset)
    hint = " If R wrote it, write it again with row.names = FALSE."
    return text.refusal(
        line,
        f"the header has {text.n_fields:,} fields separated by "
        f"{SEPARATORS[text.dialect.separator]}, this line has {n_found:,}. Look there for a "
        "missing or an extra separator, or for text that needs quotation marks."
        + (hint if line == 2 and n_found == text.n_fields + 1 else ""),
    )


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
        plain = open_gzip(file, place) if path.suffix.lower() == ".gz" else file
        text, dialect = detect_dialect(plain, place)
        names, renamed = name_columns(text, dialect, side, place)
        wanted = choose(names, columns, place)
        # In the file's order: what order polars gives to positions out of order is its own affair.
        in_file = [name for name in names if name in wanted]
        lines, shape = _read_lines(text, dialect, names, in_file, place)
    lines.columns = in_file
    frame = _records(lines[wanted], shape, place)
    frame, notes = type_columns(frame, dialect, side, missing_values, is_quoted=shape.is_quoted)
    notes = [
        *dialect.notes(side),
        *shape.notes(side),
        *(note for note in renamed if note.column in wanted),
        *notes,
    ]
    return Table(side=side, place=place, frame=frame, source=path.name, notes=tuple(notes))


def name_columns(
    text: BinaryIO, dialect: Dialect, side: str, place: str
) -> tuple[list[str], list[Coercion]]:
    """The names of the columns, and which of them the header has otherwise."""
    given = _header(text, dialect, place)
    names = [name.strip() or f"unnamed_{i}" for i, name in enumerate(given, 1)]
    renamed = [(name, was) for name, was in zip(names, given, strict=True) if name != was]
    return names, [_renamed_note(name, was, side) for name, was in renamed]


def read_records(
    text: BinaryIO, dialect: Dialect, names: Sequence[str], wanted: Sequence[str], place: str
) -> Iterator[pl.DataFrame]:
    """The records below the header as text, piece by piece; a refusal where one is not whole."""
    known = _Text(text, dialect, len(names), place)
    _check_nul(known)
    schema = dict.fromkeys((f"column {number}" for number in range(len(names))), pl.String)
    n_above = 1  # the header
    for piece in _pieces(known):
        blank, starts = _blank_records(known, piece)
        found = piece.bytes
        if blank.any():
            found = found[np.repeat(~blank, np.diff(starts, append=found.size))]
        if not found.size:
            continue
        lines = pl.read_csv(
            found.tobytes(),
            has_header=False,
            schema=schema,
            separator=dialect.separator,
            eol_char=dialect.line_end,
        )
        if lines.height != np.count_nonzero(~blank):
            raise InternalError(f"{place} was counted in one way and read in another.")
        lines.columns = list(names)
        yield lines[n_above:, list(wanted)]
        n_above = 0


def _read_lines(
    text: BinaryIO, dialect: Dialect, names: Sequence[str], wanted: Sequence[str], place: str
) -> tuple[pl.DataFrame, LineCounts]:
    """The lines below the header as text, and their shape; a refusal where one is not whole."""
    lines = None
    n_plain = count_plain_lines(text, dialect) if len(wanted) == len(names) else None
    if n_plain:
        lines = _as_text(text, dialect, range(len(names)))
        if lines is not None and lines.height == n_plain and not lines[:, -1].null_count():
            return lines, LineCounts(n_plain, np.empty(0, np.intp), is_quoted=False)
    shape = check_records(text, dialect, len(names), place)
    if shape.n_lines == shape.blank.size:
        raise ReadError(f"{place} has a header but no rows. Check that its export was finished.")
    if lines is None:
        lines = _as_text(text, dialect, [names.index(name) for name in wanted])
    if lines is None:
        raise ReadError(f"{place} cannot be read as a table. Export it again as CSV.")
    return lines, shape


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
        f"{place} has a header that cannot be read: a column name runs over the end of the line."
        " Look for a stray quotation mark in the first line, or shorten the name to one line."
    )


def _as_text(text: BinaryIO, dialect: Dialect, positions: Sequence[int]) -> pl.DataFrame | None:
    """What polars reads; None where it cannot."""
    text.seek(0)
    try:
        return pl.read_csv(
            text,
            columns=list(positions),
            separator=dialect.separator,
            eol_char=dialect.line_end,
            infer_schema=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _records(lines: pl.DataFrame, shape: LineCounts, place: str) -> pl.DataFrame:
    """The lines that are not blank."""
    if lines.height != shape.n_lines:
        raise InternalError(f"{place} was counted in one way and read in another.")
    if not shape.blank.size:
        return lines
    keep = np.ones(shape.n_lines, dtype=bool)
    keep[shape.blank] = False
    return lines.filter(pl.Series(keep))


def type_columns(
    frame: pl.DataFrame,
    dialect: Dialect,
    side: str,
    missing_values: Sequence[str],
    *,
    is_quoted: bool = True,
) -> tuple[pl.DataFrame, list[Coercion]]:
    """The columns in the types that all of their entries have, and what is to be told."""
    # Without their names, for polars takes some names for patterns of names.
    bare = [column.alias("") for column in frame.get_columns()]
    texts = [without(column, missing_values) for column in bare]
    # Where commas part the columns, a comma in a quoted field may part anything.
    may_be_comma = dialect.separator != ","
    marks = decimal_marks(texts) if may_be_comma else set()
    is_comma = marks == {","}
    made = [infer_type(text, decimal_comma=is_comma, may_be_empty=is_quoted) for text in texts]
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


def _renamed_note(name: str, was: str, side: str) -> Coercion:
    if was.strip():
        sentence = f"The name of column {name!r} has blanks around it, which were removed."
        return Coercion(side=side, column=name, kind="column_name", sentence=sentence)
    sentence = f"A column without a name in the header is called {name!r}."
    return Coercion(side=side, column=name, kind="unnamed_column", sentence=sentence)


def _almost_note(name: str, side: str) -> Coercion:
    sentence = (
        f"Column {name!r} was read as text: most of its entries are numbers and all the others are"
        " the same word. If that word means missing, declare it with missing_values (--missing on"
        " the command line)."
    )
    return Coercion(side=side, column=name, kind="almost_numbers", sentence=sentence)
