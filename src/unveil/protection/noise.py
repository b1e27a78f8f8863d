"""`unveil.add_noise`: the last step, noise on the numbers of a copy, and a statement of it.

Chapelle and Falissard, section 4: uncorrelated noise on each quantitative column that could be
found elsewhere. The kind and the amount of noise are published, ECAP values never.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.count.kinds import kind_of_series, means_no_answer
from unveil.errors import RolesError, quote_text
from unveil.io.numbers import EXACT_IN_FLOAT, is_letter
from unveil.io.table import Labelled, Table
from unveil.measure.result import RowsResult
from unveil.protection.noise_steps import (
    NoiseSpec,
    column_warnings,
    draw_noise,
    noise_record,
    parse_noise,
    parse_not_needed,
)
from unveil.protection.statement import statement
from unveil.records.codebook import Variable
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
        highest value (None for one of them leaves that side open). "special_codes" are kept as
        they are, and so are codes declared in the file; noise that would turn a number into one
        of them is drawn again. A number alone is sigma.
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
        for name, dtype in table.frame.schema.items()
        if dtype.is_numeric()
        and name not in made
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


def find_kept_codes(
    given: pl.Series, declared: Variable | None, codes: Sequence[float], place: str
) -> np.ndarray:
    """Which entries are codes for no answer; a column that holds no numbers is refused."""
    if not given.dtype.is_numeric():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds no numbers, so that noise cannot be"
            " added to it. Name a column of numbers, or recode the column instead."
        )
    numbers = given.cast(pl.Float64).alias("")  # "^a$" polars takes for a pattern of names
    kept = pl.Series(codes_in(numbers, declared, codes))
    if given.dtype.is_integer() and (numbers.abs() >= EXACT_IN_FLOAT).any():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds a whole number beyond"
            f" {EXACT_IN_FLOAT:,}, to which noise cannot be added digit by digit. Give it in other"
            " units, or omit it."
        )
    if (numbers.is_infinite().fill_null(value=False) & ~kept).any():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds an infinite number. Remove it, or make"
            " it missing."
        )
    return kept.to_numpy()


def codes_in(numbers: pl.Series, declared: Variable | None, codes: Sequence[float]) -> np.ndarray:
    """Which numbers are codes for no answer, named by the user or declared in the file."""
    found = numbers.is_in([float(code) for code in codes]).fill_null(value=False)
    found |= is_letter(numbers)
    return (found if declared is None else found | means_no_answer(numbers, declared)).to_numpy()


def _as_before(given: pl.Series, found: np.ndarray, asked: NoiseSpec) -> pl.Series:
    """Missing where it was missing; whole numbers stay such where they are rounded to them."""
    made = pl.Series(found).fill_nan(None)
    is_whole = given.dtype.is_integer() and asked.decimals == 0
    whole_ends = all(end is None or end == int(end) for end in asked.clip)
    largest = made.abs().max()
    fits = largest is None or float(largest) < EXACT_IN_FLOAT  # type: ignore[arg-type]
    made = made.cast(pl.Int64) if is_whole and whole_ends and fits else made
    return made.alias(given.name)
