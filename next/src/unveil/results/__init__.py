"""Typed results: what was measured, in which unit, and what it means."""

from unveil.results.limits import Check, PeopleFigure, exit_code, grouped, parse_limits
from unveil.results.result import (
    Chart,
    Copy,
    FileUsed,
    Heading,
    Note,
    Onward,
    Result,
    Row,
    Table,
    to_json,
    with_mean,
)
from unveil.results.units import Count, Figure, Level, Number, People, Percent, Share, Text, Unit

__all__ = [
    "Chart",
    "Check",
    "Copy",
    "Count",
    "Figure",
    "FileUsed",
    "Heading",
    "Level",
    "Note",
    "Number",
    "Onward",
    "People",
    "PeopleFigure",
    "Percent",
    "Result",
    "Row",
    "Share",
    "Table",
    "Text",
    "Unit",
    "exit_code",
    "grouped",
    "parse_limits",
    "to_json",
    "with_mean",
]
