"""How do models see columns? Numbers and categories, their states, and the matrix of predictors."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.count.packing import count_people
from unveil.models.array_record import ArrayRecord, add_prefix, strip_prefix
from unveil.models.axes import Sparse

# What is a column to synthesis: a number or a category, and which of its values are no value?
#
# A number is split in two: its state (0 a plain value, 1 missing, 2 and on each special code or
# spike) and its value, which only state 0 has. Dates, moments and times are numbers too, by the
# number that stands behind them. A category is the places of its values in the list of its levels;
# missing is one more level, the last.


Kind = Literal["number", "category", "ordered", "constant", "empty"]
Values = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.int32]
States = NDArray[np.int16]
Ranks = NDArray[np.float32]

MISSING = 1
"""The state of a number that is not there; plain values have state 0, special codes 2 and on."""


@dataclass(frozen=True)
class ModelColumn:
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
class ColumnValues:
    """What a column holds in some rows, original or synthetic, split into state and value.

    `values` are the codes of a category (int32), or the numbers (int64 or float64) of which those
    with a state above 0 mean nothing. `state` is None where every row has a plain value.
    """

    column: ModelColumn
    values: Values
    state: States | None = None

    def __len__(self) -> int:
        return len(self.values)

    def select(self, rows: Ints) -> "ColumnValues":
        """The same in some rows."""
        state = None if self.state is None else self.state[rows]
        return ColumnValues(self.column, self.values[rows], state)

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


# Which levels of a predictor are too rare to be told apart, and what do models see in their place?
#
# Models place a level by the outcomes of its own records: a tree orders levels by the target, and
# a regression gives each a coefficient. The outcome of a level with one record is that person's
# own, so a column of many such levels (a date kept as text) would tie people to their values.
# Rare levels are therefore pooled with their neighbours in the order of the column, which knows
# nothing of outcomes.


Levels = NDArray[np.int32]

RARE = 5
"""Levels with fewer records, or people, are pooled."""

POOL = 20
"""Records, or people, of a pool, where the rare levels have as many."""


def pool_levels(sizes: NDArray[np.int64]) -> Levels:
    """The pool of every level, given its records: its own, or one with the rare levels beside it.

    Rare levels are taken in order, over frequent ones between them, until a pool is full; the rest
    joins the last pool.
    """
    rare = np.flatnonzero(sizes < RARE)
    up_to = np.cumsum(sizes[rare])
    first = np.arange(len(sizes))  # of each level, the first level of its pool
    start, before = 0, 0
    while start < len(rare):
        end = int(np.searchsorted(up_to, before + POOL)) + 1
        if end >= len(rare) or up_to[-1] - up_to[end - 1] < POOL:
            end = len(rare)
        first[rare[start:end]] = rare[start]
        start, before = end, int(up_to[end - 1])
    pools: Levels = np.unique(first, return_inverse=True)[1].astype(np.int32)
    return pools


def pool_part(part: ColumnValues, pools: Levels) -> ColumnValues:
    """A category as the pools of its levels."""
    levels = pl.Series(np.arange(pools.max(initial=-1) + 1))
    column = ModelColumn(part.column.name, "category", pl.Int64(), levels)
    return ColumnValues(column, pools[part.values])


def notes_of_pools(predictors: Iterable[ColumnValues], people: Ints | None = None) -> Iterator[str]:
    """A sentence for each column with rare levels, of which models see the pools alone."""
    whom = "records" if people is None else "people"
    for part in predictors:
        name, n_levels = part.column.name, part.column.n_levels
        n_rare = int((holders(part.values, people, n_levels) < RARE).sum()) if n_levels else 0
        if n_rare > 1:
            yield (
                f"{n_rare:,} of the {n_levels:,} levels of {name!r} have fewer than {RARE} {whom}."
                " Where the column predicts others, these levels are pooled with their neighbours"
                f" in order, {POOL} {whom} or more where there are as many, so that no model ties"
                " people to their values by a level of their own. Dates and numbers kept as text"
                " predict better as dates and numbers."
            )


# How do models see the columns before a target: as one number each, or as dummies?
#
# Trees get one column of 32-bit numbers for each predictor: numbers by their place among the
# distinct values, with missing and special codes below them all; categories by the place of their
# level in an order that follows the target, so that one cut can part any number of levels.
# Regressions get standardised numbers, a dummy for each level but the first, and one for each
# state of a number. Rare levels are seen in pools by both (`pooling`).


_LARGEST_TABLE = 4_000_000
_POWER_STEPS = 50


@dataclass(frozen=True)
class Predictors:
    """The columns before a target, original or synthetic, and which of their rows take part."""

    parts: tuple[ColumnValues, ...]
    n_all: int
    rows: Ints | None = None  # None: all of them
    people: Ints | None = None  # whose row each of all is; None: rows are people

    @property
    def n_rows(self) -> int:
        """Rows that take part."""
        return self.n_all if self.rows is None else len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(part.column.name for part in self.parts)

    def among(self, rows: Ints) -> "Predictors":
        """The same columns in some of the rows that take part, by place."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def take(self, of_all: NDArray[Any]) -> NDArray[Any]:
        """Those of an array with an entry for every row that take part."""
        return of_all if self.rows is None else of_all[self.rows]


@dataclass(frozen=True)
class TreeCoding(ArrayRecord):
    """How categories are turned into numbers for the tree of one target, fitted to the original.

    `orders` has an array for each predictor: the place of every level in the order of the target,
    or nothing for a number.
    """

    orders: tuple[NDArray[np.float32] | None, ...]

    @classmethod
    def fit(cls, predictors: Predictors, values: Values, n_levels: int = 0) -> Self:
        """Levels in the order of a target: of numbers, or of codes where it has levels.

        Notes
        -----
        For numbers, and for the second of two classes, levels are ordered by the target's mean,
        which holds the best cut (Breiman and others 1984, theorem 4.5). For more classes the order
        is that of the first principal component of the levels' class profiles, weighted by their
        size (Coppersmith and others 1999). Levels of one pool share a place; a pool without any
        record is placed as the mean of all.
        """
        kept = [_order(part, predictors, values, n_levels) for part in predictors.parts]
        return cls(tuple(kept))

    def matrix(self, predictors: Predictors) -> NDArray[np.float32]:
        """One column for each predictor, in the order of columns of memory."""
        made = np.empty((predictors.n_rows, len(predictors.parts)), dtype=np.float32, order="F")
        for place, (part, order) in enumerate(zip(predictors.parts, self.orders, strict=True)):
            if order is None:
                made[:, place] = predictors.take(part.ranks)
            else:
                np.take(order, predictors.take(part.values), out=made[:, place])
        return made

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {str(place): order for place, order in enumerate(self.orders)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The coding that `to_arrays` wrote."""
        return cls(tuple(arrays[str(place)] for place in range(len(arrays))))


def _order(
    part: ColumnValues, predictors: Predictors, values: Values, n_classes: int
) -> NDArray[np.float32] | None:
    if not part.column.is_category:
        return None
    pools = _pools(part, predictors)
    codes, n_levels = pools[predictors.take(part.values)], int(pools.max(initial=-1)) + 1
    sizes = np.bincount(codes, minlength=n_levels).astype(float)
    if n_classes > 2:
        scores = _first_component(_counts(codes, n_levels, values, n_classes), sizes)
    else:
        sums = np.bincount(codes, values - float(values.mean()) if len(values) else None, n_levels)
        scores = sums / np.maximum(sizes, 1)
    return _places(scores)[pools]


def _pools(part: ColumnValues, predictors: Predictors) -> Levels:
    """The pool of each level, by the records that take part, or by their people."""
    codes, people = predictors.take(part.values), predictors.people
    whose = None if people is None else predictors.take(people)
    return pool_levels(holders(codes, whose, part.column.n_levels))


def holders(codes: NDArray[Any], people: Ints | None, n_levels: int) -> Ints:
    """How many records, or people, have each level."""
    if people is None:
        return np.bincount(codes, minlength=n_levels)
    return count_people(codes, people, n_levels)


def _places(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """The place of every level; levels of one score follow one another as in the column.

    No two share a place here: alike in all, they may differ in a part of the rows. Scores are
    compared to nine digits, lest the last bits of a sum decide.
    """
    largest = float(np.abs(scores).max(initial=0))
    rounded = np.round(scores / largest, 9) if largest > 0 else scores
    places = np.empty(len(scores), dtype=np.float32)
    places[np.argsort(rounded, kind="stable")] = np.arange(len(scores))
    return places


def _counts(
    codes: NDArray[np.int32], n_levels: int, classes: Values, n_classes: int
) -> NDArray[np.float64]:
    """Levels by classes; where that is too large, the frequent classes and one for all others."""
    n_kept = max(2, min(n_classes, _LARGEST_TABLE // max(n_levels, 1)))
    if n_kept < n_classes:
        frequent = np.argsort(-np.bincount(classes, minlength=n_classes), kind="stable")
        new = np.full(n_classes, n_kept - 1)
        new[frequent[: n_kept - 1]] = np.arange(n_kept - 1)
        classes = new[classes]
    cells = codes.astype(np.int64) * n_kept + classes
    return np.bincount(cells, minlength=n_levels * n_kept).reshape(n_levels, n_kept).astype(float)


def _first_component(
    counts: NDArray[np.float64], sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each level's score on the first principal component of the class profiles, by size."""
    centred = counts / np.maximum(sizes, 1)[:, None] - counts.sum(axis=0) / max(sizes.sum(), 1)
    centred[sizes == 0] = 0
    direction = centred[np.argmax(sizes * (centred**2).sum(axis=1))].copy()
    for _ in range(_POWER_STEPS):
        along = sizes * np.einsum("lk,k->l", centred, direction)  # not BLAS: threads of its own
        direction = np.einsum("lk,l->k", centred, along)
        length = float(np.linalg.norm(direction))
        if length == 0:
            return np.zeros(len(sizes))
        direction /= length
    scores: NDArray[np.float64] = np.einsum("lk,k->l", centred, direction)
    return scores


@dataclass(frozen=True)
class DummyCoding(ArrayRecord):
    """How predictors are turned into the columns of a regression, fitted to the original.

    No column of ones: a model adds its own. `centres` and `scales` have an entry for each predictor
    (0 and 1 for a category). `pools` has the pool of each level for categories of which some are
    rare, by their place. Nothing is dropped here for being collinear: a model decides.
    """

    centres: NDArray[np.float64]
    scales: NDArray[np.float64]
    pools: Mapping[int, Levels]

    @classmethod
    def fit(cls, predictors: Predictors) -> Self:
        """Centre and scale of the plain values of each number, and the pools of categories."""
        both = np.array([_centre_scale(part, predictors) for part in predictors.parts])
        both = both.reshape(-1, 2)
        pools = {
            place: _pools(part, predictors)
            for place, part in enumerate(predictors.parts)
            if part.column.is_category
        }
        joined = {place: of for place, of in pools.items() if of.max(initial=-1) + 1 < len(of)}
        return cls(both[:, 0], both[:, 1], joined)

    def pool(self, predictors: Predictors) -> Predictors:
        """The same predictors with the pools of their levels in place of these."""
        parts = [
            pool_part(part, self.pools[place]) if place in self.pools else part
            for place, part in enumerate(predictors.parts)
        ]
        return replace(predictors, parts=tuple(parts))

    def matrix(self, predictors: Predictors) -> Sparse:
        """Rows by dummies; a number without a plain value is 0 and has a dummy for its state.

        Every predictor gives a row exactly one entry: the dummy of its level, its standardised
        number, or the dummy of its state. So memory grows with rows x predictors, not with rows x
        levels.
        """
        from scipy.sparse import csr_array

        predictors = self.pool(predictors)
        n, offsets = predictors.n_rows, _offsets(predictors)
        used = [place for place, part in enumerate(predictors.parts) if part.column.n_dummies]
        places = np.empty((n, len(used)), np.int32)
        values = np.empty((n, len(used)))
        for at, which in enumerate(used):
            centre, scale = float(self.centres[which]), float(self.scales[which])
            inside, values[:, at] = _entries(predictors.parts[which], predictors, centre, scale)
            places[:, at] = inside + offsets[which]
        ends = np.arange(n + 1) * len(used)
        made = csr_array((values.ravel(), places.ravel(), ends), shape=(n, int(offsets[-1])))
        made.eliminate_zeros()
        return made

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        pools = {str(place): of for place, of in self.pools.items()}
        return {"centres": self.centres, "scales": self.scales, **add_prefix("pools", pools)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The coding that `to_arrays` wrote."""
        pools = {int(place): of for place, of in strip_prefix("pools", arrays).items()}
        return cls(arrays["centres"], arrays["scales"], pools)


def _centre_scale(part: ColumnValues, predictors: Predictors) -> tuple[float, float]:
    if part.column.kind != "number":
        return 0.0, 1.0
    values = predictors.take(part.values)
    if part.state is not None:
        values = values[predictors.take(part.state) == 0]
    if not len(values):
        return 0.0, 1.0
    scale = float(values.std())
    return float(values.mean()), scale if scale > 0 and np.isfinite(scale) else 1.0


def owners(predictors: Predictors) -> NDArray[np.int64]:
    """Which predictor each column of the matrix belongs to."""
    return np.repeat(np.arange(len(predictors.parts)), np.diff(_offsets(predictors)))


def _offsets(predictors: Predictors) -> NDArray[np.int64]:
    return np.cumsum([0, *(part.column.n_dummies for part in predictors.parts)])


def _entries(
    part: ColumnValues, predictors: Predictors, centre: float, scale: float
) -> tuple[NDArray[np.int64], Floats]:
    """In which of its columns each row has its entry, and the entry; 0 for the first level."""
    values = predictors.take(part.values)
    if part.column.is_category:
        later = values > 0
        return np.where(later, values - 1, 0).astype(np.int64), later.astype(np.float64)
    number = (values - centre) / scale
    # An infinite number has no place on a line; it counts as the mean.
    number = np.where(np.isfinite(number), number, 0.0)
    if part.state is None:
        return np.zeros(len(values), np.int64), number
    state = predictors.take(part.state)
    return state.astype(np.int64), np.where(state > 0, 1.0, number)
