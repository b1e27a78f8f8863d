"""How many records satisfy each predicate? By look-ups on codes, never by filtering a frame.

A condition that is an interval of codes is a slice of the column's records in the order of their
codes. Of each predicate the condition with the fewest records gives the candidates, and the others
are looked up for these alone. Predicates that are only tried are first counted on a few thousand
records, as sets of bits, and most are given up there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from unveil.measure.attacks.predicates import Attribute, Codes, Mask, Predicates, Whole

Rows = NDArray[np.int32]
Condition = tuple[int, int, int, bool]  # column, low and high end, negated

SAMPLE = 2**12
"""On how many records a predicate is tried before it is counted on all."""
SET_BITS = 2**29
"""How many bits the sets of records take at most, all columns together: 64 MB."""
SHORT = 2**16
FIRST = 2**7
"""On how many candidates one is looked at before it is on eight times as many, and so on."""


@dataclass(frozen=True)
class Side:
    """The distinct records of one data set: codes, columns x records; how often each is there."""

    attributes: tuple[Attribute, ...]
    codes: Codes
    times: Whole

    @property
    def n_records(self) -> int:
        """How many distinct records there are."""
        return int(self.codes.shape[1])

    @cached_property
    def n_rows(self) -> int:
        """How many records there are, equals included."""
        return int(self.times.sum())

    @cached_property
    def repeats(self) -> tuple[Whole, Whole]:
        """The different numbers of times that records are there; and which one each record has."""
        return np.unique(self.times, return_inverse=True)

    @cached_property
    def _in_order(self) -> dict[int, Rows]:
        return {}

    @cached_property
    def _until(self) -> dict[int, Whole]:
        return {}

    def in_order(self, column: int) -> Rows:
        """The records in the order of a column's codes."""
        if column not in self._in_order:
            codes = self.codes[column]
            if self.attributes[column].n_levels <= SHORT:
                codes = codes.astype(np.uint16)  # which are sorted digit by digit
            self._in_order[column] = np.argsort(codes, kind="stable").astype(np.int32)
        return self._in_order[column]

    def until(self, column: int) -> Whole:
        """How many records come before each code of a column; all of them at the end."""
        if column not in self._until:
            self._until[column] = self._until_of(column, slice(None))
        return self._until[column]

    def _until_of(self, column: int, chosen: Mask | slice) -> Whole:
        n_levels = self.attributes[column].n_levels
        counts = np.bincount(self.codes[column][chosen], minlength=n_levels)
        return np.concatenate(([0], np.cumsum(counts)))

    def n_satisfying(self, predicates: Predicates, *, most: int | None = None) -> Whole:
        """How many records satisfy each predicate; counting stops where there are `most`."""
        within = self._within(predicates)
        if predicates.columns.shape[1] == 1:
            return within[:, 0]
        conditions = _by_use(predicates, within)
        return np.array([self._count(each, most) for each in conditions], np.int64)

    def n_by_repeats(self, predicates: Predicates) -> Iterator[tuple[int, Whole]]:
        """For each number of times that records are there: how many such satisfy each predicate."""
        numbers, which = self.repeats
        if predicates.columns.shape[1] == 1:
            for place, times in enumerate(numbers):
                yield int(times), self._within(predicates, which == place)[:, 0]
            return
        n = np.zeros((len(numbers), len(predicates)), np.int64)
        for place, each in enumerate(_by_use(predicates, self._within(predicates))):
            rows = self._among(self._candidates(each[0]), each[1:])
            n[:, place] = np.bincount(which[rows], minlength=len(numbers))
        yield from zip(numbers.tolist(), n, strict=True)

    def first_satisfying(self, predicates: Predicates) -> Whole:
        """The first record that satisfies each predicate; past the last where none does."""
        conditions = _by_use(predicates, self._within(predicates))
        found = (self._among(self._candidates(each[0]), each[1:]) for each in conditions)
        return np.array([rows.min(initial=self.n_records) for rows in found], np.int64)

    def _within(self, predicates: Predicates, chosen: Mask | None = None) -> Whole:
        """How many records, or how many of those chosen, satisfy each condition alone."""
        n = np.zeros(predicates.columns.shape, np.int64)
        for column in predicates.columns_used():
            mine = predicates.columns == column
            until = self.until(column) if chosen is None else self._until_of(column, chosen)
            n[mine] = until[predicates.high[mine]] - until[predicates.low[mine]]
        n_all = self.n_records if chosen is None else int(chosen.sum())
        return np.where(predicates.negated, n_all - n, n)

    def _count(self, conditions: Sequence[Condition], most: int | None) -> int:
        candidates = self._candidates(conditions[0])
        start, size = 0, len(candidates) if most is None else FIRST
        n = 0
        while start < len(candidates) and (most is None or n < most):
            n += len(self._among(candidates[start : start + size], conditions[1:]))
            start, size = start + size, 8 * size
        return n

    def _among(self, rows: Rows, conditions: Sequence[Condition]) -> Rows:
        """The candidates that satisfy these conditions."""
        for column, low, high, negated in conditions:
            if not len(rows):
                break
            # Codes below the low end wrap around to very large ones.
            within = self.codes[column][rows] - np.uint32(low) < np.uint32(high - low)
            rows = rows[~within if negated else within]
        return rows

    def _candidates(self, condition: Condition) -> Rows:
        """The records that satisfy one condition."""
        column, low, high, negated = condition
        order, until = self.in_order(column), self.until(column)
        start, stop = until[low], until[high]
        if negated:
            return np.concatenate((order[:start], order[stop:]))
        return order[start:stop]


def _by_use(predicates: Predicates, within: Whole) -> list[list[Condition]]:
    """The conditions of each predicate as plain numbers, those that leave fewest records first."""
    order = np.lexsort((within, predicates.negated), axis=1)
    fields = (predicates.columns, predicates.low, predicates.high, predicates.negated)
    ordered = [np.take_along_axis(each, order, axis=1).tolist() for each in fields]
    return [list(zip(*parts, strict=True)) for parts in zip(*ordered, strict=True)]


@dataclass(frozen=True)
class Tried:
    """Some records of a data set, drawn at random, on which predicates are tried.

    For each column `sorted_codes` of the records drawn and, for each r, `smallest[r]`: the set of
    the r records with the smallest codes, as bits. An interval of codes is the difference of two
    such sets, one of which holds the other.
    """

    side: Side
    sorted_codes: NDArray[np.uint32]  # columns x records drawn
    smallest: NDArray[np.uint64]  # columns x records drawn and one more x words

    @classmethod
    def of(cls, side: Side, rng: np.random.Generator) -> "Tried":
        """Draw the records to try on; which ones changes the time taken, and nothing else."""
        affordable = isqrt(SET_BITS // len(side.attributes))
        n_drawn = min(side.n_records, SAMPLE, affordable)
        codes = side.codes[:, rng.choice(side.n_records, n_drawn, replace=False)]
        order = np.argsort(codes, axis=1, kind="stable")
        return cls(
            side,
            np.take_along_axis(codes, order, axis=1),
            np.stack([_smallest(of_column) for of_column in order]),
        )

    def singling_out(self, predicates: Predicates) -> Mask:
        """Which predicates exactly one record satisfies."""
        left = np.flatnonzero(self._n_drawn(predicates) < 2)
        found = np.zeros(len(predicates), bool)
        found[left] = self.side.n_satisfying(predicates[left], most=2) == 1
        return found

    def _n_drawn(self, predicates: Predicates) -> Whole:
        """How many of the records drawn satisfy each predicate."""
        shape = predicates.columns.shape
        low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for column in predicates.columns_used():
            mine, codes = predicates.columns == column, self.sorted_codes[column]
            low[mine] = np.searchsorted(codes, predicates.low[mine].astype(np.uint32))
            high[mine] = np.searchsorted(codes, predicates.high[mine].astype(np.uint32))
        both = np.repeat(self.smallest[:1, -1], shape[0], axis=0)
        for place in range(shape[1]):
            of = predicates.columns[:, place]
            holds = self.smallest[of, high[:, place]] ^ self.smallest[of, low[:, place]]
            holds[predicates.negated[:, place]] ^= self.smallest[0, -1]
            both &= holds
        n: Whole = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        return n


def _smallest(order: Whole) -> NDArray[np.uint64]:
    """The sets of the first 0, 1, 2, ... of some records in this order, as bits."""
    sets = np.zeros((len(order) + 1, -(-len(order) // 64)), np.uint64)
    sets[np.arange(1, len(order) + 1), order // 64] = np.uint64(1) << (order % 64).astype(np.uint64)
    return np.bitwise_or.accumulate(sets, axis=0)
