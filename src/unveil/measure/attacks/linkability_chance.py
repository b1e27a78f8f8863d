"""How likely do two sets of nearest records have one in common, ties broken at random?

Each set holds the records that are sure to be among the k nearest, and as many of those tied for
the last place as there is room for, drawn at random, independently for the two.
"""

from dataclasses import dataclass

import numpy as np

from unveil.measure.attacks.distances import Floats
from unveil.measure.attacks.nearest import Found


@dataclass(frozen=True)
class Overlap:
    """For each person: how many are tied and drawn on each side, and how many are on both."""

    tied: Floats
    drawn: Floats
    other_tied: Floats
    other_drawn: Floats
    both_sure: Floats
    tied_and_sure: Floats  # tied here, sure there
    sure_and_tied: Floats
    both_tied: Floats


def overlap(here: Found, there: Found, k: int, n_rows: int) -> Overlap:
    """Count what two searches for the same persons have in common."""
    ours, theirs = (f.person.astype(np.int64) * n_rows + f.row for f in (here, there))
    _, mine, its = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    person, tied, other_tied = here.person[mine], here.is_tied[mine], there.is_tied[its]

    def counted(chosen: np.ndarray) -> Floats:
        return np.bincount(person[chosen], minlength=here.n_persons).astype(np.float64)

    n_tied = [found.per_person(found.is_tied) for found in (here, there)]
    n_drawn = [k - found.per_person(~found.is_tied) for found in (here, there)]
    return Overlap(
        n_tied[0],
        n_drawn[0],
        n_tied[1],
        n_drawn[1],
        counted(~tied & ~other_tied),
        counted(tied & ~other_tied),
        counted(~tied & other_tied),
        counted(tied & other_tied),
    )


def chance_to_meet(found: Overlap, k: int) -> Floats:
    """The probability that the two sets have a record in common, for each person.

    Notes
    -----
    Let a of t records be drawn here, b of u there, w be tied on both sides, x tied here and sure
    there, y sure here and tied there. If some record is sure on both sides, 1. Otherwise they do
    not meet where the draw here misses x, the draw there misses y, and the two draws miss each
    other in w. With j of those drawn here from w (a multivariate hypergeometric count)::

        P(none) = sum_j C(w, j) C(t - x - w, a - j) / C(t, a) * C(u - y - j, b) / C(u, b)

    With k = 1 this leaves w / (t u) for P(some). Our derivation; Anonymeter keeps the first k of
    an unstable sort.
    """
    t, a = found.tied, found.drawn.astype(np.int64)
    u, b = found.other_tied, found.other_drawn.astype(np.int64)
    x, y, w = found.tied_and_sure, found.sure_and_tied, found.both_tied
    person = np.arange(len(t))
    of_both, of_rest = _log_chooses(w, k), _log_chooses(t - x - w, k)
    here = -_log_chooses(t, k)[a, person]
    there = _log_chooses(u - y, k)[b, person] - _log_chooses(u, k)[b, person]
    none = np.zeros(len(t))
    for j in range(k + 1):
        logs = of_both[j] + of_rest[np.maximum(a - j, 0), person] + here + there
        none += np.where(j <= a, np.exp(logs), 0.0)
        left = np.maximum(u - y - j, b)  # C(left - 1, b) = C(left, b) (left - b) / left
        there = there + _log((left - b) / left)
    return np.where(found.both_sure > 0, 1.0, np.clip(1 - none, 0.0, 1.0))


def chance_of_random_sets(n_rows: int, k: int) -> float:
    """The probability that two random sets of k of n records meet: 1 - C(n - k, k) / C(n, k)."""
    if 2 * k > n_rows:
        return 1.0
    return float(-np.expm1(np.log1p(-k / (n_rows - np.arange(k))).sum()))


def _log_chooses(n: Floats, most: int) -> Floats:
    """The logarithm of C(n, j) for j = 0 to `most`; minus infinity where there is no choice.

    Added up factor by factor: the difference of logarithms of large factorials loses digits.
    """
    j = np.arange(most)[:, np.newaxis]
    factors = _log(np.maximum(n - j, 0) / (j + 1))
    return np.concatenate((np.zeros((1, len(n))), np.cumsum(factors, axis=0)))


def _log(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(shares)
    return logs
