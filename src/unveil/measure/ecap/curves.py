"""How does ECAP fall with the noise, here and in populations of other size and spread?

Chapelle and Falissard, Figures 5 to 7. They advise to look at the curve and at its successive
difference quotients.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from unveil.arrays import Floats
from unveil.errors import UnveilError
from unveil.measure.ecap.arguments import lowest
from unveil.measure.ecap.discrete import IntegerPlaces
from unveil.measure.ecap.gaps import AttackerKnowledge, Places, Values, is_possible
from unveil.records.noise import CurveRow, SensitivityRow

# Which is the smallest amount of noise that is enough for every value?
#
# One value, thought to be the worst, is followed through a bisection; all are looked at with what
# it found, and the worst of those still above the threshold join it. ECAP mostly falls with
# sigma, but not always: where nearly everyone was sampled, noise can carry people away from a
# value faster than it hides who is there. So in the end all are looked at once more, and the
# search goes on from there where one is above. What is found is enough; that no smaller amount
# is, is certain only where ECAP falls throughout.


_MOST_DOUBLINGS = 150
_TOLERANCE = 1e-8
_JOINING = 16  # values that join the followed ones in each round


class HasEcap(Protocol):
    """What has an ECAP at any amount of noise."""

    def ecap(self, sigma: float, places: Places | None = None) -> Floats:
        """ECAP of some, or of all; NaN where it is undefined."""


def smallest(values: Values, threshold: float, among: Places | None = None) -> float | None:
    """The smallest sigma found with ECAP within the threshold for all (or some) values.

    0 where no noise is needed; None where no amount was found to be enough.
    """
    everyone = np.arange(len(values.x)) if among is None else among
    population = values.setting.population
    start = population.spread / 100 or population.scale / 1e6
    return search_amount(values, threshold, everyone, start, lambda over: _rarest(values, over))


def search_amount(
    values: HasEcap,
    threshold: float,
    everyone: Places,
    start: float,
    first: Callable[[Places], int] = lambda over: 0,
) -> float | None:
    """The smallest amount found that is enough for everyone, from `start` on up or down."""
    over = everyone[is_over(values.ecap(0.0, everyone), threshold)]
    followed = over[[first(over)]] if len(over) else over
    amount: float | None = 0.0
    while amount is not None and len(over):
        amount, followed = _round(values, threshold, over, followed, (amount, start))
        if amount is not None:
            over = everyone[is_over(values.ecap(amount, everyone), threshold)]
            followed = np.union1d(followed, over[:_JOINING])
    return amount


def _round(
    values: HasEcap,
    threshold: float,
    over: Places,
    followed: Places,
    ends: tuple[float, float],
) -> tuple[float | None, Places]:
    """Enough for those that were over, one joining after the other; and who was followed."""
    lower = ends[0]
    sigma = max(ends)
    while len(over):
        bracket = _bracket(values, threshold, followed, lower, sigma)
        if bracket is None:
            return None, followed
        sigma = _bisect(values, threshold, followed, *bracket)
        found = values.ecap(sigma, over)
        still = is_over(found, threshold)
        worst = np.argsort(-found[still], kind="stable")[:_JOINING]
        over = over[still]
        followed = np.union1d(followed, over[worst])
        lower = sigma
    return sigma, followed


def is_over(found: np.ndarray, threshold: float) -> np.ndarray:
    """Which are above the threshold; those that are undefined are not."""
    return np.asarray(np.nan_to_num(found) > threshold)


def _rarest(values: Values, among: Places) -> int:
    """The value with the fewest people beyond it."""
    population = values.setting.population
    z = population.standard(values.x[among])
    return int(np.minimum(population.shape.cdf(z), population.shape.sf(z)).argmin())


def _bracket(
    values: HasEcap, threshold: float, followed: Places, lower: float, start: float
) -> tuple[float, float] | None:
    """An amount that is not enough, and one that is."""
    upper = start
    for _ in range(_MOST_DOUBLINGS):
        if not is_over(values.ecap(upper, followed), threshold).any():
            return lower, upper
        lower, upper = upper, upper * 2
    return None


def _bisect(
    values: HasEcap, threshold: float, followed: Places, lower: float, upper: float
) -> float:
    while upper - lower > _TOLERANCE * upper:
        middle = (lower + upper) / 2
        if is_over(values.ecap(middle, followed), threshold).any():
            lower = middle
        else:
            upper = middle
    return upper


FACTORS = (0.25, 0.5, 2.0, 4.0)
_BEFORE = [step / 20 for step in range(1, 21)]
_AFTER = [*(step / 10 for step in range(11, 21)), *(2 + 0.3 * step for step in range(1, 11))]
STEPS = (0.0, *_BEFORE, *_AFTER)
"""In units of the noise that is enough: 40 points besides none, that noise the 20th of them."""
WORST = 200  # of more distinct values, curves and sensitivity look at so many, the worst


def worst_of(found: Floats) -> Places:
    """The places of the most exposed values."""
    if len(found) <= WORST:
        return np.arange(len(found))
    return np.sort(np.argsort(-np.nan_to_num(found), kind="stable")[:WORST])


def sigmas_about(values: Values, sigma: float) -> list[float]:
    """Amounts from none to five times what is enough."""
    unit = sigma or values.setting.population.spread / 10
    return [step * unit for step in STEPS]


def curve(values: Values, sigmas: Sequence[float]) -> Iterator[CurveRow]:
    """The highest ECAP at each amount of noise (004, Figure 5)."""
    before: tuple[float, float] | None = None
    for at in sigmas:
        ecap = float(np.nan_to_num(values.ecap(at)).max())
        quotient = None if before is None else (ecap - before[1]) / (at - before[0])
        yield CurveRow(sigma=at, ecap=ecap, quotient=quotient)
        before = (at, ecap)


def sensitivity(
    values: Values, threshold: float, sigmas: Sequence[float]
) -> Iterator[SensitivityRow]:
    """What populations of other size (004, Figure 6) and spread (Figure 7) would need."""
    setting = values.setting
    for factor in FACTORS:
        other = replace(setting, N=round(setting.N * factor))
        yield _other(values, other, ("N", factor), threshold, sigmas)
    for factor in FACTORS:
        other = replace(setting, population=setting.population.stretch(factor))
        yield _other(values, other, ("spread", factor), threshold, sigmas)


def _other(
    values: Values,
    setting: AttackerKnowledge,
    changed: tuple[Any, float],
    threshold: float,
    sigmas: Sequence[float],
) -> SensitivityRow:
    there, reason = _within(values, setting)
    sigma, limit = None, lowest(max(setting.N, setting.n), setting.n, setting.sampling)
    if there is not None and threshold <= limit:
        reason = f"no noise goes below {limit:.3g} there"
    elif there is not None:
        sigma = smallest(there, threshold)
        reason = "none was found to be enough" if sigma is None else None
    return SensitivityRow(
        what=changed[0],
        factor=changed[1],
        N=setting.N,
        population=setting.population.text,
        sigma=sigma,
        reason=reason,
        curve=() if there is None else tuple(curve(there, sigmas)),
    )


def _within(values: Values, setting: AttackerKnowledge) -> tuple[Values | None, str | None]:
    """The values in another setting, or why they cannot be there."""
    if setting.n > setting.N:
        return None, "the population would be smaller than the sample"
    whole = isinstance(values, IntegerPlaces)
    try:
        if is_possible(setting.population, values.x, whole=whole).all():
            return values.within(setting), None
    except UnveilError:
        pass
    return None, "some values would have probability zero there"
