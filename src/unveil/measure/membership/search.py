"""Which is the smallest amount of noise that is enough for every value?

One value, thought to be the worst, is followed through a bisection; all are looked at with what it
found, and the worst of those still above the threshold join it. ECAP mostly falls with sigma, but
not always: where nearly everybody was sampled, noise can carry people away from a value faster than
it hides who is there. So in the end all are looked at once more, and the search goes on from there
where one is above. What is found is enough; that no smaller amount is, is certain only where ECAP
falls throughout.
"""

import numpy as np

from unveil.measure.membership.placed import Places, Values

_MOST_DOUBLINGS = 150
_TOLERANCE = 1e-8
_JOINING = 16  # values that join the followed ones in each round


def smallest(values: Values, threshold: float, among: Places | None = None) -> float | None:
    """The smallest sigma found with ECAP within the threshold for all (or some) values.

    0 where no noise is needed; None where no amount was found to be enough.
    """
    everyone = np.arange(len(values.x)) if among is None else among
    over = everyone[is_over(values.ecap(0.0, everyone), threshold)]
    followed = over[[_rarest(values, over)]] if len(over) else over
    sigma: float | None = 0.0
    while sigma is not None and len(over):
        sigma, followed = _round(values, threshold, over, followed, sigma)
        if sigma is not None:
            over = everyone[is_over(values.ecap(sigma, everyone), threshold)]
            followed = np.union1d(followed, over[:_JOINING])
    return sigma


def _round(
    values: Values, threshold: float, over: Places, followed: Places, lower: float
) -> tuple[float | None, Places]:
    """Enough for those that were over, one joining after the other; and who was followed."""
    population = values.setting.population
    sigma = max(lower, population.spread / 100 or population.scale / 1e6)
    while len(over):
        bracket = _bracket(values, threshold, followed, lower, sigma)
        if bracket is None:
            return None, followed
        sigma = _halved(values, threshold, followed, *bracket)
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
    values: Values, threshold: float, followed: Places, lower: float, start: float
) -> tuple[float, float] | None:
    """An amount that is not enough, and one that is."""
    upper = start
    for _ in range(_MOST_DOUBLINGS):
        if not is_over(values.ecap(upper, followed), threshold).any():
            return lower, upper
        lower, upper = upper, upper * 2
    return None


def _halved(
    values: Values, threshold: float, followed: Places, lower: float, upper: float
) -> float:
    while upper - lower > _TOLERANCE * upper:
        middle = (lower + upper) / 2
        if is_over(values.ecap(middle, followed), threshold).any():
            lower = middle
        else:
            upper = middle
    return upper
