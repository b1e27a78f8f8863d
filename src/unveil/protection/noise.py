"""`unveil.add_noise`: the last step, noise on the numbers of a copy, and a statement of it.

Chapelle and Falissard, section 4: uncorrelated noise on each quantitative column that could be
found elsewhere. The kind and the amount of noise are published, ECAP values never.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.count.kinds import kind_of_series
from unveil.io.numbers import EXACT_IN_FLOAT
from unveil.io.table import Labelled, Table
from unveil.measure.ecap.noise_settings import (
    NoiseSpec,
    codes_in,
    find_kept_codes,
    parse_noise,
    parse_not_needed,
)
from unveil.measure.result import RowsResult
from unveil.protection.noise_steps import column_warnings, draw_noise, noise_record
from unveil.protection.statement import statement
from unveil.records.noise import Noise, NoisedColumn, NotNeeded
from unveil.seeding import choose_seed
from unveil.study.study import open_files
from unveil.study.take_study import takes_study


@dataclass(frozen=True, repr=False)
class NoisedResult(RowsResult[Noise]):
    """The copy with noise, and the record of what was done, a row for each noised column."""

    rows_in = "columns"
    data: Any  # a polars frame, or Labelled where labels are known


@takes_study
def add_noise(
    data: Any,
    *,
    columns: Mapping[str, Any],
    seed: int | None = None,
    plausible: Mapping[str, Sequence[float]] | None = None,
    not_needed: Mapping[str, str] | None = None,
    missing_values: str | Sequence[str] = (),
) -> NoisedResult:
    """Add noise to columns of numbers, and say publicly what was done.

    Parameters
    ----------
    data
        Synthetic data, as a path, a frame or `Labelled`.
    columns
        By name {"sigma": 0.1, "noise": "normal", "round": None, "clip": None}: the standard
        deviation, the kind (normal, laplace, uniform), decimals to round to, and the lowest and
        highest value (None for one of them leaves that side open). "keep_variance": True draws
        the numbers with noise towards their mean, so that the variance is kept (see Notes).
        "special_codes" are kept as they are, and so are codes declared in the file; noise that
        would turn a number into one of them is drawn again. A number alone is sigma.
    seed
        For the same noise again; confidential. Without it the system draws one. Never use one seed
        for two releases of the same data: who has both could cancel part of the noise.
    plausible
        The lowest and highest plausible value by column: where "clip" is not given.
    not_needed
        Columns that need no noise, each with the reason, such as {"dur": "cannot be collected
        elsewhere"}.
    missing_values
        Entries that mean missing. What is missing stays missing.

    Returns
    -------
    NoisedResult
        `.data`, `.statement` (public), `.record` (confidential: displacement, and the distribution
        before and after).

    Notes
    -----
    With keep_variance x becomes m + s (x + B - m), m and v the column's mean and variance, B the
    noise, s = sqrt(v / (v + sigma^2)): rounding and clipping aside, mean and variance are kept in
    expectation. An intruder who knows m and s reckons back to x + B, so this protects no more than
    the noise alone: `unveil.ecap` holds as it is, and `unveil.ecap_records` counts both ways.
    """
    return _make_noised(
        data, parse_noise(columns, plausible), not_needed, choose_seed(seed), missing_values
    )


def _make_noised(
    data: Any, asked: tuple[NoiseSpec, ...], needless: Any, seed: int, missing: str | Sequence[str]
) -> NoisedResult:
    needless = parse_not_needed(needless, asked)
    (table,) = open_files({"data": data}, None, missing)
    table.check_columns([*(one.column for one in asked), *needless])
    made = {one.column: _column(table, one, seed) for one in asked}
    frame = table.frame.with_columns(column for column, _, _ in made.values())
    rows = tuple(row for _, row, _ in made.values())
    undeclared = tuple(
        name
        for name in list_amounts(table.frame)
        if name not in made
        and name not in needless
        and kind_of_series(table.frame[name], table.variables.get(name)) == "number"
    )
    record = Noise(
        files=(table.source,),
        n_rows=frame.height,
        columns=rows,
        not_needed=tuple(NotNeeded(column=k, reason=v) for k, v in needless.items()),
        undeclared=undeclared,
        statement=statement(rows, tuple(needless)),
        warnings=tuple(warning for _, _, said in made.values() for warning in said),
    )
    labelled = frame if table.codebook is None else Labelled(frame, table.codebook)
    return NoisedResult(record, labelled)


_FEW_NUMBERS = 20


def list_amounts(frame: pl.DataFrame) -> list[str]:
    """Columns that noise could hide something in.

    A column of few different numbers (yes and no, a score) is a scale or a code; few is at most
    20, and in a short file at most half of its rows.
    """
    few = min(_FEW_NUMBERS, frame.height // 2)
    return [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_numeric() and frame[name].n_unique() > few
    ]


def _column(table: Table, asked: NoiseSpec, seed: int) -> tuple[pl.Series, NoisedColumn, list[str]]:
    given, declared = table.frame[asked.column], table.variables.get(asked.column)
    is_code = find_kept_codes(given, declared, asked.codes, table.place)
    numbers = given.cast(pl.Float64).to_numpy()  # a missing one as NaN
    known = ~np.isnan(numbers) & ~is_code
    drawn = draw_noise(
        asked, numbers, known, seed, lambda made: codes_in(pl.Series(made), declared, asked.codes)
    )
    found = np.where(known, drawn.values, numbers)
    values = numbers[known], found[known]
    row = noise_record(asked, values, drawn.done, (given, is_code))
    return _as_before(given, found, asked), row, column_warnings(row, drawn.done)


def _as_before(given: pl.Series, found: np.ndarray, asked: NoiseSpec) -> pl.Series:
    """Missing where it was missing; whole numbers stay such where they are rounded to them."""
    made = pl.Series(found).fill_nan(None)
    is_whole = given.dtype.is_integer() and asked.decimals == 0
    whole_ends = all(end is None or end == int(end) for end in asked.clip)
    largest = made.abs().max()
    fits = largest is None or float(largest) < EXACT_IN_FLOAT  # type: ignore[arg-type]
    made = made.cast(pl.Int64) if is_whole and whole_ends and fits else made
    return made.alias(given.name)
