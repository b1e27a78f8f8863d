"""Which engine is to count these files? Decided once, when they are opened."""

import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.errors import EngineError
from unveil.io.batches import is_batched
from unveil.io.memory import CELL, file_size, free_memory, open_file, size_text
from unveil.io.sources import CachedFile
from unveil.io.table import place_of
from unveil.study.band_spec import format_n
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
    if isinstance(source, CachedFile):
        return source.engine  # type: ignore[return-value]
    return HELD_BY.get(type(source).__module__.partition(".")[0])


def choose_engine(
    sources: Collection[Any],
    settings: EngineSettings,
    *,
    by_counts: bool,
    n_columns: int | None = None,
) -> EngineName:
    """The engine for all of these; what an engine holds already stays there.

    Files that memory does not hold are counted in chunks; `n_columns` of them are compared, all
    where None. What is not asked `by_counts` needs rows: it is read into memory, unless an engine
    is named.
    """
    is_read = any(isinstance(one, CachedFile) and holder(one) is None for one in sources)
    if settings.name == "memory" or is_read:
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
    if held or not all(map(is_batched, sources)):
        return next(iter(held), "memory")
    sizes = [_size(source, n_columns) for source in sources]
    needed, limit = CELL * sum(rows * columns for rows, columns in sizes), memory_limit(settings)
    return "memory" if limit is None or needed <= limit else "chunks"


# How large are the files, which engine is for them, and what will it do?


@dataclass(frozen=True)
class EnginePlan:
    """Which engine counts and why, how much memory it takes, and in which passes."""

    engine: EngineName
    why: str
    sizes: tuple[str, ...]  # a sentence for each file
    passes: tuple[str, ...]

    def sentences(self) -> tuple[str, ...]:
        """The plan, as it is shown."""
        steps = (f"{number}. {text}" for number, text in enumerate(self.passes, start=1))
        return (*self.sizes, f"Engine: {self.engine}. {self.why}", *steps)


def plan_engine(
    sources: Mapping[str, Any],
    settings: EngineSettings,
    *,
    n_columns: int | None = None,
    by_counts: bool = True,
) -> EnginePlan:
    """The plan for these files, by their headers and sizes alone; no record is read."""
    engine = choose_engine([*sources.values()], settings, by_counts=by_counts, n_columns=n_columns)
    for name, source in sources.items():
        if isinstance(source, str | os.PathLike) and not Path(source).is_dir():
            with open_file(Path(source), place_of(name, Path(os.fsdecode(source)).name)):
                pass  # that it can be read is part of the plan
    sizes = {name: _size(source, n_columns) for name, source in sources.items()}
    told = tuple(
        f"{place_of(name, Path(os.fsdecode(sources[name])).name)}: {found}."
        for name, found in ((n, _size_text(one)) for n, one in sizes.items())
        if isinstance(sources[name], str | os.PathLike)
    )
    n_cells = sum(rows * columns for rows, columns in sizes.values())
    n_rows = sum(rows for rows, _ in sizes.values())
    limit = memory_limit(settings)
    whole = f"Read whole, the files need about {size_text(n_cells * CELL)}"
    have = "" if limit is None else f"; {size_text(limit)} can be used"
    how = "as asked for" if settings.name != "auto" else "chosen by size"
    passes = {
        "memory": ("Every file is read once, whole, and counted in memory.",),
        "chunks": (
            "Each file is read in batches: the different values of each column are counted.",
            f"Each file is read again and its {n_rows:,} records are written as codes to"
            f" {format_n(count_parts(n_rows, 2 * (n_columns or 8), limit), 'part')} in the spill"
            " folder, records with equal keys together.",
            "Each part is counted in memory: keys, targets, checks, whole records.",
        ),
    }
    in_engine = (
        "The different values of each column are counted by the engine and brought together here.",
        "Records are coded in the engine; keys, cells and whole records are counted there.",
    )
    why = f"{whole}{have} ({how})."
    if engine == "chunks":
        n_bytes = 2 * (n_columns or 8)
        n_parts = count_parts(n_rows, n_bytes, limit)
        most = RESTING + 2 * n_rows * (2 * n_bytes + COUNTING) // n_parts
        why += f" Expected in chunks: at most {size_text(most)}."
    return EnginePlan(engine, why, told, passes.get(engine, in_engine))


def memory_limit(settings: EngineSettings) -> int | None:
    """Bytes that counting may take: as asked for, or what is free."""
    return settings.memory or free_memory()


def _size(source: Any, n_columns: int | None) -> tuple[int, int]:
    """Rows and columns of a path, by its header or its size; nothing of what is no path."""
    if not isinstance(source, str | os.PathLike):
        return 0, 0
    return file_size(Path(os.fsdecode(source)), n_columns)


def _size_text(size: tuple[int, int]) -> str:
    rows, columns = size
    return f"about {rows:,} rows, {columns:,} columns compared" if rows else "size not known"


RESTING = 400 * 10**6
"""Bytes that libraries, levels and the batch being read take, whatever the size of the files."""
COUNTING = 64
"""Bytes for each record of a part while it is counted, beyond its codes."""
LEAST_ROOM = 32 * 10**6
PART_ROWS = 2**21
"""Records of a part, where memory would allow more: they are sorted faster."""
MOST_PARTS = 512


def count_parts(n_rows: int, n_bytes: int, memory: int | None) -> int:
    """Into how many parts so many records go, each of so many bytes, for this much memory."""
    limit = memory or free_memory() or 2 * 10**9
    room = max(limit - RESTING, LEAST_ROOM) // 2  # parts are not of one size
    wanted = max(n_rows * (2 * n_bytes + COUNTING) / room, n_rows / PART_ROWS)
    return min(max(math.ceil(wanted), 1), MOST_PARTS)
