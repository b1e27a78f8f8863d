"""Is every record of the text file whole?

Polars fills short records with missing values and guesses where quotation marks are astray, so the
shape is checked here first: separators and line ends are counted outside quotation marks, in
pieces of whole records and bounded size. A fault is named by its line, never by its content.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from unveil.errors import ReadError
from unveil.read.dialect import CHUNK, SEPARATORS, Dialect, chunks

LONGEST_RECORD = 16 * CHUNK

_QUOTE, _RETURN = ord('"'), ord("\r")

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Shape:
    """How many lines stand below the header, and which of them are blank."""

    n_lines: int
    blank: Places


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
        """The line a byte stands in; looked for only once there is a fault."""
        line = 1
        for chunk in chunks(self.file):
            line += chunk[: max(offset, 0)].count(self.line_end)
            offset -= len(chunk)
        return line

    def refusal(self, line: int, fault: str) -> ReadError:
        return ReadError(f"{self.place} is damaged at line {line:,}: {fault}")


@dataclass(frozen=True)
class _Piece:
    """Whole records: where they begin in the file, their bytes, and which of these are quoted."""

    offset: int
    bytes: Bytes
    inside: Mask | None


def check_records(file: BinaryIO, dialect: Dialect, n_fields: int, place: str) -> Shape:
    """The shape of a UTF-8 file each of whose records has `n_fields`, or a refusal."""
    text = _Text(file, dialect, n_fields, place)
    _refuse_nul(text)
    n_records = 0
    blanks: list[Places] = []
    for piece in _pieces(text):
        blank = _blank_records(text, piece)
        blanks.append(np.flatnonzero(blank) + n_records)
        n_records += blank.size
    return _below_header(n_records, np.concatenate(blanks))


def _below_header(n_records: int, blank: Places) -> Shape:
    # The header is the first line that is not blank.
    header = int(np.count_nonzero(blank == np.arange(blank.size)))
    return Shape(n_records - header - 1, blank[header:] - header - 1)


def _blank_records(text: _Text, piece: _Piece) -> Mask:
    """Which records are blank lines; all others have as many fields as the header."""
    is_mark = (piece.bytes == text.separator) | (piece.bytes == text.line_end)
    marks = _outside(is_mark, piece.inside)
    closing = np.flatnonzero(piece.bytes[marks] == text.line_end)
    ends = marks[closing]
    starts = np.concatenate(([0], ends[:-1] + 1))
    n_separators = np.diff(closing, prepend=-1) - 1
    blank: Mask = (n_separators == 0) & _is_empty(piece.bytes, starts, ends)
    uneven = np.flatnonzero((n_separators != text.n_fields - 1) & ~blank)[:1]
    # A quotation mark astray upsets all that follows it, so it is named before what follows.
    _refuse_stray_quotes(text, piece, int(ends[uneven[0]]) + 1 if uneven.size else ends[-1] + 1)
    if uneven.size:
        raise _uneven(text, piece.offset + int(starts[uneven[0]]), int(n_separators[uneven[0]]) + 1)
    return blank


def _is_empty(text: Bytes, starts: Places, ends: Places) -> Mask:
    lengths = ends - starts
    empty: Mask = (lengths == 0) | ((lengths == 1) & (text[starts] == _RETURN))
    return empty


def _pieces(text: _Text) -> Iterator[_Piece]:
    offset, rest = 0, b""
    for chunk in _closed(text):
        rest += chunk
        found = np.frombuffer(rest, np.uint8)
        inside = _inside(found)
        ends = _outside(found == text.line_end, inside)
        if ends.size:
            n = int(ends[-1]) + 1
            yield _Piece(offset, found[:n], None if inside is None else inside[:n])
            offset, rest = offset + n, rest[n:]
        elif len(rest) > LONGEST_RECORD:
            break
    if rest:
        raise _unclosed(text, offset, rest)


def _closed(text: _Text) -> Iterator[bytes]:
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


def _refuse_nul(text: _Text) -> None:
    offset = 0
    for chunk in chunks(text.file):
        if (found := chunk.find(0)) >= 0:
            raise text.refusal(
                text.line_of(offset + found),
                "it has a NUL byte, which no text has. Export it again as CSV in UTF-8.",
            )
        offset += len(chunk)


def _refuse_stray_quotes(text: _Text, piece: _Piece, n_bytes: int) -> None:
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


def _unclosed(text: _Text, offset: int, rest: bytes) -> ReadError:
    found = np.frombuffer(rest + text.dialect.line_end.encode(), np.uint8)
    _refuse_stray_quotes(text, _Piece(offset, found, _inside(found)), found.size)
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
