"""Taub et al. (2018), section 4.3, told record by record: slow and plain on purpose.

A file is a list of rows ``(key, target)``, as in `oracles.raab`; None equals None. Scores are
Fractions, or None where a person's keys are in no copy. The test is Welch's, in floats, with the
tail of the t distribution from a continued fraction of the incomplete beta function.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from statistics import mean, variance

Row = tuple[tuple[Hashable, ...], Hashable]
File = Sequence[Row]
RULES = ("zero", "undefined")


def drawers(pool: File) -> dict:
    """The pool sorted into drawers, one per key: the targets of all rows that have that key."""
    found: dict = {}
    for key, target in pool:
        found.setdefault(key, []).append(target)
    return found


def scores(people: File, pool: File, rule: str) -> list[Fraction]:
    """The scores of all people: a non-match counts 0, or is left out."""
    copy, found = drawers(pool), []
    for key, target in people:
        if key in copy:
            # The share of the rows with this person's keys that have this person's target.
            found.append(Fraction(copy[key].count(target), len(copy[key])))
        elif rule == "zero":
            found.append(Fraction(0))
    return found


def by_m(included: File, left_out: File, copies: Sequence[File], rule: str) -> Iterator[dict]:
    """Every figure that is not drawn by chance, for the first copy, the first two pooled, ..."""
    for m in range(1, len(copies) + 1):
        pool = [row for copy in copies[:m] for row in copy]
        a, b = (scores(people, pool, rule) for people in (included, left_out))
        keys = {key for key, _ in pool}
        yield {
            "m": m,
            "n_included": len(a),
            "n_left_out": len(b),
            "n_match_included": sum(key in keys for key, _ in included),
            "n_match_left_out": sum(key in keys for key, _ in left_out),
            "n_keys_included": len({key for key, _ in included if rule == "zero" or key in keys}),
            "n_keys_left_out": len({key for key, _ in left_out if rule == "zero" or key in keys}),
            "mean_included": mean(a) if a else None,
            "mean_left_out": mean(b) if b else None,
            "difference": mean(a) - mean(b) if a and b else None,
            **welch(a, b),
        }


def welch(a: Sequence[Fraction], b: Sequence[Fraction]) -> dict[str, float | None]:
    """Welch's t, its degrees of freedom, and the probability of both tails."""
    if min(len(a), len(b)) < 2 or variance(a) == variance(b) == 0:
        return {"t": None, "df": None, "p": None}
    e_a, e_b = variance(a) / len(a), variance(b) / len(b)
    t = float(mean(a) - mean(b)) / math.sqrt(e_a + e_b)
    df = float((e_a + e_b) ** 2 / (e_a**2 / (len(a) - 1) + e_b**2 / (len(b) - 1)))
    return {"t": t, "df": df, "p": incomplete_beta(df / 2, 0.5, df / (df + t * t))}


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log_front += a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _continued_fraction(a, b, x))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """1 + d_1 / (1 + d_2 / (1 + ...)), from the inside out."""
    value = 1.0
    for k in range(2000, 0, -1):
        m = k // 2
        if k % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + d / value
    return value


def classes(included: File, left_out: File, pool: File, rule: str) -> list:
    """The key combinations that have anyone with a score."""
    keys = {key for key, _ in pool}
    people = dict.fromkeys(key for key, _ in (*included, *left_out))
    return [key for key in people if rule == "zero" or key in keys]


def difference_of_draw(
    included: File, left_out: File, pool: File, drawn: Sequence, rule: str
) -> Fraction | None:
    """The difference in means over everyone in the key combinations drawn, as often as drawn."""
    a, b = (
        scores([row for key in drawn for row in people if row[0] == key], pool, rule)
        for people in (included, left_out)
    )
    return mean(a) - mean(b) if a and b else None


def bootstrap(included: File, left_out: File, pool: File, rule: str) -> dict[Fraction, Fraction]:
    """The differences that drawing key combinations anew can give, each with its probability."""
    known = classes(included, left_out, pool, rule)
    found = Counter(
        difference_of_draw(included, left_out, pool, drawn, rule)
        for drawn in product(known, repeat=len(known))
    )
    del found[None]
    total = sum(found.values())
    return {value: Fraction(n, total) for value, n in sorted(found.items())}
