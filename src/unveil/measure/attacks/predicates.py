"""Which predicates could an attacker make from a synthetic file, and which from nothing at all?

A predicate is a conjunction of conditions, one for each of some columns. Values are codes, so that
every condition is an interval of codes or its complement: `is missing`, `= v`, `!= v`, `<= v`,
`>= v`, `< v` and `> v` are all of one form, and nothing is ever written out as text and read again.

Numbers, dates and times are in order; special codes and the missing level stand outside of it and
are only ever equal or not. Missing is a level: it differs from every value, and is neither above
nor below one. Giomi et al. (2023), as implemented by Anonymeter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn
from unveil.count.packing import count_people

Codes = NDArray[np.uint32]

N_OPERATORS = 6  # ==, !=, >=, <=, >, <; of what has no order the first two


@dataclass(frozen=True)
class Attribute:
    """One column as codes in which order means something: of the first `n_ordered` levels alone."""

    column: CodedColumn
    place: Codes  # the code of each level here
    n_ordered: int  # none of text, truth values and codes that all have a label

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def n_levels(self) -> int:
        """Levels over all sides, the missing one included."""
        return self.column.n_levels

    def codes(self, rows: Ints) -> Codes:
        """The codes of these stacked records."""
        return self.place[self.column.codes[rows]]


def attribute_of(column: CodedColumn, *, has_order: bool = True) -> Attribute:
    """The column with its ordered levels first, then all the others; missing is the last."""
    is_ordered = np.zeros(column.n_levels, bool)
    if has_order and column.is_scaled:
        is_ordered = column.is_number()
    n_ordered = int(is_ordered.sum())
    place = np.empty(column.n_levels, np.uint32)
    place[is_ordered] = np.arange(n_ordered)
    place[~is_ordered] = np.arange(n_ordered, column.n_levels)
    return Attribute(column, place, n_ordered)


@dataclass(frozen=True)
class Predicates:
    """One predicate a row: columns, and for each the codes from `low` to before `high`, or not."""

    columns: Ints
    low: Ints
    high: Ints
    negated: Mask

    def __len__(self) -> int:
        return len(self.columns)

    def list_columns(self) -> list[int]:
        """The columns that some condition is about, in ascending order."""
        return np.flatnonzero(np.bincount(self.columns.ravel())).tolist()

    def __getitem__(self, chosen: Any) -> Self:
        return type(self)(
            self.columns[chosen], self.low[chosen], self.high[chosen], self.negated[chosen]
        )


def join_predicates(parts: Sequence[Predicates], n_columns: int) -> Predicates:
    """Predicates of the same number of columns, one part after the other."""
    nothing = np.empty((0, n_columns), np.int64)
    fields = [
        np.concatenate([empty, *(getattr(part, name) for part in parts)])
        for name, empty in {
            "columns": nothing,
            "low": nothing,
            "high": nothing,
            "negated": nothing.astype(bool),
        }.items()
    ]
    return Predicates(*fields)


@dataclass(frozen=True)
class Book:
    """What predicates are made from: the synthetic codes, its medians and the values it has."""

    attributes: tuple[Attribute, ...]
    codes: Codes  # columns x records of the synthetic file
    medians: Ints  # the lower one of the two in the middle; -1 where nothing is in order
    occurring: tuple[Ints, ...]  # levels that occur

    @classmethod
    def of(cls, attributes: Sequence[Attribute], codes: Codes) -> Self:
        """The book of the synthetic file."""
        occurring = tuple(np.flatnonzero(np.bincount(of_column)) for of_column in codes)
        medians = [
            _median(of_column[of_column < attribute.n_ordered])
            for attribute, of_column in zip(attributes, codes, strict=True)
        ]
        return cls(tuple(attributes), codes, np.array(medians), occurring)

    @property
    def n_records(self) -> int:
        """Distinct records of the synthetic file."""
        return int(self.codes.shape[1])

    def counts(self, column: int) -> Ints:
        """How many records have each level."""
        of_column, n_levels = self.codes[column], self.attributes[column].n_levels
        return np.bincount(of_column, minlength=n_levels)

    def make_predicates(self, rows: Ints, columns: Ints) -> Predicates:
        """The predicates that these records satisfy on these columns (a row each), ends included.

        Notes
        -----
        Equality of what has no order; otherwise `>= v` above the synthetic median and `<= v` else.
        """
        code = self.codes[columns, rows[:, np.newaxis]].astype(np.int64)
        n_ordered = np.array([attribute.n_ordered for attribute in self.attributes])[columns]
        is_ordered = code < n_ordered
        is_upper = is_ordered & (code > self.medians[columns])
        low = np.where(is_ordered & ~is_upper, 0, code)
        high = np.where(is_upper, n_ordered, code + 1)
        return Predicates(columns, low, high, np.zeros(columns.shape, bool))


def _median(codes: Codes) -> int:
    """The code above which a value of the synthetic file lies above its median.

    Of an even number of values the median lies between the two in the middle, which are neighbours
    in the synthetic file: what lies above it lies above the lower one.
    """
    if not len(codes):
        return -1
    middle = (len(codes) - 1) // 2
    return int(np.partition(codes, middle)[middle])


def list_univariate(book: Book) -> Predicates:
    """Every predicate of one column that singles out in the synthetic file, column by column.

    Notes
    -----
    `is missing` and `= v` where one record has it; of a column with numbers also `<= lowest` and
    `>= highest`, which are predicates of their own beside `= lowest` and `= highest`.
    """
    columns, lows, highs = [], [], []
    for column, attribute in enumerate(book.attributes):
        once = np.flatnonzero(book.counts(column) == 1)
        ordered = book.occurring[column][book.occurring[column] < attribute.n_ordered]
        ends = [(0, end + 1) for end in ordered[:1]]
        ends += [(end, attribute.n_ordered) for end in ordered[-1:]]
        known = [(low, high) for low, high in ends if book.counts(column)[low:high].sum() == 1]
        columns.append(np.full(len(known) + len(once), column))
        lows.append(np.array([low for low, _ in known] + once.tolist(), np.int64))
        highs.append(np.array([high for _, high in known] + (once + 1).tolist(), np.int64))
    low, high = np.concatenate(lows)[:, np.newaxis], np.concatenate(highs)[:, np.newaxis]
    return Predicates(np.concatenate(columns)[:, np.newaxis], low, high, np.zeros(low.shape, bool))


def draw_predicates(book: Book, columns: Ints, rng: np.random.Generator) -> Predicates:
    """Predicates on these columns (a row each) of values and operators drawn at random.

    Notes
    -----
    The value is uniform over the distinct values of synthetic data, the operator over ==, !=, and
    of values in order also >=, <=, >, <. Such a predicate need not single out in synthetic data.
    """
    shape = columns.shape
    code = np.empty(shape, np.int64)
    n_ordered = np.array([attribute.n_ordered for attribute in book.attributes])[columns]
    drawn = rng.random(shape)
    for column, levels in enumerate(book.occurring):
        mine = columns == column
        code[mine] = levels[(drawn[mine] * len(levels)).astype(np.int64)]
    has_order = code < n_ordered
    operator = (rng.random(shape) * np.where(has_order, N_OPERATORS, 2)).astype(np.int64)
    return comparison_predicates(columns, code, operator, n_ordered)


def comparison_predicates(columns: Ints, code: Ints, operator: Ints, n_ordered: Ints) -> Predicates:
    """Predicates that compare with these codes by these operators: ==, !=, >=, <=, >, <."""
    low = np.select([operator == 3, operator == 4, operator == 5], [0, code + 1, 0], code)
    high = np.select(
        [(operator == 2) | (operator == 4), operator == 5], [n_ordered, code], code + 1
    )
    return Predicates(columns, low, high, operator == 1)


# How many records satisfy each predicate? By look-ups on codes, never by filtering a frame.
#
# A condition that is an interval of codes is a slice of the column's records in the order of
# their codes. Of each predicate the condition with the fewest records gives the candidates, and
# the others are looked up for these alone. Predicates that are only tried are first counted on a
# few thousand records, as sets of bits, and most are given up there.


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
class DistinctRecords:
    """The distinct records of one data set: codes, columns x records; how often each is there."""

    attributes: tuple[Attribute, ...]
    codes: Codes
    times: Ints

    @property
    def n_records(self) -> int:
        """How many distinct records there are."""
        return int(self.codes.shape[1])

    @property
    def n_single(self) -> int:
        """How many can be singled out."""
        return self.n_records

    @cached_property
    def n_rows(self) -> int:
        """How many records there are, equals included."""
        return int(self.times.sum())

    @cached_property
    def repeats(self) -> tuple[Ints, Ints]:
        """The different numbers of times that records are there; and which one each record has."""
        return np.unique(self.times, return_inverse=True)

    @cached_property
    def _in_order(self) -> dict[int, Rows]:
        return {}

    @cached_property
    def _until(self) -> dict[int, Ints]:
        return {}

    def in_order(self, column: int) -> Rows:
        """The records in the order of a column's codes."""
        if column not in self._in_order:
            codes = self.codes[column]
            if self.attributes[column].n_levels <= SHORT:
                codes = codes.astype(np.uint16)  # which are sorted digit by digit
            self._in_order[column] = np.argsort(codes, kind="stable").astype(np.int32)
        return self._in_order[column]

    def until(self, column: int) -> Ints:
        """How many records come before each code of a column; all of them at the end."""
        if column not in self._until:
            self._until[column] = self._until_of(column, slice(None))
        return self._until[column]

    def _until_of(self, column: int, chosen: Mask | slice) -> Ints:
        n_levels = self.attributes[column].n_levels
        counts = np.bincount(self.codes[column][chosen], minlength=n_levels)
        return np.concatenate(([0], np.cumsum(counts)))

    def n_satisfying(self, predicates: Predicates, *, most: int | None = None) -> Ints:
        """How many records satisfy each predicate; counting stops where there are `most`."""
        within = self._within(predicates)
        if predicates.columns.shape[1] == 1:
            return within[:, 0]
        conditions = _by_use(predicates, within)
        return np.array([self._count(each, most) for each in conditions], np.int64)

    def n_by_repeats(self, predicates: Predicates) -> Iterator[tuple[int, Ints]]:
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

    def first_satisfying(self, predicates: Predicates) -> Ints:
        """The first record that satisfies each predicate; past the last where none does."""
        conditions = _by_use(predicates, self._within(predicates))
        found = (self._among(self._candidates(each[0]), each[1:]) for each in conditions)
        return np.array([rows.min(initial=self.n_records) for rows in found], np.int64)

    def _within(self, predicates: Predicates, chosen: Mask | None = None) -> Ints:
        """How many records, or how many of those chosen, satisfy each condition alone."""
        n = np.zeros(predicates.columns.shape, np.int64)
        for column in predicates.list_columns():
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


@dataclass(frozen=True)
class PeopleRecords(DistinctRecords):
    """The distinct records of each person: a predicate singles out the only one who has such."""

    person: Ints  # of each record, from 0

    @cached_property
    def n_rows(self) -> int:
        """How many people there are, which is what samples are drawn from."""
        return self.n_single

    @property
    def n_single(self) -> int:
        """How many people there are."""
        return int(self.person.max()) + 1

    def n_satisfying(self, predicates: Predicates, *, most: int | None = None) -> Ints:
        """How many people have a record that satisfies each predicate; all are counted."""
        n = np.zeros(len(predicates), np.int64)
        if predicates.columns.shape[1] > 1:
            for place, people in enumerate(self._people_satisfying(predicates)):
                n[place] = len(np.unique(people))
            return n
        for column in predicates.list_columns():
            mine = np.flatnonzero(predicates.columns[:, 0] == column)
            n[mine] = self._n_people(column, predicates[mine])
        return n

    def n_by_repeats(self, predicates: Predicates) -> Iterator[tuple[int, Ints]]:
        """How many people have such a record: each of them is there once."""
        yield 1, self.n_satisfying(predicates)

    def first_satisfying(self, predicates: Predicates) -> Ints:
        """The first person who has a record of each predicate; past the last where none has."""
        found = self._people_satisfying(predicates)
        return np.array([people.min(initial=self.n_single) for people in found], np.int64)

    def _people_satisfying(self, predicates: Predicates) -> Iterator[Ints]:
        for each in _by_use(predicates, self._within(predicates)):
            yield self.person[self._among(self._candidates(each[0]), each[1:])]

    def _n_people(self, column: int, predicates: Predicates) -> Ints:
        """How many people satisfy comparisons with one value: ==, !=, >=, <=, > and <."""
        attribute, codes = self.attributes[column], self.codes[column].astype(np.int64)
        n_levels, n_ordered = attribute.n_levels, attribute.n_ordered
        lowest = np.full(self.n_single, n_levels)
        highest, highest_ordered = (np.full(self.n_single, -1) for _ in range(2))
        np.minimum.at(lowest, self.person, codes)
        np.maximum.at(highest, self.person, codes)
        np.maximum.at(highest_ordered, self.person, np.where(codes < n_ordered, codes, -1))
        with_level = count_people(codes, self.person, n_levels)
        with_no_other = np.bincount(lowest[lowest == highest], minlength=n_levels)
        below = np.cumsum(np.bincount(lowest + 1, minlength=n_levels + 1))
        above = self.n_single - np.cumsum(np.bincount(highest_ordered + 1, minlength=n_levels + 1))
        low, high = predicates.low[:, 0], predicates.high[:, 0]
        level = np.minimum(low, n_levels - 1)  # nothing lies above the last level in order
        return np.select(
            [predicates.negated[:, 0], high == low + 1, low == 0],
            [self.n_single - with_no_other[level], with_level[level], below[high]],
            above[low],
        )


def _by_use(predicates: Predicates, within: Ints) -> list[list[Condition]]:
    """The conditions of each predicate as plain numbers, those that leave fewest records first."""
    order = np.lexsort((within, predicates.negated), axis=1)
    fields = (predicates.columns, predicates.low, predicates.high, predicates.negated)
    ordered = [np.take_along_axis(each, order, axis=1).tolist() for each in fields]
    return [list(zip(*parts, strict=True)) for parts in zip(*ordered, strict=True)]


@dataclass(frozen=True)
class DrawnRecords:
    """Some records of a data set, drawn at random, on which predicates are tried.

    For each column `sorted_codes` of the records drawn and, for each r, `smallest[r]`: the set of
    the r records with the smallest codes, as bits. An interval of codes is the difference of two
    such sets, one of which holds the other.
    """

    side: DistinctRecords
    sorted_codes: NDArray[np.uint32]  # columns x records drawn
    smallest: NDArray[np.uint64]  # columns x records drawn and one more x words

    @classmethod
    def of(cls, side: DistinctRecords, rng: np.random.Generator) -> "DrawnRecords":
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

    def _n_drawn(self, predicates: Predicates) -> Ints:
        """How many of the records drawn satisfy each predicate."""
        shape = predicates.columns.shape
        low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for column in predicates.list_columns():
            mine, codes = predicates.columns == column, self.sorted_codes[column]
            low[mine] = np.searchsorted(codes, predicates.low[mine].astype(np.uint32))
            high[mine] = np.searchsorted(codes, predicates.high[mine].astype(np.uint32))
        both = np.repeat(self.smallest[:1, -1], shape[0], axis=0)
        for place in range(shape[1]):
            of = predicates.columns[:, place]
            holds = self.smallest[of, high[:, place]] ^ self.smallest[of, low[:, place]]
            holds[predicates.negated[:, place]] ^= self.smallest[0, -1]
            both &= holds
        n: Ints = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        return n


def _smallest(order: Ints) -> NDArray[np.uint64]:
    """The sets of the first 0, 1, 2, ... of some records in this order, as bits."""
    sets = np.zeros((len(order) + 1, -(-len(order) // 64)), np.uint64)
    sets[np.arange(1, len(order) + 1), order // 64] = np.uint64(1) << (order % 64).astype(np.uint64)
    return np.bitwise_or.accumulate(sets, axis=0)
