"""Numbers far from the others: which are they, and where may they go?"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.protection.recoding.column import (
    Change,
    RecodedColumn,
    SpecialCodes,
    are_whole,
    check_names,
    ordinary,
    records,
    replace_values,
    to_floats,
    were,
)
from unveil.protection.recoding.numbers import (
    NO_NUMBERS,
    check_huge,
    check_other_than_numbers,
    quantile,
)
from unveil.records.recoding import DropOutliers, PerturbOutliers
from unveil.study.band_spec import format_n

# The median absolute deviation of a normal distribution, times this, is its standard deviation.
ROBUST = 1.4826
_MOST_DRAWS = 20  # for a number that would become one that stands for no answer


@dataclass(frozen=True)
class Fences:
    """Beyond which numbers outliers lie, and where the column ends; infinite: on no side."""

    low: float
    high: float
    lowest: float
    highest: float

    def beyond(self, numbers: Floats) -> NDArray[np.bool_]:
        """Which numbers lie strictly beyond a fence."""
        with np.errstate(invalid="ignore"):
            return (numbers < self.low) | (numbers > self.high)


def drop_outliers(step: DropOutliers, column: RecodedColumn) -> Change:
    """Records without those whose number is an outlier; missing values and codes stay."""
    apart, fences = _find_fences(step, column)
    kept = tuple(pl.Series(~_are_outliers(side, apart, fences)) for side in column.sides)

    def describe(n: int) -> str:
        outlying = f"{records(n)} with an outlying value ({_rule(step)})"
        return f"Column {column.name!r}: {outlying} {were(n)} dropped."

    return Change(describe, kept=kept)


def perturb_outliers(step: PerturbOutliers, column: RecodedColumn) -> Change:
    """Outliers at another distance beyond their fence.

    Notes
    -----
    The distance of an outlier from its fence is multiplied by a random factor, uniform from
    1 - spread to 1 + spread, so that the mean excess stays about the same. What would leave the
    plausible range is mirrored back at its end, and never crosses the fence. Without a range given
    it is the one the column has. What would become a number that stands for no answer is drawn
    again, up to twenty times, and stays where that does not help.
    """
    apart, fences = _find_fences(step, column)
    made = tuple(
        _move_outliers(side, apart, fences, column.chance(place), float(step.spread))
        for place, side in enumerate(column.sides)
    )
    n_found = int(_are_outliers(column.sides[0], apart, fences).sum())

    def describe(n: int) -> str:
        values = format_n(n, "outlying value") if n else "no outlying value"
        moved = f"{values} ({_rule(step)}) {were(n)} moved at random"
        stayed = f"; {n_found - n:,} stayed the same by chance" if n_found > n else ""
        return f"Column {column.name!r}: {moved}{stayed}."

    return Change(describe, made)


def _find_fences(
    step: DropOutliers | PerturbOutliers, column: RecodedColumn
) -> tuple[SpecialCodes, Fences]:
    check_other_than_numbers(column)
    check_names(column)
    apart = column.apart.also(step.special_codes)
    numbers = np.sort(ordinary(column.sides[0], apart))
    if not len(numbers):
        raise SettingsError(NO_NUMBERS.format(column.name))
    for side in column.sides:
        check_huge(column.name, ordinary(side, apart))
    low, high = _fences(step, numbers, column.name)
    lowest, highest = float(numbers[0]), float(numbers[-1])
    if isinstance(step, PerturbOutliers) and step.between:
        lowest, highest = map(float, step.between)
        if numbers[0] < low < lowest or numbers[-1] > high > highest:
            raise SettingsError(
                f"the plausible range of column {column.name!r} ends before its outliers begin."
                " Widen between, or top-code instead."
            )
    return apart, Fences(low, high, lowest, highest)


def _fences(
    step: DropOutliers | PerturbOutliers, ordered: Floats, name: str
) -> tuple[float, float]:
    """Two quantiles, or so many robust standard deviations from the median.

    Notes
    -----
    A robust standard deviation is 1.4826 times the median absolute deviation from the median.
    """
    if step.quantile is not None:
        low, high = (quantile(ordered, share) for share in (_less(step.quantile), step.quantile))
    else:
        middle = float(np.median(ordered))
        scale = ROBUST * float(np.median(np.abs(ordered - middle)))
        if not scale:
            raise SettingsError(
                f"more than half of the numbers of column {name!r} are equal, so that a robust"
                " distance means nothing. Give a quantile instead."
            )
        reach = float(step.distance or 0) * scale
        low, high = middle - reach, middle + reach
    return (-np.inf if step.tail == "high" else low), (np.inf if step.tail == "low" else high)


def _less(share: float) -> float:
    """1 less the share, as people write it: 0.01, not 0.010000000000000009."""
    return float(f"{1 - share:.15g}")


def _are_outliers(side: pl.Series, apart: SpecialCodes, fences: Fences) -> NDArray[np.bool_]:
    numbers = to_floats(side)
    return fences.beyond(numbers) & ~apart.among(numbers, side.dtype)


def _move_outliers(
    side: pl.Series, apart: SpecialCodes, fences: Fences, rng: np.random.Generator, spread: float
) -> pl.Series:
    numbers = to_floats(side)
    chosen = _are_outliers(side, apart, fences)
    far = numbers[chosen]
    whole = are_whole(numbers)
    made = _draw_outliers(far, fences, rng, spread, whole=whole)
    for _ in range(_MOST_DRAWS):
        is_code = apart.among(made, side.dtype)
        if not is_code.any():
            break
        made[is_code] = _draw_outliers(far[is_code], fences, rng, spread, whole=whole)
    made = np.where(apart.among(made, side.dtype), far, made)
    values = np.zeros(len(numbers))
    values[chosen] = made
    return replace_values(side, chosen, values)


def _draw_outliers(
    far: Floats, fences: Fences, rng: np.random.Generator, spread: float, *, whole: bool
) -> Floats:
    """Outliers at another distance, within the plausible range."""
    is_high = far > fences.high
    fence = np.where(is_high, fences.high, fences.low)
    end = np.where(is_high, max(fences.highest, fences.high), min(fences.lowest, fences.low))
    factor = rng.uniform(1 - spread, 1 + spread, len(far))
    with np.errstate(over="ignore"):  # infinity is mirrored back as any number
        excess = np.abs(far - fence) * factor
        room = np.abs(end - fence)
        excess = np.where(excess > room, np.maximum(2 * room - excess, 0), excess)
        made = np.where(is_high, fence + excess, fence - excess)
    if not whole:
        return made
    # Towards the outside, so that nothing crosses its fence, but not beyond the end.
    high = np.minimum(np.ceil(made), np.floor(end))
    low = np.maximum(np.floor(made), np.ceil(end))
    return np.where(is_high, high, low)


def _rule(step: DropOutliers | PerturbOutliers) -> str:
    where = {"both": "beyond", "low": "below", "high": "above"}[step.tail]
    if step.quantile is not None:
        shares = {
            "both": f"the quantiles {_less(step.quantile):.15g} and {step.quantile:.15g}",
            "low": f"the quantile {_less(step.quantile):.15g}",
            "high": f"the quantile {step.quantile:.15g}",
        }
        return f"{where} {shares[step.tail]}"
    reach = "1 robust standard deviation"
    if step.distance != 1:
        reach = f"{step.distance:.15g} robust standard deviations"
    side = {"both": "from", "low": "below", "high": "above"}[step.tail]
    return f"more than {reach} {side} the median"
