"""Values with their neighbours, found once; their ECAP at any amount of noise."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingsError
from unveil.measure.membership.neighbours import Gaps, gaps
from unveil.measure.membership.noises import KINDS, NoiseName
from unveil.measure.membership.outer import others
from unveil.measure.membership.populations import Population
from unveil.measure.membership.probability import claims
from unveil.measure.membership.shapes import Floats

Places = NDArray[np.int64]

MOST_NOISE = 1e30  # of the population's scale: ECAP is at its limit long before


@dataclass(frozen=True)
class Setting:
    """What an attacker is taken to know: the population, its size, the sample's, and the noise."""

    population: Population
    N: int
    n: int
    noise: NoiseName


class Values(Protocol):
    """Distinct values whose ECAP can be asked for."""

    @property
    def setting(self) -> Setting:
        """What an attacker is taken to know."""

    @property
    def x(self) -> Floats:
        """The values, ascending."""

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP of some of the values, or of all; NaN where it is undefined."""

    def like(self, x: Floats) -> "Values":
        """Other values in the same setting."""

    def within(self, setting: Setting) -> "Values":
        """The same values in another setting."""


@dataclass(frozen=True)
class Continuous:
    """Values of a continuous variable, between their expected neighbours."""

    setting: Setting
    x: Floats
    gaps: Gaps

    @classmethod
    def of(cls, x: Floats, setting: Setting) -> "Continuous":
        """Find the neighbours of distinct values; with nobody else there are none."""
        population = setting.population
        z = population.standard(x)
        if setting.N == 1:
            return cls(setting, x, Gaps(np.full_like(x, np.nan), np.full_like(x, np.nan)))
        return cls(setting, x, gaps(population.shape, z, setting.N))

    def like(self, x: Floats) -> "Continuous":
        """Other values in the same setting."""
        return Continuous.of(x, self.setting)

    def within(self, setting: Setting) -> "Continuous":
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
        return p, others(population.shape, noise, population.standard(x), near, own)

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP (004, Equation 1); 1 without noise, and where the population is one person."""
        if self.setting.N == 1:
            return np.ones(len(self.x) if places is None else len(places))
        return claims(*self.chances(sigma, places), self.setting.N, self.setting.n)


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

    def spread(self, found: Floats) -> Floats:
        """What each value has, from what each distinct one has; NaN where it is missing."""
        return np.where(self.codes < 0, np.nan, found[self.codes])
