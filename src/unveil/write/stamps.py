"""Dates, moments and times as the numbers that SPSS and Stata keep for them.

SPSS counts seconds since 14 October 1582. Stata counts days (%td) or milliseconds (%tc) since
1 January 1960; its weeks, months, quarters and half-years are numbers to us.
"""

import polars as pl

from unveil.read.stamps import EPOCH_1960, SPSS_EPOCH, SPSS_GRAIN

_DAY = 86_400
_HOUR_IN_MICROS = 3_600_000_000


def spss_seconds(column: pl.Series) -> pl.Series:
    """Seconds of a column of dates, moments, times or durations."""
    if column.dtype == pl.Date:
        return (column.to_physical().cast(pl.Float64) - SPSS_EPOCH) * _DAY
    if column.dtype == pl.Time:
        return column.to_physical().cast(pl.Float64) / 1e9
    return _seconds_and_rest(column, -SPSS_EPOCH * _DAY, per_second=1)


def stata_number(column: pl.Series) -> pl.Series:
    """Days of a column of dates, milliseconds of one of moments, times or durations."""
    if column.dtype == pl.Date:
        return column.to_physical().cast(pl.Float64) - EPOCH_1960
    if column.dtype == pl.Time:
        return column.to_physical().cast(pl.Float64) / 1e6
    return _seconds_and_rest(column, -EPOCH_1960 * _DAY, per_second=1000)


def is_finer_than_milliseconds(column: pl.Series) -> bool:
    """Whether a moment or time has parts that neither program shows."""
    per_millisecond = 1_000_000 if column.dtype == pl.Time else _per_second(column) // 1000
    return bool((column.to_physical() % per_millisecond != 0).any()) if per_millisecond else False


def is_finer_than_spss(moments: pl.Series) -> bool:
    """Whether moments have parts that are lost when SPSS's seconds since 1582 are read again."""
    per_grain = _per_second(moments) * SPSS_GRAIN // 1_000_000
    return bool((moments.to_physical() % per_grain != 0).any()) if per_grain else False


def _seconds_and_rest(column: pl.Series, offset: int, *, per_second: int) -> pl.Series:
    # Whole seconds apart from their fractions, so that no digit is lost between them.
    ticks, in_a_second = column.to_physical(), _per_second(column)
    start = 0 if column.dtype == pl.Duration else offset
    whole = (ticks // in_a_second + start).cast(pl.Float64) * per_second
    return whole + (ticks % in_a_second).cast(pl.Float64) * per_second / in_a_second


def _per_second(column: pl.Series) -> int:
    unit = getattr(column.dtype, "time_unit", None) or "us"
    return {"ns": 10**9, "us": 10**6, "ms": 10**3}[unit]


def clock_text(column: pl.Series) -> pl.Series:
    """Times and spans as text: 23:59:59.5, and 25:00:00 or -00:00:05 for what is no time of day."""
    if column.dtype == pl.Time:
        return column.dt.strftime("%H:%M:%S%.f")
    micros = pl.nth(0).dt.total_microseconds()
    minutes = (micros.abs() % _HOUR_IN_MICROS * 1000).cast(pl.Time).dt.strftime("%M:%S%.f")
    hours = (micros.abs() // _HOUR_IN_MICROS).cast(pl.String).str.zfill(2)
    sign = pl.when(micros < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    shown = pl.when(pl.nth(0).is_not_null()).then(sign + hours + ":" + minutes)
    return column.to_frame().select(shown.alias(column.name)).to_series()
