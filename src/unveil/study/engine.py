"""What is asked of the rows of a study, wherever they are kept?

Measures by counts need no row: which levels a column has, and how many records of each file have a
combination of levels. Whoever answers these is an engine. `OpenFiles` is the one in memory;
engines that keep their rows elsewhere answer the same, and only counts leave them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import polars as pl

from unveil.count.codes import Codes
from unveil.count.packing import Counts, Integers


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """The levels of a column over all files, missing last, and how many records have each."""

    levels: pl.Series
    counts: Counts


@dataclass(frozen=True, eq=False)
class CombinationCounts:
    """Combinations of levels that occur, and the records of each file that have them.

    `codes` has for each column the place of its level among those of `LevelCounts`.
    """

    codes: tuple[Codes, ...]
    counts: Integers  # files x combinations


@runtime_checkable
class Engine(Protocol):
    """Where the rows of a study are, and what can be asked of them."""

    @property
    def rows(self) -> tuple[int, ...]:
        """Records of each file, the original first."""

    def count_levels(self, name: str) -> LevelCounts:
        """The levels of a column, in the same type over all files, counted."""

    def count_combinations(self, names: Sequence[str]) -> CombinationCounts:
        """What occurs in several columns together, counted."""
