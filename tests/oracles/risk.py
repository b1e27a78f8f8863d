"""Who matches whom, and would a match be right? From the definition, pair by pair.

A file is a list of tuples, one entry a key; None is missing.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import exp, log

Row = tuple


def matches(one: Row, other: Row, *, wildcard: bool) -> bool:
    if not wildcard:
        return one == other
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def frequencies(
    rows: Sequence[Row],
    weights: Sequence[Fraction],
    *,
    wildcard: bool = True,
    alpha: Fraction = Fraction(1),
) -> list[tuple[Fraction, Fraction]]:
    """fk and Fk of every record: a match that lacks a key counts alpha, unless it is identical."""
    found = []
    for one in rows:
        counts = [
            (Fraction(1) if other == one or None not in other else alpha) if is_match else 0
            for other in rows
            for is_match in [matches(one, other, wildcard=wildcard)]
        ]
        total = sum(count * weight for count, weight in zip(counts, weights, strict=True))
        found.append((sum(counts, Fraction(0)), total))
    return found


def individual_risk(fk: float, Fk: float) -> float:
    """As sdcMicro prints it, where fk is whole; E(1/F) by Simpson's rule between 1 and 2."""
    if Fk <= fk:
        return 1 / fk
    p = fk / Fk
    odds = p / (1 - p)
    if fk == 1:
        return odds * log(1 / p)
    if fk == 2:
        return odds - odds**2 * log(1 / p)
    if fk < 2:
        return expected_inverse(fk, p)
    return p / (fk - (1 - p))


def expected_inverse(f: float, p: float, steps: int = 20_000) -> float:
    """The integral of v^(f-1) p / (p + q v) over v from 0 to 1, with v = x^4 to tame both ends."""

    def inside(x: float) -> float:
        v = x**4
        return 4 * x ** (4 * f - 1) * p / (p + (1 - p) * v)

    h = 1 / steps
    inner = sum((4 if step % 2 else 2) * inside(step * h) for step in range(1, steps))
    return h / 3 * (inside(0.0) + inner + inside(1.0))


def diversity(values: Sequence[Hashable], c: Fraction) -> tuple[int, float, int]:
    """Distinct, entropy and recursive l of the sensitive values of those who match."""
    counts = sorted(Counter(values).values(), reverse=True)
    n = len(values)
    entropy = -sum(count / n * log(count / n) for count in counts)
    recursive = max(
        (rank for rank in range(1, len(counts) + 1) if counts[0] < c * sum(counts[rank - 1 :])),
        default=0,
    )
    return len(counts), exp(entropy), recursive
