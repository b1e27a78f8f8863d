"""Numbers cut off and rounded: what lies beyond a limit, and what lies between multiples.

Nothing may become a number that stands for no answer: a person who gave one would seem to have
given none.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

import msgspec
import numpy as np
import polars as pl

from unveil.errors import SettingsError
from unveil.protection.recoding.apart import Apart, ordinary
from unveil.protection.recoding.change import (
    Change,
    Column,
    records,
    refuse_large,
    refuse_names,
    refuse_unless,
    were,
)
from unveil.protection.recoding.held import Floats, are_whole, floats_of, kept_in, replaced
from unveil.read.band_labels import number_texts
from unveil.read.bands import LARGEST_EXACT
from unveil.read.meanings import number_held
from unveil.records.codebook import Variable
from unveil.records.recoding import BottomCode, Number, Round, TopCode

HUGE = 1e150
NO_NUMBERS = "column {!r} holds no numbers besides special codes."
_MOST_DIGITS = 15  # behind the point
_NEAR_HALF = 1e-9  # how near to a half counts as one: 0.15 / 0.1 is 1.4999999999999998


def cut_off(step: TopCode | BottomCode, column: Column) -> Change:
    """What lies strictly beyond the limit, set to the limit; special codes stay.

    Notes
    -----
    As synthpop's `sdc` with bottom.top.coding and recode.exclude. A quantile is of R's type 7,
    over the finite numbers that are no special codes; among whole numbers it is moved to the next
    whole number towards the others, which puts nobody else beyond it; and to the next number that
    was given where it is a special code. It may be one person's exact number, and is not told: only
    `fixed_steps` has it.
    """
    refuse_other_than_numbers(column)
    refuse_names(column)
    is_top = isinstance(step, TopCode)
    apart = column.apart.also(step.special_codes)
    limit = _limit(step, column, apart)
    if limit is None:
        raise SettingsError(NO_NUMBERS.format(column.name))
    if apart.has(float(limit)):
        raise SettingsError(
            f"the limit of column {column.name!r} is a number that stands for no answer. Give"
            " another one."
        )
    made = tuple(_at_most(side, limit, apart, is_top=is_top) for side in column.sides)
    fixed = msgspec.structs.replace(step, at=limit, quantile=None)
    return Change(
        _told_limit(step, column, limit, is_top=is_top),
        made,
        declared=lambda variable: _within(variable, limit, apart, is_top=is_top),
        fixed=(fixed,),
    )


def _told_limit(
    step: TopCode | BottomCode, column: Column, limit: Number, *, is_top: bool
) -> Callable[[int], str]:
    side, what, to = "above" if is_top else "below", f"the quantile {step.quantile}", "it"
    if step.at is not None:
        end = _held(column.sides[0].dtype, float(limit), is_top=is_top)
        what, to = (number_texts([float(one)])[0] for one in (limit, end))
    return lambda n: f"Column {column.name!r}: {records(n)} {side} {what} {were(n)} set to {to}."


def _limit(step: TopCode | BottomCode, column: Column, apart: Apart) -> Number | None:
    if step.at is not None:
        return step.at
    numbers = ordinary(column.sides[0], apart)
    if not len(numbers) or step.quantile is None:
        return None
    found = quantile(np.sort(numbers), step.quantile)
    is_top = isinstance(step, TopCode)
    limit = (math.floor(found) if is_top else math.ceil(found)) if are_whole(numbers) else found
    if apart.has(float(limit)):  # the next number that somebody gave as an answer
        near = numbers[numbers <= limit].max() if is_top else numbers[numbers >= limit].min()
        return int(near) if are_whole(numbers) else float(near)
    return limit


def _at_most(side: pl.Series, limit: Number, apart: Apart, *, is_top: bool) -> pl.Series:
    numbers = floats_of(side)
    end = kept_in(side.dtype, float(limit))
    with np.errstate(invalid="ignore"):
        is_beyond = (numbers > end) if is_top else (numbers < end)
    chosen = is_beyond & ~apart.among(numbers, side.dtype)
    return replaced(side, chosen, _held(side.dtype, end, is_top=is_top))


def _held(dtype: pl.DataType, limit: float, *, is_top: bool) -> float:
    """The limit with as many decimals as the column has, on the side of the others."""
    if not isinstance(dtype, pl.Decimal) or abs(limit) > LARGEST_EXACT:
        return limit
    unit = Decimal(1).scaleb(-(dtype.scale or 0))
    rounding = ROUND_FLOOR if is_top else ROUND_CEILING
    return float(Decimal(repr(limit)).quantize(unit, rounding))


def _within(variable: Variable, limit: Number, apart: Apart, *, is_top: bool) -> Variable:
    """What is declared of the column, without labels of numbers that cannot occur any more."""
    kept = []
    for level in variable.levels:
        held = number_held(level.code)
        is_beyond = held is not None and (held > limit if is_top else held < limit)
        if held is None or not is_beyond or apart.has(held):
            kept.append(level)
    return msgspec.structs.replace(variable, levels=tuple(kept))


def rounded(step: Round, column: Column) -> Change:
    """Numbers as the nearest multiple; halves go away from zero, special codes stay."""
    refuse_other_than_numbers(column)
    refuse_names(column)
    apart = column.apart.also(step.special_codes)
    for side in column.sides:
        refuse_huge(column.name, ordinary(side, apart))
    made = tuple(_rounded(column.name, side, step.to, apart) for side in column.sides)

    def told(n: int) -> str:
        unit = number_texts([float(step.to)])[0]
        return f"Column {column.name!r}: {records(n)} {were(n)} rounded to a multiple of {unit}."

    return Change(told, made)


def _rounded(name: str, side: pl.Series, to: Number, apart: Apart) -> pl.Series:
    numbers = floats_of(side)
    is_kept = apart.among(numbers, side.dtype) | ~np.isfinite(numbers)
    with np.errstate(over="ignore"):
        size = np.abs(np.where(is_kept, 0.0, numbers)) / to
    is_kept |= size > LARGEST_EXACT  # a float that large says nothing below the multiple
    size[is_kept] = 0
    whole = np.floor(size)
    whole += size - whole >= 0.5 - _NEAR_HALF * np.maximum(size, 1)
    # As people write it: 3 times 0.1 is 0.3, not 0.30000000000000004.
    digits = max(0, -int(Decimal(repr(to)).as_tuple().exponent))
    with np.errstate(over="ignore"):
        made = np.copysign(whole * to, numbers)
    made = (np.round(made, digits) if digits <= _MOST_DIGITS else made) + 0.0
    chosen = ~is_kept & (made != numbers) & np.isfinite(made)
    n = int(apart.among(made[chosen], side.dtype).sum())
    if n:
        raise SettingsError(
            f"{records(n)} of column {name!r} would get a number that stands for no answer. Round"
            " to another multiple."
        )
    return replaced(side, chosen, np.where(chosen, made, 0.0))


def refuse_other_than_numbers(column: Column) -> None:
    """Refuse text and dates, and whole numbers too large to be reckoned with exactly."""
    refuse_unless(column, ("number",), "numbers", "Take the step out, or name another column.")
    refuse_large(column.name, column.sides)


def refuse_huge(name: str, numbers: Floats) -> None:
    """Refuse numbers so large that they can only be codes: distances between them overflow."""
    if len(numbers) and np.abs(numbers).max() > HUGE:
        raise SettingsError(
            f"column {name!r} holds numbers beyond {HUGE:.0e}. If they are codes, name them in"
            " special_codes."
        )


def quantile(ordered: Floats, share: float) -> float:
    """R's quantile of type 7, at its exact place and between numbers as people write them."""
    place = Fraction(repr(float(share))) * (len(ordered) - 1)
    low = math.floor(place)
    if place == low:
        return float(ordered[low])
    below, above = (Fraction(repr(float(one))) for one in ordered[low : low + 2])
    return float(below + (above - below) * (place - low))
