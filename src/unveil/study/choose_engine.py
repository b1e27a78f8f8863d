"""Which engine is to count these files? Decided once, when they are opened."""

import os
from collections.abc import Collection
from typing import Any

from unveil.errors import EngineError
from unveil.io.sources import CachedFile
from unveil.study.engine import EngineName, EngineSettings

NEEDS_ROWS = (
    "This measure needs the records themselves, which the engine keeps. Take a random sample of"
    " them there, save it as Parquet, give its path, and state the size of the sample with the"
    " result."
)

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


def choose_engine(
    sources: Collection[Any], settings: EngineSettings, *, by_counts: bool
) -> EngineName:
    """The engine for all of these; what an engine holds already stays there.

    What is not asked `by_counts` needs rows: it is read into memory, unless an engine is named.
    """
    if settings.name == "memory" or any(isinstance(source, CachedFile) for source in sources):
        return "memory"
    if not by_counts:
        is_here = not any(isinstance(one, str | os.PathLike) or holder(one) for one in sources)
        if settings.name == "auto" or is_here:
            return "memory"
        raise EngineError(NEEDS_ROWS)
    if settings.name != "auto":
        return settings.name
    held = {found for source in sources if (found := holder(source)) is not None}
    if len(held) > 1:
        raise EngineError(
            "The files are held by more than one engine. Save them as Parquet and give the paths,"
            " or bring all of them to one engine."
        )
    return next(iter(held), "memory")
