"""Rows turned so that plain distance is Mahalanobis distance.

With the covariance S = C C' (Cholesky), z = C^-1 x has d(a, b)^2 = (a - b)' S^-1 (a - b) =
|z_a - z_b|^2. The covariance is that of the complete rows of the original, with n - 1 (SPEC E).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.count.profile import Mask
from unveil.errors import SettingsError
from unveil.protection.distance.settings import Floats

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
    def of_rows(
        cls, rows: Floats, low: Floats, high: Floats, categories: Categories = ()
    ) -> "Geometry":
        """The geometry of complete rows."""
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, ddof=1))
        inverse: Floats = np.asarray(np.linalg.inv(covariance), np.float64)
        return cls(covariance, inverse, low, high, categories)

    @classmethod
    def of_precision(
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
