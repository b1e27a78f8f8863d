"""GTCAP pair by pair, as Chapelle and Falissard (2023) print it in Algorithm 2; CAP on key uniques.

Records are tuples, missing is None. `radii` has the columns that are numeric, by their place; all
others are categorical. Numbers are taken as they are written, digit by digit: 0.7 is 0.3 from 0.4,
which a float does not know. What the paper leaves open is said where it is decided.
"""

from fractions import Fraction
from functools import cache
from math import fsum, prod
from typing import NamedTuple

RULES = ("all_keys", "key", "joint", "equal")
COEFFICIENTS = ("mean", "product", "minimum")
SAME = 1e-12


def proximity(a, b, radius):
    """1 for equals, falling to 0 at the radius. One missing: 0; both missing: 1 (our choice)."""
    if a is None or b is None:
        return 1.0 if a is b else 0.0
    if radius == 0:  # equality (our choice)
        return 1.0 if a == b else 0.0
    return float(max(0, 1 - abs(written(a) - written(b)) / written(radius)))


@cache
def written(number):
    """A number as its decimals say."""
    return Fraction(str(number))


class Roles(NamedTuple):
    """Keys, targets, which of them are numeric, and how several numbers make one coefficient."""

    keys: list
    targets: list
    radii: dict
    kind: str = "mean"


def coefficient(one, other, columns, roles):
    """How near two records are on some columns."""
    radii = roles.radii
    if any(one[c] != other[c] for c in columns if c not in radii):
        return 0.0
    proximities = [proximity(one[c], other[c], radii[c]) for c in columns if c in radii]
    if not proximities:
        return 1.0
    if roles.kind == "mean":
        return fsum(proximities) / len(proximities)
    return prod(proximities) if roles.kind == "product" else min(proximities)


def score(record, data, roles):
    """Sum of kc * tc over sum of kc; 0 where nothing is near."""
    kc = [coefficient(record, other, roles.keys, roles) for other in data]
    tc = [coefficient(record, other, roles.targets, roles) for other in data]
    if not any(kc):
        return 0.0
    return fsum(k * t for k, t in zip(kc, tc, strict=True)) / fsum(kc)


def baseline(record, original, roles):
    """The mean of tc over the original, the record itself among it."""
    tc = [coefficient(record, other, roles.targets, roles) for other in original]
    return fsum(tc) / len(tc)


def is_near(one, other, columns, radii):
    """Whether two records are near in every one of the columns."""
    return all(
        proximity(one[c], other[c], radii[c]) > 0 if c in radii else one[c] == other[c]
        for c in columns
    )


def is_unique(place, original, roles, rule="all_keys"):
    """Whether no other original record is like this one (our reading of getUniqueRows)."""
    own = original[place]

    def is_like(other):
        if rule == "key":
            return coefficient(own, other, roles.keys, roles) > 0
        if rule == "equal":
            return all(own[c] == other[c] for c in roles.keys)
        columns = [*roles.keys, *(roles.targets if rule == "joint" else ())]
        return is_near(own, other, columns, roles.radii)

    return not any(is_like(other) for i, other in enumerate(original) if i != place)


def normalised(synthetic, base, own):
    """Between guessing (0) and the original (1); None where these two are the same."""
    return None if abs(own - base) <= SAME else (synthetic - base) / (own - base)


def gtcap(original, synthetic, roles, rule="all_keys"):
    """Who is unique, and the four scores of each of these."""
    unique = [is_unique(place, original, roles, rule) for place in range(len(original))]
    rows = []
    for place, own in enumerate(original):
        if unique[place]:
            copy, real = (score(own, data, roles) for data in (synthetic, original))
            base = baseline(own, original, roles)
            rows.append((place, copy, base, real, normalised(copy, base, real)))
    return {"unique": unique, "rows": rows, **summary(rows)}


def summary(rows):
    """Counts and means over all uniques."""
    kept = [row[4] for row in rows if row[4] is not None]
    found = {"n_unique": len(rows), "n_dropped": len(rows) - len(kept)}
    found["mean"] = fsum(kept) / len(kept) if kept else None
    found["ratio_of_means"] = None
    if rows:
        copy, base, real = (fsum(row[c] for row in rows) / len(rows) for c in (1, 2, 3))
        found["ratio_of_means"] = normalised(copy, base, real)
    return found


def cap_of_key_uniques(original, synthetic, keys, targets):
    """Zero-coded CAP of each original record whose keys no other has: Taub et al. 2018."""

    def part(record, columns):
        return tuple(record[c] for c in columns)

    scores = {}
    for place, own in enumerate(original):
        alike = [r for r in original if part(r, keys) == part(own, keys)]
        if len(alike) == 1:
            matching = [r for r in synthetic if part(r, keys) == part(own, keys)]
            right = [r for r in matching if part(r, targets) == part(own, targets)]
            scores[place] = len(right) / len(matching) if matching else 0.0
    return scores
