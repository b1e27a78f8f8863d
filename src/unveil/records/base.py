"""What every result record is: frozen, typed, equal by value, and safe to write down.

A record holds text, truth values, whole numbers, finite numbers, tuples and other records, nothing
else. Numbers of other libraries are converted when the record is made; NaN and infinity are
refused, because JSON would silently turn them into ``null``, which means "not measurable" here.
"""

import math
from importlib import import_module
from typing import Any, Literal, Self

import msgspec

from unveil.errors import InternalError, ReadError
from unveil.version import __version__

# Which of the copies a figure is of.


Copy = int | Literal["mean", "pooled"]
"""Which copy a figure is of: 1 to m, their mean, or all of them pooled into one file."""


SCHEMA = 1


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One frozen result; see the module's text for what it may hold."""

    def __post_init__(self) -> None:
        """Make every field plain, or refuse it."""
        for name in self.__struct_fields__:
            given = getattr(self, name)
            if given is None or type(given) in _PLAIN:  # almost all, of thousands of records
                continue
            plain = _plain(given, f"{type(self).__name__}.{name}")
            if plain is not given:
                msgspec.structs.force_setattr(self, name, plain)

    def to_dict(self) -> dict[str, Any]:
        """Everything in the record as dictionaries and lists."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return made

    def flat(self) -> dict[str, Any]:
        """The record as one row of a table."""
        return self.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """The record as one JSON document."""
        return msgspec.json.format(msgspec.json.encode(self), indent=indent).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The record a document holds; unknown or missing fields are refused."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError as fault:
            raise ReadError(f"The document is not of type {cls.__name__}: {fault}.") from None


class VersionedRecord(Record, frozen=True, kw_only=True):
    """A result that is written down by itself: it says its schema, and which unveil made it."""

    schema: int = SCHEMA
    version: str = __version__


_PLAIN = frozenset((str, bool, int))


def _plain(value: Any, where: str) -> Any:
    if value is None or type(value) in _PLAIN or isinstance(value, Record):
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise InternalError(f"{where} would be {value}.")
        return value
    if isinstance(value, tuple | list):
        return tuple(_plain(item, where) for item in value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _plain(value.item(), where)
    raise InternalError(f"{where} holds a {type(value).__name__}.")


# What record is handed to people as it is? One that shows itself in words.


class HasView(Record, frozen=True, kw_only=True):
    """A record that prints itself as sentences, and in a notebook as sentences and tables."""

    # What shows records stands above them: this is the one place where it is called by its name.

    def __repr__(self) -> str:
        return str(import_module("unveil.view.show").as_text(self))

    def _repr_html_(self) -> str:
        return str(import_module("unveil.view.show").as_html(self))
