"""What a system says, once and no more: limits of every cell, and of every larger sum.

Facts may repeat each other, name impossible cells, or say nothing. Here each set of cells stands
once, with the tightest of what is said of it, so that the solvers need not look twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unveil.measure.tables.facts import Fact, System


@dataclass(frozen=True)
class Sum:
    """Limits of the sum over two cells or more."""

    cells: tuple[int, ...]
    lo: int
    hi: int | None


@dataclass(frozen=True)
class Sums:
    """Limits of every cell by what is said of it alone, and of every sum of several."""

    lo: tuple[int, ...]
    hi: tuple[int | None, ...]
    sums: tuple[Sum, ...]


def sums_of(system: System) -> Sums:
    """Each set of possible cells once, with the largest lower and the smallest upper limit."""
    size = len(system.counts)
    limits: dict[tuple[int, ...], tuple[int, int | None]] = {
        (cell,): (0, None) for cell in range(size)
    }
    for fact in (*_impossible(system.structural), *system.facts):
        cells = (
            tuple(cell for cell in fact.cells if cell not in system.structural) or fact.cells[:1]
        )
        lo, hi = limits.get(cells, (0, None))
        limits[cells] = max(lo, fact.lo), _smaller(hi, fact.hi)
    alone = [limits[(cell,)] for cell in range(size)]
    several = tuple(
        Sum(cells, lo, hi)
        for cells, (lo, hi) in limits.items()
        if len(cells) > 1 and (lo > 0 or hi is not None)
    )
    return Sums(tuple(lo for lo, _ in alone), tuple(hi for _, hi in alone), several)


def _impossible(cells: Iterable[int]) -> Iterable[Fact]:
    return (Fact((cell,), 0, 0, "an impossible cell") for cell in cells)


def _smaller(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
