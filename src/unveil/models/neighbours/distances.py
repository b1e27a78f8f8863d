"""How far apart are two rows? Every distance that is searched by, written once.

- Gower (1971): in `gower`.
- Jaccard (1912): 1 - (both yes) / (at least one yes), for rows of nothing but yes and no.
- Mahalanobis (1936): the root of (a - b)' S^-1 (a - b), in `Geometry`.

For the search each has, beside itself, a quick bound below for whole blocks of pairs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import thread_time
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import chunks
from unveil.count.threads import limit_to_one_thread
from unveil.errors import SettingsError

TOLERANCE = 1e-9
"""Distances this close, relative to their size, are the same."""
ZERO = 1e-13
"""In units of a range or a standard deviation: what is shorter is rounding."""

WIDTH = 1024
"""How many others a product of matrices is made for at once."""

Bounds = NDArray[np.floating]
Singles = NDArray[np.float32]


class Distance(Protocol):
    """A distance between rows and others, each known by its number.

    Where it `is_tight`, a bound is not more than the slack below the lifted distance either.
    """

    is_tight: ClassVar[bool]
    at_once: ClassVar[int]
    """How many bounds are held at once: few enough to stay close to the processor."""

    @property
    def n_others(self) -> int:
        """How many others there are."""

    @property
    def tiles(self) -> Sequence[slice]:
        """The others in runs that are bounded at once."""

    def numbers(self, tile: slice) -> Ints:
        """Which others a tile has."""

    def below(self, rows: Ints, without: Sequence[int | None]) -> list[Singles] | None:
        """Rows x tiles: a number below all bounds in the tile; None where none is known."""

    def lift(self, distance: Floats) -> Floats:
        """A distance as the bounds count it, such as its square."""

    def slack_of(self, rows: Ints) -> Floats:
        """How far a bound of each row may be off."""

    def bounds(
        self, rows: Ints, tile: slice, without: Sequence[int | None] = (None,)
    ) -> Iterator[Bounds]:
        """For all pairs a number below the lifted distance, but for the slack; without an axis."""

    def measure(self, rows: Ints, others: Ints, limit: Floats) -> Floats:
        """The distance of each row to the other beside it; infinite if surely beyond the limit."""


class EveryPair:
    """A distance of which no tile is known to be far: others are searched as they stand."""

    at_once: ClassVar[int] = 2**19

    @property
    def n_others(self) -> int:
        """How many others there are."""
        raise NotImplementedError

    @cached_property
    def tiles(self) -> Sequence[slice]:
        """The others in runs that are bounded at once."""
        return [*chunks(slice(0, self.n_others), WIDTH)]

    def numbers(self, tile: slice) -> Ints:
        """Which others a tile has."""
        return np.arange(tile.start, tile.stop)

    def below(self, rows: Ints, without: Sequence[int | None]) -> None:
        """Nothing is known."""


def is_closer(distance: Floats, limit: Floats) -> Mask:
    """Whether a distance is below a limit; what is equal but for rounding is not.

    A distance that is unknown counts as below.
    """
    closer: Mask = ~(distance >= limit * (1 - TOLERANCE))
    return closer


def longest_tie(distance: Floats) -> Floats:
    """The longest distance that ties with one."""
    longest: Floats = distance * (1 + TOLERANCE) + ZERO
    return longest


# Jaccard's distance. Shared noes say nothing, and two rows without any yes are no distance apart.
#
# Missing values are counted by hand rather than tried: the distance is shortest where each missing
# value agrees with a yes and two missing ones are both yes, longest where each differs.


@dataclass(frozen=True, eq=False)
class BinaryRows:
    """Which values are yes, no and missing, as 1 and 0."""

    yes: Floats
    no: Floats
    missing: Floats

    @classmethod
    def of(cls, values: Floats) -> "BinaryRows":
        """Rows, from their values."""
        parts = (values == 1, values == 0, np.isnan(values))
        return cls(*(part.astype(float) for part in parts))

    def at(self, rows: Ints | slice) -> "BinaryRows":
        """Some of the rows."""
        return BinaryRows(self.yes[rows], self.no[rows], self.missing[rows])


@dataclass(frozen=True, eq=False)
class Jaccard(EveryPair):
    """Jaccard's distance, as short or as long as missing values allow."""

    is_tight: ClassVar[bool] = True
    rows: BinaryRows
    others: BinaryRows
    is_longest: bool

    @property
    def n_others(self) -> int:
        """How many others there are."""
        return len(self.others.yes)

    def lift(self, distance: Floats) -> Floats:
        """The distance itself."""
        return distance

    def slack_of(self, rows: Ints) -> Floats:
        """None."""
        return np.zeros(len(rows))

    def bounds(
        self, rows: Ints, tile: slice, without: Sequence[int | None] = (None,)
    ) -> Iterator[Floats]:
        """The distance itself, from counts."""
        yield self._distance(self.rows.at(rows), self.others.at(tile), lambda a, b: a @ b.T)

    def measure(self, rows: Ints, others: Ints, limit: Floats | None = None) -> Floats:
        """The distance of each row to the other beside it."""
        pair = self.rows.at(rows), self.others.at(others)
        return self._distance(*pair, lambda a, b: np.einsum("ij,ij->i", a, b))

    def _distance(
        self, a: BinaryRows, b: BinaryRows, count: Callable[[Floats, Floats], Floats]
    ) -> Floats:
        if self.is_longest:  # whatever may differ does
            agree = count(a.yes, b.yes)
            differ = a.yes.shape[1] - agree - count(a.no, b.no)
        else:  # whatever may agree on yes does
            differ = count(a.yes, b.no) + count(a.no, b.yes)
            agree = count(a.yes + a.missing, b.yes + b.missing)
        seen = differ + agree
        made: Floats = np.divide(differ, seen, out=np.zeros_like(differ), where=seen > 0)
        return made


# Mahalanobis distance, as plain distance between rows that are turned: with the covariance
# S = C C' (Cholesky), z = C^-1 x has d(a, b)^2 = (a - b)' S^-1 (a - b) = |z_a - z_b|^2. The
# covariance is that of the complete rows of the original, with n - 1 (SPEC E).


Categories = tuple[tuple[int, ...], ...]
TRIED = 32
"""How many rows are timed to choose between a tree and every pair."""
LEAF = 16
MOST_DIMENSIONS = 10
"""In up to so many dimensions a tree is faster than comparing every pair, whatever the rows are."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """The covariance that distances are measured by, its inverse, and the ranges of all columns.

    `categories` are the dimensions of each category, which are those of one value.
    """

    covariance: Floats
    precision: Floats
    low: Floats
    high: Floats
    categories: Categories = ()

    @classmethod
    def from_rows(
        cls, rows: Floats, low: Floats, high: Floats, categories: Categories = ()
    ) -> "Geometry":
        """The geometry of complete rows."""
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, ddof=1))
        return cls.from_covariance(covariance, low, high, categories)

    @classmethod
    def from_covariance(
        cls, covariance: Floats, low: Floats, high: Floats, categories: Categories = ()
    ) -> "Geometry":
        """The geometry of a covariance."""
        inverse: Floats = np.asarray(np.linalg.inv(covariance), np.float64)
        return cls(covariance, inverse, low, high, categories)

    @classmethod
    def from_precision(
        cls, precision: Floats, low: Floats, high: Floats, categories: Categories = ()
    ) -> "Geometry":
        """The geometry that a user gave as the inverse of the covariance."""
        if len(precision) != len(low):
            raise SettingsError(
                f"inverse_covariance has {len(precision)} rows, but the columns have {len(low)}"
                " dimensions (a category has one less than its levels)."
            )
        covariance: Floats = np.asarray(np.linalg.inv(precision), np.float64)
        return cls(covariance, precision, low, high, categories)

    @cached_property
    def whitener(self) -> Floats:
        """W with z = x W."""
        turned: Floats = np.linalg.inv(np.linalg.cholesky(self.covariance)).T
        return turned

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The dimensions that are columns of numbers."""
        taken = {dimension for dimensions in self.categories for dimension in dimensions}
        return tuple(d for d in range(len(self.low)) if d not in taken)

    @cached_property
    def middle(self) -> Floats:
        """The middle of each range, from which rows are measured so that no digits are lost."""
        return (self.low + self.high) / 2

    @cached_property
    def fill(self) -> Floats:
        """What missing values are filled with: the middle; of a category the mean of its levels."""
        filled = self.middle.copy()
        for dimensions in self.categories:
            filled[list(dimensions)] = 1 / (len(dimensions) + 1)
        return filled

    @property
    def span(self) -> Floats:
        """How wide each range is."""
        return self.high - self.low

    def repeat(self, n: int) -> "Geometry":
        """The geometry of n rows side by side, as if they did not depend on one another."""
        covariance: Floats = np.asarray(np.kron(np.eye(n), self.covariance), np.float64)
        return Geometry.from_covariance(covariance, np.tile(self.low, n), np.tile(self.high, n))

    def select(self, dimensions: Ints) -> "Geometry":
        """The geometry of some dimensions alone, for rows that have all of them."""
        some = np.ix_(dimensions, dimensions)
        return Geometry.from_covariance(
            self.covariance[some], self.low[dimensions], self.high[dimensions]
        )

    def lengths(self, differences: Floats) -> Floats:
        """The distance that each difference of two rows is long, computed directly.

        Not as a product of matrices, whose last digits depend on how many threads share it.
        """
        turned = np.einsum("ij,jk->ik", differences, self.whitener)
        long: Floats = np.sqrt(np.einsum("ij,ij->i", turned, turned))
        return long

    def partial(self, known: tuple[int, ...], *, is_exact: bool) -> Floats:
        """The whitener of some columns, the differences in all others being free.

        Exact: free without bounds, which leaves the Mahalanobis distance of the known columns
        alone (the Schur complement), never above the minimum within bounds. Else: no difference.
        """
        if not known:
            return np.empty((0, 0))
        some = np.ix_(known, known)
        if is_exact:
            turned: Floats = np.linalg.inv(np.linalg.cholesky(self.covariance[some])).T
            return turned
        rooted: Floats = np.asarray(np.linalg.cholesky(self.precision[some]), np.float64)
        return rooted


def tree_of(white: Floats) -> Any:
    """A KD-tree, cut in the middle of its widest dimension rather than at the median.

    So whoever has a rare level is soon apart from all others, and a search passes by the levels
    that a row does not have.
    """
    from scipy.spatial import cKDTree

    return cKDTree(white, leafsize=LEAF, balanced_tree=False)


@dataclass(frozen=True, eq=False)
class Points:
    """Rows without a missing value: `raw` as given, `white` whitened around one centre."""

    geometry: Geometry
    raw: Floats
    white: Floats

    @classmethod
    def of(cls, geometry: Geometry, raw: Floats) -> "Points":
        """Rows whitened; the centre is the middle of the ranges, so that no digits are lost."""
        return cls(geometry, raw, np.ascontiguousarray((raw - geometry.middle) @ geometry.whitener))

    @cached_property
    def norms(self) -> Floats:
        """The square of how far each row is from the centre."""
        squares: Floats = np.einsum("ij,ij->i", self.white, self.white)
        return squares

    @cached_property
    def tree(self) -> Any:
        """A KD-tree of the rows."""
        return tree_of(self.white)

    @cached_property
    def has_tree(self) -> bool:
        """Whether a tree is faster than comparing every pair: a few rows are timed.

        Both find the same.
        """
        n, n_dimensions = self.white.shape
        if n_dimensions <= MOST_DIMENSIONS or n < 16 * TRIED:
            return n_dimensions <= MOST_DIMENSIONS
        asked = self.white[np.linspace(0, n - 1, TRIED).astype(np.intp)]
        with limit_to_one_thread():
            start = thread_time()
            for some in chunks(slice(0, n), WIDTH):
                (asked @ self.white[some].T).min(axis=1)
            by_pairs = thread_time() - start
            start = thread_time()
            self.tree.query(asked, k=2)
            return thread_time() - start < by_pairs

    def __len__(self) -> int:
        return len(self.raw)

    def some(self, rows: Ints) -> "Points":
        """Some of the rows."""
        return Points(self.geometry, self.raw[rows], self.white[rows])


@dataclass(frozen=True, eq=False)
class Mahalanobis(EveryPair):
    """The distance between complete rows.

    |a - b|^2 = |a|^2 + |b|^2 - 2 ab: one matrix product bounds all pairs, and what it rounds is
    bounded; distances themselves are computed from the rows as given.
    """

    is_tight: ClassVar[bool] = True
    rows: Points
    others: Points

    @property
    def n_others(self) -> int:
        """How many others there are."""
        return len(self.others)

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        mine, theirs = self.rows, self.others
        one, two = np.ones(len(mine)), np.ones(len(theirs))
        return (
            np.column_stack((-2 * mine.white, one, mine.norms)),
            np.column_stack((theirs.white, theirs.norms, two)),
        )

    def lift(self, distance: Floats) -> Floats:
        """Its square."""
        return distance * distance

    def slack_of(self, rows: Ints) -> Floats:
        """What the product rounds, at most."""
        rounding = 8 * (self.rows.white.shape[1] + 4) * np.finfo(float).eps
        made: Floats = rounding * (self.rows.norms[rows] + self.others.norms.max(initial=0))
        return made

    def bounds(
        self, rows: Ints, tile: slice, without: Sequence[int | None] = (None,)
    ) -> Iterator[Floats]:
        """The square of the distance by a matrix product."""
        left, right = self._sides
        yield left[rows] @ right[tile].T

    def measure(self, rows: Ints, others: Ints, limit: Floats | None = None) -> Floats:
        """The distance of each row to the other beside it, from the values as given."""
        return self.rows.geometry.lengths(self.rows.raw[rows] - self.others.raw[others])

    @cached_property
    def slack(self) -> float:
        """How far rounding may move a distance between whitened rows."""
        largest = max(np.abs(p.white).max(initial=0) for p in (self.rows, self.others))
        return float(largest * 64 * np.finfo(float).eps * max(self.rows.white.shape[1], 1))
