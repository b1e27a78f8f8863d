"""How does a record show itself: as text, as HTML in a notebook, by its charts? One table says.

A module of this folder registers what it shows, and `SHOWN_IN` says which one that is: it is read
when the first record of its kind is shown. A record that is not in the table is shown by its name
alone: no figure is shown by accident.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, singledispatch
from importlib import import_module
from typing import Any, Protocol

from unveil.records.base import Record
from unveil.view.blocks import Block, Sentence
from unveil.view.render_html import render_notebook

SHOWN_IN = {
    name: module
    for module, names in {
        "alerts": ("Assessment",),
        "attacks": ("Attacks",),
        "cap": ("Cap", "Gcap", "Tcap"),
        "claims": ("Claims",),
        "codebook": ("CodebookDifferences", "DescribedFile"),
        "comparison": ("Comparison", "PairCounts"),
        "count_tables": ("Audit", "Bounds", "ProtectedTable", "RoundedTable"),
        "differential": ("DifferentialConfidentiality", "Split"),
        "disclosure_blocks": ("Disclosure",),
        "distance_filter": ("DistanceFilter", "Refill"),
        "ecap": ("DiscreteEcap", "Ecap", "EcapRecords", "NoiseChoice"),
        "exploration": ("Exploration",),
        "flags": ("Excess", "ExclusionTable"),
        "gtcap": ("Gtcap",),
        "key_sets": ("KeySets",),
        "match_risk": ("AlignedMatch", "MatchRisk"),
        "membership": ("Membership",),
        "noise": ("Noise",),
        "pack": ("Pack", "PackVerification"),
        "pair_tables": ("PairTables",),
        "neighbour_sap": ("NeighbourSap",),
        "project": ("Decision", "Explanation", "Judgement", "LogCheck", "WhatIf"),
        "projection": ("Projection",),
        "publication_plan": ("PublicationPlan",),
        "protection": ("ConfidentialProtection", "Protection", "StageTable"),
        "recognition": ("Recognition",),
        "recoding": ("FakeMarks", "Recoding", "Removal", "Smoothing", "Suggestions"),
        "replication": ("Replication",),
        "rounding": ("RoundingComparison",),
        "run_comparison": ("RunComparison",),
        "sap": ("Sap",),
        "suggestion": ("Suggestion",),
        "summary": ("Summary",),
        "synthesis": ("Synthesis",),
        "tstr": ("Tstr",),
        "uniques": ("Suda",),
        "utility": ("Utility",),
    }.items()
    for name in names
}
"""The module that shows a record, by the name of its class, which no other class has."""


@singledispatch
def as_text(record: Record) -> str:
    """The record in a line or two, for a console."""
    if _is_shown(as_text, record):
        return as_text(record)
    return f"<{type(record).__name__}>"


@singledispatch
def as_blocks(record: Record) -> Iterable[Block]:
    """The record as blocks, for every renderer; a record without a view has its one line."""
    if _is_shown(as_blocks, record):
        return as_blocks(record)
    return [Sentence(as_text(record))]


@singledispatch
def as_html(record: Record) -> str:
    """The record as a fragment of HTML, for a notebook: its blocks."""
    if _is_shown(as_html, record):
        return as_html(record)
    return render_notebook(as_blocks(record))


def _is_shown(show: Any, record: Record) -> bool:
    """Whether a module shows such a record; by now it is imported."""
    name = type(record).__name__
    if name in SHOWN_IN:
        import_module(f"unveil.view.{SHOWN_IN[name]}")
    return show.dispatch(type(record)) is not show.dispatch(object)


def charts(record: Record) -> Mapping[str, Callable[..., Any]]:
    """The charts of a record by name: functions of the record and of what else they ask for."""
    named = import_module("unveil.view.charts.chart_names").NAMED
    found: Mapping[str, Callable[..., Any]] = named.get(type(record), {})
    return found


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


class Result:
    """What a call hands back: a record, whose fields are the result's too, and ways to look at it.

    What stands beside the record may be about single people: it is asked for by name, and `to_json`
    and every view have the figures of the record alone.
    """

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name != "record" and name in _fields(self):
            return getattr(self.record, name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}.")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_fields(self)})

    @property
    def plot(self: _HasRecord) -> Plots:
        """The charts of this result, by name: aggregates only, as in its views."""
        return Plots(self.record)

    def to_dict(self: _HasRecord) -> dict[str, Any]:
        """Everything as dictionaries and lists."""
        return self.record.to_dict()

    def to_json(self: _HasRecord, *, indent: int = 2) -> str:
        """The record as one JSON document."""
        return self.record.to_json(indent=indent)

    def __repr__(self: _HasRecord) -> str:
        return as_text(self.record)

    def _repr_html_(self: _HasRecord) -> str:
        return as_html(self.record)


def _fields(result: _HasRecord) -> tuple[str, ...]:
    return result.record.__struct_fields__
