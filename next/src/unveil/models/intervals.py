"""How often an attack succeeds, and how often one score is above another, with their intervals."""

from dataclasses import dataclass
from math import ceil, floor, fsum, hypot, inf, sqrt
from statistics import NormalDist

import numpy as np

from unveil.counts.cells import Floats


def z_of(level: float) -> float:
    """How many standard errors an interval of this level goes to each side."""
    return NormalDist().inv_cdf((1 + level) / 2)


@dataclass(frozen=True)
class Rate:
    """Wilson's interval of a rate of success; its centre is the rate that is reported."""

    successes: float
    n: int
    level: float = 0.95

    @classmethod
    def of(cls, chances: Floats, level: float) -> "Rate":
        """Of the chance of success in each attempt, whatever their order."""
        return cls(fsum(chances), len(chances), level)

    @property
    def centre(self) -> float:
        """(s + z^2 / 2) / (n + z^2)"""
        z2 = z_of(self.level) ** 2
        return (self.successes + z2 / 2) / (self.n + z2)

    @property
    def half(self) -> float:
        """z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4)"""
        z = z_of(self.level)
        spread = self.successes * (self.n - self.successes) / max(self.n, 1) + z**2 / 4
        return z / (self.n + z**2) * sqrt(max(spread, 0))

    @property
    def low(self) -> float:
        return max(self.centre - self.half, 0.0)

    @property
    def high(self) -> float:
        return min(self.centre + self.half, 1.0)

    def among(self, n: int) -> "Rate":
        """The same rate of so many attempts."""
        return Rate(self.successes * n / self.n, n, self.level)


def excess_rate(main: Rate, control: Rate) -> tuple[float, float]:
    """R = (main - control) / (1 - control), and half of its interval by the delta method.

    A centre is nearer to a half the fewer the attempts, so both are taken at the smaller number.
    """
    n = min(main.n, control.n)
    of_main, of_control = main.among(n).centre, control.among(n).centre
    rest = 1 - of_control
    half = hypot(main.half / rest, control.half * (1 - of_main) / rest**2)
    return (of_main - of_control) / rest, half


def chance_of_more(main: tuple[float, int], control: tuple[float, int]) -> float:
    """That of all successes so few, or fewer, fall to the control by chance: Fisher's exact test.

    Expected successes are rounded against more; a sum of chances varies less than whole successes.
    """
    from scipy.stats import hypergeom

    (hits, n), (of_control, m) = main, control
    fewest = min(ceil(of_control), m)
    return float(hypergeom.cdf(fewest, n + m, floor(hits) + fewest, m))


def auc(ones: Floats, others: Floats) -> tuple[float, float]:
    """The chance that one of the first is above one of the others, ties half; its standard error.

    DeLong, DeLong and Clarke-Pearson (1988): of how often each one wins, the variance over n.
    """
    wins_of_ones = _places(np.sort(others), ones) / len(others)
    wins_of_others = 1 - _places(np.sort(ones), others) / len(ones)
    variances = [
        wins.var(ddof=1) / len(wins) if len(wins) > 1 else inf  # of one nothing is known
        for wins in (wins_of_ones, wins_of_others)
    ]
    return fsum(wins_of_ones) / len(ones), sqrt(fsum(variances))


def _places(ranked: Floats, values: Floats) -> Floats:
    """How many of the ranked are below each value, those equal half."""
    below, up_to = (np.searchsorted(ranked, values, side) for side in ("left", "right"))
    return np.asarray((below + up_to) / 2)
