"""What does a file of R hold beside its data frame? Attributes, names of rows, unused levels.

R's serialisation, version 2 or 3, in its binary form (R Internals, 1.8): each item has its type
and whether attributes follow. Of the columns themselves nothing is kept.
"""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from unveil.io.parquet_dictionaries import DAMAGED
from unveil.io.table import HeldBeside

_HAS_ATTRIBUTES, _HAS_TAG = 0x200, 0x400
_NOTHING = (254, 253, 252, 251, 250, 247, 242, 241)
_PAIRS = (2, 3, 5, 6, 17)
_SYMBOL, _ENVIRONMENT, _TEXT, _TEXTS, _LISTS, _ALTERNATIVE, _SEEN = 1, 4, 9, 16, (19, 20), 238, 255
_VECTORS = {10: ">i4", 13: ">i4", 14: ">f8", 15: ">c16", 24: "u1"}
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
_OF_TYPES = ("names", "class")
"""Attributes of a data frame that its reader shows."""


@dataclass(eq=False)
class _Item:
    value: Any = None
    attributes: "dict[str, _Item]" = field(default_factory=dict)


class _Stream:
    """Items of R's serialisation, one after the other."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 14
        self.seen: list[_Item] = []
        if int.from_bytes(raw[2:6], "big") == 3:
            self.take(self.whole())

    def take(self, n: int) -> bytes:
        found = self.raw[self.at : self.at + n]
        if n < 0 or len(found) < n:
            raise ValueError
        self.at += n
        return found

    def whole(self) -> int:
        return int.from_bytes(self.take(4), "big", signed=True)

    def item(self) -> _Item:
        flags = self.whole()
        kind = flags & 0xFF
        if kind in _NOTHING:
            return _Item()
        if kind == _SEEN:
            return self.seen[(flags >> 8 or self.whole()) - 1]
        if kind in _PAIRS:
            return self.pairs(flags)
        found = _Item()
        if kind == _ENVIRONMENT:
            self.whole()
            self.seen.append(found)
            found.value = [self.item() for _ in range(4)]
        elif kind == _SYMBOL:
            found.value = self.item().value
            self.seen.append(found)
        elif kind == _ALTERNATIVE:
            self.item()
            found.value, found.attributes = self.item(), self.item().attributes
        else:
            found.value = self.vector(kind)
            # Of a text, other flags say how it is encoded.
            if flags & _HAS_ATTRIBUTES and kind != _TEXT:
                found.attributes = self.item().attributes
        return found

    def vector(self, kind: int) -> Any:
        n = self.whole()
        if kind == _TEXT:
            return None if n == -1 else self.take(n).decode("utf-8", "replace")
        if kind in _VECTORS:
            dtype = np.dtype(_VECTORS[kind])
            return np.frombuffer(self.take(n * dtype.itemsize), dtype)
        if kind == _TEXTS:
            return [self.item().value for _ in range(n)]
        if kind in _LISTS:
            return [self.item() for _ in range(n)]
        raise ValueError

    def pairs(self, flags: int) -> _Item:
        """A list of pairs: its items, those with a name as attributes."""
        found = _Item([])
        while flags & 0xFF in _PAIRS:
            if flags & _HAS_ATTRIBUTES:
                self.item()
            tag = self.item().value if flags & _HAS_TAG else None
            one = self.item()
            found.value.append(one)
            if isinstance(tag, str):
                found.attributes[tag] = one
            flags = self.whole()
        if flags & 0xFF not in _NOTHING:
            raise ValueError
        return found


def read_beside(path: Path) -> tuple[list[HeldBeside], list[str]]:
    """Texts beside the data frame, and sentences on what is more than a text."""
    with path.open("rb") as file:
        start = file.read(2)
    with _OPENERS.get(start, open)(path, "rb") as file:
        raw = file.read()
    try:
        if raw[:2] != b"X\n":
            raise ValueError
        return _read_frame(_Stream(raw).item())
    except DAMAGED:
        return [], ["It is written in a way that does not show what is attached to its columns."]


def _read_frame(top: _Item) -> tuple[list[HeldBeside], list[str]]:
    names = top.attributes["names"].value if "names" in top.attributes else []
    found = []
    said = [
        _say(one) for tag, one in top.attributes.items() if tag not in (*_OF_TYPES, "row.names")
    ]
    for name, column in zip(names, top.value, strict=False):
        levels = column.attributes.pop("levels", None)
        if levels is not None:
            found.append(HeldBeside("values", tuple(map(str, levels.value)), str(name)))
        said += [_say(one) for one in column.attributes.values()]
    if any(said):
        found.append(HeldBeside("attributes", tuple(filter(None, said))))
    rows = top.attributes.get("row.names")
    return found, ["Its rows have names."] if rows is not None and _are_names(rows.value) else []


def _say(item: _Item) -> str:
    """All texts and numbers of an attribute."""
    return " ".join(_pieces(item, set()))


def _pieces(item: _Item, seen: set[int]) -> Iterator[str]:
    """Those of one item, each once: an environment may hold itself."""
    if id(item) in seen:
        return
    seen.add(id(item))
    if isinstance(item.value, str):
        yield item.value
    elif isinstance(item.value, _Item):
        yield from _pieces(item.value, seen)
    elif isinstance(item.value, np.ndarray):
        yield from (f"{one:.11g}" for one in item.value.tolist() if not isinstance(one, complex))
    elif isinstance(item.value, list):
        for one in item.value:
            if isinstance(one, _Item):
                yield from _pieces(one, seen)
            elif one is not None:
                yield one
    for one in item.attributes.values():
        yield from _pieces(one, seen)


def _are_names(rows: Any) -> bool:
    """Whether rows are called otherwise than by numbers that go up."""
    if isinstance(rows, list):
        if not all(one and one.isdigit() for one in rows):
            return True
        rows = np.array([float(one) for one in rows])
    if not isinstance(rows, np.ndarray):
        return False
    is_compact = len(rows) == 2 and rows[0] == np.iinfo(np.int32).min
    return not is_compact and bool((np.diff(rows.astype(float)) <= 0).any())
