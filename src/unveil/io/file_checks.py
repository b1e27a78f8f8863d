"""Is the file what its name says, whole, and small enough? Asked before a byte of it is parsed."""

import gzip
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from unveil.errors import ReadError
from unveil.io.memory import free_memory, open_file, size_text
from unveil.io.parsers import NAMES, damaged_sentence

# How large does a compressed file become, and is it made to fill the memory?


MOST_ENTRIES = 10_000
RATIO = 200
HARMLESS = 256 << 20

_PIECE = 1 << 20
_DEFLATED = 1032  # a byte packed by deflate is never more bytes than this
_NAME_AT = 26  # where, before each part of a zip archive, the lengths stand of its name and more


def check_bomb(file: BinaryIO, kind: str, place: str) -> None:
    """Refuse an archive that would become far larger than any table packed in one."""
    file.seek(0)
    if kind == "excel":
        _check_zip_bomb(file, place)
    elif kind == "rds" and file.read(2) == b"\x1f\x8b":
        for _ in inflate_pieces(file, kind, place):
            pass


def _check_zip_bomb(file: BinaryIO, place: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, UnicodeError):
        raise ReadError(damaged_sentence("excel", place)) from None
    names = {entry.filename for entry in entries}
    if not any(name.startswith("xl/") for name in names):
        raise ReadError(
            f"{place} is a zip archive, not an Excel workbook. Unpack it and give the path of the "
            "file in it, or save the sheet as .xlsx or CSV."
        )
    if len(entries) > MOST_ENTRIES:
        raise ReadError(
            f"{place} is an archive of {len(entries):,} parts, more than any workbook has. Save "
            "the sheet as CSV."
        )
    n_packed = sum(entry.compress_size for entry in entries)
    check_swelling(sum(entry.file_size for entry in entries), n_packed, place)
    # No part of a workbook that can unpack to more than is harmless may hide it.
    large = [entry for entry in entries if entry.compress_size * _DEFLATED > HARMLESS]
    if any(_is_understated(file, entry) for entry in large):
        raise ReadError(
            f"{place} unpacks to more than it declares, which no workbook does. Save it again in"
            " Excel, or as CSV."
        )


def _is_understated(file: BinaryIO, entry: zipfile.ZipInfo) -> bool:
    """Whether a part unpacks to more than is said of it; it is unpacked no further than that."""
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        return entry.compress_size > entry.file_size
    file.seek(entry.header_offset + _NAME_AT)
    n_name, n_extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
    file.seek(n_name + n_extra, os.SEEK_CUR)
    unpacking, n_left, n_bytes = zlib.decompressobj(-zlib.MAX_WBITS), entry.compress_size, 0
    try:
        while not unpacking.eof and n_bytes <= entry.file_size:
            packed = unpacking.unconsumed_tail or file.read(min(n_left, _PIECE))
            n_left -= 0 if unpacking.unconsumed_tail else len(packed)
            if not packed:
                break
            n_bytes += len(unpacking.decompress(packed, _PIECE))
    except zlib.error:  # for its parser to say
        return False
    return n_bytes > entry.file_size


def check_swelling(n_bytes: int, n_packed: int, place: str) -> None:
    """Refuse what unpacks to far more than tables do, or to more than memory holds."""
    if n_bytes > HARMLESS and n_bytes > RATIO * max(n_packed, 1):
        raise ReadError(
            f"{place} would unpack to more than {RATIO} times its size. No table does; if it is "
            "one, save it uncompressed."
        )
    free = free_memory()
    if free is not None and n_bytes > free:
        raise ReadError(
            f"{place} unpacks to at least {size_text(n_bytes)}, more than the {size_text(free)} of "
            "memory that are free. Close other programs, or use a machine with more memory."
        )


def open_gzip(file: BinaryIO, place: str) -> BinaryIO:
    """The unpacked bytes of a gzip file."""
    text = BytesIO()
    text.writelines(inflate_pieces(file, "gzip", place))
    return text


def inflate_pieces(file: BinaryIO, kind: str, place: str) -> Iterator[bytes]:
    """What a gzip file unpacks to, piece by piece; refused as soon as it swells too far."""
    file.seek(0)
    n_bytes = 0
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            while piece := packed.read(_PIECE):
                n_bytes += len(piece)
                check_swelling(n_bytes, file.tell(), place)
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ReadError(damaged_sentence(kind, place)) from None


_HEAD = 1024
_TAIL = 256
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_STATA_RELEASES = range(102, 116)
_FEWEST_HOLES = 64 << 20
_MOST_EXTENTS = 100_000


def _is_old_stata(head: bytes) -> bool:
    """A release number, one of two orders of bytes, and the 1 of a data set."""
    return (
        len(head) > 109
        and head[0] in _STATA_RELEASES
        and head[1] in (1, 2)
        and head[2:4] in (b"\x01\0", b"\x01\x01")
    )


def _starts(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(marks)


_IS: dict[str, Callable[[bytes], bool]] = {
    "spss": _starts(b"$FL2", b"$FL3"),
    "portable": lambda head: b"SPSS PORT FILE" in head or b"SPSSPORT" in head,
    "stata": lambda head: head.startswith(b"<stata_dta>") or _is_old_stata(head),
    "sas": _starts(_SAS),
    "transport": _starts(b"HEADER RECORD*******LIB"),
    "excel": _starts(b"PK\x03\x04"),
    "parquet": _starts(b"PAR1"),
    "gzip": _starts(b"\x1f\x8b"),
    "rds": _starts(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"X\n", b"A\n"),
}
_ENDINGS = {
    "spss": ".sav",
    "portable": ".por",
    "stata": ".dta",
    "sas": ".sas7bdat",
    "transport": ".xpt",
    "excel": ".xlsx",
    "parquet": ".parquet",
}


def guard(path: Path, kind: str, place: str, *, is_read_whole: bool = True) -> int:
    """How many bytes the file has, if nothing about them is wrong that can be seen from outside.

    `kind` is "text", or one of those that `parsers` knows.
    """
    with open_file(path, place) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        _check_holes(file, n_bytes, place)
        if is_read_whole:
            check_too_large(n_bytes, place)
        if kind != "text":
            _check_other_kinds(file, kind, place)
            _check_cut_short(file, kind, place)
            check_bomb(file, kind, place)
        return n_bytes


def check_too_large(n_bytes: int, place: str) -> None:
    """Refuse what memory cannot hold."""
    free = free_memory()
    if free is not None and n_bytes > free:
        raise ReadError(
            f"{place} has {size_text(n_bytes)}, more than the {size_text(free)} of memory that are"
            " free. Close other programs, or use a machine with more memory."
        )


def _check_other_kinds(file: BinaryIO, kind: str, place: str) -> None:
    file.seek(0)
    head = file.read(_HEAD)
    _check_encrypted(file, head, place)
    if _IS[kind](head):
        return
    found = next((other for other, ending in _ENDINGS.items() if _IS[other](head)), None)
    if found:
        raise ReadError(
            f"{place} is {NAMES[found]}, whatever its name says. Give its name the ending "
            f"{_ENDINGS[found]} and try again."
        )
    if head.startswith(b"\x1f\x8b"):
        remedy = "It is compressed with gzip: unpack it and try again."
    else:
        remedy = "If it is text, give its name the ending .csv; otherwise export it again."
    raise ReadError(f"{place} is not {NAMES[kind]}, whatever its name says. {remedy}")


def _check_encrypted(file: BinaryIO, head: bytes, place: str) -> None:
    if b"ENCRYPTEDSAV" in head[:64]:
        raise ReadError(
            f"{place} is an SPSS file encrypted with a password. Open it in SPSS and save it "
            "without one."
        )
    if head.startswith(b"PARE"):
        raise ReadError(f"{place} is an encrypted Parquet file. Save it without encryption.")
    if not head.startswith(_OLE):
        return
    if _names_in_compound(file, head).find("EncryptedPackage".encode("utf-16-le")) >= 0:
        raise ReadError(
            f"{place} is an Excel workbook encrypted with a password. Open it in Excel and save it"
            " without one."
        )
    raise ReadError(
        f"{place} is an old Excel workbook (.xls). Open it in Excel and save it as .xlsx or CSV."
    )


def _names_in_compound(file: BinaryIO, head: bytes) -> bytes:
    """The first names in the directory of a compound file, as they stand."""
    sector = 1 << min(int.from_bytes(head[30:32], "little"), 20)
    file.seek((int.from_bytes(head[48:52], "little") + 1) * sector)
    return file.read(4096)


def _check_cut_short(file: BinaryIO, kind: str, place: str) -> None:
    """Refuse what ends as no file of its kind does; the parsers would pass over what is gone."""
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(n_bytes - _TAIL, 0))
    tail = file.read(_TAIL)
    ends_well = {
        "parquet": tail.endswith(b"PAR1"),
        "portable": tail.rstrip().endswith(b"Z"),  # the letter that closes such a file
        "transport": n_bytes % 80 == 0,  # lines of 80 bytes, the last one filled up
    }
    if not ends_well.get(kind, True):
        raise ReadError(damaged_sentence(kind, place))


def _check_holes(file: BinaryIO, n_bytes: int, place: str) -> None:
    """A file mostly of holes was made at its full size and not filled: copying it broke off."""
    if n_bytes <= _FEWEST_HOLES or not hasattr(os, "SEEK_HOLE"):
        return
    n_empty = n_bytes - _n_written(file.fileno(), n_bytes)
    if n_empty > _FEWEST_HOLES and n_empty > n_bytes / 2:
        raise ReadError(
            f"{place} has {size_text(n_bytes)}, of which {size_text(n_empty)} were never written:"
            " copying was not finished. Copy it again."
        )


def _n_written(descriptor: int, n_bytes: int) -> int:
    """How many bytes lie in written parts; all of them where the file system does not know."""
    n_written = start = 0
    try:
        for _ in range(_MOST_EXTENTS):
            start = os.lseek(descriptor, start, os.SEEK_DATA)
            end = os.lseek(descriptor, start, os.SEEK_HOLE)
            n_written, start = n_written + end - start, end
    except OSError:  # no data behind this place
        return n_written
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return n_bytes
