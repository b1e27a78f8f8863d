"""Plain counts behind the codings of columns: all assignments, and one number at a time."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


def best_agreement(links: Sequence[tuple[str, str]]) -> tuple[Fraction, Fraction]:
    """The share of linked pairs that agree as named, and under the best one-to-one reading."""
    mine, theirs = (sorted({pair[k] for pair in links}) for k in (0, 1))
    size = max(len(mine), len(theirs))
    mine += [f"no level {k}" for k in range(size - len(mine))]
    named = Fraction(sum(a == b for a, b in links), len(links))
    best = Fraction(0)
    for order in permutations(mine):
        reading = dict(zip(theirs, order, strict=False))
        best = max(best, Fraction(sum(reading[b] == a for a, b in links), len(links)))
    return named, best


def near(original: Sequence[Fraction], synthetic: Sequence[Fraction]) -> Fraction:
    """The largest F(e) - e for e up to one half, u being the distance over half the gap."""
    grid = sorted(set(original))
    shares = []
    for number in synthetic:
        if number in grid or not grid[0] < number < grid[-1]:
            continue
        low = max(one for one in grid if one < number)
        high = min(one for one in grid if one > number)
        shares.append(min(number - low, high - number) / ((high - low) / 2))
    found = [Fraction(0)]
    for e in shares:
        if e <= Fraction(1, 2):
            found.append(Fraction(sum(u <= e for u in shares), len(shares)) - e)
    return max(found)
