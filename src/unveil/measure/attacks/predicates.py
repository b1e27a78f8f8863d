"""Which predicates could an attacker make from a copy, and which from nothing at all?

A predicate is a conjunction of conditions, one for each of some columns. Values are codes, so that
every condition is an interval of codes or its complement: `is missing`, `= v`, `!= v`, `<= v`,
`>= v`, `< v` and `> v` are all of one form, and nothing is ever written out as text and read again.

Numbers, dates and times are in order; special codes and the missing level stand outside of it and
are only ever equal or not. Missing is a level: it differs from every value, and is neither above
nor below one. Giomi et al. (2023), as implemented by Anonymeter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.count.codes import Column
from unveil.measure.attacks.distances import is_scaled

Codes = NDArray[np.uint32]
Mask = NDArray[np.bool_]
Whole = NDArray[np.int64]

N_OPERATORS = 6  # ==, !=, >=, <=, >, <; of what has no order the first two


@dataclass(frozen=True)
class Attribute:
    """One column as codes in which order means something: of the first `n_ordered` levels alone."""

    column: Column
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

    def codes(self, rows: Whole) -> Codes:
        """The codes of these stacked records."""
        return self.place[self.column.codes[rows]]


def attribute_of(column: Column, *, has_order: bool = True) -> Attribute:
    """The column with its ordered levels first, then all the others; missing is the last."""
    is_ordered = np.zeros(column.n_levels, bool)
    if has_order and is_scaled(column):
        known = column.levels.drop_nulls().to_physical().to_numpy()
        is_ordered[: len(known)] = ~np.isin(known, column.special_codes)
    n_ordered = int(is_ordered.sum())
    place = np.empty(column.n_levels, np.uint32)
    place[is_ordered] = np.arange(n_ordered)
    place[~is_ordered] = np.arange(n_ordered, column.n_levels)
    return Attribute(column, place, n_ordered)


@dataclass(frozen=True)
class Predicates:
    """One predicate a row: columns, and for each the codes from `low` to before `high`, or not."""

    columns: Whole
    low: Whole
    high: Whole
    negated: Mask

    def __len__(self) -> int:
        return len(self.columns)

    def columns_used(self) -> list[int]:
        """The columns that some condition is about, in ascending order."""
        return np.flatnonzero(np.bincount(self.columns.ravel())).tolist()

    def __getitem__(self, chosen: Any) -> Self:
        return type(self)(
            self.columns[chosen], self.low[chosen], self.high[chosen], self.negated[chosen]
        )


def joined(parts: Sequence[Predicates], n_columns: int) -> Predicates:
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
    """What predicates are made from: the copy's codes, its medians and the values it has."""

    attributes: tuple[Attribute, ...]
    codes: Codes  # columns x records of the copy
    medians: Whole  # the lower one of the two in the middle; -1 where nothing is in order
    occurring: tuple[Whole, ...]  # levels that occur

    @classmethod
    def of(cls, attributes: Sequence[Attribute], codes: Codes) -> Self:
        """The book of the copy."""
        occurring = tuple(np.flatnonzero(np.bincount(of_column)) for of_column in codes)
        medians = [
            _median(of_column[of_column < attribute.n_ordered])
            for attribute, of_column in zip(attributes, codes, strict=True)
        ]
        return cls(tuple(attributes), codes, np.array(medians), occurring)

    @property
    def n_records(self) -> int:
        """Distinct records of the copy."""
        return int(self.codes.shape[1])

    def counts(self, column: int) -> Whole:
        """How many records have each level."""
        of_column, n_levels = self.codes[column], self.attributes[column].n_levels
        return np.bincount(of_column, minlength=n_levels)

    def of_records(self, rows: Whole, columns: Whole) -> Predicates:
        """The predicates that these records satisfy on these columns (a row each), ends included.

        Notes
        -----
        Equality of what has no order; otherwise `>= v` above the copy's median and `<= v` else.
        """
        code = self.codes[columns, rows[:, np.newaxis]].astype(np.int64)
        n_ordered = np.array([attribute.n_ordered for attribute in self.attributes])[columns]
        is_ordered = code < n_ordered
        is_upper = is_ordered & (code > self.medians[columns])
        low = np.where(is_ordered & ~is_upper, 0, code)
        high = np.where(is_upper, n_ordered, code + 1)
        return Predicates(columns, low, high, np.zeros(columns.shape, bool))


def _median(codes: Codes) -> int:
    """The code above which a value of the copy lies above its median.

    Of an even number of values the median lies between the two in the middle, which are neighbours
    in the copy: what lies above it lies above the lower one.
    """
    if not len(codes):
        return -1
    middle = (len(codes) - 1) // 2
    return int(np.partition(codes, middle)[middle])


def univariate(book: Book) -> Predicates:
    """Every predicate of one column that singles out in the copy, column by column.

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


def uninformed(book: Book, columns: Whole, rng: np.random.Generator) -> Predicates:
    """Predicates on these columns (a row each) of values and operators drawn at random.

    Notes
    -----
    The value is uniform over the distinct values of the copy, the operator over ==, !=, and of
    values in order also >=, <=, >, <. Such a predicate need not single out in the copy.
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
    return compared(columns, code, operator, n_ordered)


def compared(columns: Whole, code: Whole, operator: Whole, n_ordered: Whole) -> Predicates:
    """Predicates that compare with these codes by these operators: ==, !=, >=, <=, >, <."""
    low = np.select([operator == 3, operator == 4, operator == 5], [0, code + 1, 0], code)
    high = np.select(
        [(operator == 2) | (operator == 4), operator == 5], [n_ordered, code], code + 1
    )
    return Predicates(columns, low, high, operator == 1)
