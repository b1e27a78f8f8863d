"""Do the values occur in the population at all, and for others than themselves?"""

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.membership.placed import Distinct, Places
from unveil.measure.membership.populations import Population
from unveil.measure.membership.shapes import Floats
from unveil.measure.membership.smoothed import Smoothed

_FEW = 5  # a copy may hold one outlier of the original several times
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
    """Which values have somebody on either side; of whole numbers, which anybody has."""
    with np.errstate(all="ignore"):
        if whole:
            return np.asarray(shares(population, x) > 0)
        z, shape = population.standard(x), population.shape
        return np.asarray((shape.cdf(z) > 0) & (shape.sf(z) > 0) & (shape.pdf(z) > 0))


def refuse_impossible(distinct: Distinct, population: Population, *, whole: bool) -> None:
    """Refuse a population in which some of the values cannot occur."""
    is_out = ~is_possible(population, distinct.x, whole=whole)
    if is_out.any():
        raise SettingsError(
            f"The population {population.text} gives {_counted(distinct, is_out)}. Give a"
            " population in which they occur, one with heavier tails, or top-code them first."
        )


def refuse_alone(distinct: Distinct, population: Population) -> None:
    """Refuse a population smoothed from the values themselves where one vouches for itself.

    Such is a value of fewer than five records where its own kernel is more than half of the
    density: without it next to nobody would be there, and a claim would be nearly certain.
    """
    if not isinstance(population.shape, Smoothed):
        return
    density = population.shape.pdf(population.standard(distinct.x))
    own = distinct.counts * population.shape.peak(int(distinct.counts.sum()))
    is_alone = (distinct.counts < _FEW) & (own > _OWN * density)
    if is_alone.any():
        n_alone, total = int(distinct.counts[is_alone].sum()), int(distinct.counts.sum())
        raise SettingsError(
            f"Smoothed from the values themselves, {n_alone:,} of {total:,} values would vouch for"
            f" themselves: next to nobody else is near, the first at place"
            f" {_first(distinct, np.nonzero(is_alone)[0])} (from 0). Name a distribution, give"
            ' values of the population ({"name": "empirical", "values": [...]}), or top-code them'
            " first."
        )


def _counted(distinct: Distinct, chosen: np.ndarray) -> str:
    n, total = int(distinct.counts[chosen].sum()), int(distinct.counts.sum())
    first = _first(distinct, np.nonzero(chosen)[0])
    return f"{n:,} of {total:,} values probability zero, the first at place {first} (from 0)"


def _first(distinct: Distinct, chosen: Places) -> int:
    return int(np.isin(distinct.codes, chosen).argmax())
