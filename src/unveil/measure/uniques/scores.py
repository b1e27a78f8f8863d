"""How special is each unique, and which keys make it so? Weights, scores, contributions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from unveil.count.packing import Integers, Whole
from unveil.measure.uniques.lattice import Found, KeyRows
from unveil.records.suda import ScoreKind

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


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
class Scores:
    """What the statistical uniques have, one entry each; and how many sets each key is in."""

    score: Floats
    of_key: Floats  # keys x uniques: the part of the score whose sets contain the key
    n_of_size: Integers  # sizes, from 0, x uniques: minimal sample uniques
    n_of_key: Whole  # keys: minimal sample uniques that contain it

    @property
    def n_msu(self) -> Whole:
        """How many minimal sample uniques each has."""
        total: Whole = self.n_of_size.sum(axis=0, dtype=np.int64)
        return total

    @property
    def smallest(self) -> Whole:
        """How many keys are in the smallest set of each; 0 where it has none."""
        found: Whole = (self.n_of_size > 0).argmax(axis=0)
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


def scored(found: Iterable[Found], rows: KeyRows, max_size: int, kind: ScoreKind) -> Scores:
    """Add up the minimal sample uniques of every statistical unique."""
    n_keys, n = len(rows.names), rows.n_alone
    weights = np.array([0.0, *(weight(kind, n_keys, size) for size in range(1, max_size + 1))])
    of_key = np.zeros((n_keys, n))
    n_of_size, n_of_key = np.zeros((max_size + 1, n), np.int32), np.zeros(n_keys, np.int64)
    for msu in found:
        n_of_size[msu.size, msu.places] += 1
        for key in msu.keys:
            of_key[key, msu.places] += weights[msu.size]
            n_of_key[key] += len(msu.places)
    # From counts, and not as sets are found: records with the same sizes must tie to the last bit.
    score = np.zeros(n)
    for size in range(1, max_size + 1):
        score += weights[size] * n_of_size[size]
    return Scores(score, of_key, n_of_size, n_of_key)


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
