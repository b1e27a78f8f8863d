"""Who is alone, and with how few keys? From the definition: record by record, set by set.

A file is a list of tuples, one entry a key; None is missing. With `exclude` a record takes part in
no set with a key that it lacks: it is not unique on it, and hides nobody else.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, factorial

Row = tuple
Keys = tuple[int, ...]


def sets_of_keys(n_keys: int, most: int) -> Iterator[Keys]:
    for size in range(1, most + 1):
        yield from combinations(range(n_keys), size)


def is_unique(rows: Sequence[Row], i: int, keys: Keys, *, exclude: bool) -> bool:
    own = [rows[i][key] for key in keys]
    if exclude and None in own:
        return False
    return all(j == i or [rows[j][key] for key in keys] != own for j in range(len(rows)))


def minimal(rows: Sequence[Row], *, exclude: bool, most: int | None = None) -> list[list[Keys]]:
    """For every record its minimal sample uniques: unique, and no part of them is."""
    n_keys = len(rows[0])
    found: list[list[Keys]] = []
    for i in range(len(rows)):
        own: list[Keys] = []
        for keys in sets_of_keys(n_keys, n_keys if most is None else min(most, n_keys)):
            has_less = any(set(less) < set(keys) for less in own)
            if not has_less and is_unique(rows, i, keys, exclude=exclude):
                own.append(keys)
        found.append(own)
    return found


def weight(kind: str, n_keys: int, size: int) -> Fraction:
    if kind == "original":
        return Fraction(factorial(n_keys - size))
    return Fraction(2 ** (n_keys - size) - 1, comb(n_keys, size))


def scores(msus: Sequence[Sequence[Keys]], n_keys: int, kind: str) -> list[Fraction]:
    return [sum((weight(kind, n_keys, len(keys)) for keys in own), Fraction(0)) for own in msus]


def contributions(msus: Sequence[Keys], n_keys: int, kind: str) -> list[Fraction]:
    """Of one record: the share of its score from sets that contain each key."""
    (total,) = scores([msus], n_keys, kind)
    having = [[keys for keys in msus if key in keys] for key in range(n_keys)]
    return [part / total if total else Fraction(0) for part in scores(having, n_keys, kind)]


def alone_and_paired(rows: Sequence[Row]) -> tuple[int, int]:
    """Records alone with all keys, and records in pairs; missing is a level here."""
    counts = Counter(rows)
    return sum(n == 1 for n in counts.values()), sum(n for n in counts.values() if n == 2)


def dis_file(rows: Sequence[Row], f: Fraction) -> Fraction | None:
    alone, paired = alone_and_paired(rows)
    if not alone:
        return Fraction(0) if paired else None
    return alone * f / (alone * f + paired * (1 - f))


def dis_records(scored: Sequence[Fraction], rows: Sequence[Row], f: float) -> list[float]:
    """As it is printed, with U / DIS - U: not the form in which U cancels."""
    alone, _ = alone_and_paired(rows)
    whole = dis_file(rows, Fraction(f))
    q = 1 + (8 - len(rows[0])) / 20
    a = sum(float(score) ** -q for score in scored if score)
    return [
        1 / (1 + float(alone / whole - alone) / (float(score) ** q * a)) if score and whole else 0.0
        for score in scored
    ]


def special(scored: Sequence[Fraction], quantile: Fraction) -> list[bool]:
    """At or above the quantile of the positive scores, interpolated between two neighbours."""
    positive = sorted(score for score in scored if score)
    if not positive:
        return [False] * len(scored)
    place = (len(positive) - 1) * quantile
    low = place.numerator // place.denominator
    high = min(low + 1, len(positive) - 1)
    threshold = positive[low] + (positive[high] - positive[low]) * (place - low)
    return [bool(score) and score >= threshold for score in scored]
