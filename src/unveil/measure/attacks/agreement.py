"""What does an intruder look at in synthetic data, who has a person's record? Rows that agree.

For every set of one, two and three columns the number of rows that agree with the person in all of
them; the rows that agree in nearly all columns; and how far the nearest rows are. Houssiau et al.
(2022) ask the same of sets of columns. Which rows agree is kept as bits, so that a set of columns
costs one bit of work for each row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.count.codes import CodedColumn
from unveil.count.kinds import numbers_of
from unveil.count.packing import blocks
from unveil.seeding import stream

TOLERANCE = 0.02
"""Numbers agree that are no further apart than this share of the column's range."""
_ROUNDING = 1e-6
MOST_TRIPLES = 364
"""Sets of three columns: all of 14 columns; of more columns so many, drawn by a fixed seed."""
NEAR = 5
"""Rows that agree in all columns but so many are counted; so many nearest rows are looked at."""
_MOST_PAIRS = 2**21
_MISSING = -1

Singles = NDArray[np.float32]
Words = NDArray[np.uint64]


class ComparedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """One column: the range of its numbers, and codes that are none; no range of a category."""

    name: str
    span: float | None
    low: float = 0.0  # the least of its numbers, so that singles are precise
    special_codes: tuple[float, ...] = ()

    @classmethod
    def of(cls, column: CodedColumn) -> "ComparedColumn":
        """By the rule that decides it for every measure."""
        if not column.is_scaled:
            return cls(name=column.name, span=None)
        amounts = column.numbers[column.is_ordinary]
        low, high = (amounts.min(), amounts.max()) if len(amounts) else (0.0, 0.0)
        codes = column.numbers[~column.is_ordinary]
        special = tuple(float(code) for code in codes[np.isfinite(codes)])
        return cls(name=column.name, span=float(high - low), low=float(low), special_codes=special)

    def code(self, people: pl.Series, rows: pl.Series) -> tuple[tuple[Ints, Singles], ...]:
        """Both as levels and numbers: two agree if their levels are equal and their numbers near.

        A missing value is a level of its own, and so is each special code; amounts share one.
        """
        if rows.dtype != people.dtype:
            people, rows = _cast_alike(people, rows)
        is_number = people.dtype.is_numeric() or people.dtype.is_temporal()
        if self.span is None or not is_number:
            levels = pl.concat([people.cast(pl.String), rows.cast(pl.String)])
            codes = levels.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
            numbers = np.zeros(len(codes), np.float32)
        else:
            numbers = np.concatenate([numbers_of(people), numbers_of(rows)])
            codes = np.where(np.isnan(numbers), _MISSING, 0)
            for place, code in enumerate(self.special_codes):
                codes[numbers == code] = place + 1
            scaled = (numbers - self.low) / (self.span or 1.0)
            numbers = np.where(codes == 0, scaled, 0).astype(np.float32)
        n = len(people)
        return (codes[:n], numbers[:n]), (codes[n:], numbers[n:])


def _cast_alike(people: pl.Series, rows: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Both in one type; a synthetic value that is none of the original's agrees with no one."""
    if people.dtype == pl.String and rows.dtype.is_numeric():
        numbers = people.cast(pl.Float64, strict=False)  # "01" is 1 in a file read back
        if numbers.null_count() == people.null_count():
            return _cast_alike(numbers.cast(pl.String), rows.cast(pl.Float64).cast(pl.String))
    made = rows.cast(people.dtype, strict=False)
    lost = made.is_null() & rows.is_not_null()
    if not lost.any():
        return people, made
    if people.dtype.is_numeric():
        made = made.cast(pl.Float64).set(lost, float("inf"))
        return people.cast(pl.Float64), made
    return people.cast(pl.String), made.cast(pl.String).set(lost, "\0")


@dataclass(frozen=True)
class Agreement:
    """Which columns are compared, and in which sets."""

    columns: tuple[ComparedColumn, ...]

    @property
    def p(self) -> int:
        """How many columns."""
        return len(self.columns)

    def sets(self) -> Iterator[Ints]:
        """All sets of one and two columns, and of three as many as are looked at."""
        yield from (np.array([*combinations(range(self.p), size)]) for size in (1, 2)[: self.p])
        if self.p > 2:
            yield list_triples(self.p)

    @property
    def n_features(self) -> int:
        """How many figures there are of a person."""
        return sum(len(sets) for sets in self.sets()) + min(NEAR + 1, self.p) + 2

    def look(self, people: pl.DataFrame, copy: pl.DataFrame) -> Singles:
        """The figures of every person in one synthetic file; one that is absent agrees nowhere."""
        coded = {
            place: column.code(people[column.name], copy[column.name])
            for place, column in enumerate(self.columns)
            if column.name in copy.columns
        }
        sets = [*self.sets()]
        made = np.empty((people.height, self.n_features), np.float32)
        for some in blocks(people.height, max(copy.height, 1), _MOST_PAIRS):
            made[some] = self._look(coded, sets, some, copy.height)
        return made

    def _look(self, coded: Mapping[int, Any], sets: Sequence[Ints], some: slice, n: int) -> Singles:
        k = some.stop - some.start
        bits = np.zeros((self.p, k, -(-n // 64)), np.uint64)
        n_agreeing = np.zeros((k, n), np.uint8 if self.p < 256 else np.uint16)
        distance = np.full((k, n), self.p - len(coded), np.float32)
        for place, ((mine, x), (its, y)) in coded.items():
            same = mine[some, None] == its[None]
            apart = np.abs(x[some, None] - y[None])
            apart[~same] = 1
            agrees = apart <= TOLERANCE + _ROUNDING
            bits[place] = _as_words(agrees)
            n_agreeing += agrees
            distance += np.fmin(apart, 1)
        counts = [_count_rows(bits, sets_of_size) for sets_of_size in sets]
        near = [(n_agreeing >= m).sum(1) for m in range(max(1, self.p - NEAR), self.p + 1)]
        nearest = np.sort(np.partition(distance, min(NEAR, n) - 1, axis=1)[:, :NEAR], axis=1)
        return np.column_stack([*counts, *near, nearest[:, 0], nearest.mean(1)])


def list_triples(p: int) -> Ints:
    """Sets of three columns: all there are, or as many as are looked at, the same every time."""
    if comb(p, 3) <= MOST_TRIPLES:
        return np.array([*combinations(range(p), 3)])
    rng, chosen = stream(0, "recognition", "triples", p), set[tuple[int, ...]]()
    while len(chosen) < MOST_TRIPLES:
        chosen.add(tuple(sorted(rng.choice(p, 3, replace=False).tolist())))
    return np.array(sorted(chosen))


def _as_words(agrees: NDArray[np.bool_]) -> Words:
    """Rows as bits of words of 64."""
    packed = np.packbits(agrees, axis=1)
    words = np.zeros((len(agrees), -(-agrees.shape[1] // 64) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


def _count_rows(bits: Words, sets: Ints) -> Floats:
    """For each person (rows) and set of columns the synthetic records that agree in all of it."""
    counts = np.empty((bits.shape[1], len(sets)))
    for place, columns in enumerate(sets):
        both = bits[columns[0]]
        for column in columns[1:]:
            both = both & bits[column]
        counts[:, place] = np.bitwise_count(both).sum(1, dtype=np.int64)
    return counts
