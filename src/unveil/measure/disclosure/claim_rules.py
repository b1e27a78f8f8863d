"""What would an intruder state about people who trusts the synthetic data? Rules, and their score.

A claim rule reads the synthetic data alone. It is a weight c_tq on cells: 1 where everyone with
keys q is said to have t, a half where two values are drawn from. Then, over all N people,

    claimed = sum min(1, sum_t c_tq) d_q,  correct = sum c_tq d_tq,  expected = sum c_tq e_tq,

with e_tq the counts that other people's records teach (`pattern.py`), and adds = correct -
expected: what the synthetic data add. For the single value, claimed is DiS and correct is DiSCO
(Raab 2024, equations 10 and 11).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Integers

Z = NormalDist().inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard errors."""
NEAR = (0.95, 0.9, 0.8)
"""From which share of the matching records on a claim is near-certain."""
ROUNDING = 1e-9


def single_value(s_tq: Integers, starts: Integers) -> Floats:
    """All matching records have this value: DiS."""
    return near_certain(s_tq, starts, 1.0)


def near_certain(s_tq: Integers, starts: Integers, tau: float) -> Floats:
    """At least tau of the matching records have this value, and no other as many.

    Notes
    -----
    c_tq = 1 where s_tq >= tau s_q > 0 and s_tq is the largest of q, alone.
    """
    s_q, top, n_top = _tops(s_tq, starts)
    is_claimed = (s_tq == top) & (n_top == 1) & (s_tq >= tau * s_q - ROUNDING) & (s_q > 0)
    return np.where(is_claimed, 1.0, 0.0)


def most_common(s_tq: Integers, starts: Integers) -> Floats:
    """The most common value of the matching records; ties are drawn from.

    Notes
    -----
    c_tq = 1 / (values as common) where s_tq is the largest of q, and s_q > 0.
    """
    s_q, top, n_top = _tops(s_tq, starts)
    return np.where((s_tq == top) & (s_q > 0), 1 / np.maximum(n_top, 1), 0.0)


def agreed(determined: Sequence[Floats], starts: Integers, at_least: int = 1) -> Floats:
    """Determined by so many files, and no file determines another value."""
    n_files = np.sum([one > 0 for one in determined], axis=0)
    n_values = _over_q(np.add, (n_files > 0).astype(np.int64), starts)
    return np.where((n_files >= at_least) & (n_values == 1), 1.0, 0.0)


def some_file(determined: Sequence[Floats]) -> Floats:
    """Determined by at least one file: a ceiling, for other files may determine another value."""
    found: Floats = np.any([one > 0 for one in determined], axis=0).astype(float)
    return found


def best_of_copies(
    copies: Sequence[Integers], starts: Integers, d_tq: Ints, tau: float
) -> tuple[Floats, int]:
    """Near-certain claims by as many files as serve best, and how many: it may put files aside.

    Notes
    -----
    Over m' <= m, the claims of files 1 to m' pooled; m' with the most correct. With one file more
    there is one choice more, so that it cannot fall.
    """
    pooled = accumulate(s_tq.astype(np.int64) for s_tq in copies)
    claims = ((near_certain(s_tq, starts, tau), m) for m, s_tq in enumerate(pooled, start=1))
    return max(claims, key=lambda one: float(one[0] @ d_tq))


def _over_q(ufunc: np.ufunc, values: Integers, starts: Integers) -> Ints:
    """A figure of each key combination, on each of its cells."""
    found: Ints = np.repeat(ufunc.reduceat(values, starts[:-1]), np.diff(starts))
    return found


def _tops(s_tq: Integers, starts: Integers) -> tuple[Ints, Ints, Ints]:
    """On each cell: records of its combination, the most of one value, and values with as many."""
    s_tq = s_tq.astype(np.int64)
    top = _over_q(np.maximum, s_tq, starts)
    n_top = _over_q(np.add, (s_tq == top).astype(np.int64), starts)
    return _over_q(np.add, s_tq, starts), top, n_top


@dataclass(frozen=True)
class Score:
    """What came of one rule, in people."""

    claimed: float
    correct: float
    at_random: float
    expected: float
    adds: float
    low: float
    high: float


@dataclass(frozen=True)
class ClaimTable:
    """The people of one target by cell, and what is expected of them."""

    starts: Integers  # where the cells of each key combination start
    d_tq: Ints  # on each cell
    d_q: Ints  # of its key combination, on each cell
    d_t: Ints  # of its value, on each cell
    e_tq: Floats
    N: int

    def score(self, c_tq: Floats, gone: Mask | None = None, z: float = Z) -> Score:
        """The claims of a rule, without the cells that exclusions take out.

        Notes
        -----
        The interval is adds +- z sqrt(sum over q of (sum of c_tq (d_tq - e_tq))^2): people with the
        same keys share their fate. What would be correct at random is sum c_tq d_q d_t / N.
        """
        d_tq, d_q, e_tq, c = self.d_tq, self.d_q, self.e_tq, c_tq
        if gone is not None and gone.any():
            d_tq = np.where(gone, 0, d_tq)
            d_q = _over_q(np.add, d_tq, self.starts)
            # Whoever is excluded is claimed about no more, and no excluded value is correct.
            e_tq = np.where(gone, 0.0, e_tq * d_q / np.maximum(self.d_q, 1))
        starts = self.starts[:-1]
        by_q = np.add.reduceat(c * (d_tq - e_tq), starts)
        adds, half = float(by_q.sum()), z * float(np.sqrt(by_q @ by_q))
        is_left = 1.0 if gone is None else ~gone
        return Score(
            claimed=float(np.minimum(np.add.reduceat(c, starts), 1) @ d_q[starts]),
            correct=float(c @ d_tq),
            at_random=float((c * is_left * self.d_t) @ d_q / max(self.N, 1)),
            expected=float(c @ e_tq),
            adds=adds,
            low=adds - half,
            high=adds + half,
        )
