"""How far is the next person, and how often does another value land where one is looked for?"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.measure.ecap.arguments import Sampling, claims, lowest
from unveil.measure.ecap.distributions import PopulationShape, peak
from unveil.measure.ecap.noise_kinds import KINDS, NoiseKind, NoiseName
from unveil.measure.ecap.populations import Population

# How far is the next person of the population, below and above? By a closed integral.
#
# Chapelle and Falissard estimate x_(a-1) and x_(a+1) by simulated populations of N - 1 others. The
# mass V between x_a and its neighbour has P(V > v) = (1 - v)^(N-1), so that their mean is
#
#     x_a - x_below = Int_0^E [x_a - F^-1(F(x_a) - (1 - exp(-e/(N-1))))] exp(-e) de / (1 - exp(-E))
#
# with E = -(N-1) log(1 - F(x_a)): the mean where there is a neighbour below. Above is the mirror.
#
# Erratum: the paper's formula has order statistics of N values "from the same distribution" as the
# sample, which has an atom at x_a; its simulation draws the others from D, and so does this.


_LAST = 60.0  # exp(-60) of the weight lies beyond
_SMOOTH = 200.0  # with so many people on either side the density is flat, and Laguerre's rule does
_TINY = 1e-8
_BLOCK = 20_000
_LAGUERRE = np.polynomial.laguerre.laggauss(20)


@dataclass(frozen=True)
class Gaps:
    """The expected distance of the next person below and above, in the units of the shape."""

    below: Floats
    above: Floats

    def take(self, places: np.ndarray) -> "Gaps":
        """Those of some values."""
        return Gaps(self.below[places], self.above[places])


def gaps(shape: PopulationShape, z: Floats, N: int) -> Gaps:
    """Expected distances of the neighbours of each value among N - 1 others."""
    return Gaps(_below(shape, z, N), _below(shape.mirror, -z, N))


def _below(shape: PopulationShape, z: Floats, N: int) -> Floats:
    found = np.empty_like(z)
    for start in range(0, len(z), _BLOCK):
        part = slice(start, start + _BLOCK)
        found[part] = _integrate_block(shape, z[part], N)
    return found


def _integrate_block(shape: PopulationShape, z: Floats, N: int) -> Floats:
    F, S = shape.cdf(z), shape.sf(z)
    with np.errstate(divide="ignore"):
        E = -(N - 1) * np.where(F < 0.5, np.log1p(-np.minimum(F, 0.5)), np.log(S))
    found = np.empty_like(z)
    is_smooth = (N - 1) * np.minimum(F, S) > _SMOOTH
    for chosen, rule in ((is_smooth, _laguerre), (~is_smooth, _integrate_tail)):
        if chosen.any():
            person = _Person(shape, z[chosen, None], F[chosen, None], S[chosen, None], N)
            found[chosen] = rule(person, E[chosen, None])
    return found


@dataclass(frozen=True)
class _Person:
    """Values, one a row, with their shares below and above."""

    shape: PopulationShape
    z: Floats
    F: Floats
    S: Floats
    N: int

    def distance(self, e: Floats, left: Floats) -> Floats:
        """How far down a mass of 1 - exp(-e/(N-1)) reaches; `left` is what remains below it."""
        u = -np.expm1(-e / (self.N - 1))
        u, left, z, S, F = np.broadcast_arrays(u, left, self.z, self.S, self.F)
        is_tiny = u < _TINY * np.minimum(F, S)
        is_low = ~is_tiny & (left < 0.5)
        is_high = ~is_tiny & ~is_low
        found = np.empty(u.shape)
        found[is_low] = z[is_low] - self.shape.ppf(left[is_low])
        found[is_high] = z[is_high] - self.shape.isf((S + u)[is_high])
        # Where the mass is next to nothing the difference of two quantiles would be noise.
        found[is_tiny] = u[is_tiny] / self.shape.pdf(z[is_tiny])
        return np.maximum(found, 0.0)


def _laguerre(person: _Person, E: Floats) -> Floats:
    e, weights = _LAGUERRE
    left = np.where(
        person.F < 0.5,
        person.F + np.expm1(-e / (person.N - 1)),
        np.exp(-e / (person.N - 1)) - person.S,
    )
    return np.asarray(person.distance(e, left) @ weights)


def _integrate_tail(person: _Person, E: Floats) -> Floats:
    """By the double exponential rule, which is at ease with the infinite quantile at the end."""
    k = np.arange(-40, 41) * 0.1
    share, rest = 1 / (1 + np.exp(-np.pi * np.sinh(k))), 1 / (1 + np.exp(np.pi * np.sinh(k)))
    weights = 0.1 * np.pi * np.cosh(k) * share * rest
    top = np.minimum(E, _LAST)
    e = top * share
    before_end = top * rest + (E - top)  # E - e without loss
    left = person.S * np.expm1(np.minimum(before_end / (person.N - 1), 700.0))
    left = np.where(left > 0, left, np.finfo(float).tiny)
    distance = person.distance(e, left)
    scale = np.divide(top, -np.expm1(-top), out=np.ones_like(top), where=top > 0)
    return np.asarray(((distance * np.exp(-e)) @ weights) * scale[:, 0])


# How often does another person's value land where that of one person would be looked for?
#
# b = P(Y + B in I1), with Y of the population outside the person's two neighbours, B the noise,
# and I1 from halfway to the neighbour below to halfway to the one above (004, Equation 1). It is
# summed over the two outer pieces of the population, each by Gauss and Legendre on short panels:
# nothing is subtracted, so that no digit is lost where b is tiny.


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
_GRADES: Floats = np.linspace(0, 1, 11) ** 2  # panels are shortest where the noise is
_MOST_POINTS = 400_000  # at which density and noise are computed at once, in the cache
_MOST_GROWTH = 700.0
_RATIO = 3.0
_THIRDS: Floats = _RATIO ** -np.arange(17.0)
_NO_DISTANCE = 1e-15  # of the end: what is left where two equal numbers were subtracted


def integrate_others(
    shape: PopulationShape, noise: NoiseKind, z: Floats, gaps: Gaps, sigma: float
) -> Floats:
    """The b of each value, everything in the units of the shape."""
    below, above = z - gaps.below, z + gaps.above
    width = (gaps.below + gaps.above) / 2 / sigma
    pieces = (
        _PopulationPiece(shape, noise, sigma, below, gaps.below / 2 / sigma, width),
        _PopulationPiece(shape.mirror, noise, sigma, -above, gaps.above / 2 / sigma, width),
    )
    mass = sum((piece.mass() for piece in pieces), np.zeros_like(z))
    outside = shape.cdf(below) + shape.sf(above)
    found = np.divide(mass, outside, out=np.zeros_like(mass), where=outside > 0)
    return np.minimum(found, 1.0)


@dataclass(frozen=True)
class _PopulationPiece:
    """The population below `end`; at end - t sigma the noise must be from a + t to a + t + w."""

    shape: PopulationShape
    noise: NoiseKind
    sigma: float
    end: Floats
    a: Floats  # in standard deviations of the noise, as w and t
    w: Floats

    def mass(self) -> Floats:
        """How much of the population lands in I1, in blocks that bound memory."""
        found = np.zeros_like(self.end)
        knots = self.shape.knots
        highest = float(np.log(max(self.shape.pdf(knots).max(), np.finfo(float).tiny)))
        if self.shape.begins_at_zero:
            highest = min(
                highest, -float(np.log(self.sigma))
            )  # a pole is high, but has little mass
        n_panels = (len(knots) + len(_GRADES)) * (len(_THIRDS) if self.shape.begins_at_zero else 1)
        size = max(_MOST_POINTS // (n_panels * len(_NODES)), 1)
        for first in range(0, len(self.end), size):
            part = slice(first, first + size)
            block = replace(self, end=self.end[part], a=self.a[part], w=self.w[part])
            found[part] = block.integrate(block.edges(knots, highest))
        return found

    def edges(self, knots: Floats, highest: float) -> Floats:
        """Where panels begin and end, one row a value."""
        with np.errstate(divide="ignore"):
            growth = np.clip(highest - np.log(self.shape.pdf(self.end)), 0.0, _MOST_GROWTH)
        reach = self.noise.reach(self.a, growth)[:, None]
        of_shape = (self.end[:, None] - knots) / self.sigma
        all_of_them = [reach * _GRADES, self.noise.kinks(self.a, self.w), of_shape]
        return np.sort(np.clip(np.concatenate(all_of_them, axis=1), 0.0, reach), axis=1)

    def integrate(self, edges: Floats) -> Floats:
        """Gauss and Legendre on every panel that is no point."""
        row, panel = np.nonzero(np.diff(edges, axis=1) > 0)
        first, last = edges[row, panel], edges[row, panel + 1]
        if not self.shape.begins_at_zero:
            return self._sum_rows(row, self._gauss(row, first, last))
        near, far = self._from_zero(row, first, last)
        is_steep = near < far / _RATIO
        masses = np.zeros(len(row))
        plain, steep = np.nonzero(~is_steep & (far > 0))[0], np.nonzero(is_steep)[0]
        masses[plain] = self._gauss(row[plain], first[plain], last[plain])
        masses[steep] = self._integrate_pole(row[steep], near[steep], far[steep])
        return self._sum_rows(row, masses)

    def _sum_rows(self, row: np.ndarray, masses: Floats) -> Floats:
        return np.bincount(row, masses, len(self.end)).astype(np.float64)

    def _gauss(self, row: np.ndarray, first: Floats, last: Floats) -> Floats:
        length = last - first
        t = first[:, None] + length[:, None] * _NODES
        density = self.shape.pdf(self.end[row, None] - self.sigma * t)
        return np.asarray(((density * self._kernel(row, t)) @ _WEIGHTS) * length * self.sigma)

    def _kernel(self, row: np.ndarray, t: Floats) -> Floats:
        width = np.broadcast_to(self.w[row, None], t.shape)
        return self.noise.beyond(self.a[row, None] + t, width)

    def _from_zero(self, row: np.ndarray, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """How far the nearer and the farther end of each panel are from where the shape begins."""
        ends = self.end[row] - self.sigma * first, self.end[row] - self.sigma * last
        lengths = [np.maximum(self.shape.sign * one, 0.0) for one in ends]
        least = _NO_DISTANCE * np.abs(self.end[row])
        near, far = (
            np.where(one < least, 0.0, one) for one in (np.minimum(*lengths), np.maximum(*lengths))
        )
        return near, far

    def _integrate_pole(self, row: np.ndarray, near: Floats, far: Floats) -> Floats:
        """Panels towards a pole, each a third as far from it, and the rest by its mass.

        Over the rest the noise is as good as constant, while the density may be without bound.
        """
        edges = np.maximum(far[:, None] * _THIRDS, near[:, None])
        lengths = edges[:, :-1] - edges[:, 1:]
        n_points = lengths.shape[1] * len(_NODES)
        y = (edges[:, 1:, None] + lengths[..., None] * _NODES).reshape(len(row), n_points)
        weights = (lengths[..., None] * _WEIGHTS).reshape(len(row), n_points)
        kernel = self._kernel(row, self._at(row, y))
        masses = (self.shape.pdf(self.shape.sign * y) * kernel * weights).sum(axis=1)
        base = self.shape if self.shape.sign > 0 else self.shape.mirror
        at_rest = self._kernel(row, self._at(row, (near + edges[:, -1])[:, None] / 2))[:, 0]
        return np.asarray(masses + at_rest * (base.cdf(edges[:, -1]) - base.cdf(near)))

    def _at(self, row: np.ndarray, y: Floats) -> Floats:
        """The t of places at a distance y from where the shape begins."""
        return np.maximum((self.end[row, None] - self.shape.sign * y) / self.sigma, 0.0)


# Values with their neighbours, found once; their ECAP at any amount of noise.


Places = NDArray[np.int64]

MOST_NOISE = 1e30  # of the population's scale: ECAP is at its limit long before


@dataclass(frozen=True)
class AttackerKnowledge:
    """What an attacker is taken to know: the population, its size, the sample's, and the noise."""

    population: Population
    N: int
    n: int
    noise: NoiseName
    sampling: Sampling = "equation 1"

    def claims(self, p: Floats, b: Floats) -> Floats:
        """ECAP from its two probabilities."""
        return claims(p, b, self.N, self.n, self.sampling)

    @property
    def limit(self) -> float:
        """What no noise can go below."""
        return lowest(self.N, self.n, self.sampling)


class Values(Protocol):
    """Distinct values whose ECAP can be asked for."""

    @property
    def setting(self) -> AttackerKnowledge:
        """What an attacker is taken to know."""

    @property
    def x(self) -> Floats:
        """The values, ascending."""

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP of some of the values, or of all; NaN where it is undefined."""

    def like(self, x: Floats) -> "Values":
        """Other values in the same setting."""

    def within(self, setting: AttackerKnowledge) -> "Values":
        """The same values in another setting."""


@dataclass(frozen=True)
class Continuous:
    """Values of a continuous variable, between their expected neighbours."""

    setting: AttackerKnowledge
    x: Floats
    gaps: Gaps

    @classmethod
    def of(cls, x: Floats, setting: AttackerKnowledge) -> "Continuous":
        """Find the neighbours of distinct values; with no one else there are none."""
        population = setting.population
        z = population.standard(x)
        if setting.N == 1:
            return cls(setting, x, Gaps(np.full_like(x, np.nan), np.full_like(x, np.nan)))
        return cls(setting, x, gaps(population.shape, z, setting.N))

    def like(self, x: Floats) -> "Continuous":
        """Other values in the same setting."""
        return Continuous.of(x, self.setting)

    def within(self, setting: AttackerKnowledge) -> "Continuous":
        """The same values in another setting."""
        return Continuous.of(self.x, setting)

    @property
    def below(self) -> Floats:
        """The expected neighbour below."""
        return np.asarray(self.x - self.gaps.below * self.setting.population.scale)

    @property
    def above(self) -> Floats:
        """The expected neighbour above."""
        return np.asarray(self.x + self.gaps.above * self.setting.population.scale)

    def chances(self, sigma: float, places: Places | None = None) -> tuple[Floats, Floats]:
        """The p and b of Equation 1."""
        x, near = self.x, self.gaps
        if places is not None:
            x, near = x[places], near.take(places)
        if sigma == 0:
            return np.ones_like(x), np.zeros_like(x)
        population, noise = self.setting.population, KINDS[self.setting.noise]
        own = min(sigma / population.scale, MOST_NOISE)
        p = noise.half(near.below / 2 / own) + noise.half(near.above / 2 / own)
        return p, integrate_others(population.shape, noise, population.standard(x), near, own)

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP (004, Equation 1); 1 without noise, and where the population is one person."""
        if self.setting.N == 1:
            return np.ones(len(self.x) if places is None else len(places))
        return self.setting.claims(*self.chances(sigma, places))


@dataclass(frozen=True)
class Distinct:
    """Values as given, and which of the distinct ones each is; -1 where it is missing."""

    x: Floats
    counts: NDArray[np.int64]
    codes: Places

    @classmethod
    def of(cls, values: Floats) -> "Distinct":
        """The distinct values, each once."""
        known = ~np.isnan(values)
        if not known.any():
            raise SettingsError("All values are missing. Give at least one number.")
        x, inverse, counts = np.unique(values[known], return_inverse=True, return_counts=True)
        codes = np.full(len(values), -1)
        codes[known] = inverse
        return cls(x, counts, codes)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return int((self.codes < 0).sum())

    def expand(self, found: Floats) -> Floats:
        """What each value has, from what each distinct one has; NaN where it is missing."""
        return np.where(self.codes < 0, np.nan, found[self.codes])


# Do the values occur in the population at all, and for others than themselves?


_FEW = 5  # a synthetic file may hold one outlier of the original several times
_OWN = 0.5


def shares(population: Population, v: Floats) -> Floats:
    """What share of the population is rounded to each whole number."""
    return mass(population, v - 0.5, v + 0.5)


def mass(population: Population, low: Floats, high: Floats) -> Floats:
    """What share of the population lies between, by the tail in which no digit is lost."""
    shape = population.shape
    low, high = population.standard(low), population.standard(high)
    from_below = shape.cdf(high) - shape.cdf(low)
    from_above = shape.sf(low) - shape.sf(high)
    return np.maximum(np.where(low < shape.ppf(np.array([0.5])), from_below, from_above), 0.0)


def is_possible(population: Population, x: Floats, *, whole: bool) -> np.ndarray:
    """Which values have a person on either side; of whole numbers, which anybody has."""
    with np.errstate(all="ignore"):
        if whole:
            return np.asarray(shares(population, x) > 0)
        z, shape = population.standard(x), population.shape
        return np.asarray((shape.cdf(z) > 0) & (shape.sf(z) > 0) & (shape.pdf(z) > 0))


def check_impossible(distinct: Distinct, population: Population, *, whole: bool) -> None:
    """Refuse a population in which some of the values cannot occur."""
    is_out = ~is_possible(population, distinct.x, whole=whole)
    if is_out.any():
        raise SettingsError(
            f"The population {population.text} gives {_format_distinct(distinct, is_out)}. Give a"
            " population in which they occur, one with heavier tails, or top-code them first."
        )


def check_alone(distinct: Distinct, population: Population) -> None:
    """Refuse a population smoothed from the values themselves where one vouches for itself.

    Such is a value of fewer than five records where its own kernel is more than half of the
    density: without it next to no one would be there, and a claim would be nearly certain.
    """
    density = population.shape.pdf(population.standard(distinct.x))
    own = distinct.counts * peak(int(distinct.counts.sum()))
    is_alone = (distinct.counts < _FEW) & (own > _OWN * density)
    if is_alone.any():
        n_alone, total = int(distinct.counts[is_alone].sum()), int(distinct.counts.sum())
        raise SettingsError(
            f"Smoothed from the values themselves, {n_alone:,} of {total:,} values would vouch for"
            " themselves: hardly any other value is near, the first at place"
            f" {_first(distinct, np.nonzero(is_alone)[0])} (from 0). Name a distribution, give"
            ' values of the population ({"name": "empirical", "values": [...]}), or top-code'
            " them first."
        )


def _format_distinct(distinct: Distinct, chosen: np.ndarray) -> str:
    n, total = int(distinct.counts[chosen].sum()), int(distinct.counts.sum())
    first = _first(distinct, np.nonzero(chosen)[0])
    return f"{n:,} of {total:,} values probability zero, the first at place {first} (from 0)"


def _first(distinct: Distinct, chosen: Places) -> int:
    return int(np.isin(distinct.codes, chosen).argmax())
