"""`unveil.ecap_from_probabilities`: with which probability is a claim of membership right?

Chapelle and Falissard, Equation 1, in a form that loses no digits:

    ECAP = 1 - exp(n log1p(-1/N)) expm1(n log1p(-b)) / expm1(n log1p(-(p/N + (1 - 1/N) b)))

The printed form subtracts powers that differ in their last digits where N is large.
"""

import numpy as np

from unveil.measure.membership.given import probability, sizes
from unveil.measure.membership.shapes import Floats


def ecap_from_probabilities(p: float, b: float, N: int, n: int) -> float | None:
    """The elemental correct attribution probability from its two ingredients.

    Parameters
    ----------
    p
        The probability that a person's own noised value lands where it is looked for: P(B in I2).
    b
        The probability that somebody else's does: P(Y + B in I1).
    N, n
        How many people are in the population, and in the sample.

    Returns
    -------
    float or None
        None where p = b = 0: nothing could land there, and nothing can be claimed. 1 where N = 1.

    References
    ----------
    Chapelle and Falissard, *Open-CESP*, Equation 1.
    """
    population, sample = sizes(N, n)
    chances = np.array([probability("p", p)]), np.array([probability("b", b)])
    found = float(claims(*chances, population, sample)[0])
    return None if np.isnan(found) else found


def claims(p: Floats, b: Floats, N: int, n: int) -> Floats:
    """ECAP of many values; NaN where p = b = 0."""
    if N == 1:
        return np.where((p > 0) | (b > 0), 1.0, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.expm1(n * np.log1p(-b))
        anyone = np.expm1(n * np.log1p(-np.minimum(p / N + (1 - 1 / N) * b, 1.0)))
        found = 1 - np.exp(n * np.log1p(-1 / N)) * others / anyone
    return np.where((p > 0) | (b > 0), np.clip(found, 0.0, 1.0), np.nan)


def lowest(N: int, n: int) -> float:
    """What no noise can go below: the chance to be in the sample, 1 - ((N-1)/N)^n."""
    return 1.0 if N == 1 else float(-np.expm1(n * np.log1p(-1 / N)))
