"""How sure can an intruder be that a person with a value is in data to which noise was added?

Chapelle and Falissard (2023), Equation 1: the probability that the person with x was sampled, given
that a released value lies nearer to x than to the neighbours of x in the population. D is the
population of N people, of whom n are in the data; B is the noise.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.counts.cells import Floats
from unveil.errors import InputError, check_name

FAR = 1e-25  # values of the population in a smaller tail than this are not looked for
MOST_GAP = 45  # exp(-45) of the distribution of a gap lies beyond
HALF = 0.5  # whole numbers are rounded to


def tanh_sinh(n_nodes: int = 401, reach: float = 3.6) -> tuple[Floats, Floats]:
    """Nodes and weights of a quadrature on 0 to 1, close at both ends (Takahasi and Mori 1974)."""
    t = np.linspace(-reach, reach, n_nodes)
    nodes = 1 / (1 + np.exp(-np.pi * np.sinh(t)))
    return nodes, np.pi * np.cosh(t) * nodes * (1 - nodes) * (t[1] - t[0])


NODES, WEIGHTS = tanh_sinh()


@dataclass(frozen=True, eq=False)
class Population:
    """A continuous distribution, stretched around its mean by a factor."""

    D: Any
    factor: float = 1.0

    @cached_property
    def mean(self) -> float:
        mean = float(self.D.mean())
        return mean if np.isfinite(mean) else float(self.D.median())

    @cached_property
    def spread(self) -> float:
        """The standard deviation; half of what holds the middle 68 % where it has none."""
        sd = float(self.D.std())
        return self.factor * (sd if 0 < sd < np.inf else (self.D.ppf(0.84) - self.D.ppf(0.16)) / 2)

    def _inside(self, x: Floats) -> Floats:
        return self.mean + (x - self.mean) / self.factor

    def _outside(self, x: Floats) -> Floats:
        return self.mean + (x - self.mean) * self.factor

    def cdf(self, x: Floats) -> Floats:
        return self.D.cdf(self._inside(x))

    def sf(self, x: Floats) -> Floats:
        return self.D.sf(self._inside(x))

    def pdf(self, x: Floats) -> Floats:
        return self.D.pdf(self._inside(x)) / self.factor

    def ppf(self, share: Floats | float) -> Floats:
        return self._outside(self.D.ppf(share))

    def isf(self, share: Floats | float) -> Floats:
        return self._outside(self.D.isf(share))

    def of_whole(self, v: Floats) -> Floats:
        """The share that rounds to a whole number."""
        return self.cdf(v + HALF) - self.cdf(v - HALF)


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of a population of a few whole numbers."""

    share_of: Mapping[int, float]

    @property
    def spread(self) -> float:
        values, shares = np.array([*self.share_of]), np.array([*self.share_of.values()])
        return float(np.sqrt(np.cov(values, aweights=shares, ddof=0)))

    def of_whole(self, v: Floats) -> Floats:
        share_of = np.vectorize(lambda value: self.share_of.get(int(value), 0.0), otypes=[float])
        return share_of(v)


def open_population(population: str | Mapping[Any, float]) -> Population | Shares:
    """``normal(34, 8)``, any distribution of scipy with its numbers in order, or shares."""
    from scipy import stats

    if not isinstance(population, str):
        return Shares(_whole_shares("population", population))
    own: dict[str, Callable[..., Any]] = {
        "normal": stats.norm,
        "lognormal": lambda mu, sigma: stats.lognorm(sigma, 0, np.exp(mu)),
        "gamma": lambda shape, scale: stats.gamma(shape, 0, scale),
    }
    parts = re.fullmatch(r"\s*(\w+)\s*\(([^()]*)\)\s*", population)
    of_scipy = {n for n in vars(stats) if isinstance(getattr(stats, n), stats.rv_continuous)}
    if not parts:
        raise InputError(f"The 'population' {population[:40]!r} is none. Write normal(34, 8).")
    check_name(parts[1], [*own, *sorted(of_scipy)], "'population': there is no distribution")
    try:
        numbers = [float(number) for number in parts[2].split(",")]
        D = own.get(parts[1]) or getattr(stats, parts[1])
        frozen = D(*numbers)
        is_one = np.isfinite([*numbers, frozen.median()]).all() and frozen.cdf(frozen.median()) > 0
    except (TypeError, ValueError):
        is_one = False
    if not is_one:
        raise InputError(
            f"The numbers of the 'population' {population[:40]!r} make no {parts[1]} distribution."
        )
    return Population(frozen)


def _whole_shares(name: str, shares: Mapping[Any, float]) -> dict[int, float]:
    """Whole numbers with their probabilities."""
    try:
        whole = {int(value): float(share) for value, share in shares.items()}
        is_one = all(float(value) == int(value) for value in shares)
    except (TypeError, ValueError):
        whole, is_one = {}, False
    total = sum(whole.values())
    if not (is_one and min(whole.values(), default=-1) >= 0 and abs(total - 1) < 1e-6):
        raise InputError(
            f"{name!r} takes a distribution by name, or whole numbers with probabilities that add"
            " up to 1."
        )
    return whole


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise of a kind, its sigma the standard deviation; or of steps with their probabilities."""

    kind: str | Mapping[Any, float] = "normal"
    sigma: float = 0.0

    @cached_property
    def B(self) -> Any:
        from scipy import stats

        if self.kind == "laplace":
            return stats.laplace(scale=self.sigma / 2**0.5)
        return stats.norm(scale=self.sigma)

    def of_steps(self) -> tuple[Floats, Floats]:
        """Steps of whole numbers, and the probability of each."""
        if not isinstance(self.kind, str):
            k = _whole_shares("noise", self.kind)
            return np.array([*k], float), np.array([*k.values()])
        reach = int(self.B.isf(1e-16)) + 1 if self.sigma else 0
        steps = np.arange(-reach, reach + 1.0)
        if not self.sigma:
            return steps, np.ones(1)
        return steps, self.B.cdf(steps + HALF) - self.B.cdf(steps - HALF)


def ecap_of(p: Floats, b: Floats, N: int, n: int, *, replacement: bool = True) -> Floats:
    """Equation 1, in a form that loses no digits; undefined, not 0, where p = b = 0.

    1 - (1 - 1/N)^n (1 - (1 - b)^n) / (1 - (1 - p/N - (1 - 1/N) b)^n)

    p is the probability that the person's own value is released next to theirs, b that another's
    is. Equation 1 draws people with replacement; without, n of N people are in the data once.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if not replacement:
            inside = n / N * -np.expm1(np.log1p(-p) + (n - 1) * np.log1p(-b))
            outside = (1 - n / N) * -np.expm1(n * np.log1p(-b))
            return np.clip(inside / (inside + outside), 0, 1)
        others = np.expm1(n * np.log1p(-b))
        anyone = np.expm1(n * np.log1p(-(p / N + (1 - 1 / N) * b)))
        return np.clip(1 - np.exp(n * np.log1p(-1 / N)) * others / anyone, 0, 1)


def lowest_ecap(N: int, n: int, *, replacement: bool = True) -> float:
    """What no noise can go below: the probability to be in the data."""
    return float(-np.expm1(n * np.log1p(-1 / N))) if replacement else n / N


@dataclass(frozen=True, eq=False)
class Claims:
    """What can be claimed of some values, of a sample of n of N people of a population."""

    x: Floats
    population: Any
    N: int
    n: int
    replacement: bool = True
    is_whole: bool = False  # values, population and noise are whole numbers
    kind: str | Mapping[Any, float] = "normal"

    @property
    def limit(self) -> float:
        return lowest_ecap(self.N, self.n, replacement=self.replacement)

    def ecap(self, sigma: float) -> Floats:
        """ECAP of each value with this noise."""
        p, b = self.chances(sigma)
        return ecap_of(p, b, self.N, self.n, replacement=self.replacement)

    def chances(self, sigma: float) -> tuple[Floats, Floats]:
        """p and b of Equation 1."""
        noise = Noise(self.kind, sigma)
        if self.is_whole:
            steps, k = noise.of_steps()
            b = self.population.of_whole(self.x[:, None] - steps) @ k
            return np.full(len(self.x), k[steps == 0].sum()), np.clip(b, 0, 1)
        if sigma == 0:  # the value itself is released, and nobody else has it
            return np.ones_like(self.x), np.zeros_like(self.x)
        p, b = self._between_neighbours(noise.B)
        return p, np.clip(b, 0, 1)

    @cached_property
    def neighbours(self) -> tuple[Floats, Floats]:
        """The expected nearest values below and above in the population.

        The mass V between a value and the nearest of N - 1 others exceeds v with probability
        (1 - v)^(N-1); a gap is its mean over V = 1 - exp(-e / (N-1)), e exponential.
        """
        D, x = self.population, self.x[:, None]
        below = self._mean_gap(D.cdf(self.x), lambda mass: x - D.ppf(mass))
        above = self._mean_gap(D.sf(self.x), lambda mass: D.isf(mass) - x)
        return self.x - below, self.x + above

    def _mean_gap(self, mass: Floats, gap: Callable[[Floats], Floats]) -> Floats:
        most = np.minimum(-(self.N - 1) * np.log1p(-mass), MOST_GAP)[:, None]
        e = most * NODES
        left = np.maximum(mass[:, None] + np.expm1(-e / (self.N - 1)), FAR * mass[:, None])
        density = np.exp(-e) / -np.expm1(-most)
        return (gap(left) * density * most) @ WEIGHTS

    def _between_neighbours(self, B: Any) -> tuple[Floats, Floats]:
        """p = P(B in I2), and b = P(Y + B in I1) for Y outside the neighbours."""
        D, (x_below, x_above) = self.population, self.neighbours
        low, high = (self.x + x_below) / 2, (self.x + x_above) / 2
        p = B.cdf(high - self.x) - B.cdf(low - self.x)
        furthest = B.isf(FAR)
        below = np.maximum(x_below - np.maximum(x_below - furthest, D.ppf(FAR)), 0)
        y = x_below[:, None] - below[:, None] * NODES
        lands = B.sf(low[:, None] - y) - B.sf(high[:, None] - y)
        from_below = (D.pdf(y) * lands) @ WEIGHTS * below
        above = np.maximum(np.minimum(x_above + furthest, D.isf(FAR)) - x_above, 0)
        y = x_above[:, None] + above[:, None] * NODES
        lands = B.cdf(high[:, None] - y) - B.cdf(low[:, None] - y)
        from_above = (D.pdf(y) * lands) @ WEIGHTS * above
        return p, (from_below + from_above) / (D.cdf(x_below) + D.sf(x_above))

    def of(self, x: Floats) -> "Claims":
        """The same of other values."""
        return replace(self, x=x)
