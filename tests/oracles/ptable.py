"""Cell keys by the definition: probabilities of largest entropy by bisection, keys as fractions."""

from fractions import Fraction
from math import exp


def shifts(i, D, js):
    """By how much the count i may be changed."""
    return [v for v in range(-D, D + 1) if i + v == 0 or i + v > js] if i else [0]


def probabilities(v, b, g):
    """p(v) proportional to exp(b v + g v^2)."""
    top = max(b * x + g * x * x for x in v)
    weights = [exp(b * x + g * x * x - top) for x in v]
    return [w / sum(weights) for w in weights]


def moment(v, p, power):
    """The mean of v to some power."""
    return sum(q * x**power for x, q in zip(v, p, strict=True))


def bisect(rises, low=-40.0, high=40.0):
    """Where a rising function is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return low


def row(i, D, V, js):
    """Mean 0, variance V and the largest entropy: b for every g by the mean, then g by V."""
    v = shifts(i, D, js)

    def tilt(g):
        return bisect(lambda b: moment(v, probabilities(v, b, g), 1))

    g = bisect(lambda g: moment(v, probabilities(v, tilt(g), g), 2) - V, -8.0, 8.0)
    return dict(zip(v, probabilities(v, tilt(g), g), strict=True))


def published(people, keys, rows):
    """The value of some people: their keys added up, its fraction read off the row of their number.

    `rows` has, for each count, shifts with their probabilities, ascending.
    """
    key = sum((Fraction(keys[one]) for one in people), Fraction(0)) % 1
    count = len(people)
    so_far = Fraction(0)
    for v, p in rows[min(count, len(rows) - 1)]:
        so_far += Fraction(p)
        if key < so_far:
            return count + v
    return count + v
