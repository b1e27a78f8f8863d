"""How a record shows itself: one line as text, HTML in a notebook, and its charts.

Rooms above teach these functions about their records (`as_html.register`), so that a record can be
shown without knowing who draws it. Without a drawer it is shown by its name alone: no figure is
shown by accident.
"""

from collections.abc import Callable, Mapping
from functools import partial, singledispatch
from html import escape
from typing import Any, Protocol

from unveil.records.base import Record


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


class Plotted:
    """A result whose record has charts."""

    @property
    def plot(self: _HasRecord) -> Plots:
        """The charts of this result, by name: aggregates only, as in its views."""
        return Plots(self.record)
