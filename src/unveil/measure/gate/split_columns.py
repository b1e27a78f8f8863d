"""Do new columns tell together what the synthetic data seem to hide: people's dates or amounts?

A date that is left out can be spelt in a year, a month and a day; an amount that is rounded can be
put together again from what was left of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.assessment.alerts import format_names
from unveil.io.table import Table
from unveil.measure.gate.columns import pair_column
from unveil.measure.gate.copied_columns import as_precise, find_single_holder
from unveil.measure.gate.disguises import FEWEST, SHARED, share_among, usual_steps
from unveil.measure.gate.values import round_digits
from unveil.measure.structure.relations import column_numbers
from unveil.records.alerts import CopiedColumn, SingleHolder
from unveil.records.base import Copy

MOST_NUMBERS = 12
"""Columns of numbers that are tried with others."""
_FEW = 500  # records that are tried first
_MOST_SETS = 60  # sets of columns that are tried as a date
_DATES = (pl.Date, pl.Datetime)
_DATE_PARTS: dict[str, Callable[[Any], pl.Series]] = {
    "year": lambda dates: dates.year(),
    "year of its century": lambda dates: dates.year() % 100,
    "month": lambda dates: dates.month(),
    "day": lambda dates: dates.day(),
    "day of the year": lambda dates: dates.ordinal_day(),
    "month and day in one number": lambda dates: dates.month().cast(pl.Int64) * 100 + dates.day(),
}
_DATE_WAYS = tuple(
    (year, *rest)
    for year in ("year", "year of its century")
    for rest in (("month", "day"), ("day of the year",), ("month and day in one number",))
)


def find_split_columns(
    original: Table, synthetic: Table, names: Sequence[str], copy: Copy
) -> dict[str, CopiedColumn]:
    """Columns that give people's values back: new ones by name, a pair of others in words."""
    found = _find_amounts(original, synthetic, names, copy)
    return found | (_find_dates(original, synthetic, names, copy) if names else {})


def recodes(row: SingleHolder, name: str, like: str, detail: str, n_records: int) -> CopiedColumn:
    """A new column that tells what people have in a column of the original."""
    return CopiedColumn(
        copy=row.copy,
        column=name,
        reason="recodes",
        like=like,
        detail=detail,
        n_real=row.n_reappearing,
        n_records=n_records,
    )


def find_of_people(
    tables: Sequence[Table], mine: pl.Series, theirs: pl.Series, copy: Copy
) -> SingleHolder | None:
    """Values of one person each, which most have, where they reappear beyond what is expected."""
    row = find_single_holder(pair_column(tables, (mine, theirs)), 1, copy)
    if row is None or row.n_held < SHARED * len(mine):
        return None
    return row if row.n_reappearing / row.n_held - row.expected >= SHARED / 2 else None


def _find_dates(
    original: Table, synthetic: Table, names: Sequence[str], copy: Copy
) -> dict[str, CopiedColumn]:
    """New columns that spell people's dates: year, month and day, or another way."""
    frame = synthetic.frame
    whole = {
        name: frame[name].cast(pl.Int64, strict=False)
        for name in names
        if frame[name].dtype.is_numeric() or frame[name].dtype == pl.String
    }
    spans = {
        name: (int(low), int(high))
        for name, one in whole.items()
        if one.null_count() == frame[name].null_count()
        and isinstance(low := one.min(), int)
        and isinstance(high := one.max(), int)
    }
    dated = [one for one in original.frame.columns if original.frame[one].dtype in _DATES]
    for like, way in product(dated, _DATE_WAYS):
        told = [_DATE_PARTS[part](original.frame[like].dt).cast(pl.Int64) for part in way]
        fitting = [
            [name for name, (low, high) in spans.items() if least <= low and high <= most]
            for least, most in ((one.min(), one.max()) for one in told)
            if isinstance(least, int) and isinstance(most, int)
        ]
        tried = (one for one in product(*fitting) if len(set(one)) == len(way))
        for asked in islice(tried, _MOST_SETS):
            theirs = _join_numbers([whole[name] for name in asked])
            row = find_of_people((original, synthetic), _join_numbers(told), theirs, copy)
            if row is not None:
                detail = f"{format_names(asked)} are the {format_names(way)} of people's {like}"
                return {name: recodes(row, name, like, detail, frame.height) for name in asked}
    return {}


def _join_numbers(columns: Sequence[pl.Series]) -> pl.Series:
    """Numbers of several columns as one text a row; none where one is missing."""
    frame = pl.DataFrame({str(place): one for place, one in enumerate(columns)})
    return frame.select(pl.concat_str(pl.all(), separator="-")).to_series()


def _find_amounts(
    original: Table, synthetic: Table, names: Sequence[str], copy: Copy
) -> dict[str, CopiedColumn]:
    """Columns of numbers that make an amount whole again: a rest, or its last digits."""
    frame, held = synthetic.frame, dict(_held_numbers(original.frame))
    if not held:
        return {}
    new, shared = (
        [one for one in some if frame[one].dtype.is_numeric()][:MOST_NUMBERS]
        for some in (names, [one for one in frame.columns if one not in names])
    )
    numbers = {one: column_numbers(frame[one]) for one in (*new, *shared)}
    few = {one: values[:: len(values) // _FEW + 1] for one, values in numbers.items()}
    found: dict[str, CopiedColumn] = {}
    for like, known in held.items():
        shown = share_among(few[like], known) if like in few else 0.0
        steps = usual_steps(known)
        for words, pair, weights in _list_sums(numbers, like, shared):
            rest = [name for name in pair if name in new]
            if any(name in found for name in rest):
                continue
            some = _add_up(few, pair, weights)
            some = some[np.isfinite(some)]
            share = share_among(some, known)
            if share < shown + SHARED / 2:
                continue
            # Numbers in equal steps are met by many sums: what they meet a step further is chance.
            if share < max(share_among(some - step, known) for step in steps) + SHARED / 2:
                continue
            made = pl.Series(_add_up(numbers, pair, weights)).fill_nan(None)
            mine = original.frame[like]
            row = find_of_people((original, synthetic), mine, as_precise(made, mine), copy)
            if row is not None:
                detail = f"{words if rest else 'it'} is people's {like}"
                found |= {
                    name: recodes(row, name, like, detail, frame.height) for name in rest or [words]
                }
                break
    return found


def _held_numbers(frame: pl.DataFrame) -> Iterator[tuple[str, Floats]]:
    """Columns of numbers of which most people have one of their own, with these numbers sorted."""
    for name in [one for one in frame.columns if frame[one].dtype.is_numeric()][:MOST_NUMBERS]:
        some = frame[name].gather_every(frame.height // _FEW + 1)
        if some.n_unique() < SHARED * len(some):  # so are all of them, and need not be sorted
            continue
        known = np.unique(round_digits(column_numbers(frame[name].drop_nulls())))
        if len(known) >= max(FEWEST, SHARED * frame.height):
            yield name, known


_Sum = tuple[str, tuple[str, str], tuple[float, float]]


def _list_sums(numbers: Mapping[str, Floats], like: str, shared: Sequence[str]) -> Iterator[_Sum]:
    """Pairs of columns that may be an amount: a rest added or taken away, or its last digits.

    Only the amount itself can be rounded: one that is left out must be told by two new columns.
    """
    steps = {
        name: 10.0 ** np.ceil(np.log10(1 + np.nanmax(np.abs(values), initial=0.0)))
        for name, values in numbers.items()
    }
    for first, second in permutations(numbers, 2):
        if like not in (first, second) and {first, second} & {*shared}:
            continue
        pair, step = (first, second), float(steps[second])
        if first < second:
            yield f"{first} + {second}", pair, (1.0, 1.0)
        yield f"{first} - {second}", pair, (1.0, -1.0)
        if 1 < step < np.inf:
            yield f"{first} \u00d7 {step:,.0f} + {second}", pair, (step, 1.0)
            yield f"{first} + {second} / {step:,.0f}", pair, (1.0, 1 / step)


def _add_up(
    numbers: Mapping[str, Floats], pair: tuple[str, str], weights: tuple[float, float]
) -> Floats:
    return weights[0] * numbers[pair[0]] + weights[1] * numbers[pair[1]]
