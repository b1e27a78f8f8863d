"""Taub et al. (2018) and the TCAP note, told record by record, in exact fractions: slow and plain.

An intruder knows somebody's keys and looks for records with the same keys, in the original or in
the copies. A file is a list of rows ``(key, target)``, both tuples; None is missing, and None
equals None. Shares are Fractions from 0 to 1; None is a figure that does not exist.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

Row = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]
File = Sequence[Row]
Agree = Callable[[tuple, tuple], bool]
Score = Fraction | None


def same(one: tuple, other: tuple) -> bool:
    return one == other


def within(radii: Mapping[int, Fraction], apart: Mapping[int, Sequence] | None = None) -> Agree:
    """Numbers agree within the radius of their place; special codes and missing with themselves."""
    codes = apart or {}

    def agree(one: tuple, other: tuple) -> bool:
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            is_number = all(v is not None and v not in codes.get(place, ()) for v in (a, b))
            if place in radii and is_number:
                if abs(a - b) > radii[place]:
                    return False
            elif a != b:
                return False
        return True

    return agree


def matches(key: tuple, file: File) -> list[tuple]:
    """The targets of all rows with this key."""
    return [target for other, target in file if other == key]


def score(target: tuple, found: Sequence[tuple], agree: Agree = same) -> Score:
    """The share of the targets found that agree with the truth; none of nothing."""
    if not found:
        return None
    return Fraction(sum(agree(target, one) for one in found), len(found))


def mean(values: Sequence[Fraction]) -> Score:
    return sum(values, Fraction(0)) / len(values) if values else None


def is_settled(found: Sequence[tuple], agree: Agree) -> bool:
    """Is there something, and does all of it agree with each other?"""
    return bool(found) and all(agree(one, other) for one in found for other in found)


def uniques(original: File) -> list[bool]:
    keys = [key for key, _ in original]
    return [keys.count(key) == 1 for key in keys]


def cap(
    original: File, pool: File, chosen: Sequence[bool] | None = None, agree: Agree = same
) -> dict:
    """The means over those chosen among the original's people; everyone without a choice."""
    people = [row for i, row in enumerate(original) if chosen is None or chosen[i]]
    everyone = [target for _, target in original]
    found = [matches(key, pool) for key, _ in people]
    scores = [score(target, seen, agree) for (_, target), seen in zip(people, found, strict=True)]
    settled = [is_settled(seen, agree) for seen in found]
    right = [
        sure and all(agree(target, one) for one in seen)
        for (_, target), seen, sure in zip(people, found, settled, strict=True)
    ]
    defined = [one for one in scores if one is not None]
    matched = [row for row, seen in zip(people, found, strict=True) if seen]
    return {
        "n": len(people),
        "n_match": len(defined),
        "match_rate": Fraction(len(defined), len(people)) if people else None,
        "cap_original": mean([score(t, matches(key, original), agree) for key, t in people]),
        "cap_baseline": mean([score(t, everyone, agree) for _, t in people]),
        "cap_synthetic_zero": mean([one or Fraction(0) for one in scores]),
        "cap_synthetic_undefined": mean(defined),
        "cap_original_matched": mean(
            [score(t, matches(key, original), agree) for key, t in matched]
        ),
        "cap_baseline_matched": mean([score(t, everyone, agree) for _, t in matched]),
        "n_settled": sum(settled),
        "n_right": sum(right),
    }


def pools(copies: Sequence[File]) -> list[list[Row]]:
    """Copies 1 to m in one file, for every m."""
    return [[row for copy in copies[:m] for row in copy] for m in range(1, len(copies) + 1)]


def weap(pool: File) -> list[Fraction]:
    return [score(target, matches(key, pool)) for key, target in pool]


def tcap(original: File, pool: File, tau: float = 1.0) -> dict:
    """Taub and Elliot: each sure record of the copies, looked up in the original."""
    sure = [row for row, is_sure in zip(pool, weap(pool), strict=True) if float(is_sure) >= tau]
    scores = [score(target, matches(key, original)) for key, target in sure]
    defined = [one for one in scores if one is not None]
    return {
        "n_selected": len(sure),
        "n_undefined": len(sure) - len(defined),
        "tcap": mean(defined),
        "tcap_zero": mean([one or Fraction(0) for one in scores]),
    }


def tcap_raab(original: File, pool: File) -> Score:
    """Raab: of the people found, those shown one single target, and the right one, in percent."""
    seen = [(target, matches(key, pool)) for key, target in original]
    found = [(target, shown) for target, shown in seen if shown]
    right = sum(set(shown) == {target} for target, shown in found)
    return Fraction(100 * right, len(found)) if found else None


def apart(one: tuple, other: tuple) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def gcap(original: File, pool: File) -> tuple[Fraction, Fraction]:
    """The mean share of the target among the nearest records, and their mean distance."""
    scores, distances = [], []
    for key, target in original:
        fewest = min(apart(key, other) for other, _ in pool)
        nearest = [its for other, its in pool if apart(key, other) == fewest]
        scores.append(score(target, nearest))
        distances.append(Fraction(fewest))
    return mean(scores), mean(distances)


def line(x: Sequence[Fraction], y: Sequence[Fraction]) -> dict:
    """Ordinary least squares by its normal equations; p by adding up the density of t."""
    n = len(x)
    sx, sy = sum(x), sum(y)
    sxx, sxy = sum(a * a for a in x), sum(a * b for a, b in zip(x, y, strict=True))
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    intercept = (sy - slope * sx) / n
    left = sum((b - intercept - slope * a) ** 2 for a, b in zip(x, y, strict=True))
    df = n - 2
    variance = left / df
    se_slope = math.sqrt(variance * n / (n * sxx - sx * sx))
    se_intercept = math.sqrt(variance * sxx / (n * sxx - sx * sx))
    return {
        "intercept": intercept,
        "slope": slope,
        "se_intercept": se_intercept,
        "se_slope": se_slope,
        "p_intercept": both_tails(float(intercept) / se_intercept, df),
        "p_slope": both_tails(float(slope) / se_slope, df),
        "df": df,
    }


def both_tails(t: float, df: int, steps: int = 2000) -> float:
    """1 minus the area under the density of t from -|t| to |t|.

    With x = sqrt(df) tan(angle) the density is a power of the cosine, which Simpson's rule adds up
    well however large t is.
    """
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    end = math.atan(abs(t) / math.sqrt(df))
    heights = [math.cos(end * i / steps) ** (df - 1) for i in range(steps + 1)]
    weights = [1, *(4 if i % 2 else 2 for i in range(1, steps)), 1]
    area = sum(w * h for w, h in zip(weights, heights, strict=True)) * end / steps / 3
    return 1 - 2 * constant * area
