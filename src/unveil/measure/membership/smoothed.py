"""The population as given values show it: their smoothed distribution, and no formula.

A Gaussian kernel with Silverman's bandwidth, cut at four bandwidths, on a grid of a quarter of one.
Between the points of the grid the density is a straight line, so that both tails and their inverses
are exact for what is taken as the density. Beyond four bandwidths of the outermost value it is 0.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.membership.shapes import Floats

_REACH = 4  # bandwidths
_STEPS = 4  # points of the grid in one
_MOST_CELLS = 1 << 16
_MOST_KNOTS = 1024


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A density of straight lines between equally spaced points; the first is at 0, 1 apart."""

    begins_at_zero = False

    density: Floats
    below: Floats  # share below each point
    above: Floats

    @classmethod
    def of(cls, values: Floats) -> tuple[Self, float, float]:
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
        return cls(density, below, above), float(low), float(step)

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
        return np.asarray(cell + _walked(q - self.below[cell], first, second))

    def isf(self, q: Floats) -> Floats:
        """Above which value a share lies."""
        last = len(self.density) - 2
        turned = self.above[::-1]
        cell = last - np.clip(np.searchsorted(turned, q, side="right") - 1, 0, last)
        first, second = self.density[cell], self.density[cell + 1]
        return np.asarray(cell + 1 - _walked(q - self.above[cell + 1], second, first))

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

    def peak(self, n: int) -> float:
        """What one of n values adds to the density at its own place."""
        return 1 / (n * _STEPS * math.sqrt(2 * math.pi))


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


def _walked(mass: Floats, first: Floats, second: Floats) -> Floats:
    """How far into a cell a mass reaches, from the side whose density is `first`."""
    mass = np.maximum(mass, 0.0)
    root = np.sqrt(np.maximum(first * first + 2 * (second - first) * mass, 0.0))
    total = first + root
    return np.minimum(np.divide(2 * mass, total, out=np.zeros_like(mass), where=total > 0), 1.0)
