"""Likelihoods and least squares told record by record: slow and plain on purpose.

A record's predictors are a list of numbers, without a column of ones; classes count from 0.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

Rows = Sequence[Sequence[float]]


def shares(intercepts: Sequence[float], slopes: Rows, row: Sequence[float]) -> list[float]:
    """P(class) of one record under a multinomial model; `slopes` has a list for each column."""
    lines = [a + sum(x * slopes[j][k] for j, x in enumerate(row)) for k, a in enumerate(intercepts)]
    top = max(lines)
    weights = [math.exp(line - top) for line in lines]
    return [weight / math.fsum(weights) for weight in weights]


def multinomial(
    intercepts: Sequence[float], slopes: Rows, rows: Rows, classes: Sequence[int]
) -> float:
    """The log-likelihood of a multinomial model."""
    chances = (shares(intercepts, slopes, row)[k] for row, k in zip(rows, classes, strict=True))
    return math.fsum(math.log(chance) for chance in chances)


def surplus(
    intercepts: Sequence[float], slopes: Rows, rows: Rows, classes: Sequence[int]
) -> list[list[float]]:
    """Seen less expected: of each class, first its records, then the sum of each column over them.

    At the highest likelihood all are 0.
    """
    n_columns = len(slopes)
    found = [[0.0] * len(intercepts) for _ in range(n_columns + 1)]
    for row, seen in zip(rows, classes, strict=True):
        for k, chance in enumerate(shares(intercepts, slopes, row)):
            for j, x in enumerate((1.0, *row)):
                found[j][k] += x * ((k == seen) - chance)
    return found


def logistic(line: float) -> float:
    """1 / (1 + exp(-line)), for a line of any size."""
    return 1 / (1 + math.exp(-line)) if line > 0 else math.exp(line) / (1 + math.exp(line))


def ordered_shares(
    cuts: Sequence[float], slopes: Sequence[float], row: Sequence[float]
) -> list[float]:
    """P(class) of one record under a proportional odds model."""
    line = sum(x * b for x, b in zip(row, slopes, strict=True))
    up_to = [0.0, *(logistic(cut - line) for cut in cuts), 1.0]
    return [high - low for low, high in pairwise(up_to)]


def ordered(
    cuts: Sequence[float], slopes: Sequence[float], rows: Rows, classes: Sequence[int]
) -> float:
    """The log-likelihood of a proportional odds model."""
    chances = (ordered_shares(cuts, slopes, row)[k] for row, k in zip(rows, classes, strict=True))
    return math.fsum(math.log(chance) for chance in chances)


def least_squares(rows: Rows, z: Sequence[float]) -> tuple[list[Fraction], Fraction] | None:
    """Intercept and slopes by the normal equations, exactly, and the sum of squared residuals.

    None where the columns determine one another.
    """
    table = [[Fraction(1), *map(Fraction, row)] for row in rows]
    z_exact = [Fraction(one) for one in z]
    p = len(table[0])
    system = [
        [sum(row[i] * row[j] for row in table) for j in range(p)]
        + [sum(row[i] * one for row, one in zip(table, z_exact, strict=True))]
        for i in range(p)
    ]
    for i in range(p):
        pivot = next((r for r in range(i, p) if system[r][i]), None)
        if pivot is None:
            return None
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [one / system[i][i] for one in system[i]]
        for r in range(p):
            if r != i:
                times = system[r][i]
                system[r] = [a - times * b for a, b in zip(system[r], system[i], strict=True)]
    line = [system[i][p] for i in range(p)]
    left = [
        one - sum(a * b for a, b in zip(row, line, strict=True))
        for row, one in zip(table, z_exact, strict=True)
    ]
    return line, sum(one * one for one in left)
