"""What is the mean of numbers, and how far is each from it, with no digit lost on the way?

Numbers that differ little beside their size (dates, large sums) lose the digits they differ in when
they are divided before their mean is taken off. Here they are multiplied by a power of two alone,
which changes no digit and leaves no square too large or too small to hold; and the mean is held in
two parts, the second being the mean of what the first leaves.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats


@dataclass(frozen=True)
class Centre:
    """The mean of some numbers and the squares about it, in units of a power of two."""

    n: int
    unit: float  # the power of two that numbers are multiplied by
    middle: float
    rest: float  # the mean is the sum of both
    squares: float  # sum of squared deviations

    @property
    def mean(self) -> float:
        """The mean, in the unit of the numbers."""
        return (self.middle + self.rest) / self.unit

    @property
    def is_zero(self) -> bool:
        """Whether every number is 0."""
        return self.middle == 0 and self.squares == 0

    @property
    def spread(self) -> float:
        """The standard deviation (divided by n) as a share of about the largest number."""
        return math.sqrt(self.squares / self.n)

    def sd(self, *, ddof: int) -> float:
        """The standard deviation, divided by n - ddof; infinite where no float can hold it."""
        with np.errstate(over="ignore"):
            return float(np.sqrt(self.squares / (self.n - ddof)) / self.unit)

    def deviations(self, numbers: Floats) -> Floats:
        """How far numbers are from the mean, multiplied by `unit`."""
        found: Floats = numbers * self.unit
        found -= self.middle
        found -= self.rest
        return found

    def standardise(self, numbers: Floats) -> Floats:
        """How many standard deviations (divided by n) numbers are from the mean."""
        found = self.deviations(numbers)
        found /= self.spread or 1.0
        return found


def centre(numbers: Floats, counts: NDArray[np.integer] | None = None) -> Centre:
    """The centre of finite numbers, each as often as `counts` says; there must be one.

    Notes
    -----
    Equal numbers have that number as their mean and no squares, not almost none.
    """
    n = len(numbers) if counts is None else int(counts.sum())
    low, high = float(numbers.min()), float(numbers.max())
    power = max(math.frexp(max(-low, high))[1], -1022)
    unit = 2.0**-power
    if low == high:
        return Centre(n, unit, low * unit, 0.0, 0.0)
    scaled = numbers * unit
    middle = _mean(scaled, counts, n)
    scaled -= middle
    rest = _mean(scaled, counts, n)
    scaled -= rest
    squares = scaled @ scaled if counts is None else counts @ scaled**2
    return Centre(n, unit, middle, rest, float(squares))


def _mean(numbers: Floats, counts: NDArray[np.integer] | None, n: int) -> float:
    return float(numbers.mean()) if counts is None else float(counts @ numbers) / n
