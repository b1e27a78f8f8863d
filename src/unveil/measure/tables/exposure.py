"""Which cells does a release leave open to subtraction, and which are given away already?"""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from unveil.measure.tables.facts import System
from unveil.measure.tables.families import Separate, needed, separate
from unveil.measure.tables.oracle import AnyOracle, ProgrammeOracle, oracle_of
from unveil.measure.tables.programme import OutOfTime

SHARE = 0.25
"""Of the time for a curve: as much may be spent on what stands beside it."""


@dataclass(frozen=True)
class GivenAway:
    """What a release gives away by itself, and to whoever knows one cell; None: the time was up."""

    exposed: tuple[int, ...] | None
    recovered: tuple[int, ...] | None
    oracle: AnyOracle | None  # where one was needed


def given_away_by(system: System, left: float | None) -> GivenAway:
    """The cells that are exposed and, of nobody, those that are recovered, asked about once."""
    until = None if left is None else time.monotonic() + SHARE * left
    parts = separate(system)
    asked = oracle_of(system) if parts is None else parts
    empty = _giving_away(system, _empty(system), until, asked)
    full = None
    if empty is not None:
        others = [cell for cell, n in enumerate(system.counts) if n]
        full = _giving_away(system, others, until, asked)
    oracle = None if isinstance(asked, Separate) else asked
    if empty is None or full is None:
        return GivenAway(None, empty, oracle)
    return GivenAway(tuple(sorted((*empty, *full))), empty, oracle)


def exposed(
    system: System, seconds: float | None = None, *, oracle: AnyOracle | None = None
) -> tuple[int, ...] | None:
    """Cells that are recovered as soon as all their own people are known.

    Of one rounded table these are the cells whose upper bound is their count: X of section 2.3.1.
    None where that takes longer than `seconds`. `oracle` is that of the system, if there is one.
    """
    until = None if seconds is None else time.monotonic() + seconds
    asked = oracle or separate(system) or oracle_of(system)
    return _giving_away(system, range(len(system.counts)), until, asked)


def _empty(system: System) -> list[int]:
    return [cell for cell, n in enumerate(system.counts) if n == 0]


def _giving_away(
    system: System, cells: Iterable[int], until: float | None, asked: AnyOracle | Separate
) -> tuple[int, ...] | None:
    possible = [cell for cell in cells if cell not in system.structural]
    if not isinstance(asked, Separate):
        return _by_oracle(possible, until, asked)
    counts = system.counts
    found = []
    for cell in possible:
        all_full = needed(system, asked, (cell,))
        if all_full is not None and all(one == cell or counts[one] == 0 for one in all_full):
            found.append(cell)
    return tuple(found)


def _by_oracle(
    cells: Iterable[int], until: float | None, oracle: AnyOracle
) -> tuple[int, ...] | None:
    if isinstance(oracle, ProgrammeOracle):
        oracle.until = until
    found = []
    try:
        for cell in cells:
            if until is not None and time.monotonic() >= until:
                return None
            if oracle.is_exposed(cell):
                found.append(cell)
    except OutOfTime:
        return None
    return tuple(found)
