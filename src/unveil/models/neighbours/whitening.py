"""Rows turned so that plain distance is Mahalanobis distance.

With the covariance S = C C' (Cholesky), z = C^-1 x has d(a, b)^2 = (a - b)' S^-1 (a - b) =
|z_a - z_b|^2. The covariance is that of the complete rows of the original, with n - 1 (SPEC E).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.errors import SettingsError

TOLERANCE = 1e-9
"""Distances this close, relative to their size, are the same."""

Categories = tuple[tuple[int, ...], ...]


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


def is_closer(distance: Floats, limit: Floats) -> Mask:
    """Whether a distance is below a limit; what is equal but for rounding is not.

    A distance that is unknown counts as below.
    """
    closer: Mask = ~(distance >= limit * (1 - TOLERANCE))
    return closer


# The nearest originals of each synthetic row: how near, which, and what they demand.


ZERO = 1e-13
"""In units of a standard deviation: what is shorter is rounding."""


@dataclass(frozen=True, eq=False)
class Originals:
    """Distinct original rows: where each first stands, and how far its nearest other is.

    That distance is looked for when it is first asked for: a row that no synthetic row is near to
    need not be searched.
    """

    position: Ints
    search: Callable[[Ints], Floats]
    _own: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        object.__setattr__(self, "_own", np.full(len(self.position), np.nan))

    def own(self, at: Ints) -> Floats:
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
class NearestOriginals:
    """For each synthetic row its nearest originals.

    `first` is the position of the first of them, `limit` the largest distance that any of them
    keeps from other originals.
    """

    distance: Floats
    first: Ints
    limit: Floats

    @classmethod
    def none(cls, n_rows: int) -> "NearestOriginals":
        """No original seen yet."""
        return cls(
            np.full(n_rows, np.inf), np.full(n_rows, np.iinfo(np.int64).max), np.zeros(n_rows)
        )

    def take(self, row: Ints, at: Ints, distance: Floats, originals: Originals) -> None:
        """Take in pairs of synthetic rows and originals; only the nearest and their ties stay."""
        before = self.distance[row]
        np.minimum.at(self.distance, row, distance)
        best = self.distance[row]
        beaten = row[before > longest_tie(best)]
        self.first[beaten] = np.iinfo(np.int64).max
        self.limit[beaten] = 0.0
        tied = distance <= longest_tie(best)
        row, at = row[tied], at[tied]
        np.minimum.at(self.first, row, originals.position[at])
        np.maximum.at(self.limit, row, originals.own(at))


def longest_tie(distance: Floats) -> Floats:
    """The longest distance that ties with one."""
    longest: Floats = distance * (1 + TOLERANCE) + ZERO
    return longest


# Complete rows, as given and whitened, and how far two of them are apart.


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

    def __len__(self) -> int:
        return len(self.raw)

    def some(self, rows: Ints) -> "Points":
        """Some of the rows."""
        return Points(self.geometry, self.raw[rows], self.white[rows])

    def apart(self, others: "Points", row: Ints, at: Ints) -> Floats:
        """How far each of these rows is from one of the others, from the values as given."""
        return self.geometry.lengths(self.raw[row] - others.raw[at])

    def slack(self, others: "Points") -> float:
        """How far rounding may move a distance between whitened rows."""
        largest = max(np.abs(p.white).max(initial=0) for p in (self, others))
        return float(largest * 64 * np.finfo(float).eps * max(self.white.shape[1], 1))


def distinct(raw: Floats) -> tuple[Ints, Ints]:
    """Where each distinct row first stands, and how often it occurs; missing equals missing.

    Rows are sorted by one number made of their values and compared with their neighbours; two
    different rows with one number only cost time, for they then stay apart.
    """
    weights: Floats = np.random.default_rng(0).random((raw.shape[1],)) + 0.5
    key = np.zeros(len(raw))
    for values, weight in zip(raw.T, weights, strict=True):
        key += np.where(np.isnan(values), np.pi**9, values) * weight
    order = np.argsort(key, kind="stable")
    key = key[order]
    if (key[1:] != key[:-1]).all():
        return np.arange(len(raw)), np.ones(len(raw), np.int64)
    ordered = raw[order]
    above, below = ordered[1:], ordered[:-1]
    differs = ((above != below) & ~(np.isnan(above) & np.isnan(below))).any(axis=1)
    starts = np.flatnonzero(np.concatenate(([True], differs)))
    counts = np.diff(np.concatenate((starts, [len(raw)])))
    by_place = np.argsort(order[starts])
    return order[starts][by_place], counts[by_place]
