"""How are the values of a population distributed, up to where they lie and how wide they spread?

Each shape is a continuous distribution in its own units. Both tails are computed from their own
side, so that nothing is lost by subtracting from 1.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# fmt: off
_POWERS = (
    250, 150, 100, 60, 40, 25, 18, 14, 11, 9, 7, 6.2, 5.5, 4.7, 4, 3.5, 3, 2.5, 2, 1.6, 1.3, 1, 0.7,
    0.5,
)
# fmt: on
_MOST_LOG = 700.0
_TAILS: Floats = 10.0 ** -np.array(_POWERS)


class Shape(Protocol):
    """A continuous distribution: both tails, their inverses, and the density."""

    @property
    def begins_at_zero(self) -> bool:
        """Whether nobody is below 0, and the density just above may have a pole."""

    def cdf(self, z: Floats) -> Floats:
        """The share below."""

    def sf(self, z: Floats) -> Floats:
        """The share above."""

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""

    def pdf(self, z: Floats) -> Floats:
        """The density."""

    def knots(self) -> Floats:
        """Ascending values between which the density is smooth enough for a short quadrature."""


@lru_cache(maxsize=64)
def quantile_knots(shape: Shape) -> Floats:
    """The median, and quantiles that reach far into both tails."""
    with np.errstate(all="ignore"):
        found = np.concatenate([shape.ppf(_TAILS), shape.ppf(np.array([0.5])), shape.isf(_TAILS)])
    return np.unique(found[np.isfinite(found)])


@dataclass(frozen=True)
class Normal:
    """The standard normal distribution."""

    begins_at_zero = False

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        from scipy.special import ndtr

        return np.asarray(ndtr(z))

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        return self.cdf(-z)

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        from scipy.special import ndtri

        return np.asarray(ndtri(q))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        return -self.ppf(q)

    def pdf(self, z: Floats) -> Floats:
        """The density."""
        return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))

    def knots(self) -> Floats:
        """Quantiles of both tails."""
        return quantile_knots(self)


@dataclass(frozen=True)
class LogNormal:
    """exp(s Z) of a standard normal Z."""

    s: float
    begins_at_zero = True

    def _log(self, z: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(z, 0.0)) / self.s)

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        return Normal().cdf(self._log(z))

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        return Normal().sf(self._log(z))

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        return np.asarray(np.exp(self.s * Normal().ppf(q)))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        return np.asarray(np.exp(self.s * Normal().isf(q)))

    def pdf(self, z: Floats) -> Floats:
        """The density; 0 at and below 0."""
        density = Normal().pdf(self._log(z))
        return np.divide(density, self.s * z, out=np.zeros_like(density), where=z > 0)

    def knots(self) -> Floats:
        """Quantiles of both tails."""
        return quantile_knots(self)


@dataclass(frozen=True)
class StudentT:
    """Student's t with more than one degree of freedom: with fewer there is no mean neighbour."""

    df: float
    begins_at_zero = False

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.df, z))

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        return self.cdf(-z)

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        from scipy.special import stdtrit

        return np.asarray(stdtrit(self.df, q))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        return -self.ppf(q)

    def pdf(self, z: Floats) -> Floats:
        """The density."""
        df = self.df
        log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(log - (df + 1) / 2 * np.log1p(z * z / df)))

    def knots(self) -> Floats:
        """Quantiles of both tails."""
        return quantile_knots(self)


@dataclass(frozen=True)
class Gamma:
    """The gamma distribution of scale 1."""

    k: float
    begins_at_zero = True

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        from scipy.special import gammainc

        return np.asarray(gammainc(self.k, np.maximum(z, 0.0)))

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        from scipy.special import gammaincc

        return np.asarray(gammaincc(self.k, np.maximum(z, 0.0)))

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        from scipy.special import gammaincinv

        return np.asarray(gammaincinv(self.k, q))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        from scipy.special import gammainccinv

        return np.asarray(gammainccinv(self.k, q))

    def pdf(self, z: Floats) -> Floats:
        """The density; 0 at and below 0."""
        from scipy.special import gammaln

        is_in = z > 0
        at = np.where(is_in, z, 1.0)
        found = np.exp(np.minimum((self.k - 1) * np.log(at) - at - gammaln(self.k), _MOST_LOG))
        return np.asarray(np.where(is_in, found, 0.0))

    def knots(self) -> Floats:
        """Quantiles of both tails."""
        return quantile_knots(self)


@dataclass(frozen=True)
class Mirror:
    """The same distribution with its sign turned: what is said of one side holds for the other."""

    of: Shape

    @property
    def begins_at_zero(self) -> bool:
        """As the other: it ends there."""
        return self.of.begins_at_zero

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        return self.of.sf(-z)

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        return self.of.cdf(-z)

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        return -self.of.isf(q)

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        return -self.of.ppf(q)

    def pdf(self, z: Floats) -> Floats:
        """The density."""
        return self.of.pdf(-z)

    def knots(self) -> Floats:
        """Those of the other, turned."""
        return -self.of.knots()[::-1]
