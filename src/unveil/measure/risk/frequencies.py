"""How many records share a record's keys, in the data and in the population they stand for?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.count.cells import Keys
from unveil.measure.risk.matching import Combinations

Floats = NDArray[np.float64]


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
    with its weight. With alpha 1 two records match or do not; with 0 a record with missing keys
    hides nobody but its like.

    References
    ----------
    sdcMicro `freqCalc`, whose three alphas in `reference/sdcmicro` are reproduced.
    """
    fk, Fk = np.zeros(combos.n_q), np.zeros(combos.n_q)
    counts_as = np.where(combos.is_complete, 1.0, alpha)
    for one, other in combos.matches():
        np.add.at(fk, one, (same.fk * counts_as)[other])
        np.add.at(Fk, one, (same.Fk * counts_as)[other])
    # What is identical to a record counted as alpha so far, if it lacks a key.
    return Frequencies(fk + same.fk * (1 - counts_as), Fk + same.Fk * (1 - counts_as))
