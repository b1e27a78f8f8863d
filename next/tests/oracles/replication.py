"""Findings and regressions from their definitions, record by record, with nothing but Python.

Likelihoods are climbed by Newton's method with derivatives by differences, so that nothing of the
algebra is shared with what is tested.
"""

import math
import statistics
from itertools import pairwise

STEP = 1e-3


def share(values, level):
    """Percent of the values that are the level, and its standard error."""
    p = sum(value == level for value in values) / len(values)
    return 100 * p, 100 * math.sqrt(p * (1 - p) / len(values))


def mean(values):
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))


def normal_interval(estimate, se, level):
    reach = statistics.NormalDist().inv_cdf((1 + level) / 2) * se
    return estimate - reach, estimate + reach


def overlap(one, two):
    (a, b), (c, d) = one, two
    shared = min(b, d) - max(a, c)
    return (shared / (b - a) + shared / (d - c)) / 2


def combined(estimates, errors, k, n, synthesis):
    """Mean, its error as the original's, and its error as the population's; copies of one size."""
    m = len(estimates)
    q, v = statistics.fmean(estimates), statistics.fmean([error**2 for error in errors])
    if synthesis == "simple":
        total = v * (k / n + 1 / m)
    elif synthesis == "proper":
        total = v * (k / n + (1 + k / n) / m)
    else:
        total = statistics.variance(estimates) / m + v * k / n
    return q, math.sqrt(v * k / n), math.sqrt(total)


def linear(rows, y):
    """Coefficients and standard errors of least squares; rows begin with 1."""
    p, n = len(rows[0]), len(rows)
    square = [[sum(row[i] * row[j] for row in rows) for j in range(p)] for i in range(p)]
    along = [sum(row[i] * value for row, value in zip(rows, y, strict=True)) for i in range(p)]
    b = solved(square, along)
    left = [
        v - sum(x * c for x, c in zip(row, b, strict=True)) for row, v in zip(rows, y, strict=True)
    ]
    variance = sum(value**2 for value in left) / (n - p)
    inverse = [solved(square, [float(i == j) for j in range(p)]) for i in range(p)]
    return b, [math.sqrt(variance * inverse[i][i]) for i in range(p)]


def multinomial(rows, y, n_classes):
    """Intercepts and slopes against class 0, class by class; rows begin with 1."""
    p = len(rows[0])

    def log_likelihood(theta):
        total = 0.0
        for row, seen in zip(rows, y, strict=True):
            eta = [0.0]
            for k in range(n_classes - 1):
                eta.append(sum(x * b for x, b in zip(row, theta[k * p :], strict=False)))
            top = max(eta)
            total += eta[seen] - top - math.log(sum(math.exp(e - top) for e in eta))
        return total

    return climbed(log_likelihood, [0.0] * (p * (n_classes - 1)))


def ordered(rows, y, n_classes):
    """Cuts, then slopes, of the proportional odds model; rows have no 1."""

    def log_likelihood(theta):
        cuts, slopes = theta[: n_classes - 1], theta[n_classes - 1 :]
        if any(a >= b for a, b in pairwise(cuts)):
            return -math.inf
        ends = [-math.inf, *cuts, math.inf]
        total = 0.0
        for row, seen in zip(rows, y, strict=True):
            eta = sum(x * b for x, b in zip(row, slopes, strict=True))
            chance = logistic(ends[seen + 1] - eta) - logistic(ends[seen] - eta)
            if chance <= 0:
                return -math.inf
            total += math.log(chance)
        return total

    below = [sum(value <= k for value in y) / len(y) for k in range(n_classes - 1)]
    start = [math.log(share / (1 - share)) for share in below]
    return climbed(log_likelihood, [*start, *[0.0] * len(rows[0])])


def logistic(x):
    if math.isinf(x):
        return float(x > 0)
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def climbed(f, start, steps=40, far=12.0):
    """Where f is highest, and the errors by its curvature; None where it runs off."""
    theta = list(start)
    for _ in range(steps):
        g, h = gradient(f, theta), hessian(f, theta)
        step = solved([[-x for x in row] for row in h], g)
        if step is None or max(abs(x) for x in theta) > far:
            return None
        size = 1.0
        while size > 1e-6 and not f(moved(theta, step, size)) >= f(theta) - 1e-12:
            size /= 2
        theta = moved(theta, step, size)
        if max(abs(x) for x in step) < 1e-9:
            break
    else:
        return None
    h = hessian(f, theta)
    information = [[-x for x in row] for row in h]
    n = len(theta)
    inverse = [solved(information, [float(i == j) for j in range(n)]) for i in range(n)]
    return theta, [math.sqrt(inverse[i][i]) for i in range(n)]


def moved(theta, step, size):
    return [t + size * s for t, s in zip(theta, step, strict=True)]


def shifted(theta, i, by):
    return [t + by * (j == i) for j, t in enumerate(theta)]


def slope(f, theta, i):
    """The derivative along one axis, by five points."""
    at = [f(shifted(theta, i, k * STEP)) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * STEP)


def gradient(f, theta):
    return [slope(f, theta, i) for i in range(len(theta))]


def hessian(f, theta):
    n = len(theta)
    rows = []
    for i in range(n):
        at = [gradient(f, shifted(theta, i, k * STEP)) for k in (-2, -1, 1, 2)]
        rows.append(
            [(at[0][j] - 8 * at[1][j] + 8 * at[2][j] - at[3][j]) / (12 * STEP) for j in range(n)]
        )
    return [[(rows[i][j] + rows[j][i]) / 2 for j in range(n)] for i in range(n)]


def solved(matrix, wanted):
    """Gauss's elimination with pivots; None where the matrix has lost its rank."""
    n = len(wanted)
    rows = [[*row, value] for row, value in zip(matrix, wanted, strict=True)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if not abs(rows[i][i]) > 1e-9:
            return None
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]
