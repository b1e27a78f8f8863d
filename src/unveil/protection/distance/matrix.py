"""The columns as one matrix, categories dichotomised, and which of them cannot be used.

A category of L levels becomes L - 1 columns of 0 and 1; the most frequent level of the original is
left out, which keeps the covariance regular. Distances between complete rows do not depend on the
level that is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.protection.distance.coding import Column
from unveil.protection.distance.settings import Floats
from unveil.records.disclosure import Coercion
from unveil.records.distance_filter import DroppedColumn, Metric

MOST_LEVELS = 100
"""A category with more levels is a list of names: dichotomised, it would swamp all others."""


@dataclass(frozen=True)
class Matrix:
    """Both sides as numbers, NaN where missing.

    `owner` says which column a dimension is of, `level` which level it is 1 for (0: a number).
    """

    columns: tuple[Column, ...]
    original: Floats
    synthetic: Floats
    owner: Whole
    level: Whole

    @classmethod
    def of(cls, columns: Sequence[Column]) -> "Matrix":
        """Numbers as they are, categories dichotomised."""
        levels = [_levels(column) for column in columns]
        owner = np.repeat(np.arange(len(columns)), [len(own) for own in levels])
        level = np.concatenate(levels)
        original = _dichotomised([column.original for column in columns], owner, level)
        synthetic = _dichotomised([column.synthetic for column in columns], owner, level)
        return cls(tuple(columns), original, synthetic, owner, level)

    def coded_alike(self, columns: Sequence[Column]) -> Floats:
        """The synthetic side of another copy, in the dimensions of this one."""
        return _dichotomised([column.synthetic for column in columns], self.owner, self.level)

    @property
    def complete(self) -> Floats:
        """The original rows that the covariance is of: those without a missing value."""
        return self.original[~np.isnan(self.original).any(axis=1)]

    @property
    def categories(self) -> tuple[tuple[int, ...], ...]:
        """The dimensions of each category."""
        return tuple(
            tuple(np.flatnonzero(self.owner == place).tolist())
            for place, column in enumerate(self.columns)
            if column.is_category
        )

    def without(self, places: Sequence[int]) -> "Matrix":
        """The matrix without some of its columns."""
        kept = [place for place in range(len(self.columns)) if place not in places]
        return self.with_dimensions(np.isin(self.owner, kept), kept)

    def with_dimensions(self, is_kept: Mask, kept: Sequence[int]) -> "Matrix":
        """The matrix with some of its dimensions, and the columns these are of."""
        numbers = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            columns=tuple(self.columns[place] for place in kept),
            original=self.original[:, is_kept],
            synthetic=self.synthetic[:, is_kept],
            owner=np.array([numbers[int(o)] for o in self.owner[is_kept]], dtype=np.int64),
            level=self.level[is_kept],
        )


def _levels(column: Column) -> Whole:
    """The levels that have a dimension: all but the first; of numbers there is one, 0."""
    return np.arange(1, max(column.n_levels, 2)) if column.is_category else np.zeros(1, np.int64)


def _dichotomised(columns: Sequence[Floats], owner: Whole, level: Whole) -> Floats:
    found = np.empty((len(columns[0]), len(owner)))
    for place, (own, code) in enumerate(zip(owner, level, strict=True)):
        values = columns[own]
        found[:, place] = np.where(np.isnan(values), np.nan, values == code) if code else values
    return found


def unusable(columns: Sequence[Column], metric: Metric) -> list[DroppedColumn]:
    """Columns that tell no original row from another, or have too many levels."""
    faults = (_fault(column, metric) for column in columns)
    return [fault for fault in faults if fault is not None]


def _fault(column: Column, metric: Metric) -> DroppedColumn | None:
    if np.isnan(column.original).all():
        sentence = f"Column {column.name!r} is missing in every row of the original."
        return DroppedColumn(column=column.name, fault="all missing", sentence=sentence)
    # Under gower a column that is constant in the original still tells the copy from it.
    values = column.both if metric == "gower" else column.original
    answers = values[~np.isnan(values)]
    if metric != "jaccard" and (answers == answers[0]).all():
        return constant(column.name, "of the original")
    if metric == "mahalanobis" and column.n_levels > MOST_LEVELS:
        return _with_many_levels(column)
    return None


def constant(name: str, where: str) -> DroppedColumn:
    """A column that has one value alone."""
    sentence = f"Column {name!r} has the same value in every row {where}."
    return DroppedColumn(column=name, fault="constant", sentence=sentence)


def _with_many_levels(column: Column) -> DroppedColumn:
    return DroppedColumn(
        column=column.name,
        fault="too many levels",
        sentence=f"Column {column.name!r} has {column.n_levels:,} levels; dichotomised, more than"
        f" {MOST_LEVELS} would swamp all other columns. Merge its levels first.",
    )


def new_levels(columns: Sequence[Column]) -> list[Coercion]:
    """What to say of levels that the original lacks: they have no dimension of their own."""
    found = []
    for column in columns:
        n_new = int((column.synthetic >= column.n_levels).sum()) if column.is_category else 0
        if n_new:
            sentence = (
                f"Column {column.name!r}: the original lacks the level of {n_new:,} of the rows;"
                " distances take it for the most frequent level of the original."
            )
            found.append(
                Coercion(side="synthetic", column=column.name, kind="levels", sentence=sentence)
            )
    return found
