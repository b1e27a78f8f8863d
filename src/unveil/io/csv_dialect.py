"""How is this text file written: in which encoding, with which separator and line ends?

Found from the bytes, never asked; whatever is not plain UTF-8 with commas is told to the user.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from unveil.errors import ReadError
from unveil.records.disclosure import Coercion

CHUNK = 1 << 20
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

_LINES_LOOKED_AT = 200
_QUOTED = re.compile(rb'"[^"]*(?:"|\Z)')
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ENCODINGS = {
    "utf-8-sig": "The file is written in UTF-8 with a mark at its start.",
    "utf-16": "The file is written in UTF-16.",
    "cp1252": "The file is not written in UTF-8; it was read as Windows-1252.",
    "latin-1": "The file is not written in UTF-8; it was read as Latin-1.",
}
_OTHER_KINDS: Sequence[tuple[bytes, str, str]] = (
    (b"PK\x03\x04", "an Excel workbook or a zip archive", "Save the sheet as CSV, or unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "Save the sheet as CSV"),
    (b"\x1f\x8b", "compressed with gzip", "Unpack it"),
    (b"BZh91AY&SY", "compressed with bzip2", "Unpack it"),
    (b"\xfd7zXZ", "compressed with xz", "Unpack it"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "Unpack it"),
    (b"PAR1\x15", "a Parquet file", "Give its name the ending .parquet"),
    (b"ARROW1\0\0", "an Arrow file", "Save it as CSV or Parquet"),
    (b"$FL2", "an SPSS file", "Give its name the ending .sav"),
    (b"$FL3", "an SPSS file", "Give its name the ending .sav"),
    (b"<stata_dta>", "a Stata file", "Give its name the ending .dta"),
    (b"%PDF-", "a PDF document", "Save the table as CSV"),
    (b"<!DOCTYPE", "a web page", "Download the table itself"),
    (b"<!doctype", "a web page", "Download the table itself"),
    (b"<html", "a web page", "Download the table itself"),
)


@dataclass(frozen=True)
class Dialect:
    """How one text file is written."""

    encoding: str
    separator: str
    line_end: str  # "\n" also stands for "\r\n"; "\r" alone is that of old Macs

    def notes(self, side: str) -> list[Coercion]:
        """What is not plain UTF-8 with commas."""
        found = []
        if self.encoding in _ENCODINGS:
            found.append(("encoding", _ENCODINGS[self.encoding]))
        if self.separator != ",":
            apart = SEPARATORS[self.separator]
            found.append(("separator", f"The columns are separated by {apart}, not by commas."))
        if self.line_end == "\r":
            found.append(("line_end", "The lines end as on old Macs."))
        return [Coercion(side=side, column=None, kind=k, sentence=s) for k, s in found]


def detect_dialect(file: BinaryIO, place: str) -> tuple[BinaryIO, Dialect]:
    """The file as UTF-8 without a mark, and how it was written."""
    _check_other_kinds(file, place)
    encoding = find_encoding(file)
    text = file if encoding == "utf-8" else _as_utf8(file, encoding, place)
    text.seek(0)
    sample = text.read(CHUNK)
    bare = _QUOTED.sub(b"", sample)
    line_end = "\r" if b"\r" in bare and b"\n" not in bare else "\n"
    lines = bare.split(line_end.encode(), _LINES_LOOKED_AT)
    # The last piece is what the cut left over, unless the file ends there without a line end.
    whole = lines if len(sample) < CHUNK and len(lines) <= _LINES_LOOKED_AT else lines[:-1]
    return text, Dialect(
        encoding, _separator([line for line in whole if line.strip(b"\r")]), line_end
    )


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """The file from its start, piece by piece."""
    file.seek(0)
    while chunk := file.read(CHUNK):
        yield chunk


def _check_other_kinds(file: BinaryIO, place: str) -> None:
    file.seek(0)
    head = file.read(16)
    for magic, kind, remedy in _OTHER_KINDS:
        if head.startswith(magic):
            raise ReadError(f"{place} is {kind}, not plain text. {remedy} and try again.")


def find_encoding(file: BinaryIO) -> str:
    """The encoding of a text file, by its mark or by all of its bytes."""
    file.seek(0)
    head = file.read(3)
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    # Latin-1 gives every byte a meaning, so one of the three always fits.
    return next(name for name in ("utf-8", "cp1252", "latin-1") if _fits(file, name))


def _fits(file: BinaryIO, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in chunks(file):
            if not chunk.isascii() or decoder.getstate()[0]:  # ASCII is itself in all of these
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _as_utf8(file: BinaryIO, encoding: str, place: str) -> BinaryIO:
    text = BytesIO()
    try:
        text.writelines(piece.encode() for piece in codecs.iterdecode(chunks(file), encoding))
    except UnicodeDecodeError:
        raise ReadError(
            f"{place} begins with the mark of {encoding.removesuffix('-sig').upper()} but is not "
            "written in it throughout. Save it again as CSV in UTF-8."
        ) from None
    return text


def _separator(lines: Sequence[bytes]) -> str:
    """The separator that cuts all lines into equally many fields, the most there can be.

    Where none does, the file is damaged or has one column: the one commonest in the header.
    """
    if not lines:
        return ","
    counts = {mark: [line.count(mark.encode()) for line in lines] for mark in SEPARATORS}
    steady = [mark for mark, n in counts.items() if 0 < min(n) == max(n)]
    return max(steady or SEPARATORS, key=lambda mark: counts[mark][0])
