"""`unveil.smooth`: numbers of a copy that are less often somebody's exact number.

Copies by classification trees repeat numbers of the original. Smoothed, each lies near what it was
and in the same order, and an amount that only one person has is less often found by its digits.
Some stay the same, and how many is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import check_faults
from unveil.arrays import Floats
from unveil.count.centring import centre
from unveil.errors import RolesError, SettingsError
from unveil.io.code_meanings import NOUNS, kind_of
from unveil.io.table import Table
from unveil.measure.result import RowsResult
from unveil.protection.recoding.column import (
    SpecialCodes,
    are_whole,
    check_large,
    declared_codes,
    replace_values,
    to_floats,
)
from unveil.protection.recoding.numbers import check_huge
from unveil.protection.recoding.recode import Data, restore_form
from unveil.records.protection import SmoothedColumn, Smoothing
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names
from unveil.study.study import open_files
from unveil.study.take_study import takes_study
from unveil.synthesis.split_columns import read_lettered_numbers

MOST_KNOTS = 1000
_MOST_SHIFT = 0.1  # of the standard deviation, on average: beyond, the column is another one
_FAR = (
    "Its numbers moved by more than a tenth of their standard deviation on average: they lie in"
    " clumps or few, which a spline flattens. Look at them, or round instead."
)
_FEWEST = 5  # distinct numbers that a cubic smoothing spline needs; and numbers for a mean
_ALIKE = 1e-6  # up to which share of itself a number counts as the same: six digits


@dataclass(frozen=True, repr=False, eq=False)
class SmoothResult(RowsResult[Smoothing]):
    """The data with smoothed columns; printing it shows no record of the data."""

    data: Data


@takes_study
def smooth(
    data: Any,
    columns: str | Iterable[str],
    *,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
) -> SmoothResult:
    """Smooth columns of numbers by a spline over their sorted values, put back by rank.

    Missing values and special codes (given, or declared by the codebook) stay as they are. Columns
    of whole numbers stay whole: what is smoothed is rounded.

    Notes
    -----
    The idea of synthpop's `sdc` with smooth.vars: smooth.spline of the sorted values, assigned
    back by rank. Here the distinct values stand at their mean ranks, each with as much weight as
    it has records; a cubic smoothing spline is fitted with the penalty that generalised
    cross-validation chooses (scipy's `make_smoothing_spline`), through at most 1,000 of them at
    even ranks where there are more; it is kept from falling, so that order stays, and inside the
    range of the column. What would become a number that stands for a missing value keeps its own.
    R chooses knots otherwise: figures differ in their digits, not in kind.
    """
    (table,) = open_files({"data": data}, None, missing_values)
    table = read_lettered_numbers(table)
    chosen = names(columns, "Columns to smooth")
    codes = parse_bands(None, special_codes).special_codes
    _check(table, chosen, codes)
    frame, rows = table.frame, []
    for name in chosen:
        side = frame[name].alias("")  # some names polars takes for patterns of names
        apart = declared_codes(table.variables.get(name)).also(codes.get(name, ()))
        try:
            made, row = _smooth_column(name, side, apart)
        except SettingsError as fault:
            raise SettingsError(f"{table.place}: {fault}") from None
        columns = {one.name: one for one in frame.get_columns()}
        frame = pl.DataFrame({**columns, name: made})
        rows.append(row)
    record = Smoothing(files=(table.source,), rows=tuple(rows), coercions=table.notes)
    return SmoothResult(record, restore_form(replace(table, frame=frame)))


def _check(table: Table, chosen: Sequence[str], codes: Mapping[str, Any]) -> None:
    if not chosen:
        raise RolesError("No columns to smooth are given. Name columns of numbers.")
    table.check_columns((*chosen, *codes))
    kinds = {name: kind_of(table.frame.schema[name]) for name in chosen}
    check_faults(
        f"Column {name!r} holds {NOUNS[kind]}, not numbers, and cannot be smoothed. Omit it."
        for name, kind in kinds.items()
        if kind != "number" and table.frame[name].null_count() < table.frame.height
    )


def _smooth_column(
    name: str, side: pl.Series, apart: SpecialCodes
) -> tuple[pl.Series, SmoothedColumn]:
    check_large(name, [side])
    numbers = to_floats(side)
    chosen = np.isfinite(numbers) & ~apart.among(numbers, side.dtype)
    old = numbers[chosen]
    check_huge(name, old)
    distinct, place, counts = np.unique(old, return_inverse=True, return_counts=True)
    if len(distinct) < _FEWEST:
        note = f"It has fewer than {_FEWEST} different numbers, and was left as it is."
        return side, _row(name, old, old, note)
    levels = _spline(name, distinct, counts.astype(np.float64))
    if are_whole(distinct):
        levels = np.rint(levels)
    # Its own number is no code; and what is below another one stays below it.
    levels = np.where(apart.among(levels, side.dtype), distinct, levels)
    levels = np.maximum.accumulate(levels)
    values = np.zeros(len(numbers))
    values[chosen] = levels[place]
    made = replace_values(side, chosen, values)
    return made, _row(name, old, to_floats(made)[chosen], None)


def _spline(name: str, distinct: Floats, counts: Floats) -> Floats:
    """The smoothed value of each distinct number, in the same order."""
    from scipy.interpolate import make_smoothing_spline

    ranks = np.cumsum(counts) - (counts - 1) / 2
    picked = np.unique(np.linspace(0, len(distinct) - 1, MOST_KNOTS).round().astype(np.int64))
    # On a scale from 0 to 1, and of spread 1, so that neither size nor unit decides the penalty.
    x, middle = ranks / ranks[-1], centre(distinct)
    y = middle.standardise(distinct[picked])
    try:
        spline = make_smoothing_spline(x[picked], y, counts[picked])
        found = np.asarray(spline(x), np.float64) * middle.sd(ddof=0) + middle.mean
    except (ValueError, np.linalg.LinAlgError):
        raise SettingsError(
            f"the numbers of column {name!r} lie too unevenly for a spline. Round or top-code it"
            " instead."
        ) from None
    return np.clip(np.maximum.accumulate(found), distinct[0], distinct[-1])


def _row(name: str, old: Floats, new: Floats, note: str | None) -> SmoothedColumn:
    def figure(values: Floats, of: Any) -> float | None:
        return float(of(values)) if len(values) >= _FEWEST else None

    return SmoothedColumn(
        column=name,
        n_values=len(old),
        n_changed=(np.abs(new - old) > _ALIKE * np.abs(old)).sum(),
        mean_before=figure(old, np.mean),
        mean_after=figure(new, np.mean),
        sd_before=figure(old, np.std),
        sd_after=figure(new, np.std),
        mean_shift=figure(np.abs(new - old), np.mean),
        note=note,
        warning=_FAR if len(old) and np.abs(new - old).mean() > _MOST_SHIFT * np.std(old) else None,
    )
