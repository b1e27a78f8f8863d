"""Between what do the values of a column lie, without telling where they begin and end?

The lowest and the highest value belong to single people. Told instead are the 1st and the 99th
percentile, moved inwards until at least five people lie at or beyond them, and rounded outwards.
"""

import math
from datetime import date, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import polars as pl

from unveil.records.codebook import Code
from unveil.records.described import FEWEST_PEOPLE, FEWEST_VALUES

Range = tuple[Code | None, Code | None]

_NOT_TOLD: Range = (None, None)
_EXACT = 2**63  # whole numbers beyond are no numbers of JSON to everyone
_TEN_YEARS = 3653  # days


def told_range(counts: pl.DataFrame) -> Range:
    """The range of numbers, dates or times; nothing where there are fewer than fifty.

    Parameters
    ----------
    counts
        Each `value` and how many people have it (`n`).

    Notes
    -----
    Of n ordered values the one in place max(5, ceil(n / 100)) from either end is taken: from 500
    values on, these are the 1st and the 99th percentile (inverse of the distribution function).
    Numbers are rounded outwards to two digits of the distance between the two, so that years of
    birth from 1931 to 2004 do not become 1900 to 2100. Dates become whole months, or whole years
    where they lie ten years apart; times become whole hours.
    """
    if int(counts["n"].sum()) < FEWEST_VALUES:
        return _NOT_TOLD
    if counts["value"].dtype.is_float():
        counts = counts.filter(pl.col("value").is_finite())
    n = int(counts["n"].sum())
    if n < FEWEST_VALUES:
        return _NOT_TOLD
    place = max(FEWEST_PEOPLE, math.ceil(n / 100))
    ordered = counts.sort("value")
    low, high = (_at(ordered, rank) for rank in (place, n - place + 1))
    if counts["value"].dtype.is_numeric():
        return _numbers(Decimal(str(low)), Decimal(str(high)))
    if isinstance(low, date) and isinstance(high, date):
        length = 4 if (high - low).days >= _TEN_YEARS else 7
        return low.isoformat()[:length], high.isoformat()[:length]
    if isinstance(low, time) and isinstance(high, time):
        is_whole = (high.minute, high.second, high.microsecond) == (0, 0, 0)
        return f"{low.hour:02}:00", f"{high.hour + (not is_whole):02}:00"
    return _NOT_TOLD


def _at(ordered: pl.DataFrame, place: int) -> Any:
    """The value of the person in this place, counted from the lowest."""
    return ordered["value"][int(ordered["n"].cum_sum().search_sorted(place))]


def _numbers(low: Decimal, high: Decimal) -> Range:
    distance = high - low
    if not distance:
        return _plain(low), _plain(high)
    step = Decimal(1).scaleb(distance.adjusted() - 1)
    return (
        _plain((low / step).to_integral_value(ROUND_FLOOR) * step),
        _plain((high / step).to_integral_value(ROUND_CEILING) * step),
    )


def _plain(number: Decimal) -> int | float:
    is_whole = abs(number) < _EXACT and number == number.to_integral_value()
    return int(number) if is_whole else float(number)
