"""What is known about a table of counts: facts on sums of cells, and the system they make."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from unveil.errors import InputError


@dataclass(frozen=True)
class Fact:
    """What is known of a sum of base cells: lo <= sum of the cells <= hi."""

    cells: tuple[int, ...]
    """Flat indices of base cells in C order, ascending, each once."""
    lo: int
    hi: int | None
    """None: no upper bound."""
    what: str
    """How a sentence names it: "the cell sex=m, age=2", "the total of sex=m", "the total"."""


@dataclass(frozen=True)
class System:
    """A base table of true counts and everything that is known about it, without names or files.

    Every cell is at least 0 by definition, and a structural cell is 0 and known to be. A system
    that its own true counts violate is refused here, so no measure has to ask whether it does.
    """

    counts: tuple[int, ...]
    """True counts, flat, C order."""
    facts: tuple[Fact, ...]
    structural: frozenset[int]
    """Flat indices of impossible cells."""
    shape: tuple[int, ...]
    """Its product is the number of cells; (number of cells,) where there is no shape."""

    def __post_init__(self) -> None:
        if not self.counts:
            raise InputError("The table has no cells. Give at least one count.")
        if prod(self.shape) != len(self.counts):
            raise ValueError("the shape does not fit the number of cells")
        for cell, count in enumerate(self.counts):
            _check_count(cell, count, structural=cell in self.structural)
        for fact in self.facts:
            _check_fact(fact, self.counts)

    @property
    def N(self) -> int:
        """People in the table."""
        return sum(self.counts)


def _check_count(cell: int, count: int, *, structural: bool) -> None:
    if count < 0:
        raise InputError(
            f"Cell {cell} has a negative count. A table of counts holds whole numbers from 0."
        )
    if structural and count:
        raise InputError(
            f"Cell {cell} is declared impossible (structural), but people are counted in it. "
            "Take it off the structural cells or correct its count."
        )


def _check_fact(fact: Fact, counts: tuple[int, ...]) -> None:
    true = sum(counts[cell] for cell in fact.cells)
    if true < fact.lo or (fact.hi is not None and true > fact.hi):
        raise InputError(
            f"What is said of {fact.what} does not hold in the true table: its count is not "
            f"{_interval(fact)}. Correct the bounds, the published value or the counts."
        )


def _interval(fact: Fact) -> str:
    if fact.hi is None:
        return f"at least {fact.lo:,}"
    if fact.hi == fact.lo:
        return f"{fact.lo:,}"
    return f"from {fact.lo:,} to {fact.hi:,}"
