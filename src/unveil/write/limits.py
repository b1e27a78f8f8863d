"""Which values can a format not hold? All are found together, and none is shown."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

import polars as pl

from unveil.errors import listed
from unveil.read.numbers import EXACT_IN_FLOAT, is_letter
from unveil.read.tags import TAG_OF
from unveil.write.fitting import is_text
from unveil.write.outgoing import kind_held

Check = tuple[Callable[[pl.Series], bool], str]

_STATA_LARGEST = 8.9884656743115785e307
_SPSS_LARGEST = 1.797693134862315e308
_SPSS_TEXT = 32_767
_STATA_TEXT = 2_000_000_000


def spss_values(columns: Sequence[pl.Series]) -> list[str]:
    """What SPSS cannot hold, a sentence each."""
    return list(_found(columns, _SPSS))


def stata_values(columns: Sequence[pl.Series]) -> list[str]:
    """What Stata cannot hold, a sentence each."""
    return list(_found(columns, _STATA))


def parquet_values(columns: Sequence[pl.Series]) -> list[str]:
    """What Parquet cannot hold, a sentence each."""
    return list(_found(columns, [(lambda column: column.dtype == pl.Object, _TYPE)]))


def csv_values(columns: Sequence[pl.Series]) -> list[str]:
    """What a text file cannot hold, a sentence each."""
    return list(_found(columns, [(_is_nested, _TYPE)]))


def letters_in(column: pl.Series) -> list[str]:
    """The letters of missing values that a column of numbers holds: ".a" and others."""
    letters = is_letter(column)
    held = column.filter(letters).alias("").unique().to_list() if letters.any() else []
    return sorted(TAG_OF[number] for number in held)


def without_letters(column: pl.Series) -> pl.Series:
    """A column of numbers in which letters are missing like any other missing value."""
    letters = is_letter(column)
    return column.set(letters, None) if letters.any() else column


def _found(columns: Sequence[pl.Series], checks: Sequence[Check]) -> Iterator[str]:
    left = list(columns)
    for is_hit, sentence in checks:
        hit = {column.name for column in left if is_hit(column.alias(""))}
        if hit:
            names = listed(repr(column.name) for column in left if column.name in hit)
            some = f"Column {names}" if len(hit) == 1 else f"Columns {names}"
            yield sentence.format(some=some, s="s" if len(hit) == 1 else "", are=_are(len(hit)))
        left = [column for column in left if column.name not in hit]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _is_nested(column: pl.Series) -> bool:
    return column.dtype.is_nested() or column.dtype.base_type() in (pl.Object, pl.Binary)


def _is_other(column: pl.Series) -> bool:
    return kind_held(column.dtype) == "unknown" and column.dtype != pl.Null


def _has_zone(column: pl.Series) -> bool:
    return getattr(column.dtype, "time_zone", None) is not None


def _is_inexact(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() == len(column):
        return False
    return not -EXACT_IN_FLOAT <= int(column.min()) <= int(column.max()) <= EXACT_IN_FLOAT  # type: ignore[arg-type]


def _beyond(largest: float) -> Callable[[pl.Series], bool]:
    def is_beyond(column: pl.Series) -> bool:
        if not column.dtype.is_float():
            return False
        numbers = without_letters(column.cast(pl.Float64)).fill_nan(None)
        return bool((numbers.abs() > largest).any())

    return is_beyond


def _longer_than(most: int) -> Callable[[pl.Series], bool]:
    return lambda column: is_text(column) and longest_bytes(column) > most


def longest_bytes(column: pl.Series) -> int:
    """How many bytes the longest text of a column has."""
    return int(column.cast(pl.String).str.len_bytes().max() or 0)  # type: ignore[arg-type]


def _holds_zero_byte(column: pl.Series) -> bool:
    return is_text(column) and bool(column.cast(pl.String).str.contains("\0", literal=True).any())


def _outside(first: date, last: date) -> Callable[[pl.Series], bool]:
    def is_outside(column: pl.Series) -> bool:
        if column.dtype.base_type() not in (pl.Date, pl.Datetime) or _has_zone(column):
            return False
        days = column.dt.date()
        return bool(((days < first) | (days > last)).any())

    return is_outside


_TYPE = (
    "{some} hold{s} lists, objects or exact decimals, which no such file can hold. Turn the column"
    " into text or numbers first."
)
_ZONE = "{some} hold{s} times with a time zone, which {who} does not have. Take the zone out first."
_INEXACT = (
    "{some} hold{s} whole numbers beyond 2^53 (9,007,199,254,740,992), which {who} cannot hold"
    " exactly. Turn identifiers into text first."
)
_INFINITE = "{some} hold{s} numbers too large for {who}, or infinite ones. Make them missing first."
_LONG = (
    "{some} hold{s} texts of more than {most:,} bytes, the most {who} holds. Shorten them first."
)
_ZERO = "{some} hold{s} texts with a zero byte, at which {who} would end them. Take it out first."
_DATES = "{some} hold{s} dates outside {first} to {last}, which {who} cannot hold. Mend them first."
_LETTERS = (
    "{some} hold{s} letters of missing values (.a to .z), which SPSS does not have. Turn them into"
    " numbers that mean missing first."
)
_UNDERSCORE = (
    "{some} hold{s} SAS's missing value ._, which Stata does not have. Turn it into a letter first."
)


def _of(who: str, sentence: str, **more: object) -> str:
    for word, value in {"who": who, **more}.items():
        form = f"{value:,}" if isinstance(value, int) else str(value)
        sentence = sentence.replace(f"{{{word}:,}}", form).replace(f"{{{word}}}", form)
    return sentence


def _checks(who: str, largest: float, most: int, first: date) -> list[Check]:
    last = date(9999, 12, 31)
    days = {"first": f"{first.day} {first:%B} {first.year}", "last": "the year 9999"}
    return [
        (_is_other, _TYPE),
        (_has_zone, _of(who, _ZONE)),
        (_is_inexact, _of(who, _INEXACT)),
        (_beyond(largest), _of(who, _INFINITE)),
        (_longer_than(most), _of(who, _LONG, most=most)),
        (_holds_zero_byte, _of(who, _ZERO)),
        (_outside(first, last), _of(who, _DATES, **days)),
    ]


_SPSS: list[Check] = [
    (lambda column: bool(letters_in(column)), _LETTERS),
    *_checks("SPSS", _SPSS_LARGEST, _SPSS_TEXT, date(1582, 10, 15)),
]
_STATA: list[Check] = [
    (lambda column: "._" in letters_in(column), _UNDERSCORE),
    *_checks("Stata", _STATA_LARGEST, _STATA_TEXT, date(100, 1, 1)),
]
