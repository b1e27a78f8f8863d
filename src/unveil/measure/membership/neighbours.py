"""How far is the next person of the population, below and above? By a closed integral.

Chapelle and Falissard estimate x_(a-1) and x_(a+1) by simulated populations of N - 1 others. The
mass V between x_a and its neighbour has P(V > v) = (1 - v)^(N-1), so that their mean is

    x_a - x_below = Int_0^E [x_a - F^-1(F(x_a) - (1 - exp(-e/(N-1))))] exp(-e) de / (1 - exp(-E))

with E = -(N-1) log(1 - F(x_a)): the mean where there is a neighbour below. Above is the mirror.

Erratum: the paper's formula has order statistics of N values "from the same distribution" as the
sample, which has an atom at x_a; its simulation draws the others from D, and so does this.
"""

from dataclasses import dataclass

import numpy as np

from unveil.measure.membership.shapes import Floats, Mirror, Shape

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


def gaps(shape: Shape, z: Floats, N: int) -> Gaps:
    """Expected distances of the neighbours of each value among N - 1 others."""
    return Gaps(_below(shape, z, N), _below(Mirror(shape), -z, N))


def _below(shape: Shape, z: Floats, N: int) -> Floats:
    found = np.empty_like(z)
    for start in range(0, len(z), _BLOCK):
        part = slice(start, start + _BLOCK)
        found[part] = _of_block(shape, z[part], N)
    return found


def _of_block(shape: Shape, z: Floats, N: int) -> Floats:
    F, S = shape.cdf(z), shape.sf(z)
    with np.errstate(divide="ignore"):
        E = -(N - 1) * np.where(F < 0.5, np.log1p(-np.minimum(F, 0.5)), np.log(S))
    found = np.empty_like(z)
    is_smooth = (N - 1) * np.minimum(F, S) > _SMOOTH
    for chosen, rule in ((is_smooth, _laguerre), (~is_smooth, _to_the_end)):
        if chosen.any():
            person = _Person(shape, z[chosen, None], F[chosen, None], S[chosen, None], N)
            found[chosen] = rule(person, E[chosen, None])
    return found


@dataclass(frozen=True)
class _Person:
    """Values, one a row, with their shares below and above."""

    shape: Shape
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


def _to_the_end(person: _Person, E: Floats) -> Floats:
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
