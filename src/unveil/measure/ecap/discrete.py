"""`unveil.ecap_discrete`: the same claim about whole numbers, which people share.

Noise with a standard deviation of 0.1 on whole numbers is undone by rounding, and a value is shared
by all who have it: Equation 1 of Chapelle and Falissard holds with p = k(0), the chance that noise
of whole numbers leaves a value as it is, and b = sum over v of pmf(v) k(x - v), the chance that
anybody else comes to lie there. Without noise p = 1 and b = pmf(x). The paper has no such form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.arguments import number_in, numbers_in, quote_value
from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.measure.ecap.arguments import SampleSettings, Sampling, claims, lowest
from unveil.measure.ecap.gaps import (
    MOST_NOISE,
    AttackerKnowledge,
    Gaps,
    Places,
    integrate_others,
    mass,
    shares,
)
from unveil.measure.ecap.noise_kinds import KINDS, rounded_pmf
from unveil.records.noise import DiscreteEcap, LevelEcap
from unveil.view.show import Result

# Whole numbers in a population rounded to whole numbers, under rounded noise: their ECAP.
#
# b is a sum over all whole numbers within the reach of the noise. Of few values it is added up,
# of many folded at once. Where the noise is so wide that this would be millions, the sum is as
# good as the integral over what was not rounded: they differ by less than 1/(12 sigma^2) of b.


_MOST_CELLS = 1 << 21  # added up at once
_MOST_LEVELS = 1 << 20  # folded at once
_MOST_IN_ALL = 1 << 23
_FLAT = 10.0  # from this sigma on the integral will do


@dataclass(frozen=True)
class IntegerPlaces:
    """Distinct whole numbers, ascending, in their setting."""

    setting: AttackerKnowledge
    x: Floats

    @classmethod
    def of(cls, x: Floats, setting: AttackerKnowledge) -> "IntegerPlaces":
        """Whole numbers, or a refusal."""
        if (x % 1 != 0).any():
            raise SettingsError(
                "The values are not all whole numbers, so integer noise does not fit them. Omit"
                " discrete, or round them first."
            )
        return cls(setting, x)

    def like(self, x: Floats) -> "IntegerPlaces":
        """Other whole numbers in the same setting."""
        return IntegerPlaces(self.setting, x)

    def within(self, setting: AttackerKnowledge) -> "IntegerPlaces":
        """The same whole numbers in another setting."""
        return IntegerPlaces(setting, self.x)

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP of whole numbers under noise that is rounded to whole numbers."""
        x = self.x if places is None else self.x[places]
        p = np.full(len(x), rounded_pmf(self.setting.noise, self._cap_sigma(sigma), 0)[0])
        b = np.clip(self._others(x, sigma), 0.0, 1.0)
        return self.setting.claims(p, b)

    def _cap_sigma(self, sigma: float) -> float:
        return min(sigma, MOST_NOISE * self.setting.population.scale)

    def _others(self, x: Floats, sigma: float) -> Floats:
        reach = KINDS[self.setting.noise].reach(np.zeros(1), np.full(1, 40.0))[0]
        n_steps = reach * sigma + 2  # not made whole: it may be beyond every whole number
        if len(x) * n_steps <= _MOST_CELLS:
            return self._add_noise(x, sigma, int(n_steps))
        if sigma >= _FLAT and _levels(x, n_steps) > _MOST_IN_ALL:
            return self._integral(x, self._cap_sigma(sigma))
        parts = _parts(x, int(n_steps))
        return np.concatenate([self._convolve(part, sigma, int(n_steps)) for part in parts])

    def _add_noise(self, x: Floats, sigma: float, n_steps: int) -> Floats:
        k = rounded_pmf(self.setting.noise, sigma, n_steps)
        steps = np.arange(-n_steps, n_steps + 1)
        near = shares(self.setting.population, x[:, None] - steps)
        return np.asarray(near @ np.concatenate([k[:0:-1], k]))

    def _convolve(self, x: Floats, sigma: float, n_steps: int) -> Floats:
        """The same for all whole numbers of a range at once."""
        first = x[0] - n_steps
        n_levels = int(x[-1] - x[0]) + 2 * n_steps + 1
        k = rounded_pmf(self.setting.noise, sigma, n_steps)
        size = 1 << int(np.ceil(np.log2(n_levels + 2 * len(k))))
        near = shares(self.setting.population, first + np.arange(n_levels, dtype=np.float64))
        both_ways = np.concatenate([k, np.zeros(size - 2 * len(k) + 1), k[:0:-1]])
        folded = np.fft.irfft(np.fft.rfft(near, size) * np.fft.rfft(both_ways), size)
        return np.asarray(folded[(x - first).astype(np.int64)])

    def _integral(self, x: Floats, sigma: float) -> Floats:
        """P(Y + B within 0.5 of x), those next to x by what they are rounded to."""
        population, noise = self.setting.population, KINDS[self.setting.noise]
        z, one = population.standard(x), np.full_like(x, 1 / population.scale)
        far = integrate_others(population.shape, noise, z, Gaps(one, one), sigma / population.scale)
        near, here = mass(population, x - 1, x + 1), shares(population, x)
        stays, moves = rounded_pmf(self.setting.noise, sigma, 1)
        return np.asarray(far * (1 - near) + here * stays + (near - here) * moves)


def _levels(x: Floats, n_steps: float) -> float:
    """How many whole numbers lie within reach of some value."""
    return float(np.minimum(np.diff(x), 2 * n_steps).sum() + 2 * n_steps)


def _parts(x: Floats, n_steps: int) -> Iterator[Floats]:
    """Values in ranges of bounded length, cut where the noise does not reach across."""
    is_cut = np.diff(x) > 2 * n_steps
    is_cut |= np.diff(np.floor((x - x[0]) / _MOST_LEVELS)) > 0
    yield from np.split(x, np.nonzero(is_cut)[0] + 1)


@dataclass(frozen=True, repr=False)
class DiscreteResult(Result):
    """ECAP of each level; confidential."""

    record: DiscreteEcap
    _names: tuple[Any, ...]

    @property
    def ecap(self) -> dict[Any, float | None]:
        """ECAP by level, the levels as they were given; None where it is undefined."""
        return {name: row.ecap for name, row in zip(self._names, self.record.levels, strict=True)}

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, `ecap` by level."""
        return {**self.record.to_dict(), "ecap": {str(k): v for k, v in self.ecap.items()}}


def ecap_discrete(
    pmf: Mapping[Any, float],
    N: int,
    n: int,
    noise_pmf: Mapping[Any, float] | None = None,
    *,
    sampling: Sampling = "equation 1",
) -> DiscreteResult:
    """With which probability a claim that a person with a whole number was in the data is correct.

    Parameters
    ----------
    pmf
        What share of the population has each whole number.
    N, n
        How many people are in the population, and in the sample.
    noise_pmf
        With which probability each whole number is added; without it there is no noise.
    sampling
        As in `unveil.ecap`.

    Returns
    -------
    DiscreteResult
        `.ecap` by level, None where neither the person nor anybody else can come to lie there;
        `.limit`, which no noise can go below.
    """
    drawn = SampleSettings(N, n, sampling)
    levels = _masses(pmf, "pmf")
    noise = {0: 1.0} if noise_pmf is None else _masses(noise_pmf, "noise_pmf")
    p = noise.get(0, 0.0)
    b = [min(sum(levels.get(x - step, 0.0) * k for step, k in noise.items()), 1.0) for x in levels]
    found = claims(np.full(len(b), p), np.array(b), drawn.N, drawn.n, drawn.sampling)
    rows = [
        LevelEcap(level=x, p=p, b=of_others, ecap=None if np.isnan(e) else float(e))
        for x, of_others, e in zip(levels, b, found, strict=True)
    ]
    known = [row.ecap for row in rows if row.ecap is not None]
    record = DiscreteEcap(
        N=drawn.N,
        n=drawn.n,
        sampling=drawn.sampling,
        limit=lowest(drawn.N, drawn.n, drawn.sampling),
        worst=max(known, default=None),
        levels=tuple(rows),
    )
    return DiscreteResult(record, tuple(pmf))


def _masses(given: Any, what: str) -> dict[int, float]:
    if not isinstance(given, Mapping) or not given:
        raise SettingsError(f"{what} must be a mapping of whole numbers to probabilities.")
    found: dict[int, float] = {}
    for name, share in given.items():
        level, mass = _whole(name, what), number_in(share)
        if mass is None or not 0 <= mass <= 1:
            raise SettingsError(
                f"{what} gives {level} the probability {quote_value(share)}. It must be from 0 "
                "to 1."
            )
        if level in found:
            raise SettingsError(f"{what} has {level} twice. Give it once.")
        found[level] = mass
    total = sum(found.values())
    if abs(total - 1) > 1e-6:
        raise SettingsError(f"The probabilities of {what} add up to {total:.9g}, not to 1.")
    return found


def _whole(name: Any, what: str) -> int:
    number = number_in(name)
    if (
        isinstance(name, str)
        and len(read := numbers_in(name)) == 1
        and not isinstance(read[0], str)
    ):
        number = read[0]
    if number is None or not np.isfinite(number) or number != int(number):
        raise SettingsError(
            f"{what} has the level {quote_value(name)}, which is not a whole number."
        )
    return int(number)
