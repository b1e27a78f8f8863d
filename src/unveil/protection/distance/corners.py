"""The longest difference of two rows, where some values are missing and may be any of their column.

A convex function is largest at an end: a missing number is at an end of its range, a missing
category at one of its levels. Missing values are filled with the mean of these first; then each
combination of values is a move w of the difference d of the rows so filled. With P the inverse
covariance,

    (d + w)' P (d + w) = d'Pd + 2 d'Pw + w'Pw.
"""

from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.protection.distance.choices import combined, far_moves, tried
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import Geometry

MOST_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class Filled:
    """Rows with missing values filled: as differences from one centre, whitened, and times P."""

    geometry: Geometry
    raw: Floats
    white: Floats
    tilt: Floats

    @classmethod
    def of(cls, geometry: Geometry, raw: Floats) -> "Filled":
        """Fill the holes."""
        filled = np.where(np.isnan(raw), geometry.fill, raw) - geometry.middle
        return cls(geometry, filled, filled @ geometry.whitener, filled @ geometry.precision)


@dataclass(frozen=True, eq=False)
class Corners:
    """The values that rows of one pattern, and rows of another, may differ by at most."""

    geometry: Geometry
    moves: Floats
    spread: Floats  # w'Pw of each
    room: float  # what columns that are not tried may add to the distance at most

    @classmethod
    def between(cls, geometry: Geometry, mine: Mask, theirs: Mask) -> "Corners":
        """The corners between rows that miss some values, and rows that miss others."""
        inside, outside = tried(list(far_moves(geometry, mine, theirs)))
        moves = combined(inside, len(mine))
        room = sum(float(geometry.lengths(moves).max()) for moves in outside)
        return cls(geometry, moves, geometry.lengths(moves) ** 2, room)

    @property
    def is_bound(self) -> bool:
        """Whether distances are bounds above the longest, not the longest themselves."""
        return self.room > 0

    def longest(self, filled: Filled, i: Whole, j: Whole) -> Floats:
        """The longest difference of each row i and its own j."""
        found = np.empty(len(i))
        size = max(MOST_AT_ONCE // max(self.moves.shape), 1)
        for start in range(0, len(i), size):
            some = slice(start, start + size)
            found[some] = self._longest(filled, i[some], j[some])
        return found

    def _longest(self, filled: Filled, i: Whole, j: Whole) -> Floats:
        along = (filled.tilt[i] - filled.tilt[j]) @ self.moves.T
        along *= 2
        along += self.spread
        farthest = np.argmax(along, axis=1)
        apart = filled.raw[i] - filled.raw[j] + self.moves[farthest]
        return self.geometry.lengths(apart) + self.room


def mean_spread(geometry: Geometry, missing: Mask) -> float:
    """The mean of w'Pw over the values of a row's missing columns, each drawn by itself.

    Over values of both rows so drawn, whose moves are 0 on average, the square of the distance is
    d'Pd and the spreads of both on average: the longest is no shorter than that.
    """
    nothing = np.zeros_like(missing)
    columns = far_moves(geometry, missing, nothing)
    return sum(float((geometry.lengths(moves) ** 2).mean()) for moves in columns)
