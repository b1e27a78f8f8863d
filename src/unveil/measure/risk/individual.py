"""How likely is it that a record is the person one takes it for?

Benedetti and Franconi (1998), Franconi and Polettini (2004): of the Fk people in the population
who match a record's keys only an estimate is known, the sum of the weights; the risk is the
expectation of 1/Fk.
"""

import numpy as np

from unveil.measure.risk.frequencies import Floats

NEAR = 0.01
"""Below this share not sampled, the closed formula for two loses its digits to a difference."""
NODES, PANELS = 16, 40


def individual_risk(fk: Floats, Fk: Floats) -> Floats:
    """The probability that a match of these keys is right.

    Notes
    -----
    With p = fk / Fk and q = 1 - p: (p / q) log(1 / p) for fk = 1, p / q - (p / q)^2 log(1 / p) for
    fk = 2, p / (fk - q) for more (an approximation), 1 / fk where fk = Fk. These are the formulas
    of sdcMicro's `indivRisk`, method "approx".

    Where weights add up to less than the records (Fk < fk), nobody else is in the population, and
    the risk is 1 / fk. Counts between 1 and 2, which an alpha between 0 and 1 leads to, get the
    expectation itself, by numerical integration. Erratum: sdcMicro 5.8.1 gives them the risk 0.

    References
    ----------
    Benedetti and Franconi (1998); Franconi and Polettini (2004).
    """
    risk = 1 / fk
    p = np.divide(fk, Fk, out=np.ones_like(fk), where=Fk > fk)
    for chosen, formula in (
        (fk == 1, _of_one),
        ((fk > 1) & (fk < 2), _of_a_fraction),
        (fk == 2, _of_two),
        (fk > 2, _of_more),
    ):
        where = chosen & (Fk > fk)
        risk[where] = formula(fk[where], p[where])
    return risk


def _of_one(fk: Floats, p: Floats) -> Floats:
    q = 1 - p
    return -p / q * np.log1p(-q)


def _of_two(fk: Floats, p: Floats) -> Floats:
    q = 1 - p
    odds = p / q
    closed = odds + odds**2 * np.log1p(-q)
    series = p * sum(q**k / ((k + 1) * (k + 2)) for k in range(8))
    return np.where(q < NEAR, series, closed)


def _of_more(fk: Floats, p: Floats) -> Floats:
    return p / (fk - (1 - p))


def _of_a_fraction(fk: Floats, p: Floats) -> Floats:
    """E(1/F), the integral of exp(-f t) p / (p + q exp(-t)) over all t above 0."""
    pairs, place = np.unique(np.stack([fk, p]), axis=1, return_inverse=True)
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    found = np.empty(pairs.shape[1])
    for at, (f, share) in enumerate(pairs.T):
        width = (40 - np.log(share)) / PANELS  # beyond the last panel nothing is left to add
        t = width * (np.arange(PANELS)[:, None] + (nodes + 1) / 2)
        inside = np.exp(-f * t) * share / (share + (1 - share) * np.exp(-t))
        found[at] = (inside @ shares).sum() * width / 2
    return found[place.ravel()]
