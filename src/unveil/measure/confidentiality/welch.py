"""Do two groups of scores have the same mean? Welch's t, for what it is worth here.

Taub et al. (2018), section 4.3 and Table 4. Scores of people with the same keys are tied, and all
of them come from the same copies, so they are not independent and p is indicative only.

Erratum: footnote 7 gives 5,131 degrees of freedom, which is n - 2, those of the test with pooled
variance. Welch's test has its own.
"""

import math
from dataclasses import dataclass

from unveil.count.packing import Whole
from unveil.measure.confidentiality.scores import Floats


@dataclass(frozen=True)
class Group:
    """The scores of one group: how many, their mean, and their variance (n - 1)."""

    n: int
    mean: float | None  # None of nobody
    variance: float | None  # None of fewer than two


@dataclass(frozen=True)
class Welch:
    """Welch's t with the degrees of freedom of Welch and Satterthwaite, and p of both sides."""

    t: float
    df: float
    p: float


def group_of(score: Floats, n: Whole) -> Group:
    """Mean and variance of scores, each of which n people have.

    Notes
    -----
    Sums are exact before the last rounding, so the order of levels and records does not matter.
    Equal scores have a variance of 0, not of almost 0.
    """
    here = n > 0
    score, n = score[here], n[here]
    total = int(n.sum())
    if not total:
        return Group(0, None, None)
    mean = math.fsum(score * n) / total
    if total < 2:
        return Group(total, mean, None)
    if score.min() == score.max():
        return Group(total, float(score[0]), 0.0)
    return Group(total, mean, math.fsum(n * (score - mean) ** 2) / (total - 1))


def difference(a: Group, b: Group) -> float | None:
    """The mean of the first group less that of the second; None where one has nobody."""
    return None if a.mean is None or b.mean is None else a.mean - b.mean


def welch(a: Group, b: Group) -> Welch | None:
    """Welch's test of two groups; None where it does not exist.

    Notes
    -----
    With e = variance / n of each group, t = (mean_a - mean_b) / sqrt(e_a + e_b) and
    df = (e_a + e_b)^2 / (e_a^2 / (n_a - 1) + e_b^2 / (n_b - 1)). It does not exist for fewer than
    two scores in a group, nor where the scores vary in neither.

    References
    ----------
    Welch (1947), Satterthwaite (1946); used by Taub et al. (2018), Table 4.
    """
    apart = difference(a, b)
    if apart is None or a.variance is None or b.variance is None:
        return None
    e_a, e_b = a.variance / a.n, b.variance / b.n
    if e_a + e_b == 0:
        return None
    # As shares of their sum, whose squares cannot vanish.
    s_a, s_b = e_a / (e_a + e_b), e_b / (e_a + e_b)
    t = apart / math.sqrt(e_a + e_b)
    df = 1 / (s_a * s_a / (a.n - 1) + s_b * s_b / (b.n - 1))
    return Welch(t, df, _both_tails(t, df))


def _both_tails(t: float, df: float) -> float:
    """The probability of a t at least so far from 0."""
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(t)))
