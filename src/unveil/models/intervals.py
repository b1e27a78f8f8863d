"""Confidence intervals of an estimate, and how far two of them cover each other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from unveil.arrays import Floats, Ints

# Do two groups of scores have the same mean? Welch's t, for what it is worth here.
#
# Taub et al. (2018), section 4.3 and Table 4. Scores of people with the same keys are tied, and
# all of them come from the same copies, so they are not independent and p is indicative only.
#
# Erratum: footnote 7 gives 5,131 degrees of freedom, which is n - 2, those of the test with pooled
# variance. Welch's test has its own.


@dataclass(frozen=True)
class GroupSummary:
    """The scores of one group: how many, their mean, and their variance (n - 1)."""

    n: int
    mean: float | None  # None of no one
    variance: float | None  # None of fewer than two


@dataclass(frozen=True)
class Welch:
    """Welch's t with the degrees of freedom of Welch and Satterthwaite, and p of both sides."""

    t: float
    df: float
    p: float


def group_of(score: Floats, n: Ints) -> GroupSummary:
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
        return GroupSummary(0, None, None)
    mean = math.fsum(score * n) / total
    if total < 2:
        return GroupSummary(total, mean, None)
    if score.min() == score.max():
        return GroupSummary(total, float(score[0]), 0.0)
    return GroupSummary(total, mean, math.fsum(n * (score - mean) ** 2) / (total - 1))


def difference(a: GroupSummary, b: GroupSummary) -> float | None:
    """The mean of the first group less that of the second; None where one has no one."""
    return None if a.mean is None or b.mean is None else a.mean - b.mean


def welch(a: GroupSummary, b: GroupSummary) -> Welch | None:
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
    return Welch(t, df, two_sided_p(t, df))


def two_sided_p(t: float, df: float) -> float:
    """The probability of a t at least so far from 0."""
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(t)))


# From the estimates of m copies to one: what would the original say, and what the population?
#
# Raab, Nowok and Dibben (2016), "Practical data synthesis for large samples", Journal of Privacy
# and Confidentiality 7(3), and Reiter (2003) where some columns were not synthesised; n are the
# records of the original, k those of a synthetic file.


Synthesis = Literal["simple", "proper", "incomplete"]
RULES: dict[Synthesis, str] = {
    "simple": "T_s = v k/n (1 + n/(k m)), Raab, Nowok and Dibben 2016",
    "proper": "T_p = v k/n (1 + (n/k + 1)/m), Raab, Nowok and Dibben 2016",
    "incomplete": "T = b/m + v k/n, Reiter 2003",
}
SYNTHESES: tuple[Synthesis, ...] = get_args(Synthesis)


@dataclass(frozen=True)
class CombinedEstimate:
    """The mean estimate; its error as one of the original's, and as one of the population's.

    `population_se` is None where the rule needs more than one copy; `df` are the degrees of
    freedom of Student's t for it, None where the normal distribution serves.
    """

    estimate: float
    se: float
    population_se: float | None
    df: float | None = None


def combine_estimates(
    estimates: Sequence[float],
    errors: Sequence[float],
    sizes: Sequence[int],
    n: int,
    synthesis: Synthesis,
) -> CombinedEstimate:
    """Combine the estimates and standard errors of copies with k records each.

    Notes
    -----
    With v the mean of the copies' variances, v k/n is what the original's variance is expected to
    be: its root is `se`, for comparisons with the original's own estimate Q-hat. The variance of
    the mean as an estimate of the population is T:

    - simple (models fitted once): v k/n (1 + n/(k m)) = v (k/n + 1/m);
    - proper (parameters drawn too): v k/n (1 + (n/k + 1)/m) = v (k/n + (1 + k/n)/m);
    - incomplete (some columns are the original's): b/m + v k/n, with b the variance of the
      estimates between copies; m must be at least 2. Student's t then has
      (m - 1) (1 + v k/n / (b/m))^2 degrees of freedom.

    Where copies differ in size, v k is the mean of the products and k the mean size.
    """
    m = len(estimates)
    k = sum(sizes) / m
    estimate = sum(one / m for one in estimates)
    apart = [one - estimate for one in estimates]
    unit = max(*errors, *map(abs, apart)) or 1.0  # so that no square is too large to hold
    within = sum((se / unit) ** 2 * size for se, size in zip(errors, sizes, strict=True)) / m / n
    se = unit * math.sqrt(within)
    if synthesis == "incomplete":
        if m == 1:
            return CombinedEstimate(estimate, se, None)
        between = sum((one / unit) ** 2 for one in apart) / (m - 1) / m
        # With very many degrees of freedom Student's t is the normal distribution.
        df = (m - 1) * (1 + within / between) ** 2 if between > 1e-6 * within else None
        return CombinedEstimate(estimate, se, unit * math.sqrt(between + within), df)
    more = n / k if synthesis == "simple" else n / k + 1
    return CombinedEstimate(estimate, se, se * math.sqrt(1 + more / m))


Interval = tuple[float, float]


def interval(estimate: float, se: float, level: float, df: float | None = None) -> Interval:
    """Estimate -/+ quantile x standard error: of Student's t with `df`, or normal without."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    reach = float(ndtri(upper) if df is None else stdtrit(df, upper)) * se
    return estimate - reach, estimate + reach


# How sure is a rate?


@dataclass(frozen=True)
class Rate:
    """Wilson's interval: its centre is the rate that is reported, not successes / n."""

    centre: float
    error: float  # half its width

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return self.centre - self.error, self.centre + self.error


def z_of(level: float) -> float:
    """The normal quantile of a two-sided level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: float, n: float, level: float) -> Rate:
    """Wilson's score interval of a rate, for successes that may be fractional.

    Notes
    -----
    r = (s + z^2/2) / (n + z^2), e = z / (n + z^2) sqrt(s (n - s) / n + z^2/4); n = 0 is the
    caller's to refuse. With s = 0 of 500 the centre is 0.0038, never 0.

    References
    ----------
    Wilson (1927); as Anonymeter 1.1.0 has it, where the centre is the rate that is reported.
    """
    z = z_of(level)
    spread = max(successes * (n - successes) / n, 0.0)
    return Rate(
        (successes + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(spread + z * z / 4)
    )


def clopper_pearson(hits: Ints | int, n: int, alpha: float) -> tuple[Floats, Floats]:
    """Exact limits of a rate, each at the level alpha by itself.

    Notes
    -----
    Quantiles of beta(k, n - k + 1) and beta(k + 1, n - k).

    References
    ----------
    Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the
    binomial, Biometrika 26 (1934).
    """
    from scipy.special import betaincinv

    k = np.asarray(hits)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - alpha), 1.0)
    return low, high


def overlap(one: Interval, two: Interval) -> float | None:
    """The mean share of two intervals that lies in the other; None where one has no length.

    Notes
    -----
    With U and L the smaller upper and the larger lower end, 1/2 ((U - L) / (u1 - l1) +
    (U - L) / (u2 - l2)). 1 for the same interval, 0 where they touch, negative where they are
    apart: the farther, the lower, without an end.

    References
    ----------
    Karr and others (2006), whose overlap is 0 where the intervals are apart; synthpop
    lets it be negative, and so do we.
    """
    lengths = [end - start for start, end in (one, two)]
    if min(lengths) <= 0:
        return None
    shared = min(one[1], two[1]) - max(one[0], two[0])
    return sum(shared / length for length in lengths) / 2


def ratio_of_counts(one: float, two: float) -> float:
    """The smaller count over the larger: 1 where they are the same, also where both are 0.

    References
    ----------
    Taub, Elliot and Sakshaug (2017), the ratio of counts of the Purdam and Elliot method.
    """
    return 1.0 if one == two else min(one, two) / max(one, two)
