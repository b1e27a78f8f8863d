"""Which codings might help a column, and why? Proposals only: nothing is applied.

Reasons hold counts of records and levels, and no value of the data.
"""

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from unveil.measure.roles.looking import FEWEST, NEAR_UNIQUE
from unveil.protection.recoding.apart import ordinary
from unveil.protection.recoding.change import Column, records
from unveil.protection.recoding.held import Floats, are_whole
from unveil.protection.recoding.levels import Levels
from unveil.protection.recoding.numbers import HUGE, quantile
from unveil.protection.recoding.outliers import ROBUST
from unveil.protection.recoding.rare import rare_levels
from unveil.read.band_labels import number_texts
from unveil.read.bands import LARGEST_EXACT
from unveil.read.undeclared import kind_of
from unveil.records.recoding import (
    Band,
    BottomCode,
    CoarsenDate,
    Drop,
    Number,
    PerturbOutliers,
    Round,
    Step,
    TopCode,
)

TAIL, SHOULDER = 0.99, 0.9  # quantiles: where a tail begins, and where it would begin to thin out
LONG = 2.2  # how many times as far as the shoulder a long tail begins; 1.8 in a normal distribution
FAR = 6.0  # robust standard deviations
FEW = 0.01  # share of records up to which numbers that far are outliers
FINE = 0.5  # share of different values from which numbers are fine
STEPS = 50  # to about so many different numbers within the middle half, fine ones are rounded
ALONE = 0.05  # share of records alone in their month from which the year is proposed
MANY = 10  # different numbers from which a key is put into bands
BANDS = (16, 8, 5)  # to about so many bands: the first that leaves few alone
YEARS = (1850, 2100)
SPAN = 150  # whole numbers within so short a span are ages, years or scores

Found = tuple[Step, str]


def proposals(column: Column) -> Iterator[Found]:
    """Every coding that might help, with its reason."""
    side = column.sides[0]
    kind = kind_of(side.dtype)
    held = side.drop_nulls()
    if len(held) == 0 or side.dtype.is_nested():
        return
    if _is_beyond_reckoning(held):
        yield from _of_large(column, held)
    elif kind == "number" and not _is_coded(column):
        yield from _of_numbers(column)
    elif kind in ("date", "moment"):
        yield from _of_dates(column, held)
    elif kind in ("text", "number", "truth"):
        yield from _of_categories(column)


def bandings(column: Column) -> Iterator[Band]:
    """Bands between round numbers that might help a key, from many to few."""
    side = column.sides[0]
    if kind_of(side.dtype) != "number" or _is_beyond_reckoning(side) or _is_coded(column):
        return
    numbers = np.sort(ordinary(side, column.apart))
    if len(numbers) < FEWEST or np.abs(numbers[[0, -1]]).max() > HUGE:
        return
    if _n_values(numbers) < MANY or _is_identifier(numbers):
        return
    low, high = (quantile(numbers, share) for share in (0.05, 0.95))
    for n in BANDS:
        breaks = _round_breaks(low, high, n)
        if len(breaks) > 1:
            yield Band(column=column.name, breaks=breaks)


def _round_breaks(low: float, high: float, n: int) -> tuple[Number, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, about n of them from low to high."""
    unit = _round_number((high - low) / n, upwards=True)
    if unit is None:
        return ()
    first, last = math.ceil(low / unit), math.floor(high / unit)
    breaks = [float(f"{place * unit:.12g}") for place in range(first, last + 1)]
    return tuple(int(one) if one.is_integer() else one for one in breaks)


def _is_beyond_reckoning(held: pl.Series) -> bool:
    if not held.dtype.is_integer():
        return False
    ends = [end for end in (held.min(), held.max()) if isinstance(end, int)]
    return any(abs(end) > LARGEST_EXACT for end in ends)


def _of_large(column: Column, held: pl.Series) -> Iterator[Found]:
    n_values = held.n_unique()
    if len(held) >= FEWEST and n_values >= NEAR_UNIQUE * len(held):
        yield _drop(column, n_values, len(held))


def _is_coded(column: Column) -> bool:
    """Whether numbers stand for names: declared nominal or ordinal, or all of them labelled."""
    variable = column.variable
    if variable is None or not variable.levels:
        return False
    if variable.measure in ("nominal", "ordinal"):
        return True
    levels = Levels(column)
    return set(levels.counts) <= set(levels.labels)


def _of_categories(column: Column) -> Iterator[Found]:
    levels = Levels(column)
    counts = {level: n for level, n in levels.counts.items() if level not in levels.no_answers}
    n = sum(counts.values())
    if n < FEWEST:
        return
    if len(counts) >= NEAR_UNIQUE * n:
        yield _drop(column, len(counts), n)
        return
    yield from rare_levels(levels, counts)


def _drop(column: Column, n_values: int, n: int) -> Found:
    reason = f"{n_values:,} different values among {records(n)}: it is or acts as an identifier."
    return Drop(column=column.name), reason


def _of_dates(column: Column, held: pl.Series) -> Iterator[Found]:
    months = held.dt.truncate("1mo")
    n_exact = int((held != months).sum())
    if not n_exact:
        return
    n_alone = int((months.value_counts()["count"] == 1).sum())
    to_year = n_alone > ALONE * len(held)
    reason = f"{records(n_exact)} with a date to the day or finer"
    also = f", and {n_alone:,} would be alone even in their month" if to_year else ""
    yield (
        CoarsenDate(column=column.name, to="year" if to_year else "month"),
        f"{reason}{also}: exact dates point at people.",
    )


def _of_numbers(column: Column) -> Iterator[Found]:
    numbers = np.sort(ordinary(column.sides[0], column.apart))
    n = len(numbers)
    if n < FEWEST or np.abs(numbers[[0, -1]]).max() > HUGE:
        return
    n_values = _n_values(numbers)
    if _is_identifier(numbers):
        yield _drop(column, n_values, n)
        return
    yield from list(_tails(column, numbers)) or _outliers(column, numbers)
    if n_values >= FINE * n and (to := _unit(numbers)) is not None:
        reason = (
            f"{n_values:,} different numbers among {records(n)}: so fine a number is nearly a"
            f" fingerprint. Multiples of {number_texts([float(to)])[0]} keep most of what it says."
        )
        yield Round(column=column.name, to=to), reason


def _n_values(ordered: Floats) -> int:
    return int((np.diff(ordered) > 0).sum()) + 1


def _is_identifier(ordered: Floats) -> bool:
    """Whole numbers of which nearly all differ, and that are no years and no short scale.

    Running numbers are identifiers however few they are.
    """
    n_values, span = _n_values(ordered), ordered[-1] - ordered[0]
    if not are_whole(ordered) or n_values < NEAR_UNIQUE * len(ordered):
        return False
    if YEARS[0] <= ordered[0] and ordered[-1] <= YEARS[1]:
        return False
    return bool(span >= SPAN or span == n_values - 1 == len(ordered) - 1)


def _tails(column: Column, ordered: Floats) -> Iterator[Found]:
    """Tails that begin much further from the median than the shoulder lies.

    Notes
    -----
    |Q(0.99) - Q(0.5)| > 2.2 |Q(0.9) - Q(0.5)|, and on the other side with 0.01 and 0.1. The ratio
    is 1.2 in a uniform, 1.8 in a normal and 2.4 in an exponential distribution, however many
    records there are; a few extreme values alone, which are outliers, do not move it.
    """
    middle = quantile(ordered, 0.5)
    for is_top in (True, False):
        share, shoulder = (one if is_top else float(f"{1 - one:.15g}") for one in (TAIL, SHOULDER))
        limit = quantile(ordered, share)
        n_beyond = int((ordered > limit).sum() if is_top else (ordered < limit).sum())
        if n_beyond and abs(limit - middle) > LONG * abs(quantile(ordered, shoulder) - middle):
            reason = (
                f"A long tail: {records(n_beyond)} {'above' if is_top else 'below'} the quantile"
                f" {share:.15g}, which lies more than {LONG:.15g} times as far from the median as"
                f" the quantile {shoulder:.15g}."
            )
            kind = TopCode if is_top else BottomCode
            yield kind(column=column.name, quantile=share), reason


def _outliers(column: Column, ordered: Floats) -> Iterator[Found]:
    middle = float(np.median(ordered))
    scale = ROBUST * float(np.median(np.abs(ordered - middle)))
    n_far = int((np.abs(ordered - middle) > FAR * scale).sum())
    if scale and 0 < n_far <= max(1, FEW * len(ordered)):
        reason = (
            f"{records(n_far)} more than {FAR:.15g} robust standard deviations from the median."
        )
        yield PerturbOutliers(column=column.name, distance=FAR), reason


def _unit(ordered: Floats) -> Number | None:
    """A round number, about fifty to the middle half; None where rounding changes nothing."""
    low, high = (quantile(ordered, share) for share in (0.25, 0.75))
    to = _round_number((high - low) / STEPS)
    if to is None:
        return None
    with np.errstate(over="ignore"):
        multiples = ordered / to
    if np.allclose(multiples, np.rint(multiples), rtol=0, atol=1e-9):
        return None
    return int(to) if to.is_integer() else to


def _round_number(wanted: float, *, upwards: bool = False) -> float | None:
    """1, 2 or 5 times a power of ten: the last that is not above, or the first not below."""
    if wanted <= 0 or not math.isfinite(wanted):
        return None
    power = math.floor(math.log10(wanted))
    made = [float(f"{digit}e{power + more}") for more in (0, 1) for digit in (1, 2, 5)]
    if upwards:
        return next(one for one in made if one >= wanted * (1 - 1e-9))
    return max((one for one in made if one <= wanted * (1 + 1e-9)), default=made[0])
