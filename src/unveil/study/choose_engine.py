"""Which engine is to count these files? Decided once, when they are opened."""

from collections.abc import Iterable
from typing import Any

from unveil.errors import EngineError
from unveil.study.engine import EngineName, EngineSettings

HELD_BY: dict[str, EngineName] = {
    "pyspark": "spark",
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "ibis": "ibis",
}
"""Whose objects these are, by the library that made them."""


def holder(source: Any) -> EngineName | None:
    """The engine that holds a source already; None for paths, and for frames in memory."""
    return HELD_BY.get(type(source).__module__.partition(".")[0])


def choose_engine(sources: Iterable[Any], settings: EngineSettings) -> EngineName:
    """The engine for all of these; what an engine holds already stays there."""
    held = {found for source in sources if (found := holder(source)) is not None}
    if settings.name in ("auto", "memory"):
        if len(held) > 1:
            raise EngineError(
                "The files are held by more than one engine. Save them as Parquet and give the"
                " paths, or bring all of them to one engine."
            )
        return next(iter(held), "memory") if settings.name == "auto" else "memory"
    return settings.name
