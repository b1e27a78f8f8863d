"""Is the file what its name says, whole, and small enough? Asked before a byte of it is parsed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from unveil.errors import ReadError
from unveil.read.archives import refuse_bomb
from unveil.read.disk import open_file
from unveil.read.memory import free_memory, size_text
from unveil.read.parsers import NAMES, damaged

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
        _refuse_holes(file, n_bytes, place)
        if is_read_whole:
            refuse_too_large(n_bytes, place)
        if kind != "text":
            _refuse_other_kinds(file, kind, place)
            _refuse_cut_short(file, kind, place)
            refuse_bomb(file, kind, place)
        return n_bytes


def refuse_too_large(n_bytes: int, place: str) -> None:
    """Refuse what memory cannot hold."""
    free = free_memory()
    if free is not None and n_bytes > free:
        raise ReadError(
            f"{place} has {size_text(n_bytes)}, more than the {size_text(free)} of memory that are"
            " free. Close other programs, or use a machine with more memory."
        )


def _refuse_other_kinds(file: BinaryIO, kind: str, place: str) -> None:
    file.seek(0)
    head = file.read(_HEAD)
    _refuse_encrypted(file, head, place)
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


def _refuse_encrypted(file: BinaryIO, head: bytes, place: str) -> None:
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


def _refuse_cut_short(file: BinaryIO, kind: str, place: str) -> None:
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
        raise ReadError(damaged(kind, place))


def _refuse_holes(file: BinaryIO, n_bytes: int, place: str) -> None:
    """A file mostly of holes was made at its full size and not filled: a copy that broke off."""
    if n_bytes <= _FEWEST_HOLES or not hasattr(os, "SEEK_HOLE"):
        return
    n_empty = n_bytes - _n_written(file.fileno(), n_bytes)
    if n_empty > _FEWEST_HOLES and n_empty > n_bytes / 2:
        raise ReadError(
            f"{place} has {size_text(n_bytes)}, of which {size_text(n_empty)} were never written: "
            "its copy was not finished. Copy it again."
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
