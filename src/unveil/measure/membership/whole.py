"""Whole numbers in a population rounded to whole numbers, under rounded noise: their ECAP.

b is a sum over all whole numbers within the reach of the noise. Of few values it is added up, of
many folded at once. Where the noise is so wide that this would be millions, the sum is as good as
the integral over what was not rounded: they differ by less than 1/(12 sigma^2) of b.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.membership.neighbours import Gaps
from unveil.measure.membership.noises import KINDS, rounded_pmf
from unveil.measure.membership.occurring import mass, shares
from unveil.measure.membership.outer import others
from unveil.measure.membership.placed import MOST_NOISE, Places, Setting
from unveil.measure.membership.probability import claims
from unveil.measure.membership.shapes import Floats

_MOST_CELLS = 1 << 21  # added up at once
_MOST_LEVELS = 1 << 20  # folded at once
_MOST_IN_ALL = 1 << 23
_FLAT = 10.0  # from this sigma on the integral will do


@dataclass(frozen=True)
class Whole:
    """Distinct whole numbers, ascending, in their setting."""

    setting: Setting
    x: Floats

    @classmethod
    def of(cls, x: Floats, setting: Setting) -> "Whole":
        """Whole numbers, or a refusal."""
        if (x % 1 != 0).any():
            raise SettingsError(
                "The values are not all whole numbers, so integer noise does not fit them. Leave"
                " discrete out, or round them first."
            )
        return cls(setting, x)

    def like(self, x: Floats) -> "Whole":
        """Other whole numbers in the same setting."""
        return Whole(self.setting, x)

    def within(self, setting: Setting) -> "Whole":
        """The same whole numbers in another setting."""
        return Whole(setting, self.x)

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP of whole numbers under noise that is rounded to whole numbers."""
        x = self.x if places is None else self.x[places]
        p = np.full(len(x), rounded_pmf(self.setting.noise, self._capped(sigma), 0)[0])
        b = np.clip(self._others(x, sigma), 0.0, 1.0)
        return claims(p, b, self.setting.N, self.setting.n)

    def _capped(self, sigma: float) -> float:
        return min(sigma, MOST_NOISE * self.setting.population.scale)

    def _others(self, x: Floats, sigma: float) -> Floats:
        reach = KINDS[self.setting.noise].reach(np.zeros(1), np.full(1, 40.0))[0]
        n_steps = reach * sigma + 2  # not made whole: it may be beyond every whole number
        if len(x) * n_steps <= _MOST_CELLS:
            return self._added(x, sigma, int(n_steps))
        if sigma >= _FLAT and _levels(x, n_steps) > _MOST_IN_ALL:
            return self._integral(x, self._capped(sigma))
        parts = _parts(x, int(n_steps))
        return np.concatenate([self._folded(part, sigma, int(n_steps)) for part in parts])

    def _added(self, x: Floats, sigma: float, n_steps: int) -> Floats:
        k = rounded_pmf(self.setting.noise, sigma, n_steps)
        steps = np.arange(-n_steps, n_steps + 1)
        near = shares(self.setting.population, x[:, None] - steps)
        return np.asarray(near @ np.concatenate([k[:0:-1], k]))

    def _folded(self, x: Floats, sigma: float, n_steps: int) -> Floats:
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
        far = others(population.shape, noise, z, Gaps(one, one), sigma / population.scale)
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
