"""What a column has, record by record and in exact fractions: the plain way, for comparison."""

from collections import Counter
from fractions import Fraction
from math import ceil, floor


def whole_percent(n, total):
    if n == 0:
        return 0
    if n == total:
        return 100
    exact = Fraction(100 * n, total)
    below = floor(exact)
    half = exact - below
    nearest = below + (half > Fraction(1, 2) or (half == Fraction(1, 2) and below % 2 == 1))
    return min(max(nearest, 1), 99)


def told_range(values):
    """(low, high) as fractions, or None where there are fewer than fifty values."""
    ordered = sorted(values)
    n = len(ordered)
    if n < 50:
        return None
    place = max(5, ceil(Fraction(n, 100)))
    low, high = ordered[place - 1], ordered[-place]
    if low == high:
        return low, high
    step = Fraction(1)
    while (high - low) / step < 10:
        step /= 10
    while (high - low) / step >= 100:
        step *= 10
    return floor(low / step) * step, ceil(high / step) * step


def categories(entries, levels, missing):
    """Of a coded column: what is told of values that are present and not declared."""
    present = [entry for entry in entries if entry is not None and entry not in missing]
    counts = Counter(entry for entry in present if entry not in levels)
    everything = set(entries)
    return {
        "occurring": tuple(sorted(value for value, n in counts.items() if n >= 5)),
        "n_rare": sum(n < 5 for n in counts.values()),
        "n_outside": sum(counts.values()),
        "n_distinct": len(set(present)),
        "unused": tuple(
            code for code in dict.fromkeys([*levels, *missing]) if code not in everything
        ),
        "missing_percent": whole_percent(len(entries) - len(present), len(entries)),
    }
