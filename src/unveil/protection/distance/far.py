"""The nearest other original of each original, where values are missing: at their longest.

An original needs the smallest of its longest distances alone. A bound below the longest, one number
for each pair, leaves few pairs of which all combinations of values are tried.
"""

from collections.abc import Sequence

import numpy as np

from unveil.count.one_thread import one_thread
from unveil.count.packing import Whole
from unveil.protection.distance.corners import Corners, Filled, mean_spread
from unveil.protection.distance.patterns import Pattern, by_pattern, numbered
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import TOLERANCE, Geometry

MOST_PAIRS = 2**21


class Far:
    """Distinct originals; `own` is brought down to the distance of each to its nearest other.

    It holds the distances between complete rows already.
    """

    def __init__(
        self, geometry: Geometry, raw: Floats, groups: Sequence[Pattern], own: Floats
    ) -> None:
        self.is_bounded = False
        self._geometry, self._groups, self._own = geometry, groups, own
        self._filled = Filled.of(geometry, raw)
        self._of_row = numbered(groups, len(raw))
        self._is_complete = ~np.isnan(raw).any(axis=1)
        white, spread = self._filled.white, [mean_spread(geometry, g.missing) for g in groups]
        self._norms: Floats = np.einsum("ij,ij->i", white, white) + np.array(spread)[self._of_row]

    @one_thread()
    def shorten(self, counts: Whole) -> None:
        """Go through all pairs of which one row at least misses a value.

        `counts` says how often a row occurs: one that occurs twice is a neighbour of itself.
        """
        rows = np.flatnonzero(~self._is_complete)
        again = rows[counts[rows] > 1]
        self._take(again, again)
        if len(self._own) < 2:
            return
        size = max(MOST_PAIRS // len(self._own), 1)
        for start in range(0, len(rows), size):
            self._shorten(rows[start : start + size])

    def _shorten(self, rows: Whole) -> None:
        bound = self._bound(rows)
        # The nearest by the bound first: what it says spares most others.
        self._take(rows, np.argmin(bound, axis=1))
        asked = np.where(self._is_complete, self._own, 0.0)
        reach = np.maximum(self._own[rows][:, np.newaxis], asked) * (1 + TOLERANCE)
        row, at = np.nonzero(bound <= reach**2)
        self._take(rows[row], at)

    def _bound(self, rows: Whole) -> Floats:
        """A number below the square of the longest distance of these to every row but itself."""
        white, norms = self._filled.white, self._norms
        rounding = 16 * (white.shape[1] + 2) * np.finfo(float).eps
        bound: Floats = white[rows] @ (-2 * white.T)
        bound += (norms[rows] * (1 - rounding))[:, np.newaxis]
        bound += norms * (1 - rounding)
        bound[np.arange(len(rows)), rows] = np.inf
        return bound

    def _take(self, i: Whole, j: Whole) -> None:
        """Take in pairs of rows: each may be the nearest of the other."""
        for mine, theirs, some in by_pattern(self._of_row, i, j):
            corners = Corners.between(
                self._geometry, self._groups[mine].missing, self._groups[theirs].missing
            )
            self.is_bounded |= corners.is_bound
            distance = corners.longest(self._filled, i[some], j[some])
            np.minimum.at(self._own, i[some], distance)
            np.minimum.at(self._own, j[some], distance)
