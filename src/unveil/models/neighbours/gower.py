"""Gower's distance between rows of numbers and categories.

The mean over columns of |a - b| / range for numbers, and of 0 or 1 for categories that are the same
or differ. Missing values act column by column: shortest is no difference, longest the distance to
the farther end of the range, all of it where both are missing, and 1 for a category.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import blocks
from unveil.errors import SettingsError, list_names
from unveil.models.neighbours.coding import DistanceColumn
from unveil.models.neighbours.whitening import (
    NearestOriginals,
    Originals,
    is_closer,
    longest_tie,
)

# Neighbours under a distance that has no geometry: every pair, in blocks of rows.
#
# The distance between two originals is taken as long, that between a synthetic row and an
# original as short, as their missing values allow.


MOST_PAIRS = 2**21


class DistanceMatrix(Protocol):
    """A distance between rows, and how many rows there are."""

    n_original: int
    n_synthetic: int

    def longest(self, rows: Ints) -> Floats:
        """Each of these originals and every original, at their longest."""

    def shortest(self, rows: Ints) -> Floats:
        """Each of these synthetic rows and every original, at their shortest."""

    def against(self, columns: Sequence[DistanceColumn]) -> "DistanceMatrix":
        """The same originals beside another copy."""


class Dense:
    """All pairs of rows under one distance."""

    is_bounded = False

    def __init__(self, pairs: DistanceMatrix) -> None:
        self._pairs = pairs
        self._originals = Originals(np.arange(pairs.n_original), self._own)

    def against(self, columns: Sequence[DistanceColumn]) -> "Dense":
        """The same originals, and what is known of them, beside another copy."""
        other = copy(self)
        other._pairs = self._pairs.against(columns)
        return other

    def _own(self, rows: Ints) -> Floats:
        """How far the nearest other original is from each; infinite where there is no other."""
        own = np.empty(len(rows))
        for some in self._blocks(len(rows)):
            distance = self._pairs.longest(rows[some])
            distance[np.arange(len(distance)), rows[some]] = np.inf
            own[some] = distance.min(axis=1)
        return own

    def own_of(self, rows: Ints) -> Floats:
        """How far the nearest other original is from these."""
        return self._originals.own(rows)

    def leads(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""
        leads = NearestOriginals.none(self._pairs.n_synthetic)
        for some in self._blocks(self._pairs.n_synthetic):
            distance = self._pairs.shortest(np.arange(some.start, some.stop))
            row, at = np.nonzero(distance <= longest_tie(distance.min(axis=1))[:, np.newaxis])
            leads.take(row + some.start, at, distance[row, at], self._originals)
        return leads

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        refused, own = np.zeros(len(rows), bool), self._originals.all_own
        for some in self._blocks(len(rows)):
            refused[some] = is_closer(self._pairs.shortest(rows[some]), own).any(axis=1)
        return refused

    def _blocks(self, n_rows: int) -> Iterator[slice]:
        return blocks(n_rows, self._pairs.n_original, MOST_PAIRS)


# Jaccard's distance between rows of nothing but yes and no.
#
# 1 - (both yes) / (at least one yes): shared noes say nothing. Two rows without any yes are no
# distance apart. Missing values are counted by hand rather than tried: the distance is shortest
# where each missing value agrees with a yes and two missing ones are both yes, longest where each
# differs.


@dataclass(frozen=True, eq=False)
class BinaryRows:
    """Which values are yes, no and missing, as 1 and 0."""

    yes: Floats
    no: Floats
    missing: Floats

    @classmethod
    def of(cls, values: Floats) -> "BinaryRows":
        """One side, from its values."""
        parts = (values == 1, values == 0, np.isnan(values))
        return cls(*(part.astype(float) for part in parts))

    def at(self, rows: Ints) -> "BinaryRows":
        """Some of its rows."""
        return BinaryRows(self.yes[rows], self.no[rows], self.missing[rows])


class Jaccard:
    """All pairs by Jaccard's distance."""

    def __init__(self, columns: Sequence[DistanceColumn]) -> None:
        _check_others(columns)
        self._original = BinaryRows.of(np.column_stack([column.original for column in columns]))
        self._synthetic = BinaryRows.of(np.column_stack([column.synthetic for column in columns]))
        self.n_original, self.n_synthetic = len(self._original.yes), len(self._synthetic.yes)

    def against(self, columns: Sequence[DistanceColumn]) -> "Jaccard":
        """The same originals beside another copy."""
        return Jaccard(columns)

    def longest(self, rows: Ints) -> Floats:
        """Each of these originals and every original: whatever may differ does."""
        mine, theirs = self._original.at(rows), self._original
        agree = mine.yes @ theirs.yes.T
        differ = mine.yes.shape[1] - agree - mine.no @ theirs.no.T
        return _distance(differ, agree)

    def shortest(self, rows: Ints) -> Floats:
        """Each of these synthetic rows and every original: whatever may agree on yes does."""
        mine, theirs = self._synthetic.at(rows), self._original
        differ = mine.yes @ theirs.no.T + mine.no @ theirs.yes.T
        agree = (mine.yes + mine.missing) @ (theirs.yes + theirs.missing).T
        return _distance(differ, agree)


def _distance(differ: Floats, agree: Floats) -> Floats:
    seen = differ + agree
    return np.divide(differ, seen, out=np.zeros_like(differ), where=seen > 0)


def _check_others(columns: Sequence[DistanceColumn]) -> None:
    others = [
        column.name for column in columns if column.kind != "number" or not _is_binary(column.both)
    ]
    if others:
        raise SettingsError(
            f"The metric jaccard is for columns of yes and no, but {list_names(others)}"
            f" {'holds' if len(others) == 1 else 'hold'} other values. Code them as 1 and 0 (or"
            " true and false), omit them, or use the metric gower."
        )


def _is_binary(values: Floats) -> bool:
    answers = values[~np.isnan(values)]
    return bool(np.isin(answers, (0, 1)).all())


class Gower:
    """All pairs by Gower's distance; `low` and `high` are the ranges of the columns."""

    def __init__(self, columns: Sequence[DistanceColumn], low: Floats, high: Floats) -> None:
        self._low, self._high = low, high
        self._columns = tuple(map(_scale, columns, low, high))
        self.n_original, self.n_synthetic = len(columns[0].original), len(columns[0].synthetic)

    def against(self, columns: Sequence[DistanceColumn]) -> "Gower":
        """The same originals and ranges beside another copy."""
        return Gower(columns, self._low, self._high)

    def longest(self, rows: Ints) -> Floats:
        """Each of these originals and every original."""
        total = np.zeros((len(rows), self.n_original))
        for column in self._columns:
            total += _longest(column, rows)
        return total / len(self._columns)

    def shortest(self, rows: Ints) -> Floats:
        """Each of these synthetic rows and every original."""
        total = np.zeros((len(rows), self.n_original))
        for column in self._columns:
            apart = _apart(column, column.synthetic[rows])
            total += np.nan_to_num(apart, copy=False, nan=0.0)
        return total / len(self._columns)


def _scale(column: DistanceColumn, low: float, high: float) -> DistanceColumn:
    """A column of numbers as shares of its range."""
    if column.is_category:
        return column
    original, synthetic = ((of - low) / (high - low) for of in (column.original, column.synthetic))
    return replace(column, original=original, synthetic=synthetic)


def _apart(column: DistanceColumn, mine: Floats) -> Floats:
    """How far values are from every original's, 0 to 1; NaN where one of the two is missing."""
    apart = mine[:, np.newaxis] - column.original
    if column.is_category:
        return np.where(np.isnan(apart), np.nan, apart != 0)
    return np.abs(apart, out=apart)


def _longest(column: DistanceColumn, rows: Ints) -> Floats:
    """The same of originals, with missing values as far away as they may be."""
    theirs = column.original
    mine = theirs[rows]
    apart = _apart(column, mine)
    if column.is_category:
        return np.nan_to_num(apart, copy=False, nan=1.0)
    is_mine, is_theirs = np.isnan(mine), np.isnan(theirs)
    apart[is_mine] = np.maximum(theirs, 1 - theirs)
    apart[:, is_theirs] = np.maximum(mine, 1 - mine)[:, np.newaxis]
    apart[np.ix_(is_mine, is_theirs)] = 1.0
    return apart
