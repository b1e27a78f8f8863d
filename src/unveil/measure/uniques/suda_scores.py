"""How special is each unique, and which keys make it so? Weights, scores, contributions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Integers
from unveil.measure.uniques.minimal_uniques import KeyRows, MinimalUnique
from unveil.records.uniques import ScoreKind

# DIS: if one record fits a person, is it theirs?
#
# Data intrusion simulation, Elliot (2000), Skinner and Elliot (2002): take a record out of a
# sample, put it back with the chance of being sampled, and see whether a unique match is a right
# one. With SUDA scores the risk of the file is spread over its records, the most special first.


MOST_DIS_KEYS = 27
"""Of more keys Q is 0 or negative, and DIS would fall where the score rises."""


def dis_file(n_uniques: int, n_in_pairs: int, fraction: float) -> float | None:
    """The probability that a record alone with its keys is the person one takes it for.

    Notes
    -----
    DIS = U f / (U f + P (1 - f)), where U records are alone with their keys, P lie in pairs, and
    the data are a share f of the population. Larger groups do not count. 1 where no one lies in a
    pair, 0 where no one is alone, undefined where there is neither.

    References
    ----------
    Elliot (2000); Skinner and Elliot (2002).
    """
    if not n_uniques:
        return 0.0 if n_in_pairs else None
    found = n_uniques * fraction
    return found / (found + n_in_pairs * (1 - fraction))


def dis_records(scores: Floats, n_keys: int, n_in_pairs: int, fraction: float) -> Floats | None:
    """The same probability for each record, spread by the SUDA scores (all above 0).

    None where there are more than 27 keys.

    Notes
    -----
    DIS_r = 1 / (1 + P (1 - f) / (f score_r^Q A)) with Q = 1 + (8 - K) / 20 and A the sum of
    score^-Q over all records with a score. U is not in it, so it does not matter how many have a
    score of 0; nor does the unit of the scores. Q is 0 for 28 keys, so that all records would have
    the same risk, and negative beyond, so that the most special would have the lowest: there the
    formula is not applied. Erratum: sdcMicro 5.8.1 counts U wrongly where uniques share a bucket
    of its hash table, and returns NaN where all of them do.

    References
    ----------
    sdcMicro `suda2`, after Elliot, Manning, Mayes, Gurd and Bane (2005).
    """
    if n_keys > MOST_DIS_KEYS:
        return None
    if not len(scores):
        return np.zeros(0)
    Q = 1 + (8 - n_keys) / 20
    relative = (scores / scores.max()) ** Q  # the unit cancels, and so cannot overflow
    A = (1 / relative).sum()
    spread: Floats = 1 / (1 + n_in_pairs * (1 - fraction) / (fraction * relative * A))
    return spread


def weight(kind: ScoreKind, n_keys: int, size: int) -> float:
    """What one minimal sample unique of so many keys adds to a score.

    Notes
    -----
    "original": (K - s)!, the number of orders in which the other keys can be added. The papers
    print the product of (K - i) for i = s to M, with M the largest size searched for; this is
    (K - s)! over (K - 1 - M)!, one and the same factor for every record, which changes neither
    ranks nor DIS nor contributions. We keep (K - s)!, so that scores with and without a largest
    size can be compared.

    "normalised": (2^(K - s) - 1) / C(K, s), the larger sets that contain it over the sets of its
    size. A set of all keys weighs nothing, so a record that is alone on all keys only scores 0.

    References
    ----------
    Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008). Normalised: the practice
    guide of the International Household Survey Network, sdcMicro with `original_scores=FALSE`.
    """
    if kind == "original":
        return float(factorial(n_keys - size))
    return float(2 ** (n_keys - size) - 1) / comb(n_keys, size)


@dataclass(frozen=True)
class SudaScores:
    """What the statistical uniques have, one entry each; and how many sets each key is in."""

    score: Floats
    of_key: Floats  # keys x uniques: the part of the score whose sets contain the key
    n_of_size: Integers  # sizes, from 0, x uniques: minimal sample uniques
    n_of_key: Ints  # keys: minimal sample uniques that contain it

    @property
    def n_msu(self) -> Ints:
        """How many minimal sample uniques each has."""
        total: Ints = self.n_of_size.sum(axis=0, dtype=np.int64)
        return total

    @property
    def smallest(self) -> Ints:
        """How many keys are in the smallest set of each; 0 where it has none."""
        found: Ints = (self.n_of_size > 0).argmax(axis=0)
        return found

    def contributions(self) -> Floats:
        """The share of each score whose sets contain the key; a set counts for all its keys.

        Notes
        -----
        So the shares of a record add up to more than 1 where it has sets of several keys. 0 where
        the score is. Erratum: sdcMicro 5.8.1 credits sets of three or more keys twice to one key,
        and not at all to another, where the two have the same records for a value.
        """
        shares = np.zeros_like(self.of_key)
        np.divide(self.of_key, self.score, out=shares, where=self.score > 0)
        return np.minimum(shares, 1.0)

    def percent_by_key(self) -> list[float | None]:
        """The share of all scores together whose sets contain the key, in percent."""
        total = self.score.sum()
        return [float(100 * part / total) if total else None for part in self.of_key.sum(axis=1)]


def score_uniques(
    found: Iterable[MinimalUnique], rows: KeyRows, max_size: int, kind: ScoreKind
) -> SudaScores:
    """Add up the minimal sample uniques of every statistical unique."""
    n_keys, n = len(rows.names), rows.n_alone
    weights = np.array([0.0, *(weight(kind, n_keys, size) for size in range(1, max_size + 1))])
    of_unique = np.zeros((n, n_keys))  # so that a set adds to whole rows
    n_of_size, n_of_key = np.zeros((max_size + 1, n), np.int32), np.zeros(n_keys, np.int64)
    for msu in found:
        keys = list(msu.keys)
        n_of_size[len(keys)][msu.places] += 1
        added = np.zeros(n_keys)
        added[keys] = weights[len(keys)]
        whole = of_unique.take(msu.places, axis=0)  # twice as fast as adding by index
        whole += added
        of_unique[msu.places] = whole
        n_of_key[keys] += len(msu.places)
    # From counts, and not as sets are found: records with the same sizes must tie to the last bit.
    score = np.zeros(n)
    for size in range(1, max_size + 1):
        score += weights[size] * n_of_size[size]
    return SudaScores(score, np.ascontiguousarray(of_unique.T), n_of_size, n_of_key)


def special_threshold(scores: Floats, quantile: float) -> float | None:
    """From which score on a unique is special: a quantile of the scores above 0, interpolated."""
    positive = scores[scores > 0]
    return float(np.quantile(positive, quantile)) if len(positive) else None


def special(scores: Floats, quantile: float) -> Mask:
    """The records with the highest scores; those that tie with the last of them are among them.

    Notes
    -----
    Taub et al. (2018) take the top decile of the scores as special uniques; their counts (251 of
    1,867 and 235 of 2,120) show that ties are included. With few keys most scores tie, and all
    uniques may be special.
    """
    threshold = special_threshold(scores, quantile)
    if threshold is None:
        return np.zeros(len(scores), bool)
    return (scores > 0) & (scores >= threshold)
