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

from unveil.arrays import Floats
from unveil.count.codes import encode
from unveil.errors import SettingsError
from unveil.io.code_meanings import find_code_number
from unveil.protection.recoding.column import (
    Change,
    RecodedColumn,
    SpecialCodes,
    are_whole,
    check_large,
    check_names,
    check_unless,
    find_codes,
    ordinary,
    records,
    replace_values,
    store_number,
    to_floats,
    were,
)
from unveil.records.codebook import Level, Variable
from unveil.records.disclosure import BandedColumn
from unveil.records.recoding import Band, BottomCode, CoarsenDate, Number, Round, TopCode
from unveil.study.band_spec import (
    can_be_written_out,
    code_text,
    format_n,
    names_open,
    number_texts,
    parse_bands,
)
from unveil.study.bands import LARGEST_EXACT, RankedValues, band

# Dates without their day: the first day of their month, quarter or year.


_EVERY = {"month": "1mo", "quarter": "1q", "year": "1y"}


def coarsen_dates(step: CoarsenDate, column: RecodedColumn) -> Change:
    """Every date as the first day of its period, so that the column stays one of dates.

    A date with a time loses the time too; in a time zone, midnight is that of the zone.
    """
    check_unless(
        column, ("date", "moment"), "dates", "Round numbers instead, or read the column as dates."
    )
    made = tuple(_first_days(side, step) for side in column.sides)

    def describe(n: int) -> str:
        return (
            f"Column {column.name!r}: {records(n)} {were(n)} set to the first day of the {step.to}."
        )

    return Change(describe, made)


def _first_days(side: pl.Series, step: CoarsenDate) -> pl.Series:
    if not side.dtype.is_temporal():  # nothing but missing values
        return side
    return side.dt.truncate(_EVERY[step.to])


HUGE = 1e150
NO_NUMBERS = "column {!r} holds no numbers besides special codes."
_MOST_DIGITS = 15  # behind the point
_NEAR_HALF = 1e-9  # how near to a half counts as one: 0.15 / 0.1 is 1.4999999999999998


def apply_limit(step: TopCode | BottomCode, column: RecodedColumn) -> Change:
    """What lies strictly beyond the limit, set to the limit; special codes stay.

    Notes
    -----
    As synthpop's `sdc` with bottom.top.coding and recode.exclude. A quantile is of R's type 7,
    over the finite numbers that are no special codes; among whole numbers it is moved to the next
    whole number towards the others, which puts nobody else beyond it; and to the next number that
    was given where it is a special code. It may be one person's exact number, and is not told: only
    `fixed_steps` has it.
    """
    check_other_than_numbers(column)
    check_names(column)
    is_top = isinstance(step, TopCode)
    apart = column.apart.also(step.special_codes)
    limit = _limit(step, column, apart)
    if limit is None:
        raise SettingsError(NO_NUMBERS.format(column.name))
    if apart.has(float(limit)):
        raise SettingsError(
            f"the limit of column {column.name!r} is a number that stands for a missing value. Give"
            " another one."
        )
    made = tuple(_at_most(side, limit, apart, is_top=is_top) for side in column.sides)
    fixed = msgspec.structs.replace(step, at=limit, quantile=None)
    return Change(
        _limit_sentence(step, column, limit, is_top=is_top),
        made,
        declared=lambda variable: _within(variable, limit, apart, is_top=is_top),
        fixed=(fixed,),
    )


def _limit_sentence(
    step: TopCode | BottomCode, column: RecodedColumn, limit: Number, *, is_top: bool
) -> Callable[[int], str]:
    side, what, to = "above" if is_top else "below", f"the quantile {step.quantile}", "it"
    if step.at is not None:
        end = _store_limit(column.sides[0].dtype, float(limit), is_top=is_top)
        what, to = (number_texts([float(one)])[0] for one in (limit, end))
    return lambda n: f"Column {column.name!r}: {records(n)} {side} {what} {were(n)} set to {to}."


def _limit(step: TopCode | BottomCode, column: RecodedColumn, apart: SpecialCodes) -> Number | None:
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


def _at_most(side: pl.Series, limit: Number, apart: SpecialCodes, *, is_top: bool) -> pl.Series:
    numbers = to_floats(side)
    end = store_number(side.dtype, float(limit))
    with np.errstate(invalid="ignore"):
        is_beyond = (numbers > end) if is_top else (numbers < end)
    chosen = is_beyond & ~apart.among(numbers, side.dtype)
    return replace_values(side, chosen, _store_limit(side.dtype, end, is_top=is_top))


def _store_limit(dtype: pl.DataType, limit: float, *, is_top: bool) -> float:
    """The limit with as many decimals as the column has, on the side of the others."""
    if not isinstance(dtype, pl.Decimal) or abs(limit) > LARGEST_EXACT:
        return limit
    unit = Decimal(1).scaleb(-(dtype.scale or 0))
    rounding = ROUND_FLOOR if is_top else ROUND_CEILING
    return float(Decimal(repr(limit)).quantize(unit, rounding))


def _within(variable: Variable, limit: Number, apart: SpecialCodes, *, is_top: bool) -> Variable:
    """What is declared of the column, without labels of numbers that cannot occur any more."""
    kept = []
    for level in variable.levels:
        held = find_code_number(level.code)
        is_beyond = held is not None and (held > limit if is_top else held < limit)
        if held is None or not is_beyond or apart.has(held):
            kept.append(level)
    return msgspec.structs.replace(variable, levels=tuple(kept))


def round_numbers(step: Round, column: RecodedColumn) -> Change:
    """Numbers as the nearest multiple; halves go away from zero, special codes stay."""
    check_other_than_numbers(column)
    check_names(column)
    apart = column.apart.also(step.special_codes)
    for side in column.sides:
        check_huge(column.name, ordinary(side, apart))
    made = tuple(_round_side(column.name, side, step.to, apart) for side in column.sides)

    def describe(n: int) -> str:
        unit = number_texts([float(step.to)])[0]
        return f"Column {column.name!r}: {records(n)} {were(n)} rounded to a multiple of {unit}."

    return Change(describe, made)


def _round_side(name: str, side: pl.Series, to: Number, apart: SpecialCodes) -> pl.Series:
    numbers = to_floats(side)
    find_kept_codes = apart.among(numbers, side.dtype) | ~np.isfinite(numbers)
    with np.errstate(over="ignore"):
        size = np.abs(np.where(find_kept_codes, 0.0, numbers)) / to
    find_kept_codes |= size > LARGEST_EXACT  # a float that large says nothing below the multiple
    size[find_kept_codes] = 0
    whole = np.floor(size)
    whole += size - whole >= 0.5 - _NEAR_HALF * np.maximum(size, 1)
    # As people write it: 3 times 0.1 is 0.3, not 0.30000000000000004.
    digits = max(0, -int(Decimal(repr(to)).as_tuple().exponent))
    with np.errstate(over="ignore"):
        made = np.copysign(whole * to, numbers)
    made = (np.round(made, digits) if digits <= _MOST_DIGITS else made) + 0.0
    chosen = ~find_kept_codes & (made != numbers) & np.isfinite(made)
    n = int(apart.among(made[chosen], side.dtype).sum())
    if n:
        raise SettingsError(
            f"{records(n)} of column {name!r} would get a number that stands for a missing"
            " value. Round to another multiple."
        )
    return replace_values(side, chosen, np.where(chosen, made, 0.0))


def check_other_than_numbers(column: RecodedColumn) -> None:
    """Refuse text and dates, and whole numbers too large to be reckoned with exactly."""
    check_unless(column, ("number",), "numbers", "Take the step out, or name another column.")
    check_large(column.name, column.sides)


def check_huge(name: str, numbers: Floats) -> None:
    """Refuse numbers so large that they can only be codes: distances between them overflow."""
    if len(numbers) and np.abs(numbers).max() > HUGE:
        raise SettingsError(
            f"column {name!r} holds numbers beyond {HUGE:.0e}. If they are codes, name them in"
            " special_codes."
        )


def quantile(ordered: Floats, share: float) -> float:
    """R's quantile of type 7, at its exact place and between numbers as people write them."""
    return RankedValues(ordered, np.ones(len(ordered), np.int64)).quantile(
        Fraction(repr(float(share)))
    )


# Bands in the place of numbers, and what is declared of a column in bands.


def apply_bands(step: Band, column: RecodedColumn) -> Change:
    """Bands in the place of numbers, found over the data and its copy as in every measure."""
    check_other_than_numbers(column)
    check_names(column)
    name = column.name
    settings = {
        "style": step.style,
        "n": step.n,
        "breaks": step.breaks or None,
        "labels": step.labels or None,
    }
    asked = parse_bands({name: settings}, {name: step.special_codes})
    plain = tuple(_without_nan(side) for side in column.sides)
    coded = encode(name, plain, special_codes=column.special_codes)
    (cut,), found, _ = band([coded], asked)
    if not found:
        raise SettingsError(NO_NUMBERS.format(name))
    made = tuple(cut.levels.gather(cut.codes[rows]).alias(name) for rows in cut.sides.slices)
    n_bands = format_n(len(found[0].levels), "band")

    def describe(n: int) -> str:
        return f"Column {name!r}: {records(n)} {were(n)} put into {n_bands}."

    apart = find_codes(plain, column.apart.also(step.special_codes))
    return Change(
        describe,
        made,
        declared=lambda variable: _in_bands(variable, column, made[0], apart),
        fixed=(_fix_breaks(step, column, found[0]),),
    )


def _in_bands(
    old: Variable, column: RecodedColumn, made: pl.Series, apart: tuple[float, ...]
) -> Variable:
    """What is declared of a column in bands: its label, its bands, and what its codes stand for."""
    if not isinstance(made.dtype, pl.Enum):
        return old
    declared = (old if column.variable is None else column.variable).levels
    held = {find_code_number(level.code): level.label for level in (*declared, *old.levels)}
    label_of = {code_text(code): label for code, label in held.items() if code is not None}
    levels = made.dtype.categories.to_list()
    codes = {code_text(code) for code in apart}
    return Variable(
        name=old.name,
        label=old.label,
        kind="text",
        measure="ordinal",
        levels=tuple(
            Level(code=text, label=label_of.get(text, text) if text in codes else text)
            for text in levels
        ),
        missing=tuple(text for text in levels if text in codes),
    )


def _fix_breaks(step: Band, column: RecodedColumn, found: BandedColumn) -> Band:
    """The step with the breaks that were found, and the same names for what lies between."""
    if found.style == "breaks":
        return step
    held = np.concatenate([to_floats(side.drop_nulls()) for side in column.sides])
    codes = find_codes(column.sides, column.apart.also(step.special_codes))
    numbers = held[np.isfinite(held) & ~np.isin(held, np.array(codes))]
    is_whole = are_whole(numbers) and can_be_written_out(np.abs(numbers).max())
    names = tuple(names_open(found.breaks, is_whole=is_whole))
    low, high = _ends(numbers)
    breaks = tuple(_plain(one) for one in (low, *found.breaks, high))
    return msgspec.structs.replace(step, style=None, n=None, breaks=breaks, labels=names)


def _ends(numbers: Floats) -> tuple[float, float]:
    """Round numbers beyond all others, which are nobody's own."""
    reach = 10.0 ** (math.floor(math.log10(max(1.0, float(np.abs(numbers).max())))) + 1)
    return (-reach if numbers.min() < 0 else 0.0), reach


def _plain(number: float) -> Number:
    return int(number) if number.is_integer() else number


def _without_nan(side: pl.Series) -> pl.Series:
    plain = side.alias("")
    return plain.fill_nan(None) if plain.dtype.is_float() else plain
