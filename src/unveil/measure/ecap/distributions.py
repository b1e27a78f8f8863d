"""How are the values of a population distributed, up to where they lie and how wide they spread?

Each shape is a continuous distribution in its own units. Both tails are computed from their own
side, so that nothing is lost by subtracting from 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from unveil.arrays import Floats
from unveil.errors import SettingsError

Figures = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class PopulationShape:
    """A continuous distribution: both tails, their inverses, and the density."""

    cdf: Figures
    """The share below."""
    sf: Figures
    """The share above."""
    ppf: Figures
    """Below which value a share lies."""
    isf: Figures
    """Above which value a share lies."""
    pdf: Figures
    """The density; 0 where no one is."""
    begins_at_zero: bool = False
    """Whether no one is below 0, and the density just above may have a pole."""
    sign: float = 1.0
    """-1 of a shape that is turned round, and ends where the other begins."""
    own_knots: Floats | None = None

    @cached_property
    def knots(self) -> Floats:
        """Ascending values between which the density is smooth enough for a short quadrature.

        Without knots of its own the median, and quantiles that reach far into both tails.
        """
        if self.own_knots is not None:
            return self.own_knots
        with np.errstate(all="ignore"):
            quantiles = [self.ppf(_TAILS), self.ppf(np.array([0.5])), self.isf(_TAILS)]
        found = np.concatenate(quantiles)
        return np.unique(found[np.isfinite(found)])

    @cached_property
    def mirror(self) -> PopulationShape:
        """The same with its sign turned: what is said of one side holds for the other."""
        return PopulationShape(
            lambda z: self.sf(-z),
            lambda z: self.cdf(-z),
            lambda q: -self.isf(q),
            lambda q: -self.ppf(q),
            lambda z: self.pdf(-z),
            begins_at_zero=self.begins_at_zero,
            sign=-self.sign,
            own_knots=-self.knots[::-1],
        )


# The population as given values show it: their smoothed distribution, and no formula.
#
# A Gaussian kernel with Silverman's bandwidth, cut at four bandwidths, on a grid of a quarter of
# one. Between the points of the grid the density is a straight line, so that both tails and their
# inverses are exact for what is taken as the density. Beyond four bandwidths of the outermost
# value it is 0.


_REACH = 4  # bandwidths
_STEPS = 4  # points of the grid in one
_MOST_CELLS = 1 << 16
_MOST_KNOTS = 1024


@dataclass(frozen=True, eq=False)
class _SmoothedDensity:
    """A density of straight lines between equally spaced points; the first is at 0, 1 apart."""

    density: Floats
    below: Floats  # share below each point
    above: Floats

    def _cell(self, z: Floats) -> tuple[np.ndarray, Floats]:
        inside = np.clip(z, 0.0, len(self.density) - 1.0)
        cell = np.minimum(inside.astype(np.int64), len(self.density) - 2)
        return cell, np.asarray(inside - cell)

    def pdf(self, z: Floats) -> Floats:
        """The density; 0 outside the grid."""
        cell, t = self._cell(z)
        found = self.density[cell] * (1 - t) + self.density[cell + 1] * t
        return np.asarray(np.where((z >= 0) & (z <= len(self.density) - 1), found, 0.0))

    def cdf(self, z: Floats) -> Floats:
        """The share below."""
        cell, t = self._cell(z)
        first, second = self.density[cell], self.density[cell + 1]
        return np.asarray(self.below[cell] + t * (first + (second - first) * t / 2))

    def sf(self, z: Floats) -> Floats:
        """The share above."""
        cell, t = self._cell(z)
        first, second = self.density[cell], self.density[cell + 1]
        return np.asarray(
            self.above[cell + 1] + (1 - t) * (second + (first - second) * (1 - t) / 2)
        )

    def ppf(self, q: Floats) -> Floats:
        """Below which value a share lies."""
        last = len(self.density) - 2
        cell = np.clip(np.searchsorted(self.below, q, side="right") - 1, 0, last)
        first, second = self.density[cell], self.density[cell + 1]
        return np.asarray(cell + _quantile_in_cell(q - self.below[cell], first, second))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        last = len(self.density) - 2
        turned = self.above[::-1]
        cell = last - np.clip(np.searchsorted(turned, q, side="right") - 1, 0, last)
        first, second = self.density[cell], self.density[cell + 1]
        return np.asarray(cell + 1 - _quantile_in_cell(q - self.above[cell + 1], second, first))

    def knots(self) -> Floats:
        """Every second bandwidth, where anybody is."""
        every = np.arange(0, len(self.density) + 2 * _STEPS, 2 * _STEPS)
        every = np.minimum(every, len(self.density) - 1)
        near = self.below[np.minimum(every + 2 * _STEPS, len(self.below) - 1)]
        is_peopled = near > self.below[np.maximum(every - 2 * _STEPS, 0)]
        found = np.unique(every[is_peopled]).astype(np.float64)
        if len(found) > _MOST_KNOTS:
            found = found[np.linspace(0, len(found) - 1, _MOST_KNOTS).astype(np.int64)]
        return found


def peak(n: int) -> float:
    """What one of n values adds to their smoothed density at its own place."""
    return 1 / (n * _STEPS * math.sqrt(2 * math.pi))


def smooth_values(values: Floats) -> tuple[PopulationShape, float, float]:
    """The shape, where its first point lies, and how far its points are apart."""
    with np.errstate(over="ignore", invalid="ignore"):
        width, reach = bandwidth(values), values.max() - values.min()
    if not (np.isfinite([width, reach]).all() and width > 0):
        raise SettingsError(
            "The population cannot be smoothed: its values are too large, or lie too close"
            " together, for numbers of 64 bits. Give them in other units."
        )
    low, high = values.min() - _REACH * width, values.max() + _REACH * width
    cells = min(int(np.ceil((high - low) / width * _STEPS)), _MOST_CELLS)
    step = (high - low) / cells
    places = (values - low) / step
    left = np.minimum(places.astype(np.int64), cells - 1)
    share = places - left
    counts = np.bincount(left, 1 - share, cells + 1) + np.bincount(left + 1, share, cells + 1)
    cut = _REACH * _STEPS
    kernel = np.exp(-0.5 * (np.arange(1 - cut, cut) / _STEPS) ** 2)
    density = np.convolve(counts, kernel, mode="same")
    density[[0, -1]] = 0.0
    density /= (density[1:] + density[:-1]).sum() / 2
    masses = (density[1:] + density[:-1]) / 2
    below = np.concatenate([[0.0], np.cumsum(masses)])
    above = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])
    made = _SmoothedDensity(density, below, above)
    shape = PopulationShape(made.cdf, made.sf, made.ppf, made.isf, made.pdf, own_knots=made.knots())
    return shape, float(low), float(step)


def bandwidth(values: Floats) -> float:
    """Silverman's rule: 0.9 min(sd, interquartile range / 1.34) n^(-1/5)."""
    if len(values) < 2 or values.min() == values.max():
        raise SettingsError(
            "The population cannot be smoothed from values that are all the same. Name a"
            " distribution, such as normal(34, 8), or give values of the population."
        )
    sd = float(values.std(ddof=1))
    quarters = np.quantile(values, [0.25, 0.75])
    spread = float(quarters[1] - quarters[0]) / 1.34
    return float(0.9 * (min(sd, spread) if spread > 0 else sd) * len(values) ** -0.2)


def _quantile_in_cell(mass: Floats, first: Floats, second: Floats) -> Floats:
    """How far into a cell a mass reaches, from the side whose density is `first`."""
    mass = np.maximum(mass, 0.0)
    root = np.sqrt(np.maximum(first * first + 2 * (second - first) * mass, 0.0))
    total = first + root
    return np.minimum(np.divide(2 * mass, total, out=np.zeros_like(mass), where=total > 0), 1.0)


# fmt: off
_POWERS = (
    250, 150, 100, 60, 40, 25, 18, 14, 11, 9, 7, 6.2, 5.5, 4.7, 4, 3.5, 3, 2.5, 2, 1.6, 1.3, 1, 0.7,
    0.5,
)
# fmt: on
_MOST_LOG = 700.0
_TAILS: Floats = 10.0 ** -np.array(_POWERS)


def normal_shape() -> PopulationShape:
    """The standard normal distribution."""
    from scipy.special import ndtr, ndtri

    return _symmetric(ndtr, ndtri, lambda z: np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))


def _symmetric(cdf: Figures, ppf: Figures, pdf: Figures) -> PopulationShape:
    """A shape that is the same on both sides of 0."""
    return PopulationShape(cdf, lambda z: cdf(-z), ppf, lambda q: -ppf(q), pdf)


def lognormal_shape(s: float) -> PopulationShape:
    """exp(s Z) of a standard normal Z."""
    normal = normal_shape()

    def log(z: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(z, 0.0)) / s)

    def pdf(z: Floats) -> Floats:
        density = normal.pdf(log(z))
        return np.divide(density, s * z, out=np.zeros_like(density), where=z > 0)

    return PopulationShape(
        lambda z: normal.cdf(log(z)),
        lambda z: normal.sf(log(z)),
        lambda q: np.exp(s * normal.ppf(q)),
        lambda q: np.exp(s * normal.isf(q)),
        pdf,
        begins_at_zero=True,
    )


def student_shape(df: float) -> PopulationShape:
    """Student's t with more than one degree of freedom: with fewer there is no mean neighbour."""
    from scipy.special import stdtr, stdtrit

    log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)

    def pdf(z: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(log - (df + 1) / 2 * np.log1p(z * z / df)))

    return _symmetric(partial(stdtr, df), partial(stdtrit, df), pdf)


def gamma_shape(k: float) -> PopulationShape:
    """The gamma distribution of scale 1."""
    from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

    def pdf(z: Floats) -> Floats:
        is_in = z > 0
        at = np.where(is_in, z, 1.0)
        found = np.exp(np.minimum((k - 1) * np.log(at) - at - gammaln(k), _MOST_LOG))
        return np.where(is_in, found, 0.0)

    return PopulationShape(
        lambda z: gammainc(k, np.maximum(z, 0.0)),
        lambda z: gammaincc(k, np.maximum(z, 0.0)),
        partial(gammaincinv, k),
        partial(gammainccinv, k),
        pdf,
        begins_at_zero=True,
    )
