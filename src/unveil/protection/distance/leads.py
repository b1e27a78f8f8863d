"""The nearest originals of each synthetic row: how near, which, and what they demand."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from unveil.count.packing import Whole
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import TOLERANCE

ZERO = 1e-13
"""In units of a standard deviation: what is shorter is rounding."""


@dataclass(frozen=True, eq=False)
class Originals:
    """Distinct original rows: where each first stands, and how far its nearest other is.

    That distance is looked for when it is first asked for: a row that no synthetic row is near to
    need not be searched.
    """

    position: Whole
    search: Callable[[Whole], Floats]
    _own: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        object.__setattr__(self, "_own", np.full(len(self.position), np.nan))

    def own(self, at: Whole) -> Floats:
        """How far the nearest other original is from each of these."""
        asked = np.zeros(len(self._own), bool)
        asked[at] = True
        rows = np.flatnonzero(asked & np.isnan(self._own))
        if len(rows):
            self._own[rows] = self.search(rows)
        return self._own[at]

    def fill(self, own: Floats) -> None:
        """Know it of every original at once."""
        self._own[:] = own

    @property
    def all_own(self) -> Floats:
        """How far the nearest other original is from each original."""
        return self.own(np.arange(len(self._own)))


@dataclass(frozen=True, eq=False)
class Leads:
    """For each synthetic row its nearest originals.

    `first` is the position of the first of them, `limit` the largest distance that any of them
    keeps from other originals.
    """

    distance: Floats
    first: Whole
    limit: Floats

    @classmethod
    def none(cls, n_rows: int) -> "Leads":
        """No original seen yet."""
        return cls(
            np.full(n_rows, np.inf), np.full(n_rows, np.iinfo(np.int64).max), np.zeros(n_rows)
        )

    def take(self, row: Whole, at: Whole, distance: Floats, originals: Originals) -> None:
        """Take in pairs of synthetic rows and originals; only the nearest and their ties stay."""
        before = self.distance[row]
        np.minimum.at(self.distance, row, distance)
        best = self.distance[row]
        beaten = row[before > _alike(best)]
        self.first[beaten] = np.iinfo(np.int64).max
        self.limit[beaten] = 0.0
        tied = distance <= _alike(best)
        row, at = row[tied], at[tied]
        np.minimum.at(self.first, row, originals.position[at])
        np.maximum.at(self.limit, row, originals.own(at))


def _alike(distance: Floats) -> Floats:
    """The longest distance that ties with one."""
    longest: Floats = distance * (1 + TOLERANCE) + ZERO
    return longest
