"""Recoding from the definitions, value by value. None is missing."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from math import ceil, floor
from statistics import median


def exact(number: float) -> Fraction:
    """A number as people write it."""
    return Fraction(repr(number))


def quantile(values: Sequence[float], share: float) -> float:
    """R's type 7."""
    ordered = sorted(values)
    place = exact(share) * (len(ordered) - 1)
    low = floor(place)
    if place == low:
        return ordered[low]
    here, there = exact(ordered[low]), exact(ordered[low + 1])
    return float(here + (there - here) * (place - low))


def limit_at(values: Sequence[float], share: float, codes: Sequence[float], *, top: bool) -> float:
    """The quantile; whole among whole numbers, and never a code: the next answer inwards then."""
    found = quantile(values, share)
    if all(value == int(value) for value in values):
        found = floor(found) if top else ceil(found)
    if found not in codes:
        return found
    if top:
        return max(value for value in values if value <= found)
    return min(value for value in values if value >= found)


def cut_off(values, limit, codes, *, top):
    def one(value):
        if value is None or value in codes:
            return value
        return min(value, limit) if top else max(value, limit)

    return [one(value) for value in values]


def rounded(values, to, codes):
    def one(value):
        if value is None or value in codes:
            return value
        times = abs(exact(value)) / exact(to)
        nearest = floor(times + Fraction(1, 2)) * exact(to)
        return float(nearest if value >= 0 else -nearest)

    return [one(value) for value in values]


def rare_into_one(values: Sequence[str | None], below: int, into: str) -> list[str | None]:
    counts = Counter(values)
    return [v if v is None or counts[v] >= below else into for v in values]


def up_the_hierarchy(
    values: Sequence[str | None], parents: Mapping[str, str], below: int
) -> list[str | None]:
    """A level joins its parent while it, with all that joined it, has fewer than `below`."""
    own = Counter(value for value in values if value is not None)

    def held(level: str) -> int:
        joined = (child for child, parent in parents.items() if parent == level)
        return own[level] + sum(held(child) for child in joined if climbs(child))

    def climbs(level: str) -> bool:
        return level in parents and 0 < held(level) < below

    def last(level: str) -> str:
        return last(parents[level]) if climbs(level) else level

    return [None if value is None else last(value) for value in values]


def up_to_the_top(values: Sequence[str | None], parents: Mapping[str, str]) -> list[str | None]:
    def last(level: str) -> str:
        return last(parents[level]) if level in parents else level

    return [None if value is None else last(value) for value in values]


def first_day(day: date, period: str) -> date:
    month = {"month": day.month, "quarter": 3 * ((day.month - 1) // 3) + 1, "year": 1}[period]
    return date(day.year, month, 1)


def fences(values: Sequence[float], *, share=None, distance=None) -> tuple[float, float] | None:
    """Between these no number is an outlier; None where the rule means nothing."""
    if share is not None:
        return quantile(values, float(1 - exact(share))), quantile(values, share)
    middle = median(values)
    scale = 1.4826 * median(abs(value - middle) for value in values)
    return (middle - distance * scale, middle + distance * scale) if scale else None


def key_figures(rows: Sequence[Hashable], copy: Sequence[Hashable] = ()) -> dict[str, int]:
    here, there = Counter(rows), Counter(copy)
    figures = {f"below {k}": sum(here[row] < k for row in rows) for k in (2, 3, 5)}
    twice = sum(here[row] == 1 and there[row] == 1 for row in rows)
    return {**figures, "uniques": sum(here[row] == 1 for row in rows), "replicated": twice}


def replicated(original: Sequence[Hashable], copy: Sequence[Hashable]) -> dict[str, list[int]]:
    """Which records of the copy are unique, unique and in the original, unique in both."""
    here, there = Counter(original), Counter(copy)
    alone = [i for i, row in enumerate(copy, 1) if there[row] == 1]
    return {
        "unique": alone,
        "in original": [i for i in alone if here[copy[i - 1]] > 0],
        "replicated": [i for i in alone if here[copy[i - 1]] == 1],
    }
