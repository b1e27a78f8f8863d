"""How many records share a record's keys, in the data and in the population they stand for?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from unveil.count.cells import Keys
from unveil.measure.risk.matching import Combinations

Floats = NDArray[np.float64]

DENOMINATOR = 10**6
"""An alpha is taken for a fraction of at most this denominator: all of six decimals are."""


@dataclass(frozen=True)
class Frequencies:
    """Of each key combination: records that match it, and people in the population who do."""

    fk: Floats
    Fk: Floats


def exact_frequencies(keys: Keys, weights: Floats) -> Frequencies:
    """Records with the same keys, missing being a level like any other.

    Notes
    -----
    fk is their number, Fk the sum of their weights.
    """
    Fk: Floats = np.bincount(keys.q, weights=weights, minlength=keys.n_q).astype(np.float64)
    return Frequencies(keys.counts[0].astype(np.float64), Fk)


def wildcard_frequencies(combos: Combinations, same: Frequencies, alpha: float) -> Frequencies:
    """Records that match where a missing key may be anything.

    Notes
    -----
    A record and all that are identical to it, missing in the same places, count 1 each; another
    that matches counts 1 where it lacks no key, and `alpha` where it lacks any. Fk likewise, each
    with its weight. What counts in full and what counts in part is added up apart, and put together
    once: see `with_part`. With alpha 1 two records match or do not; with 0 a record with missing
    keys hides nobody but its like.

    References
    ----------
    sdcMicro `freqCalc`, whose three alphas in `reference/sdcmicro` are reproduced.
    """
    in_full, in_part = (Frequencies(*np.zeros((2, combos.n_q))) for _ in range(2))
    for one, other in combos.matches():
        is_full = combos.is_complete[other] | (one == other)
        for counted, chosen in ((in_full, is_full), (in_part, ~is_full)):
            np.add.at(counted.fk, one[chosen], same.fk[other[chosen]])
            np.add.at(counted.Fk, one[chosen], same.Fk[other[chosen]])
    return Frequencies(
        with_part(in_full.fk, in_part.fk, alpha), with_part(in_full.Fk, in_part.Fk, alpha)
    )


def with_part(in_full: Floats, in_part: Floats, alpha: float) -> Floats:
    """What counts in full and, alpha times, what counts in part: to the nearest float.

    Notes
    -----
    Of whole numbers it is whole where it should be. Sums of floats are not: 1 and five times 0.2,
    added up, are 1.9999999999999998, which breaks 2-anonymity, and even 0.29 * 100 is
    28.999999999999996. So alpha is taken for the fraction it stands for (0.2 for 1/5), and whole
    numbers are divided once. An alpha that is no fraction of so small a denominator makes no whole
    number of fewer partial matches than that.
    """
    ratio = Fraction(alpha).limit_denominator(DENOMINATOR)
    if float(ratio) != alpha:
        return in_full + alpha * in_part
    return (in_full * ratio.denominator + in_part * ratio.numerator) / ratio.denominator
