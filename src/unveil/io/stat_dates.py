"""How are dates and times kept as numbers in files of SPSS, Stata and SAS? Read and written."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

import polars as pl

# Which numbers of an SPSS, Stata or SAS file are dates and times, by their format?
#
# SPSS counts seconds from 14 October 1582, SAS days or seconds from 1 January 1960, Stata days or
# milliseconds from the same day. Stata's weeks, months, quarters and half-years (%tw, %tm, %tq,
# %th) and years are counts of such periods and stay numbers. Its clock with leap seconds (%tC) is
# read as the one without, up to 27 seconds late.


_UNIX = date(1970, 1, 1)
SPSS_EPOCH = (date(1582, 10, 14) - _UNIX).days
SPSS_GRAIN = 10
"""Microseconds to which the moments of SPSS are read."""
EPOCH_1960 = (date(1960, 1, 1) - _UNIX).days

_DAY = 86_400
_MICRO = 1_000_000
_FIRST_DAY, _LAST_DAY = (date.min - _UNIX).days, (date.max - _UNIX).days

_NAME = re.compile(r"[$A-Za-z_]+(?:8601[A-Za-z]+)?")
_SPSS = {
    "date": {"DATE", "ADATE", "EDATE", "JDATE", "SDATE", "QYR", "MOYR", "WKYR"},
    "moment": {"DATETIME", "YMDHMS"},
    "time": {"TIME", "DTIME", "MTIME"},
}
_SAS = {
    "date": {
        *("DATE", "DAY", "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP"),
        *("DDMMYYS", "DOWNAME", "JULDAY", "JULIAN", "MMDDYY", "MMDDYYB", "MMDDYYC", "MMDDYYD"),
        *("MMDDYYN", "MMDDYYP", "MMDDYYS", "MMYY", "MMYYC", "MMYYD", "MMYYN", "MMYYP", "MMYYS"),
        *("MONNAME", "MONTH", "MONYY", "NENGO", "MINGUO", "QTR", "QTRR", "WEEKDATE", "WEEKDATX"),
        *("WEEKDAY", "WEEKU", "WEEKV", "WEEKW", "WORDDATE", "WORDDATX", "YEAR", "YYMM", "YYMMC"),
        *("YYMMD", "YYMMN", "YYMMP", "YYMMS", "YYMMDD", "YYMMDDB", "YYMMDDC", "YYMMDDD"),
        *("YYMMDDN", "YYMMDDP", "YYMMDDS", "YYMON", "YYQ", "YYQC", "YYQD", "YYQN", "YYQP", "YYQS"),
        *("YYQR", "YYWEEKU", "YYWEEKV", "YYWEEKW", "E8601DA", "B8601DA", "IS8601DA"),
    },
    "moment": {
        *("DATETIME", "DATEAMPM", "DTDATE", "DTMONYY", "DTWKDATX", "DTYEAR", "DTYYQC", "MDYAMPM"),
        *("E8601DT", "B8601DT", "IS8601DT", "E8601DN", "B8601DN", "E8601DZ", "B8601DZ"),
    },
    "time": {
        *("TIME", "TIMEAMPM", "HHMM", "HOUR", "MMSS", "TOD"),
        *("E8601TM", "B8601TM", "IS8601TM", "E8601LZ", "B8601LZ"),
    },
}
_CLOCK = r"^(-?)(\d{1,7}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?$"
_STATA_DATE = re.compile(r"%-?t?d")
_STATA_CLOCK = re.compile(r"%-?t[cC]\+?[Hh]{2}[^CYNDJWnqlM]*(?:MM)?[^CYNDJWnqlM]*")
_STATA_MOMENT = re.compile(r"%-?t[cC]")

Kind = Literal["date", "moment", "time"]


@dataclass(frozen=True)
class DateFormat:
    """How a column of numbers is to be read: units since a day."""

    kind: Kind
    epoch: int  # in days from 1 January 1970
    per_second: float  # units in a second
    grain: int = 1  # microseconds that the numbers can tell apart


def stamp_of(program: str, form: str | None) -> DateFormat | None:
    """What a format says the numbers are; None where they are numbers."""
    if form is None:
        return None
    if program == "stata":
        return _stata(form)
    name = _NAME.match(form.upper())
    kinds = _SPSS if program == "spss" else _SAS
    for kind, names in kinds.items():
        if name and name.group() in names:
            return _spss(kind) if program == "spss" else _sas(kind)  # type: ignore[arg-type]
    return None


def _spss(kind: Kind) -> DateFormat:
    # Seconds since 1582 in a double are exact to two microseconds, which is no more than noise.
    grain = SPSS_GRAIN if kind == "moment" else 1
    return DateFormat(kind, 0 if kind == "time" else SPSS_EPOCH, 1.0, grain)


def _sas(kind: Kind) -> DateFormat:
    return DateFormat(
        kind, 0 if kind == "time" else EPOCH_1960, 1 / _DAY if kind == "date" else 1.0
    )


def _stata(form: str) -> DateFormat | None:
    if _STATA_DATE.match(form):
        return DateFormat("date", EPOCH_1960, 1 / _DAY)
    if _STATA_CLOCK.fullmatch(form):
        return DateFormat("time", 0, 1000.0)
    return DateFormat("moment", EPOCH_1960, 1000.0) if _STATA_MOMENT.match(form) else None


@dataclass(frozen=True)
class ConvertedDates:
    """Dates or times; whether some had to be cut to their day; or None: they are no dates."""

    column: pl.Series | None
    is_cut: bool = False


def convert_dates(numbers: pl.Series, stamp: DateFormat) -> ConvertedDates:
    """The numbers as dates, moments or times of day.

    Times of a day and more (or below zero) are spans. Numbers beyond the years 1 to 9999 are no
    dates, and then the column is none.
    """
    finite = (
        numbers.cast(pl.Float64)
        .to_frame()
        .select(pl.when(pl.nth(0).is_finite()).then(pl.nth(0)))
        .to_series()
    )
    seconds = finite if stamp.per_second == 1 else _in_seconds(finite, stamp)
    low, high = seconds.min(), seconds.max()
    if low is None or high is None:
        return ConvertedDates(pl.Series([None] * len(numbers), dtype=_empty(stamp.kind)))
    first, last = (float(end) // _DAY + stamp.epoch for end in (low, high))  # type: ignore[arg-type]
    if first < _FIRST_DAY or last > _LAST_DAY:
        return ConvertedDates(None)
    if stamp.kind == "date":
        days = (seconds / _DAY).floor()
        is_cut = bool((days * _DAY != seconds).any())
        return ConvertedDates(
            (days.cast(pl.Int32) + stamp.epoch).cast(pl.Int32).cast(pl.Date), is_cut
        )
    micros = _micros(seconds, stamp.grain)
    if stamp.kind == "moment":
        return ConvertedDates((micros + stamp.epoch * _DAY * _MICRO).cast(pl.Datetime("us")))
    if first < 0 or last > 0:
        return ConvertedDates(micros.cast(pl.Duration("us")))
    return ConvertedDates((micros * 1000).cast(pl.Time))


def _in_seconds(numbers: pl.Series, stamp: DateFormat) -> pl.Series:
    # Divided and not multiplied where it can be: a thousandth is no number of a computer.
    if stamp.per_second > 1:
        return numbers / stamp.per_second
    return numbers * float(_DAY)


def _micros(seconds: pl.Series, grain: int) -> pl.Series:
    whole = seconds.floor()
    rest = ((seconds - whole) * (_MICRO // grain)).round().cast(pl.Int64) * grain
    return whole.cast(pl.Int64) * _MICRO + rest


def _empty(kind: Kind) -> pl.DataType:
    return {"date": pl.Date(), "moment": pl.Datetime("us"), "time": pl.Time()}[kind]


def parse_clock_text(text: pl.Series) -> pl.Series | None:
    """Times, or spans where one is no time of day; None where an entry is neither."""
    if not text.alias("").str.contains(_CLOCK).fill_null(value=True).all():
        return None
    sign, hours, minutes, seconds = (pl.nth(0).str.extract(_CLOCK, n) for n in (1, 2, 3, 4))
    of_seconds = (seconds.fill_null("0").cast(pl.Float64) * 1e6).round().cast(pl.Int64)
    of_minutes = (hours.cast(pl.Int64) * 60 + minutes.cast(pl.Int64)) * 60 * _MICRO
    micros = pl.when(sign == "-").then(-1).otherwise(1) * (of_minutes + of_seconds)
    found = text.to_frame().select(micros.cast(pl.Int64).alias("")).to_series()
    is_time = found.is_between(0, _DAY * _MICRO - 1).all()
    made = (found * 1000).cast(pl.Time) if is_time else found.cast(pl.Duration("us"))
    return made.alias(text.name)


# Dates, moments and times as the numbers that SPSS and Stata keep for them.
#
# SPSS counts seconds since 14 October 1582. Stata counts days (%td) or milliseconds (%tc) since
# 1 January 1960; its weeks, months, quarters and half-years are numbers to us.


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
