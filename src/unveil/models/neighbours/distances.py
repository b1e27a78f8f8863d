"""How far apart are two rows? Every distance that is searched by, written once.

- Gower (1971): the mean over columns of |a - b| / range for numbers, and of 0 or 1 for categories
  that agree or differ. Anonymeter 1.1.0 (Giomi et al. 2023) takes the sum in place of the mean; of
  categories alone that is the number of columns that differ (Hamming).
- Jaccard (1912): 1 - (both yes) / (at least one yes), for rows of nothing but yes and no.
- Mahalanobis (1936): the root of (a - b)' S^-1 (a - b), in `Geometry`.

For the search each has, beside itself, a quick bound below for whole blocks of pairs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, Codes
from unveil.errors import AlignError, RolesError, SettingsError, list_names

TOLERANCE = 1e-9
"""Distances this close, relative to their size, are the same."""
ZERO = 1e-13
"""In units of a range or a standard deviation: what is shorter is rounding."""

SINGLES = (2**17, 4096)
PRODUCTS = (2**19, 1024)
"""How many bounds are held at once, and for how many others: few enough to stay close to the
processor, and for a product of matrices in the shape that suits it."""

Bounds = NDArray[np.floating]


class Distance(Protocol):
    """A distance between rows and others, each known by its number.

    Where it `is_tight`, a bound is not more than the slack below the lifted distance either.
    """

    is_tight: ClassVar[bool]
    tile: ClassVar[tuple[int, int]]

    @property
    def n_others(self) -> int:
        """How many others there are."""

    def lift(self, distance: Floats) -> Floats:
        """A distance as the bounds count it, such as its square."""

    def bound(self, rows: Ints, others: slice) -> tuple[Bounds, Floats]:
        """For all pairs a number below the lifted distance, but for the slack of each row."""

    def measure(self, rows: Ints, others: Ints, limit: Floats) -> Floats:
        """The distance of each row to the other beside it; infinite if surely beyond the limit."""


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


# Gower's distance, column by column.

Singles = NDArray[np.float32]
Unplaced = Literal["level", "near", "far"]
"""What a level without a place is (missing, a special code): a level of its own, 0 from itself and
1 from all others; or any value, as near as it may be to the other, or as far."""


@dataclass(frozen=True)
class GowerAxis:
    """One column to measure along: codes over all rows, and what each level is.

    `places` has for each level where it lies between the lowest (0) and the highest number (1);
    None for categories. `apart` is 0 for a value, else which of the levels without a place it is;
    None where every level is a value.
    """

    name: str
    codes: Codes
    n_levels: int
    places: Floats | None = None
    apart: Codes | None = None
    unplaced: Unplaced = "level"

    @property
    def is_number(self) -> bool:
        """Whether its values are scaled by their range."""
        return self.places is not None

    @cached_property
    def singles(self) -> Singles:
        """The place of every row in single precision, for the bound."""
        places = np.zeros(self.n_levels) if self.places is None else self.places
        return places.astype(np.float32)[self.codes]

    @cached_property
    def largest(self) -> float:
        """How far from 0 a place is at most: 1, but where the user gave a smaller range."""
        return 1.0 if self.places is None else float(np.abs(self.places).max(initial=1.0))

    @cached_property
    def stands_apart(self) -> Codes | None:
        """For every row 0, or which level it is that has no place; None if none is."""
        if self.apart is None or not self.apart.any():
            return None
        return self.apart[self.codes]

    def measure(self, some: Ints, others: Ints) -> Floats:
        """The distance of each row to the one beside it, in double precision."""
        mine, its = self.codes[some], self.codes[others]
        if self.places is None:
            apart: Floats = (mine != its).astype(np.float64)
            x = y = np.zeros(1)
        else:
            x, y = self.places[mine], self.places[its]
            apart = np.abs(x - y)
        if self.apart is None:
            return apart
        mine, its = self.apart[mine], self.apart[its]
        if self.unplaced == "level":
            return np.where((mine > 0) | (its > 0), mine != its, apart)
        if self.unplaced == "near":
            return np.where((mine > 0) | (its > 0), 0.0, apart)
        apart = np.where(mine > 0, self._farthest(y), np.where(its > 0, self._farthest(x), apart))
        return np.where((mine > 0) & (its > 0), 1.0, apart)

    def _farthest(self, places: NDArray[Any]) -> NDArray[Any]:
        """How far any value of the column may be from these."""
        return np.maximum(places, 1 - places) if self.is_number else np.ones_like(places)

    def fill(self, apart: NDArray[Any], rows: Ints, others: slice) -> None:
        """Put in the pairs of which one has no place, all others being there."""
        if self.stands_apart is None:
            return
        mine, its = self.stands_apart[rows], self.stands_apart[others]
        has_none, has_not = np.flatnonzero(mine), np.flatnonzero(its)
        if self.unplaced == "level":
            apart[has_none] = mine[has_none, np.newaxis] != its
            apart[:, has_not] = mine[:, np.newaxis] != its[has_not]
        elif self.unplaced == "near":
            apart[has_none] = 0
            apart[:, has_not] = 0
        else:
            apart[has_none] = self._farthest(self.singles[others])
            apart[:, has_not] = self._farthest(self.singles[rows])[:, np.newaxis]
            apart[np.ix_(has_none, has_not)] = 1


def axes_of(
    columns: Iterable[CodedColumn], categorical: Sequence[str] = ()
) -> tuple[GowerAxis, ...]:
    """Each column as an axis; numbers named as categorical are compared level by level.

    Ranges are over all files together. A column of one number throughout has no range: its numbers
    differ by 0.
    """
    return tuple(
        _number_axis(column)
        if column.is_scaled and column.name not in categorical
        else GowerAxis(column.name, column.codes, column.n_levels)
        for column in columns
    )


def _number_axis(column: CodedColumn) -> GowerAxis:
    if np.isinf(column.numbers).any():
        raise AlignError(
            f"Column {column.name!r} holds infinite numbers, so it has no range. Recode them, or"
            " treat the column as categorical."
        )
    is_number = column.is_ordinary
    places = np.zeros(column.n_levels)
    numbers = column.numbers[is_number]
    if column.is_single:
        # As written: 0.2 is as far from 0 as from 0.4, which the nearest singles are not.
        written = pl.Series(numbers, dtype=pl.Float32).cast(pl.String)
        numbers = written.cast(pl.Float64).to_numpy()
    # Halved before they are subtracted, or the largest floats would have no range.
    span = float(np.ptp(numbers / 2)) if len(numbers) else 0.0
    if span > 0:
        places[is_number] = (numbers / 2 - numbers.min() / 2) / span
    return GowerAxis(column.name, column.codes, column.n_levels, places, number_apart(~is_number))


def number_apart(is_apart: Mask) -> Codes:
    """For each level 0, or which of those that stand apart it is."""
    apart = np.zeros(len(is_apart), np.min_scalar_type(len(is_apart)))
    apart[is_apart] = np.arange(1, int(is_apart.sum()) + 1)
    return apart


def check_without_a_difference(axes: Sequence[GowerAxis]) -> None:
    """Refuse columns with one value each: everyone would be as near as anybody else."""
    if all(axis.n_levels == 1 for axis in axes):
        raise RolesError(
            f"What the intruder knows ({list_names(axis.name for axis in axes)}) has one value"
            " throughout and no range, so no record is nearer than another. Name other columns."
        )


@dataclass(frozen=True)
class Gower:
    """Gower's distance of stacked rows to a run of others; a sum where it is divided by 1."""

    is_tight: ClassVar[bool] = True
    tile: ClassVar[tuple[int, int]] = SINGLES
    axes: Sequence[GowerAxis]
    others: slice
    divisor: int = 1

    @property
    def n_others(self) -> int:
        """How many others there are."""
        return len(range(self.others.start, self.others.stop))

    @cached_property
    def slack(self) -> float:
        """A bound on what single precision is off by in a sum of so many terms."""
        n, largest = len(self.axes), max((axis.largest for axis in self.axes), default=1.0)
        return (n + 1) * (n + 4) * 2.0**-24 * largest

    def lift(self, distance: Floats) -> Floats:
        """The sum over the columns."""
        return distance * self.divisor

    def measure(self, rows: Ints, others: Ints, limit: Floats | None = None) -> Floats:
        """The distance of each row to the other beside it, added up in the order of the axes."""
        total = np.zeros(len(rows))
        for axis in self.axes:
            total += axis.measure(rows, others + self.others.start)
        return total / self.divisor

    def bound(self, rows: Ints, others: slice) -> tuple[Singles, Floats]:
        """The sum over the columns in single precision."""
        (total,) = self.bounds(rows, others, (None,))
        return total, np.full(len(rows), self.slack)

    def bounds(self, rows: Ints, others: slice, without: Sequence[int | None]) -> Iterator[Singles]:
        """The same without one axis, for each to be omitted; all share the sum over all axes."""
        run = slice(others.start + self.others.start, others.stop + self.others.start)
        shape = (len(rows), run.stop - run.start)
        one, differs = np.empty(shape, np.float32), np.empty(shape, np.bool_)

        def along(axis: GowerAxis) -> NDArray[Any]:
            apart: NDArray[Any] = one if axis.is_number else differs
            if axis.is_number:
                np.subtract(axis.singles[rows][:, np.newaxis], axis.singles[run], out=one)
                np.abs(one, out=one)
            else:
                np.not_equal(axis.codes[rows][:, np.newaxis], axis.codes[run], out=differs)
            axis.fill(apart, rows, run)
            return apart

        total = np.zeros(shape, np.float32)
        n_differing = np.zeros(shape, np.min_scalar_type(len(self.axes)))
        for axis in self.axes:
            if axis.is_number:
                total += along(axis)
            else:
                np.add(n_differing, along(axis).view(np.uint8), out=n_differing)
        total += n_differing
        for left_out in without:
            if left_out is None:
                yield total
            else:
                yield np.subtract(total, along(self.axes[left_out]), out=one)


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
class Jaccard:
    """Jaccard's distance, as short or as long as missing values allow."""

    is_tight: ClassVar[bool] = True
    tile: ClassVar[tuple[int, int]] = PRODUCTS
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

    def bound(self, rows: Ints, others: slice) -> tuple[Floats, Floats]:
        """The distance itself, from counts."""
        made = self._distance(self.rows.at(rows), self.others.at(others), lambda a, b: a @ b.T)
        return made, np.zeros(len(rows))

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

    def __len__(self) -> int:
        return len(self.raw)

    def some(self, rows: Ints) -> "Points":
        """Some of the rows."""
        return Points(self.geometry, self.raw[rows], self.white[rows])


@dataclass(frozen=True, eq=False)
class Mahalanobis:
    """The distance between complete rows.

    |a - b|^2 = |a|^2 + |b|^2 - 2 ab: one matrix product bounds all pairs, and what it rounds is
    bounded; distances themselves are computed from the rows as given.
    """

    is_tight: ClassVar[bool] = True
    tile: ClassVar[tuple[int, int]] = PRODUCTS
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

    def bound(self, rows: Ints, others: slice) -> tuple[Floats, Floats]:
        """The square of the distance by a matrix product."""
        left, right = self._sides
        rounding = 8 * (left.shape[1] + 2) * np.finfo(float).eps
        most = self.others.norms.max(initial=0)
        return left[rows] @ right[others].T, rounding * (self.rows.norms[rows] + most)

    def measure(self, rows: Ints, others: Ints, limit: Floats | None = None) -> Floats:
        """The distance of each row to the other beside it, from the values as given."""
        return self.rows.geometry.lengths(self.rows.raw[rows] - self.others.raw[others])

    @cached_property
    def slack(self) -> float:
        """How far rounding may move a distance between whitened rows."""
        largest = max(np.abs(p.white).max(initial=0) for p in (self.rows, self.others))
        return float(largest * 64 * np.finfo(float).eps * max(self.rows.white.shape[1], 1))
