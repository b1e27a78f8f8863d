"""Which engine is to count, with how much memory, and where may it put what does not fit?"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from unveil.arguments import quote_value
from unveil.errors import SettingsError, hint_at, list_names

EngineName = Literal["auto", "memory", "chunks", "duckdb", "spark", "ibis"]
"""Where rows are counted; "auto" decides by what is given, by its size and by free memory."""

LEAST_MEMORY = 64 * 10**6
"""With less, no engine counts anything."""


@dataclass(frozen=True)
class EngineSettings:
    """Which engine counts, with how much memory, and where it may put what does not fit.

    `memory` is in bytes; None is half of what is free. `spill` is a folder; None is the system's
    own. `address` is a Spark session, or where to find one: sc://host:port, spark://host:port or
    local[2].
    """

    name: EngineName = "auto"
    memory: int | None = None
    spill: Path | None = None
    address: Any = None
    is_named: bool = False  # whether somebody chose the engine, if only "auto"

    def beside(self, declared: "EngineSettings") -> "EngineSettings":
        """These settings, and what is declared elsewhere for what they do not say."""
        chosen = self if self.is_named else declared
        return EngineSettings(
            chosen.name,
            self.memory or declared.memory,
            self.spill or declared.spill,
            self.address if self.address is not None else declared.address,
            self.is_named or declared.is_named,
        )


_AUTO = EngineSettings()
_CURRENT: ContextVar[EngineSettings] = ContextVar("engine", default=_AUTO)


def current_engine() -> EngineSettings:
    """The engine that is asked for here."""
    return _CURRENT.get()


@contextmanager
def use_settings(settings: EngineSettings) -> Iterator[EngineSettings]:
    """Count by these settings whatever is measured inside the `with`."""
    before = _CURRENT.set(settings)
    try:
        yield settings
    finally:
        _CURRENT.reset(before)


@contextmanager
def use_engine(
    name: str | None = None,
    *,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    address: Any = None,
) -> Iterator[EngineSettings]:
    """Count with this engine whatever is measured inside the `with`.

    Parameters
    ----------
    name
        auto, memory, chunks, duckdb (extra `large`) or spark (extra `spark`); None is auto, or what
        a project declares.
    memory
        The most memory that DuckDB takes: "2GB", or a number of bytes.
    spill
        A folder for what does not fit; everything in it that is ours is removed at the end.
    address
        A Spark session, a Spark Connect address (sc://host:port), or a master (local[2]).
    """
    with use_settings(parse_engine(name, memory, spill, address)) as settings:
        yield settings


def parse_engine(
    name: str | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    address: Any = None,
) -> EngineSettings:
    """The settings, or a sentence on what is wrong with them."""
    known = [one for one in get_args(EngineName) if one != "ibis"]  # which comes with its tables
    if name is not None and name not in known:
        raise SettingsError(
            f"There is no engine {quote_value(name)}.{hint_at(str(name), known)} The engines are:"
            f" {list_names(known)}."
        )
    folder = None if spill is None else Path(spill)
    if folder is not None and not folder.is_dir():
        raise SettingsError(f"The spill folder {str(folder)!r} is not there. Make it first.")
    chosen: Any = name or "auto"
    return EngineSettings(chosen, parse_memory(memory), folder, address, name is not None)


_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_memory(given: str | int | None) -> int | None:
    """A size in bytes: 2GB, 500 MB, or a number."""
    if given is None:
        return None
    found = _SIZE.fullmatch(str(given))
    n_bytes = 0 if found is None else int(float(found[1]) * _UNITS[found[2].upper()])
    if isinstance(given, bool) or n_bytes < LEAST_MEMORY:
        raise SettingsError(
            f"memory is {quote_value(given)}. Give a size of 64 MB or more, such as 2GB."
        )
    return n_bytes
