"""How large does a compressed file become, and is it made to fill the memory?"""

import gzip
import os
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from unveil.errors import ReadError
from unveil.read.memory import free_memory, size_text
from unveil.read.parsers import damaged

MOST_ENTRIES = 10_000
RATIO = 200
HARMLESS = 256 << 20

_PIECE = 1 << 20
_DEFLATED = 1032  # a byte packed by deflate is never more bytes than this
_NAME_AT = 26  # where, before each part of a zip archive, the lengths stand of its name and more


def refuse_bomb(file: BinaryIO, kind: str, place: str) -> None:
    """Refuse an archive that would become far larger than any table packed in one."""
    file.seek(0)
    if kind == "excel":
        _refuse_zip_bomb(file, place)
    elif kind == "rds" and file.read(2) == b"\x1f\x8b":
        for _ in inflated_pieces(file, kind, place):
            pass


def _refuse_zip_bomb(file: BinaryIO, place: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, UnicodeError):
        raise ReadError(damaged("excel", place)) from None
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
    refuse_swelling(sum(entry.file_size for entry in entries), n_packed, place)
    # No part of a workbook that can unpack to more than is harmless may hide it.
    large = [entry for entry in entries if entry.compress_size * _DEFLATED > HARMLESS]
    if any(_is_understated(file, entry) for entry in large):
        raise ReadError(
            f"{place} unpacks to more than it says it does, which no workbook does. Save it again "
            "in Excel, or as CSV."
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


def refuse_swelling(n_bytes: int, n_packed: int, place: str) -> None:
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


def inflated(file: BinaryIO, place: str) -> BinaryIO:
    """The unpacked bytes of a gzip file."""
    text = BytesIO()
    text.writelines(inflated_pieces(file, "gzip", place))
    return text


def inflated_pieces(file: BinaryIO, kind: str, place: str) -> Iterator[bytes]:
    """What a gzip file unpacks to, piece by piece; refused as soon as it swells too far."""
    file.seek(0)
    n_bytes = 0
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            while piece := packed.read(_PIECE):
                n_bytes += len(piece)
                refuse_swelling(n_bytes, file.tell(), place)
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ReadError(damaged(kind, place)) from None
