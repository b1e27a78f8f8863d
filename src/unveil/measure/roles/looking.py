"""What do the values of a column tell of its role: how many differ, and what are they?

A column is encoded once; all that is counted later is counted from its codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Column

NEAR_UNIQUE = 0.9
"""Share of different values from which a column points at people."""

FEWEST = 20
"""Records from which that share says anything."""

MANY = 100
"""Different values from which on a column named as an identifier is one; or half of its records."""

WORDS = 4
"""Words of a text, on average, from which on it is written freely."""

LARGEST_HOUSEHOLD = 30
"""Sizes and kinds of households are not more than so many."""

WIDTH = 7
"""Digits from which on whole numbers of one width are taken for numbers of people."""

LONGEST_LIFE = 150
"""Ages and years lie within so many of one another."""

HEAVIEST, LIGHT = 660, 30
"""Weights of bodies are at most so much, in pounds; half of them are above this, in kilograms."""

_ROUNDING = 1e-6


@dataclass(frozen=True)
class OwnTexts:
    """A column of texts that nearly nobody shares: counted, and never encoded."""

    n_distinct: int
    n_held: int
    n_alone: int


def own_texts(column: pl.Series) -> OwnTexts | None:
    """The counts of a column of texts in which nearly everyone has their own; else None."""
    if column.dtype != pl.String:
        return None
    held = column.drop_nulls()
    n_distinct = held.n_unique()
    if not is_near_unique(n_distinct, len(held)):
        return None
    n_alone = int(held.is_unique().sum()) + int(column.null_count() == 1)
    return OwnTexts(n_distinct, len(held), n_alone)


def may_identify(column: pl.Series) -> bool:
    """Whether a column has values enough to be an identifier or free text: a quick first look."""
    n_held = len(column) - column.null_count()
    return column.n_unique() >= min(NEAR_UNIQUE * FEWEST, n_held / 10)


def is_near_unique(n_distinct: int, n_held: int) -> bool:
    """Whether so many different values mean that nearly everyone has their own."""
    return n_held >= FEWEST and n_distinct >= NEAR_UNIQUE * n_held


@dataclass(frozen=True)
class Look:
    """One column as codes, and which of its levels are answers."""

    column: Column
    special_codes: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.column.name

    @cached_property
    def is_answer(self) -> NDArray[np.bool_]:
        """Which levels are answers: neither missing nor a code that stands for none."""
        levels = self.column.levels
        answers = levels.is_not_null()
        codes = [*self.special_codes, *self.column.special_codes]
        if codes and levels.dtype.is_numeric():
            answers &= ~levels.cast(pl.Float64).is_in(codes).fill_null(value=False)
        return answers.to_numpy()

    @cached_property
    def n_distinct(self) -> int:
        """Different answers."""
        return int(self.is_answer.sum())

    @cached_property
    def n_held(self) -> int:
        """Records with an answer."""
        return int(self.column.counts[0][self.is_answer].sum())

    @cached_property
    def n_alone(self) -> int:
        """Records whose value nobody shares; missing is a value here, as in all counts."""
        return int((self.column.counts[0] == 1).sum())

    @cached_property
    def answers(self) -> pl.Series:
        """The different answers."""
        return self.column.levels.filter(pl.Series(self.is_answer))

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.column.levels.dtype.is_numeric()

    @cached_property
    def has_decimals(self) -> bool:
        """Whether some answer is a number that is not whole: an amount, not a name."""
        if not self.column.levels.dtype.is_float():
            return False
        return bool((self.answers != self.answers.round(0)).any())

    @cached_property
    def is_of_one_width(self) -> bool:
        """Whether all answers are whole numbers of as many digits, as numbers of people are."""
        low, high = _ends(self.answers)
        return low >= 10 ** (WIDTH - 1) and len(f"{low:.0f}") == len(f"{high:.0f}")

    @property
    def is_near_unique(self) -> bool:
        """Whether nearly everyone has a value of their own."""
        return is_near_unique(self.n_distinct, self.n_held)

    @property
    def has_many(self) -> bool:
        """Whether there are as many different values as names or numbers of people have."""
        return self.n_distinct > min(MANY, self.n_held / 2)

    @property
    def has_many_households(self) -> bool:
        """Whether there are more different values than sizes or kinds of households."""
        return self.has_many and self.n_distinct > LARGEST_HOUSEHOLD

    @cached_property
    def is_free_text(self) -> bool:
        """Whether it holds sentences: many different texts, of four words or more on average."""
        if self.column.levels.dtype != pl.String or self.n_distinct <= min(MANY, self.n_held / 5):
            return False
        n_words = self.answers.str.count_matches(r"\S+").mean()
        return isinstance(n_words, float) and n_words >= WORDS

    @cached_property
    def is_within_a_life(self) -> bool:
        """Whether all answers are numbers that lie as near together as ages or years do."""
        if not self.is_number or not self.n_distinct:
            return False
        low, high = _ends(self.answers)
        return high - low <= LONGEST_LIFE

    @property
    def is_date(self) -> bool:
        """Whether it holds dates, or moments of time."""
        return self.column.levels.dtype.base_type() in (pl.Date, pl.Datetime)

    @cached_property
    def is_like_kilograms(self) -> bool:
        """Whether its numbers could be the weights of bodies, in kilograms or pounds.

        Weights of a sample are mostly near 1, or have more decimals, or stand for many people.
        """
        if not self.is_number or not self.n_distinct:
            return False
        numbers = self.answers.cast(pl.Float64)
        counts = self.column.counts[0][self.is_answer]
        middle = float(np.median(np.repeat(numbers.to_numpy(), counts)))
        low, high = _ends(self.answers)
        is_measured = bool(((numbers * 10 - (numbers * 10).round(0)).abs() < _ROUNDING).all())
        return is_measured and low > 0 and high <= HEAVIEST and middle >= LIGHT

    @cached_property
    def is_positive(self) -> bool:
        """Whether every record has a finite number above 0."""
        if not self.is_number or not self.n_distinct or self.n_held < self.column.sides.n_rows:
            return False
        low, high = _ends(self.answers)
        return low > 0 and bool(np.isfinite(high))


def _ends(numbers: pl.Series) -> Sequence[float]:
    values = numbers.cast(pl.Float64)
    return [float(values.min() or 0), float(values.max() or 0)]  # type: ignore[arg-type]
