"""Which values does a Parquet file list that no record has?

A column may keep its values once, in a dictionary page, and number them in its records. Readers
show what records have; a category that none has is there all the same. The format is that of
parquet.thrift (Apache Parquet 2.x), in Thrift's compact protocol.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

DAMAGED = ValueError, LookupError, TypeError, AttributeError, RecursionError
"""What comes of reading a file that is built otherwise."""

_MAGIC = b"PAR1"
_BYTES = 6  # the physical type of text
_LARGEST = 1 << 25  # bytes that are unpacked here: writers keep dictionaries to one or two MB
_HEADER = 1 << 16
_BINARY, _LIST, _SET, _STRUCT = 8, 9, 10, 12
_TRUE, _FALSE, _BYTE, _DOUBLE = 1, 2, 3, 7


class _Thrift:
    """Bytes of Thrift's compact protocol, read as dictionaries by the number of the field."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, n: int) -> bytes:
        found = self.raw[self.at : self.at + n]
        if n < 0 or len(found) < n:
            raise ValueError
        self.at += n
        return found

    def varint(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
        raise ValueError

    def signed(self) -> int:
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def struct(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        field = 0
        while head := self.take(1)[0]:
            field = field + (head >> 4) if head >> 4 else self.signed()
            kind = head & 0xF
            found[field] = kind == _TRUE if kind in (_TRUE, _FALSE) else self.value(kind)
        return found

    def value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self.take(1)[0]
        if kind == _DOUBLE:
            return self.take(8)
        if kind == _BINARY:
            return self.take(self.varint())
        if kind in (_LIST, _SET):
            head = self.take(1)[0]
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 0xF) for _ in range(n)]
        if kind == _STRUCT:
            return self.struct()
        if kind in (4, 5, 6):
            return self.signed()
        raise ValueError


@dataclass(frozen=True)
class DictionaryPage:
    """The values that a column lists in one part of a file: how many, and the bytes of them."""

    column: str
    n_values: int
    texts: Callable[[], list[str] | None]  # None where they are packed in another way


def dictionary_pages(path: Path) -> Iterator[DictionaryPage]:
    """The dictionary pages of columns of text; `ValueError` where the file is built otherwise."""
    with path.open("rb") as file:
        footer = _read_footer(file)
        for group in footer.get(4, []):
            for chunk in group.get(1, []):
                told = chunk.get(3, {})
                if told.get(1) == _BYTES and told.get(11):
                    yield _read_page(file, told)


def _read_footer(file: BinaryIO) -> dict[int, Any]:
    size = file.seek(0, 2)
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > size:
        raise ValueError
    file.seek(size - 8 - length)
    return _Thrift(file.read(length)).struct()


def _read_page(file: BinaryIO, told: dict[int, Any]) -> DictionaryPage:
    file.seek(told[11])
    reader = _Thrift(file.read(_HEADER))
    header = reader.struct()
    start, packed, size = told[11] + reader.at, header[3], header[2]
    n_values = header.get(7, {}).get(1, 0)

    def texts() -> list[str] | None:
        unpack = _CODECS.get(told.get(4, 0))
        if unpack is None or not 0 <= packed <= _LARGEST or size > _LARGEST:
            return None
        with open(file.name, "rb") as again:
            again.seek(start)
            raw = again.read(packed)
        return _plain(unpack(raw), n_values)

    return DictionaryPage(b".".join(told[3]).decode(), n_values, texts)


def _plain(raw: bytes, n_values: int) -> list[str]:
    """Texts, each behind its length."""
    found, reader = [], _Thrift(raw)
    for _ in range(n_values):
        length = int.from_bytes(reader.take(4), "little")
        found.append(reader.take(length).decode("utf-8", "replace"))
    return found


def _unpack_snappy(raw: bytes) -> bytes:
    """Snappy: pieces as they stand, and copies of what came before."""
    reader = _Thrift(raw)
    size = min(reader.varint(), _LARGEST)
    found = bytearray()
    while len(found) < size:
        tag = reader.take(1)[0]
        if tag & 3 == 0:
            length = (tag >> 2) + 1
            if length > 60:
                length = int.from_bytes(reader.take(length - 60), "little") + 1
            found += reader.take(length)
            continue
        if tag & 3 == 1:
            length, back = ((tag >> 2) & 7) + 4, (tag >> 5 << 8) | reader.take(1)[0]
        else:
            length = (tag >> 2) + 1
            back = int.from_bytes(reader.take(2 if tag & 3 == 2 else 4), "little")
        if not 0 < back <= len(found):
            raise ValueError
        piece = found[-back:][:length]  # which is repeated where it is shorter than the copy
        found += (piece * (length // len(piece) + 1))[:length]
    return bytes(found)


_CODECS: dict[int, Callable[[bytes], bytes]] = {
    0: bytes,
    1: _unpack_snappy,
    2: lambda raw: zlib.decompressobj(31).decompress(raw, _LARGEST),
}
