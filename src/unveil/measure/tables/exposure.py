"""Which cells does a release leave open to subtraction, and which are given away already?"""

import time
from collections.abc import Iterable

from unveil.measure.tables.facts import System
from unveil.measure.tables.families import needed, separate


def exposed(system: System, seconds: float | None = None) -> tuple[int, ...] | None:
    """Cells that are recovered as soon as all their own people are known.

    Of one rounded table these are the cells whose upper bound is their count: X of section 2.3.1.
    None where that takes longer than `seconds`.
    """
    return _giving_away(system, range(len(system.counts)), seconds)


def recovered(system: System, seconds: float | None = None) -> tuple[int, ...] | None:
    """Cells of nobody that are known to be empty before anybody becomes known.

    None where that takes longer than `seconds`.
    """
    return _giving_away(system, [cell for cell, n in enumerate(system.counts) if n == 0], seconds)


def _giving_away(
    system: System, cells: Iterable[int], seconds: float | None
) -> tuple[int, ...] | None:
    possible = [cell for cell in cells if cell not in system.structural]
    parts = separate(system)
    if parts is None:
        return _by_oracle(system, possible, seconds)
    counts = system.counts
    found = []
    for cell in possible:
        all_full = needed(system, parts, (cell,))
        if all_full is not None and all(one == cell or counts[one] == 0 for one in all_full):
            found.append(cell)
    return tuple(found)


def _by_oracle(
    system: System, cells: Iterable[int], seconds: float | None
) -> tuple[int, ...] | None:
    from unveil.measure.tables.oracle import ProgrammeOracle, oracle_of
    from unveil.measure.tables.programme import OutOfTime

    oracle = oracle_of(system)
    until = None if seconds is None else time.monotonic() + seconds
    if isinstance(oracle, ProgrammeOracle):
        oracle.until = until
    found = []
    try:
        for cell in cells:
            if until is not None and time.monotonic() >= until:
                return None
            alone = [0] * len(system.counts)
            alone[cell] = system.counts[cell]
            if oracle.recovers_all(alone, (cell,)):
                found.append(cell)
    except OutOfTime:
        return None
    return tuple(found)
