"""What is a column to synthesis: a number or a category, and which of its values are no value?

A number is split in two: its state (0 a plain value, 1 missing, 2 and on each special code or
spike) and its value, which only state 0 has. Dates, moments and times are numbers too, by the
number that stands behind them. A category is the places of its values in the list of its levels;
missing is one more level, the last.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

Kind = Literal["number", "category", "ordered", "constant", "empty"]
Values = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.int32]
States = NDArray[np.int16]
Ranks = NDArray[np.float32]

MISSING = 1
"""The state of a number that is not there; plain values have state 0, special codes 2 and on."""


@dataclass(frozen=True)
class Column:
    """One column of the original, as synthesis sees it. Its levels and knots are data.

    `levels` are the distinct values of a category, in order, as the original's type; one level
    that holds the value of a constant. `special` are the values of states 2, 3, ... of a number, as
    the original's type. `knots` are the distinct plain values of a number, in order.
    """

    name: str
    kind: Kind
    dtype: pl.DataType
    levels: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.Null))
    special: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.Null))
    knots: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    has_missing: bool = False

    @property
    def n_levels(self) -> int:
        """Codes of a category, missing among them (as the last); 0 for a number."""
        return len(self.levels) + self.has_missing if self.is_category else 0

    @property
    def n_states(self) -> int:
        """States of a number that may occur: plain, missing and each special code; else 1."""
        if self.kind != "number":
            return 1
        return 2 + len(self.special) if len(self.special) else 1 + self.has_missing

    @property
    def n_dummies(self) -> int:
        """Columns that it has in a regression: each level but the first, or each state."""
        if self.is_category:
            return max(self.n_levels - 1, 0)
        return self.n_states if self.kind == "number" else 0

    @property
    def is_category(self) -> bool:
        """Whether its values are codes of levels."""
        return self.kind in ("category", "ordered")

    @property
    def storage(self) -> np.dtype[Any]:
        """The type of its values here: codes, whole numbers, or numbers."""
        if self.kind != "number":
            return np.dtype(np.int32)
        is_whole = self.dtype.is_integer() or self.dtype.is_temporal() or self.dtype.is_decimal()
        return np.dtype(np.int64 if is_whole else np.float64)

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to model: one value, or none."""
        return self.kind in ("constant", "empty")


@dataclass(frozen=True)
class Part:
    """What a column holds in some rows, original or synthetic, split into state and value.

    `values` are the codes of a category (int32), or the numbers (int64 or float64) of which those
    with a state above 0 mean nothing. `state` is None where every row has a plain value.
    """

    column: Column
    values: Values
    state: States | None = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def ranks(self) -> Ranks:
        """The place of each number among the distinct values of the original; -state without one.

        A tree sees only the order of numbers, so places serve as well as values, and are exact in
        32 bits where values may not be. A number between two values is placed between them.
        """
        knots = self.column.knots
        if not len(knots):
            knots = np.zeros(1)
        places = np.interp(self.values, knots, np.arange(len(knots)))
        if self.state is not None:
            places[self.state > 0] = -self.state[self.state > 0]
        return places.astype(np.float32)
