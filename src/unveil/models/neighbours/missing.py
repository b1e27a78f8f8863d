"""Neighbours where values are missing: the worst case, as paper 004 asks for.

Between originals missing values make the distance as long as they can, between a synthetic row and
an original as short as they can (SPEC E). Rows are searched by pairs of missingness patterns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import blocks, chunks
from unveil.count.threads import limit_to_one_thread
from unveil.errors import InternalError
from unveil.models.neighbours.distances import PRODUCTS, TOLERANCE, Geometry
from unveil.models.neighbours.originals import NearestOriginals, Originals
from unveil.models.neighbours.search import find_nearest, find_within

# The shortest difference of two rows, where some values are missing and may be any in range.
#
# Known differences d_K, free differences x in a box: minimise (d_K, x)' P (d_K, x), a strictly
# convex problem. Each free difference is at its low end, at its high end, or between, where the
# derivative is zero. Guesses of which are mended until every one is right (principal pivoting):
# all wrong ones at once at first, then the last wrong one alone, which always ends (Murty). Rows
# with the same guess are solved together.


AT_ONCE = 8
"""Rounds in which all wrong guesses are mended at once."""


def shortest(precision: Floats, linear: Floats, low: Floats, high: Floats) -> Floats:
    """The x that minimises x' P x + 2 linear x for each row, low <= x <= high: exact.

    Notes
    -----
    SPEC E: covariance [[1, .8], [.8, 1]], s = (1, missing), o = (0, 0), range -2 to 2: the
    minimum is 1.0, at x = 0.8; no difference (paper 004's shortcut) would give 1.6667.
    """
    x = -linear @ np.linalg.inv(precision)
    state = np.where(x < low, -1, np.where(x > high, 1, 0)).astype(np.int8)
    open_rows = np.flatnonzero((state != 0).any(axis=1))
    small = 1e-12 * (
        np.abs(linear).max(axis=1) + np.abs(precision).max() * (high - low).max(axis=1)
    )
    for turn in range(AT_ONCE + 4 ** min(precision.shape[0], 12)):
        if not len(open_rows):
            return np.clip(x, low, high)
        guess = state[open_rows], small[open_rows]
        box = low[open_rows], high[open_rows]
        x[open_rows], wrong = _solve_boxes(precision, linear[open_rows], guess, box)
        is_wrong = wrong != state[open_rows]
        stays = is_wrong.any(axis=1)
        open_rows, is_wrong, wrong = open_rows[stays], is_wrong[stays], wrong[stays]
        if turn >= AT_ONCE:
            is_wrong = _last_only(is_wrong)
        state[open_rows] = np.where(is_wrong, wrong, state[open_rows])
    raise InternalError("A shortest difference was not found.")


def _last_only(is_wrong: Mask) -> Mask:
    last = is_wrong.shape[1] - 1 - np.argmax(is_wrong[:, ::-1], axis=1)
    only: Mask = np.arange(is_wrong.shape[1]) == last[:, np.newaxis]
    return only


States = NDArray[np.int8]


def _solve_boxes(
    precision: Floats, linear: Floats, guess: tuple[States, Floats], box: tuple[Floats, Floats]
) -> tuple[Floats, States]:
    """The solution under each guess, and the guess that it suggests."""
    (state, small), (low, high) = guess, box
    x = np.where(state < 0, low, np.where(state > 0, high, 0.0))
    kinds, of_row = np.unique(state, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    for number, kind in enumerate(kinds):
        rows, free = np.flatnonzero(of_row == number), np.flatnonzero(kind == 0)
        if len(free):
            ends = x[np.ix_(rows, np.flatnonzero(kind))]
            pull = linear[np.ix_(rows, free)] + ends @ precision[np.ix_(np.flatnonzero(kind), free)]
            x[np.ix_(rows, free)] = -pull @ np.linalg.inv(precision[np.ix_(free, free)])
    slope = x @ precision + linear
    room = 1e-12 * (high - low)
    better = np.where(x < low - room, -1, np.where(x > high + room, 1, 0))
    limit = small[:, np.newaxis]
    at_low, at_high = np.where(slope < -limit, 0, -1), np.where(slope > limit, 0, 1)
    return x, np.where(state < 0, at_low, np.where(state > 0, at_high, better)).astype(np.int8)


# What a missing value may be: any number in the range of its column, or one of its levels.
#
# Dimensions of a category stand and fall together: a row is at one level, whose vector is a unit
# vector, or zero for the level that is excluded. So a missing category has as many values as
# levels, and the difference of two missing ones is that of two levels.


MOST_CHOICES = 4096
"""Combinations of values that are tried for one pair of rows; beyond, a bound is taken."""


def levels(geometry: Geometry, dimensions: Sequence[int]) -> Floats:
    """The vectors of a category's levels, one in each row, zero in all other dimensions."""
    found = np.zeros((len(dimensions) + 1, len(geometry.low)))
    found[np.arange(1, len(found)), list(dimensions)] = 1.0
    return found


def level_moves(
    geometry: Geometry, dimensions: Sequence[int], *, is_mine: bool, is_theirs: bool
) -> Floats:
    """By how much a missing category may move the difference of two rows, from zero vectors."""
    own = levels(geometry, dimensions)
    if not is_theirs:
        return own
    if not is_mine:
        return -own
    pairs = (own[:, np.newaxis] - own).reshape(-1, own.shape[1])
    differs = ~np.eye(len(own), dtype=bool).reshape(-1)
    return np.vstack((pairs[:1], pairs[differs]))


def end_moves(geometry: Geometry, dimension: int, *, n_missing: int) -> Floats:
    """Both ends of a missing number, from the middle of its range; twice as far if both miss it."""
    found = np.zeros((2, len(geometry.low)))
    found[:, dimension] = np.array([-0.5, 0.5]) * n_missing * geometry.span[dimension]
    return found


def far_moves(geometry: Geometry, mine: Mask, theirs: Mask) -> Iterator[Floats]:
    """For each column that one of two rows misses, the moves of which one is the farthest.

    They are taken from the filled value of `Geometry.fill`, and add up to zero.
    """
    for dimensions in geometry.categories:
        is_mine, is_theirs = bool(mine[dimensions[0]]), bool(theirs[dimensions[0]])
        if is_mine or is_theirs:
            moves = level_moves(geometry, dimensions, is_mine=is_mine, is_theirs=is_theirs)
            # The same level twice is never the farthest.
            yield moves[1:] if is_mine and is_theirs else moves - moves.mean(axis=0)
    for dimension in geometry.numbers:
        n_missing = int(mine[dimension]) + int(theirs[dimension])
        if n_missing:
            yield end_moves(geometry, dimension, n_missing=n_missing)


def columns_to_try(columns: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
    """The columns whose values are tried in all combinations, and those there is no room for."""
    inside: list[Floats] = []
    outside: list[Floats] = []
    n_choices = 1
    for moves in sorted(columns, key=len):
        if n_choices * len(moves) <= MOST_CHOICES:
            n_choices *= len(moves)
            inside.append(moves)
        else:
            outside.append(moves)
    return inside, outside


def combine_moves(columns: Sequence[Floats], n_dimensions: int) -> Floats:
    """Every combination of one move of each column."""

    def add(left: Floats, right: Floats) -> Floats:
        both: Floats = (left[:, np.newaxis] + right).reshape(-1, n_dimensions)
        return both

    return reduce(add, columns, np.zeros((1, n_dimensions)))


# The longest difference of two rows, where some values are missing and may be any of their column.
#
# A convex function is largest at an end: a missing number is at an end of its range, a missing
# category at one of its levels. Missing values are filled with the mean of these first; then each
# combination of values is a move w of the difference d of the rows so filled. With P the inverse
# covariance,
#
#     (d + w)' P (d + w) = d'Pd + 2 d'Pw + w'Pw.


MOST_CORNERS = 2**21


@dataclass(frozen=True, eq=False)
class FilledRows:
    """Rows with missing values filled: as differences from one centre, whitened, and times P."""

    geometry: Geometry
    raw: Floats
    white: Floats
    tilt: Floats

    @classmethod
    def of(cls, geometry: Geometry, raw: Floats) -> "FilledRows":
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
        inside, outside = columns_to_try(list(far_moves(geometry, mine, theirs)))
        moves = combine_moves(inside, len(mine))
        room = sum(float(geometry.lengths(moves).max()) for moves in outside)
        return cls(geometry, moves, geometry.lengths(moves) ** 2, room)

    @property
    def is_bound(self) -> bool:
        """Whether distances are bounds above the longest, not the longest themselves."""
        return self.room > 0

    def longest(self, filled: FilledRows, i: Ints, j: Ints) -> Floats:
        """The longest difference of each row i and its own j."""
        found = np.empty(len(i))
        size = max(MOST_CORNERS // max(self.moves.shape), 1)
        for some in chunks(slice(0, len(i)), size):
            found[some] = self._longest(filled, i[some], j[some])
        return found

    def _longest(self, filled: FilledRows, i: Ints, j: Ints) -> Floats:
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


# Rows grouped by which of their values are missing.


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which values are missing, and in which rows exactly these are."""

    missing: Mask
    rows: Ints

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing.any()


def patterns(raw: Floats) -> list[Pattern]:
    """The patterns that occur; the complete rows first, where there are any."""
    missing = np.isnan(raw)
    if not len(raw):
        return []
    bits = np.packbits(missing, axis=1)
    _, first, of_row = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    order = np.argsort(of_row, kind="stable")
    ends = np.cumsum(np.bincount(of_row, minlength=len(first)))
    rows = np.split(order, ends[:-1])
    return [Pattern(missing[place], some) for place, some in zip(first, rows, strict=True)]


def number_patterns(groups: Sequence[Pattern], n_rows: int) -> Ints:
    """The number of each row's pattern."""
    found = np.zeros(n_rows, np.int64)
    for number, group in enumerate(groups):
        found[group.rows] = number
    return found


def group_by_pattern(of_row: Ints, i: Ints, j: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Pairs of rows by their pair of patterns: its numbers, and the places of the pairs."""
    n_patterns = int(of_row.max(initial=0)) + 1
    code = of_row[i] * n_patterns + of_row[j]
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    for some in np.split(order, starts[1:]) if len(order) else ():
        mine, theirs = divmod(int(code[some[0]]), n_patterns)
        yield mine, theirs, some


# The shortest distance of synthetic rows of one missingness pattern and originals of another.
#
# A missing category takes each of its levels in turn; missing numbers, whatever is best for them
# between the ends of their range (`boxes`). A bound below, from the columns that both rows have,
# leaves few pairs to be solved; in a second bound, numbers are free without ends.


MOST_NEAR = 2**20


@dataclass(frozen=True, eq=False)
class MissingLevels:
    """Which levels missing categories may have: as moves of the difference of two rows.

    Categories that there are too many combinations for are free in each of their dimensions, in
    `loose`: their distance is a bound below, which can only refuse more.
    """

    moves: Floats
    fixed: Ints  # dimensions whose difference is known once a move is chosen
    loose: Ints  # dimensions whose difference is free between ends
    is_bound: bool

    @classmethod
    def between(cls, geometry: Geometry, mine: Mask, theirs: Mask) -> "MissingLevels":
        """The levels of what one of two patterns misses."""
        columns = [
            level_moves(
                geometry, dimensions, is_mine=mine[dimensions[0]], is_theirs=theirs[dimensions[0]]
            )
            for dimensions in geometry.categories
            if mine[dimensions[0]] or theirs[dimensions[0]]
        ]
        inside, outside = columns_to_try(columns)
        moves = combine_moves(inside, len(mine))
        is_loose = (mine | theirs) & ~moves.any(axis=0)
        return cls(moves, np.flatnonzero(~is_loose), np.flatnonzero(is_loose), bool(outside))


@dataclass(frozen=True, eq=False)
class PatternPair:
    """Synthetic rows of one pattern and originals of another."""

    is_tight: ClassVar[bool] = False
    tile: ClassVar[tuple[int, int]] = PRODUCTS
    geometry: Geometry
    synthetic: Floats
    original: Floats
    of_synthetic: Pattern
    of_original: Pattern
    is_exact: bool

    @cached_property
    def free(self) -> Ints:
        """The dimensions that one of the two misses."""
        return np.flatnonzero(self.of_synthetic.missing | self.of_original.missing)

    @cached_property
    def shared_dimensions(self) -> Ints:
        """The dimensions that both have."""
        return np.flatnonzero(~(self.of_synthetic.missing | self.of_original.missing))

    @cached_property
    def levels(self) -> MissingLevels:
        """What missing categories may be."""
        return MissingLevels.between(
            self.geometry, self.of_synthetic.missing, self.of_original.missing
        )

    @property
    def is_bound(self) -> bool:
        """Whether distances are bounds below the shortest, not the shortest themselves."""
        return self.is_exact and self.levels.is_bound

    @property
    def n_others(self) -> int:
        """How many originals there are."""
        return len(self.of_original.rows)

    @cached_property
    def _turned(self) -> tuple[Floats, Floats]:
        """The whitener of the known columns, and the originals so whitened."""
        turn = self.geometry.partial(tuple(self.shared_dimensions.tolist()), is_exact=self.is_exact)
        original = self.original[np.ix_(self.of_original.rows, self.shared_dimensions)]
        return turn, (original - self.geometry.middle[self.shared_dimensions]) @ turn

    def lift(self, distance: Floats) -> Floats:
        """Its square."""
        return distance * distance

    def bound(self, rows: Ints, others: slice) -> tuple[Floats, Floats]:
        """For all pairs the square of a distance by known columns alone, and its rounding.

        Exact: never above the shortest. Else: free differences are zero.
        """
        turn, right = self._turned[0], self._turned[1][others]
        shared = self.shared_dimensions
        left = (self.synthetic[np.ix_(rows, shared)] - self.geometry.middle[shared]) @ turn
        own, theirs = np.einsum("ij,ij->i", left, left), np.einsum("ij,ij->i", right, right)
        rounding = 16 * (len(self.shared_dimensions) + 2) * np.finfo(float).eps
        square = left @ (-2 * right.T)
        square += own[:, np.newaxis]
        square += theirs
        return square, rounding * (own + theirs.max(initial=0))

    def measure(self, rows: Ints, others: Ints, limit: Floats) -> Floats:
        """The shortest distance of each pair; infinite where it is surely beyond the limit."""
        at = self.of_original.rows[others]
        found = np.empty(len(rows))
        width = len(self.levels.moves) if self.is_exact else 1
        size = max(MOST_NEAR // max(width, self.synthetic.shape[1]), 1)
        for some in chunks(slice(0, len(rows)), size):
            found[some] = self._distances(rows[some], at[some], limit[some])
        return found

    def _distances(self, row: Ints, at: Ints, limit: Floats) -> Floats:
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
        found[live] = self._solve(base, live, first[live], (row, at))
        reach = (np.minimum(found, limit) * (1 + 2 * TOLERANCE)) ** 2 + rounding
        bound[live, first[live]] = np.inf
        pair, move = np.nonzero(bound <= reach[:, np.newaxis])
        np.minimum.at(found, pair, self._solve(base, pair, move, (row, at)))
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

    def _solve(self, base: Floats, pair: Ints, move: Ints, rows: tuple[Ints, Ints]) -> Floats:
        """The shortest distance of each pair after one move, missing numbers at their best."""
        apart = base[pair] + self.levels.moves[move]
        fixed, loose, precision = self.levels.fixed, self.levels.loose, self.geometry.precision
        if len(loose):
            linear = apart[:, fixed] @ precision[np.ix_(fixed, loose)]
            low, high = self._box(rows[0][pair], rows[1][pair])
            apart[:, loose] = shortest(precision[np.ix_(loose, loose)], linear, low, high)
        return self.geometry.lengths(apart)

    def _box(self, row: Ints, at: Ints) -> tuple[Floats, Floats]:
        """From where to where each free difference may go."""
        loose = self.levels.loose
        low, high = self.geometry.low[loose], self.geometry.high[loose]
        mine, theirs = self.synthetic[np.ix_(row, loose)], self.original[np.ix_(at, loose)]
        lowest = np.where(np.isnan(mine), low, mine) - np.where(np.isnan(theirs), high, theirs)
        highest = np.where(np.isnan(mine), high, mine) - np.where(np.isnan(theirs), low, theirs)
        return lowest, highest


MOST_PAIRS = 2**21
"""Pairs held at once."""


def _pairs_of_patterns(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    *,
    is_exact: bool,
) -> Iterator[tuple[Pattern, list[PatternPair]]]:
    """For each pattern of synthetic rows, the patterns of originals; not complete with complete."""
    for mine in synthetic[1]:
        found = [
            PatternPair(geometry, synthetic[0], original[0], mine, theirs, is_exact)
            for theirs in original[1]
            if not (mine.is_complete and theirs.is_complete)
        ]
        if found:
            yield mine, found


@limit_to_one_thread()
def near_leads(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    originals: Originals,
    leads: NearestOriginals,
    *,
    is_exact: bool,
) -> bool:
    """Bring in all pairs of which one row misses a value; whether any distance was bounded."""
    is_bounded = False
    for mine, found in _pairs_of_patterns(geometry, synthetic, original, is_exact=is_exact):
        for near in found:
            theirs = near.of_original.rows
            for row, at, distance in find_nearest(near, mine.rows, best=leads.distance[mine.rows]):
                leads.take(mine.rows[row], theirs[at], distance, originals)
        is_bounded |= any(near.is_bound for near in found)
    return is_bounded


@limit_to_one_thread()
def near_within(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    own: Floats,
    *,
    is_exact: bool,
) -> Mask:
    """Which synthetic rows lie too close to any original, where one of the two misses a value."""
    refused = np.zeros(len(synthetic[0]), bool)
    for mine, found in _pairs_of_patterns(geometry, synthetic, original, is_exact=is_exact):
        for near in found:
            left = mine.rows[~refused[mine.rows]]
            refused[left[find_within(near, left, own[near.of_original.rows])]] = True
    return refused


# The nearest other original of each original, where values are missing: at their longest.
#
# An original needs the smallest of its longest distances alone. A bound below the longest, one
# number for each pair, leaves few pairs of which all combinations of values are tried.


class OwnDistances:
    """Distinct originals; `own` is brought down to the distance of each to its nearest other.

    It holds the distances between complete rows already.
    """

    def __init__(
        self, geometry: Geometry, raw: Floats, groups: Sequence[Pattern], own: Floats
    ) -> None:
        self.is_bounded = False
        self._geometry, self._groups, self._own = geometry, groups, own
        self._filled = FilledRows.of(geometry, raw)
        self._of_row = number_patterns(groups, len(raw))
        self._is_complete = ~np.isnan(raw).any(axis=1)
        white, spread = self._filled.white, [mean_spread(geometry, g.missing) for g in groups]
        self._norms: Floats = np.einsum("ij,ij->i", white, white) + np.array(spread)[self._of_row]

    @limit_to_one_thread()
    def shorten(self, counts: Ints) -> None:
        """Go through all pairs of which one row at least misses a value.

        `counts` says how often a row occurs: one that occurs twice is a neighbour of itself.
        """
        rows = np.flatnonzero(~self._is_complete)
        again = rows[counts[rows] > 1]
        self._take(again, again)
        if len(self._own) < 2:
            return
        for some in blocks(len(rows), len(self._own), MOST_PAIRS):
            self._shorten(rows[some])

    def _shorten(self, rows: Ints) -> None:
        bound = self._bound(rows)
        # The nearest by the bound first: what it says spares most others.
        self._take(rows, np.argmin(bound, axis=1))
        asked = np.where(self._is_complete, self._own, 0.0)
        reach = np.maximum(self._own[rows][:, np.newaxis], asked) * (1 + TOLERANCE)
        row, at = np.nonzero(bound <= reach**2)
        self._take(rows[row], at)

    def _bound(self, rows: Ints) -> Floats:
        """A number below the square of the longest distance of these to every row but itself."""
        white, norms = self._filled.white, self._norms
        rounding = 16 * (white.shape[1] + 2) * np.finfo(float).eps
        bound: Floats = white[rows] @ (-2 * white.T)
        bound += (norms[rows] * (1 - rounding))[:, np.newaxis]
        bound += norms * (1 - rounding)
        bound[np.arange(len(rows)), rows] = np.inf
        return bound

    def _take(self, i: Ints, j: Ints) -> None:
        """Take in pairs of rows: each may be the nearest of the other."""
        for mine, theirs, some in group_by_pattern(self._of_row, i, j):
            corners = Corners.between(
                self._geometry, self._groups[mine].missing, self._groups[theirs].missing
            )
            self.is_bounded |= corners.is_bound
            distance = corners.longest(self._filled, i[some], j[some])
            np.minimum.at(self._own, i[some], distance)
            np.minimum.at(self._own, j[some], distance)
