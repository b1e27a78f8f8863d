"""Gower's distance between rows of numbers and categories.

The mean over columns of |a - b| / range for numbers, and of 0 or 1 for categories that are the same
or differ. Missing values act column by column: shortest is no difference, longest the distance to
the farther end of the range, all of it where both are missing, and 1 for a category.
"""

from collections.abc import Sequence

import numpy as np

from unveil.count.packing import Whole
from unveil.protection.distance.coding import Column
from unveil.protection.distance.settings import Floats


class Gower:
    """All pairs by Gower's distance; `low` and `high` are the ranges of the columns."""

    def __init__(self, columns: Sequence[Column], low: Floats, high: Floats) -> None:
        self._columns = tuple(columns)
        self._low, self._high = low, high
        self.n_original, self.n_synthetic = len(columns[0].original), len(columns[0].synthetic)

    def against(self, columns: Sequence[Column]) -> "Gower":
        """The same originals and ranges beside another copy."""
        return Gower(columns, self._low, self._high)

    def longest(self, rows: Whole) -> Floats:
        """Each of these originals and every original."""
        total = np.zeros((len(rows), self.n_original))
        for place, column in enumerate(self._columns):
            total += self._longest(place, column.original[rows], column.original)
        return total / len(self._columns)

    def shortest(self, rows: Whole) -> Floats:
        """Each of these synthetic rows and every original."""
        total = np.zeros((len(rows), self.n_original))
        for place, column in enumerate(self._columns):
            apart = self._apart(place, column.synthetic[rows], column.original)
            total += np.nan_to_num(apart, copy=False, nan=0.0)
        return total / len(self._columns)

    def _apart(self, place: int, mine: Floats, theirs: Floats) -> Floats:
        """How far apart two values are, 0 to 1; NaN where one is missing."""
        apart = mine[:, np.newaxis] - theirs
        if self._columns[place].is_category:
            return np.where(np.isnan(apart), np.nan, apart != 0)
        distance: Floats = np.abs(apart) / (self._high[place] - self._low[place])
        return distance

    def _longest(self, place: int, mine: Floats, theirs: Floats) -> Floats:
        apart = self._apart(place, mine, theirs)
        if self._columns[place].is_category:
            return np.nan_to_num(apart, copy=False, nan=1.0)
        rows, others = np.isnan(mine), np.isnan(theirs)
        apart[rows] = self._to_an_end(place, theirs)
        apart[:, others] = self._to_an_end(place, mine)[:, np.newaxis]
        apart[np.ix_(rows, others)] = 1.0
        return apart

    def _to_an_end(self, place: int, values: Floats) -> Floats:
        """How far the farther end of the range is."""
        low, high = self._low[place], self._high[place]
        distance: Floats = np.maximum(values - low, high - values) / (high - low)
        return distance
