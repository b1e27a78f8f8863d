"""Are the values of a column amounts, dates, or names of levels?

Decided here, once, for every measure, attack, filter and synthesis method: by the type of the
values, by the labels and the level of measurement that the original declares, and by what the user
says. Missing values and special codes are never numbers.
"""

from typing import Literal

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.io.numbers import TAGS
from unveil.records.codebook import Variable

Kind = Literal["number", "date", "ordered", "category", "text", "identifier"]
"""Numbers (times and spans among them) and dates lie on a line; the others are levels."""

Measure = Literal["nominal", "ordinal", "scale"]
"""What a file declares about a column, as SPSS calls it."""

NEAR_UNIQUE = 0.9
"""Share of different values from which a column points at people."""

FEWEST = 20
"""Records from which that share says anything."""

WORDS = 4
"""Words of a text, on average, from which on it is written freely."""

LABELLED_RECORDS, LABELLED_CODES = 0.95, 0.5

_UNITS = {"ms": 1e3, "us": 1e6, "ns": 1e9}
_DAY = 86_400


def kind_of_dtype(dtype: pl.DataType) -> Kind:
    """What values of a type are, before anything is known about their labels."""
    if dtype.is_numeric() or dtype.base_type() in (pl.Time, pl.Duration):
        return "number"
    if dtype.base_type() in (pl.Date, pl.Datetime):
        return "date"
    return "ordered" if isinstance(dtype, pl.Enum) else "category"


def kind_of_codes(measure: Measure | None, is_labelled: Mask, counts: Ints) -> Kind:
    """Are numbers with labels amounts, or codes of a category? By the original's records.

    As declared: nominal, ordinal or scale. Where nothing is declared, codes if nearly all answers
    have a label: those of 95 % of the records, and half of the distinct ones. An income with a
    label for "none" alone stays a number, and one stray code does not make a category one.
    """
    held = counts > 0
    if not (is_labelled & held).any():
        return "number"
    if measure is not None:
        return "number" if measure == "scale" else _LEVELS[measure]
    is_mostly = counts[is_labelled].sum() >= LABELLED_RECORDS * counts.sum()
    has_enough = (is_labelled & held).sum() >= LABELLED_CODES * held.sum()
    return "category" if is_mostly and has_enough else "number"


def kind_of_series(series: pl.Series, variable: Variable | None) -> Kind:
    """What the values of one file's column are, by the same rule, before they are encoded."""
    kind = kind_of_dtype(series.dtype)
    if kind == "category" and variable is not None and variable.measure == "ordinal":
        return "ordered"
    if kind != "number" or not series.dtype.is_numeric():
        return kind
    if is_wide(series):
        return "category"
    if variable is None or not variable.levels:
        return kind
    answers = series.filter(~means_no_answer(series, variable)).drop_nulls().alias("level")
    counts = answers.value_counts()
    codes = [float(one.code) for one in variable.levels if not isinstance(one.code, str)]
    is_labelled = counts["level"].cast(pl.Float64).is_in(codes).to_numpy()
    return kind_of_codes(variable.measure, is_labelled, counts["count"].to_numpy().astype(np.int64))


def means_no_answer(series: pl.Series, variable: Variable) -> pl.Series:
    """Which numbers are declared missing, by code, by letter or by range."""
    numbers = series.cast(pl.Float64)
    codes = [TAGS.get(str(code), code) for code in variable.missing]
    found = numbers.is_in([float(code) for code in codes if not isinstance(code, str)])
    for span in variable.missing_ranges:
        low = -np.inf if span.lo is None else span.lo
        found |= numbers.is_between(low, np.inf if span.hi is None else span.hi)
    return found.fill_null(value=False)


_LEVELS: dict[str, Kind] = {"nominal": "category", "ordinal": "ordered"}


def kind_of_levels(measure: Measure | None, levels: pl.Series, n_held: int) -> Kind:
    """Values that are no numbers: ordered, texts that nearly everyone has alone, or levels."""
    kind = kind_of_dtype(levels.dtype)
    if kind == "ordered" or measure == "ordinal":
        return "ordered"
    if levels.dtype != pl.String or not is_near_unique(len(levels), n_held):
        return "category"
    return "text" if are_sentences(levels) else "identifier"


def are_sentences(texts: pl.Series) -> bool:
    """Whether texts are written freely: four words or more on average."""
    n_words = texts.str.count_matches(r"\S+").mean() if texts.dtype == pl.String else None
    return isinstance(n_words, float) and n_words >= WORDS


def is_near_unique(n_distinct: int, n_held: int) -> bool:
    """Whether so many different values mean that nearly everyone has their own."""
    return n_held >= FEWEST and n_distinct >= NEAR_UNIQUE * n_held


def is_wide(values: pl.Series) -> bool:
    """Whether whole numbers are too large for 64 bits with a sign: such are names, not amounts."""
    if values.dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
        return False
    return bool(values.cast(pl.Int64, strict=False).null_count() > values.null_count())


def unit_of(dtype: pl.DataType) -> float:
    """How many of a type's units make a day (moments) or a second (times and spans)."""
    if isinstance(dtype, pl.Datetime | pl.Duration):
        return _UNITS[dtype.time_unit] * (_DAY if isinstance(dtype, pl.Datetime) else 1)
    return _UNITS["ns"] if dtype == pl.Time else 1.0


def numbers_of(levels: pl.Series) -> Floats:
    """Levels as decimals: dates in days from 1970, times in seconds; NaN for what is no number."""
    if not levels.dtype.is_numeric() and not levels.dtype.is_temporal():
        return np.full(len(levels), np.nan)
    # Of decimals the physical values are scaled whole numbers.
    physical = levels.to_physical() if levels.dtype.is_temporal() else levels
    numbers, unit = physical.cast(pl.Float64).to_numpy(), unit_of(levels.dtype)
    return numbers if unit == 1.0 else numbers / unit
