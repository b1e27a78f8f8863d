"""Distances, associations and scores of predictions, from their definitions, record by record."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import exp, fsum, log, pi, sqrt


def shares(values: Sequence[Hashable]) -> dict[Hashable, float]:
    return {level: n / len(values) for level, n in Counter(values).items()}


def hellinger(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    p, q = shares(a), shares(b)
    levels = {*p, *q}
    return sqrt(fsum((sqrt(p.get(x, 0)) - sqrt(q.get(x, 0))) ** 2 for x in levels) / 2)


def total_variation(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    p, q = shares(a), shares(b)
    return fsum(abs(p.get(x, 0) - q.get(x, 0)) for x in {*p, *q}) / 2


def wasserstein(a: Sequence[float], b: Sequence[float]) -> float:
    """Mean distance of the values in their order, each repeated until both files are as long."""
    longer = sorted(list(a) * len(b))
    other = sorted(list(b) * len(a))
    return fsum(abs(x - y) for x, y in zip(longer, other, strict=True)) / len(longer)


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    if len(x) < 2 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    dx, dy = deviations(x), deviations(y)
    xy = sum(a * b for a, b in zip(dx, dy, strict=True))
    squared = xy**2 / (sum(a * a for a in dx) * sum(b * b for b in dy))
    return sqrt(squared) if xy > 0 else -sqrt(squared)


def deviations(x: Sequence[float]) -> list[Fraction]:
    """What each number is above the mean, exactly."""
    mean = sum(map(Fraction, x)) / len(x)
    return [Fraction(value) - mean for value in x]


def ranks(x: Sequence[float]) -> list[float]:
    """1 + how many are smaller + half of the others that are equal."""
    return [1 + sum(b < a for b in x) + (sum(b == a for b in x) - 1) / 2 for a in x]


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    return pearson(ranks(x), ranks(y)) if len(x) else None


def cramer_v(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    n, in_a, in_b, both = len(a), Counter(a), Counter(b), Counter(zip(a, b, strict=True))
    smaller = min(len(in_a), len(in_b))
    if smaller < 2:
        return None
    chi2 = fsum(
        (both[x, y] - in_a[x] * in_b[y] / n) ** 2 / (in_a[x] * in_b[y] / n)
        for x in in_a
        for y in in_b
    )
    return sqrt(chi2 / (n * (smaller - 1)))


def correlation_ratio(x: Sequence[float], groups: Sequence[Hashable]) -> float | None:
    if len(set(groups)) < 2 or len(set(x)) < 2:
        return None
    about = deviations(x)
    between = Fraction(0)
    for group in set(groups):
        held = [value for value, one in zip(about, groups, strict=True) if one == group]
        between += sum(held) ** 2 / len(held)
    return sqrt(between / sum(value**2 for value in about))


def density(values: Sequence[float], at: float, width: float) -> float:
    kernels = (exp(-(((at - value) / width) ** 2) / 2) for value in values)
    return fsum(kernels) / (len(values) * width * sqrt(2 * pi))


def auc(is_case: Sequence[bool], score: Sequence[float]) -> float | None:
    """Over all pairs of a case and another: 1 where the case is higher, a half where equal."""
    cases = [s for s, one in zip(score, is_case, strict=True) if one]
    others = [s for s, one in zip(score, is_case, strict=True) if not one]
    if not cases or not others:
        return None
    wins = fsum((a > b) + (a == b) / 2 for a in cases for b in others)
    return wins / (len(cases) * len(others))


def balanced_accuracy(truth: Sequence[int], guessed: Sequence[int]) -> float:
    parts = []
    for one in set(truth):
        held = [g == t for g, t in zip(guessed, truth, strict=True) if t == one]
        parts.append(sum(held) / len(held))
    return fsum(parts) / len(parts)


def log_loss(truth: Sequence[int], chances: Sequence[Sequence[float]], floor: float) -> float:
    given = (max(row[one], floor) for one, row in zip(truth, chances, strict=True))
    return -fsum(map(log, given)) / len(truth)


def r_squared(truth: Sequence[float], predicted: Sequence[float]) -> float | None:
    total = sum(value**2 for value in deviations(truth))
    if not total:
        return None
    errors = [Fraction(y) - Fraction(f) for y, f in zip(truth, predicted, strict=True)]
    return float(1 - sum(error**2 for error in errors) / total)
