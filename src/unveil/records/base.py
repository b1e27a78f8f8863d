"""What every result record is: frozen, typed, equal by value, and safe to write down.

A record holds text, truth values, whole numbers, finite numbers, tuples and other records, nothing
else. Numbers of other libraries are converted when the record is made; NaN and infinity are
refused, because JSON would silently turn them into ``null``, which means "not measurable" here.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial, singledispatch
from html import escape
from typing import Any, Literal, Protocol, Self

import msgspec

from unveil.errors import InternalError, ReadError

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
            plain = _plain(given, f"{type(self).__name__}.{name}")
            if plain is not given:
                msgspec.structs.force_setattr(self, name, plain)

    def to_dict(self) -> dict[str, Any]:
        """Everything in the record as dictionaries and lists."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return made

    def to_json(self, *, indent: int = 2) -> str:
        """The record as one JSON document."""
        return msgspec.json.format(msgspec.json.encode(self), indent=indent).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The record a document holds; unknown or missing fields are refused."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError as fault:
            raise ReadError(f"The document is no {cls.__name__} of unveil: {fault}.") from None


def _plain(value: Any, where: str) -> Any:
    # Exact types first: almost every field is one of these, and records are made by the thousand.
    if value is None or type(value) in (str, bool, int) or isinstance(value, Record):
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


# How a record shows itself: one line as text, HTML in a notebook, and its charts.
#
# Rooms above teach these functions about their records (`as_html.register`), so that a record can
# be shown without knowing who draws it. Without a drawer it is shown by its name alone: no figure
# is shown by accident.


@singledispatch
def as_text(record: Record) -> str:
    """The record in a line or two, for a console."""
    return f"<{type(record).__name__}>"


@singledispatch
def as_html(record: Record) -> str:
    """The record as a fragment of HTML, for a notebook."""
    return f"<pre>{escape(as_text(record))}</pre>"


@singledispatch
def charts(record: Record) -> Mapping[str, Callable[..., Any]]:
    """The charts of a record by name: functions of the record and of what else they ask for."""
    return {}


class Plots:
    """The charts of one result: `result.plot.lollipop()`; each is looked at, or saved as SVG."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = charts(self._record)
        if name not in found:
            known = f"Its charts are: {', '.join(found)}." if found else "It has no charts."
            raise AttributeError(f"{type(self._record).__name__} has no chart {name!r}. {known}")
        chart = partial(found[name], self._record)
        chart.__doc__ = found[name].__doc__
        return chart

    def __dir__(self) -> list[str]:
        return sorted(charts(self._record))

    def __repr__(self) -> str:
        return f"Charts: {', '.join(charts(self._record)) or 'none'}"


class _HasRecord(Protocol):
    @property
    def record(self) -> Record: ...


class HasPlots:
    """A result whose record has charts."""

    @property
    def plot(self: _HasRecord) -> Plots:
        """The charts of this result, by name: aggregates only, as in its views."""
        return Plots(self.record)


# What record is handed to people as it is? One that shows itself in words.


class HasView(Record, frozen=True, kw_only=True):
    """A record that prints itself as sentences, and in a notebook as sentences and tables."""

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
