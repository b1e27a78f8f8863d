"""The shortest distance of synthetic rows of one missingness pattern and originals of another.

A missing category takes each of its levels in turn; missing numbers, whatever is best for them
between the ends of their range (`boxes`). A bound below, from the columns that both rows have,
leaves few pairs to be solved; in a second bound, numbers are free without ends.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.protection.distance.boxes import shortest
from unveil.protection.distance.choices import combined, level_moves, tried
from unveil.protection.distance.leads import ZERO
from unveil.protection.distance.patterns import Pattern
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import TOLERANCE, Geometry, is_closer

MOST_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class Levels:
    """Which levels missing categories may have: as moves of the difference of two rows.

    Categories that there are too many combinations for are free in each of their dimensions, in
    `loose`: their distance is a bound below, which can only refuse more.
    """

    moves: Floats
    fixed: Whole  # dimensions whose difference is known once a move is chosen
    loose: Whole  # dimensions whose difference is free between ends
    is_bound: bool

    @classmethod
    def between(cls, geometry: Geometry, mine: Mask, theirs: Mask) -> "Levels":
        """The levels of what one of two patterns misses."""
        columns = [
            level_moves(
                geometry, dimensions, is_mine=mine[dimensions[0]], is_theirs=theirs[dimensions[0]]
            )
            for dimensions in geometry.categories
            if mine[dimensions[0]] or theirs[dimensions[0]]
        ]
        inside, outside = tried(columns)
        moves = combined(inside, len(mine))
        is_loose = (mine | theirs) & ~moves.any(axis=0)
        return cls(moves, np.flatnonzero(~is_loose), np.flatnonzero(is_loose), bool(outside))


@dataclass(frozen=True, eq=False)
class Near:
    """Synthetic rows of one pattern and originals of another."""

    geometry: Geometry
    synthetic: Floats
    original: Floats
    of_synthetic: Pattern
    of_original: Pattern
    is_exact: bool

    @cached_property
    def free(self) -> Whole:
        """The dimensions that one of the two misses."""
        return np.flatnonzero(self.of_synthetic.missing | self.of_original.missing)

    @cached_property
    def known(self) -> Whole:
        """The dimensions that both have."""
        return np.flatnonzero(~(self.of_synthetic.missing | self.of_original.missing))

    @cached_property
    def levels(self) -> Levels:
        """What missing categories may be."""
        return Levels.between(self.geometry, self.of_synthetic.missing, self.of_original.missing)

    @property
    def is_bound(self) -> bool:
        """Whether distances are bounds below the shortest, not the shortest themselves."""
        return self.is_exact and self.levels.is_bound

    def squares(self, rows: Whole, *, is_exact: bool) -> tuple[Floats, Floats]:
        """For all pairs the square of a distance by known columns alone, and its rounding.

        Exact: never above the shortest. Else: free differences are zero, never below it.
        """
        turn = self.geometry.partial(tuple(self.known.tolist()), is_exact=is_exact)
        middle = self.geometry.middle[self.known]
        left = (self.synthetic[np.ix_(rows, self.known)] - middle) @ turn
        right = (self.original[np.ix_(self.of_original.rows, self.known)] - middle) @ turn
        own = np.einsum("ij,ij->i", left, left)[:, np.newaxis]
        theirs = np.einsum("ij,ij->i", right, right)
        rounding = 16 * (len(self.known) + 2) * np.finfo(float).eps
        square = left @ (-2 * right.T)
        square += own
        square += theirs
        return square, rounding * (own + theirs.max(initial=0))

    def distances(self, row: Whole, at: Whole, limit: Floats) -> Floats:
        """The shortest distance of each pair; infinite where it is surely beyond the limit."""
        found = np.empty(len(row))
        width = len(self.levels.moves) if self.is_exact else 1
        size = max(MOST_AT_ONCE // max(width, self.synthetic.shape[1]), 1)
        for start in range(0, len(row), size):
            some = slice(start, start + size)
            found[some] = self._distances(row[some], at[some], limit[some])
        return found

    def _distances(self, row: Whole, at: Whole, limit: Floats) -> Floats:
        if not self.is_exact:
            apart = self.synthetic[row] - self.original[at]
            apart[:, self.free] = 0.0
            return self.geometry.lengths(apart)
        base = np.nan_to_num(self.synthetic[row]) - np.nan_to_num(self.original[at])
        bound, rounding = self._bound(base)
        first = np.argmin(bound, axis=1)
        lowest = np.take_along_axis(bound, first[:, np.newaxis], axis=1)[:, 0]
        live = np.flatnonzero(lowest <= limit**2 + rounding)
        found = np.full(len(row), np.inf)
        found[live] = self._solved(base, live, first[live], (row, at))
        reach = (np.minimum(found, limit) * (1 + 2 * TOLERANCE)) ** 2 + rounding
        bound[live, first[live]] = np.inf
        pair, move = np.nonzero(bound <= reach[:, np.newaxis])
        np.minimum.at(found, pair, self._solved(base, pair, move, (row, at)))
        return found

    def _bound(self, base: Floats) -> tuple[Floats, Floats]:
        """For each pair and each move a square below that of the distance, and its rounding."""
        levels = self.levels
        turn = self.geometry.partial(tuple(levels.fixed.tolist()), is_exact=True)
        white, moved = base[:, levels.fixed] @ turn, levels.moves[:, levels.fixed] @ turn
        norms, spread = np.einsum("ij,ij->i", white, white), np.einsum("ij,ij->i", moved, moved)
        bound = white @ (2 * moved.T)
        bound += spread
        bound += norms[:, np.newaxis]
        rounding = 16 * (len(turn) + 2) * np.finfo(float).eps
        return bound, rounding * (norms + spread.max())

    def _solved(self, base: Floats, pair: Whole, move: Whole, rows: tuple[Whole, Whole]) -> Floats:
        """The shortest distance of each pair after one move, missing numbers at their best."""
        apart = base[pair] + self.levels.moves[move]
        fixed, loose, precision = self.levels.fixed, self.levels.loose, self.geometry.precision
        if len(loose):
            linear = apart[:, fixed] @ precision[np.ix_(fixed, loose)]
            low, high = self._box(rows[0][pair], rows[1][pair])
            apart[:, loose] = shortest(precision[np.ix_(loose, loose)], linear, low, high)
        return self.geometry.lengths(apart)

    def _box(self, row: Whole, at: Whole) -> tuple[Floats, Floats]:
        """From where to where each free difference may go."""
        loose = self.levels.loose
        low, high = self.geometry.low[loose], self.geometry.high[loose]
        mine, theirs = self.synthetic[np.ix_(row, loose)], self.original[np.ix_(at, loose)]
        lowest = np.where(np.isnan(mine), low, mine) - np.where(np.isnan(theirs), high, theirs)
        highest = np.where(np.isnan(mine), high, mine) - np.where(np.isnan(theirs), low, theirs)
        return lowest, highest

    def nearest(self, rows: Whole, best: Floats) -> tuple[Whole, Whole, Floats]:
        """Pairs that are no farther apart than the best known so far; `best` is brought down."""
        square, rounding = self.squares(rows, is_exact=self.is_exact)
        at = self.of_original.rows[np.argmin(square, axis=1)]
        np.minimum(best, self.distances(rows, at, best), out=best)
        reach = best * (1 + 2 * TOLERANCE) + ZERO
        row, place = np.nonzero(square <= reach[:, np.newaxis] ** 2 + rounding)
        at = self.of_original.rows[place]
        distance = self.distances(rows[row], at, reach[row])
        np.minimum.at(best, row, distance)
        stays = distance <= best[row] * (1 + TOLERANCE) + ZERO
        return rows[row][stays], at[stays], distance[stays]

    def within(self, rows: Whole, own: Floats) -> Mask:
        """Which rows are closer to one of the originals than its nearest other original is."""
        limit = own[self.of_original.rows]
        refused = self._surely(rows, limit)
        left = np.flatnonzero(~refused)
        square, rounding = self.squares(rows[left], is_exact=self.is_exact)
        row, place = np.nonzero(square - rounding < limit**2)
        at, row = self.of_original.rows[place], left[row]
        refused[row[is_closer(self.distances(rows[row], at, own[at]), own[at])]] = True
        return refused

    def _surely(self, rows: Whole, limit: Floats) -> Mask:
        """Which rows are too close even if missing values differ in nothing, as they may."""
        if not self._may_agree:
            return np.zeros(len(rows), bool)
        square, rounding = self.squares(rows, is_exact=False)
        surely = square + rounding < (limit * (1 - 4 * TOLERANCE)) ** 2
        return np.asarray(surely.any(axis=1), bool)

    @cached_property
    def _may_agree(self) -> bool:
        """Whether every value that one row has is in range, so that the other may have it too."""
        sides = (self.synthetic[self.of_synthetic.rows], self.original[self.of_original.rows])
        low, high = self.geometry.low, self.geometry.high
        return not any(((side < low) | (side > high))[:, self.free].any() for side in sides)
