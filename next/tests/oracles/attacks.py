"""Attacks by comparing every pair, and by going through every way to break ties.

From the definitions: Giomi et al. (2023); the distance, the missing rule and the expectation over
ties as docs/measures/inference.md and linkability.md state them. Exact fractions throughout.
A record is a tuple; None is missing. `specials` has, for each column, numbers that stand apart.
"""

from fractions import Fraction
from itertools import combinations, product
from math import sqrt
from statistics import NormalDist


def ranges(tables, specials):
    """The range of each numeric column over all tables; None for a column of texts."""
    found = []
    for column, apart in enumerate(specials):
        values = [row[column] for table in tables for row in table]
        numbers = [v for v in values if v is not None and v not in apart and _is_number(v)]
        is_text = any(isinstance(v, str) for v in values)
        found.append(None if is_text else max(numbers, default=0) - min(numbers, default=0))
    return found


def _is_number(value):
    return not isinstance(value, str)


def apart(a, b, span, specials):
    """How far two values of one column lie apart."""
    if span is None or a is None or b is None or a in specials or b in specials:
        return Fraction(a != b)
    return Fraction(abs(a - b), span) if span else Fraction(0)


def distances(person, copy, keys, spans, specials):
    """The distance of a person to every record of the copy, over some columns."""
    return [sum(apart(person[c], row[c], spans[c], specials[c]) for c in keys) for row in copy]


def is_right(guess, truth, share, specials):
    """Whether a guessed secret is right."""
    texts = isinstance(guess, str) or isinstance(truth, str)
    if texts or guess is None or truth is None or guess in specials or truth in specials:
        return guess == truth
    return abs(guess - truth) <= share * max(abs(truth), Fraction(1, 10**12))


def inferred(person, copy, *, keys, secret, spans, specials, share=Fraction(5, 100)):
    """The share of the nearest records whose secret is right."""
    found = distances(person, copy, keys, spans, specials)
    tied = [row for row, d in zip(copy, found, strict=True) if d == min(found)]
    right = [is_right(row[secret], person[secret], share, specials[secret]) for row in tied]
    return Fraction(sum(right), len(tied))


def guessed(person, copy, *, secret, specials, share=Fraction(5, 100)):
    """The share of all records whose secret is right."""
    right = [is_right(row[secret], person[secret], share, specials[secret]) for row in copy]
    return Fraction(sum(right), len(copy))


def people_distances(person, copy, keys, spans, specials):
    """The distance of a person with all their rows to every synthetic person: row beside row."""
    found = []
    for other in copy:
        both = list(zip(person, other, strict=False))
        rows = [sum(apart(a[c], b[c], spans[c], specials[c]) for c in keys) for a, b in both]
        found.append(sum(rows) + len(keys) * abs(len(person) - len(other)))
    return found


def inferred_by_all_rows(person, copy, *, keys, secret, spans, specials, share=Fraction(5, 100)):
    """The mean over the rows of a person of the share of nearest people whose row is right."""
    found = people_distances(person, copy, keys, spans, specials)
    tied = [other for other, d in zip(copy, found, strict=True) if d == min(found)]
    right = sum(
        at < len(other) and is_right(other[at][secret], row[secret], share, specials[secret])
        for at, row in enumerate(person)
        for other in tied
    )
    return Fraction(right, len(person) * len(tied))


def linked_by_all_rows(person, copy, *, parts, k, spans, specials):
    """As `linked`, of a person with all their rows."""
    first, second = (
        sets_of_nearest(people_distances(person, copy, keys, spans, specials), k) for keys in parts
    )
    return Fraction(sum(bool(a & b) for a, b in product(first, second)), len(first) * len(second))


def sets_of_nearest(found, k):
    """Every set of the k nearest, however ties for the last place are broken."""
    last = sorted(found)[k - 1]
    sure = [i for i, d in enumerate(found) if d < last]
    tied = [i for i, d in enumerate(found) if d == last]
    return [set(sure) | set(drawn) for drawn in combinations(tied, k - len(sure))]


def linked(person, copy, *, parts, k, spans, specials):
    """The share of all pairs of such sets that have a record in common."""
    first, second = (
        sets_of_nearest(distances(person, copy, keys, spans, specials), k) for keys in parts
    )
    return Fraction(sum(bool(a & b) for a, b in product(first, second)), len(first) * len(second))


def linked_by_chance(n, k):
    """The share of all pairs of sets of k among n that have a record in common."""
    sets = [set(s) for s in combinations(range(n), k)]
    return Fraction(sum(bool(a & b) for a, b in product(sets, sets)), len(sets) ** 2)


def wilson(successes, n, level):
    """Both ends of Wilson's interval: the rates p with |s/n - p| = z sqrt(p (1 - p) / n)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    # (1 + z2/n) p2 - (2 share + z2/n) p + share2 = 0
    a, b, c = 1 + z * z / n, -(2 * share + z * z / n), share * share
    root = sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)
