"""How is the noise distributed that is added to a value? By its standard deviation sigma.

All are symmetric about 0, so that means are kept (004, section 4).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unveil.arrays import Floats

NoiseName = Literal["normal", "laplace", "uniform"]
NOISES: tuple[NoiseName, ...] = ("normal", "laplace", "uniform")
_NEGLIGIBLE = 40.0  # exp(-40) is below the last digit of a double
_NARROW = 1e-5


@dataclass(frozen=True)
class NoiseKind:
    """A kind of noise whose standard deviation is 1."""

    half: Callable[[Floats], Floats]
    """P(0 <= B <= g)."""
    beyond: Callable[[Floats, Floats], Floats]
    """P(a <= B <= a + w) for a >= 0, to full relative precision."""
    reach: Callable[[Floats, Floats], Floats]
    """From a on, how far it matters for a density that grows by at most exp(growth)."""
    kinks: Callable[[Floats, Floats], Floats]
    """Where P(a + t <= B <= a + t + w) has a kink in t, one column each."""
    drawn: Callable[[np.random.Generator, int], Floats]


def _normal_half(g: Floats) -> Floats:
    from scipy.special import erf

    return np.asarray(0.5 * erf(g / math.sqrt(2)))


def _normal_beyond(a: Floats, w: Floats) -> Floats:
    from scipy.special import ndtr

    # A difference of tails loses what a narrow interval has; there its density is flat.
    is_narrow = w * (1 + a) < _NARROW
    if not is_narrow.any():
        return np.asarray(ndtr(-a) - ndtr(-(a + w)))
    middle = a + w / 2
    with np.errstate(over="ignore"):
        found = np.exp(-0.5 * middle * middle) / math.sqrt(2 * math.pi) * w
    at = np.nonzero(~is_narrow)
    found[at] = ndtr(-a[at]) - ndtr(-(a[at] + w[at]))
    return np.asarray(found)


def _normal_reach(a: Floats, growth: Floats) -> Floats:
    return np.asarray(np.sqrt(a * a + 2 * (_NEGLIGIBLE + growth)) - a)


_BETA = 1 / math.sqrt(2)  # Laplace's scale at a standard deviation of 1
_R = math.sqrt(3)  # and the uniform's half width


def _laplace_beyond(a: Floats, w: Floats) -> Floats:
    return np.asarray(-0.5 * np.exp(-a / _BETA) * np.expm1(-w / _BETA))


def _uniform_beyond(a: Floats, w: Floats) -> Floats:
    return np.asarray(np.clip(np.minimum(w, _R - a), 0.0, None) / (2 * _R))


def _no_kinks(a: Floats, w: Floats) -> Floats:
    return np.zeros((len(a), 0))


KINDS: dict[NoiseName, NoiseKind] = {
    "normal": NoiseKind(
        half=_normal_half,
        beyond=_normal_beyond,
        reach=_normal_reach,
        kinks=_no_kinks,
        drawn=lambda rng, n: rng.standard_normal(n),
    ),
    "laplace": NoiseKind(
        half=lambda g: np.asarray(-0.5 * np.expm1(-g / _BETA)),
        beyond=_laplace_beyond,
        reach=lambda a, growth: np.asarray(_BETA * (_NEGLIGIBLE + growth)),
        kinks=_no_kinks,
        drawn=lambda rng, n: rng.laplace(0.0, _BETA, n),
    ),
    "uniform": NoiseKind(
        half=lambda g: np.asarray(np.minimum(g / (2 * _R), 0.5)),
        beyond=_uniform_beyond,
        reach=lambda a, growth: np.maximum(_R - a, 0.0),
        kinks=lambda a, w: np.maximum(_R - a - w, 0.0)[:, None],
        drawn=lambda rng, n: rng.uniform(-_R, _R, n),
    ),
}


def rounded_pmf(kind: NoiseName, sigma: float, n_steps: int) -> Floats:
    """P(round(B) = 0, 1, ..., n_steps) of noise with standard deviation sigma: integer noise."""
    found = np.zeros(n_steps + 1)
    if sigma == 0:
        found[0] = 1.0
        return found
    noise = KINDS[kind]
    found[0] = 2 * noise.half(np.array([0.5 / sigma]))[0]
    starts = np.arange(1, n_steps + 1, dtype=np.float64) - 0.5
    found[1:] = noise.beyond(starts / sigma, np.full(n_steps, 1 / sigma))
    return found
