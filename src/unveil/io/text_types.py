"""Which type does a column of text have, and how is it cast to another?"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from unveil.arguments import check_faults
from unveil.errors import AlignError, ReadError
from unveil.io.table import Table, mid_sentence
from unveil.records.disclosure import Coercion

# How is a column of one family read as another, entry by entry? What cannot be becomes null.
#
# Casts are never strict and their failures are counted by the caller, so that no message of
# another library can quote an entry.


NUMBER, TRUTH, TEXT, DATE, MOMENT, TIME, SPAN, NOTHING = (
    "numbers",
    "truth values",
    "text",
    "dates",
    "dates with time",
    "times of day",
    "durations",
    "only missing values",
)


def unify_time_units(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> list[pl.Series]:
    """Times in the finest unit of all sides; times with a zone as universal time."""
    zoned = [getattr(side.dtype, "time_zone", None) is not None for side in sides]
    if any(zoned) and not all(zoned):
        with_zone, without = tables[zoned.index(True)], tables[zoned.index(False)]
        raise AlignError(
            f"Column {name!r} has times with a time zone in {mid_sentence(with_zone.place)} and"
            f" without in {mid_sentence(without.place)}, which cannot be compared. Give the column"
            " the same form in every file."
        )
    if any(zoned):
        sides = [side.dt.convert_time_zone("UTC").dt.replace_time_zone(None) for side in sides]
    is_fine = any(getattr(side.dtype, "time_unit", "") == "ns" for side in sides)
    of_kind = pl.Datetime if sides[0].dtype == pl.Datetime else pl.Duration
    finest = of_kind("ns" if is_fine else "us")
    cast = [side.cast(finest, strict=False) for side in sides]
    if any(now.null_count() > was.null_count() for now, was in zip(cast, sides, strict=True)):
        raise AlignError(
            f"Column {name!r} has times in billionths of a second in one file and times too far"
            " away for that unit in another. Store the column in whole seconds in every file."
        )
    return cast


def _numbers(text: pl.Series) -> pl.Series:
    """Text as numbers: whole where all are, so that long identifiers keep every digit."""
    trimmed = text.str.strip_chars()
    whole = trimmed.cast(pl.Int64, strict=False)
    if whole.null_count() == text.null_count():
        return whole
    return trimmed.cast(pl.Float64, strict=False)


def _truth_words(text: pl.Series) -> pl.Series:
    return (
        text.to_frame()
        .select(
            pl.when(pl.first().is_in(["true", "TRUE", "True"]))
            .then(True)
            .when(pl.first().is_in(["false", "FALSE", "False"]))
            .then(False)
        )
        .to_series()
    )


_MOMENT_FORMS = (
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
)


def _moments(text: pl.Series) -> pl.Series:
    forms = [pl.first().str.to_datetime(form, strict=False) for form in _MOMENT_FORMS]
    midnights = pl.first().str.to_date("%Y-%m-%d", strict=False).cast(_MOMENT)
    return text.to_frame().select(pl.coalesce(*forms, midnights)).to_series()


def _none(text: pl.Series) -> pl.Series:
    return pl.Series([None] * len(text), dtype=pl.Duration("us"))


_MOMENT = pl.Datetime("us")
CASTS: dict[tuple[str, str], Callable[[pl.Series], pl.Series]] = {
    (TRUTH, NUMBER): lambda side: side.cast(pl.Int64),
    (TEXT, NUMBER): _numbers,
    (TEXT, TRUTH): _truth_words,
    (TEXT, DATE): lambda side: side.str.to_date("%Y-%m-%d", strict=False),
    (TEXT, MOMENT): _moments,
    (TEXT, TIME): lambda side: side.str.to_time("%H:%M:%S%.f", strict=False),
    (TEXT, SPAN): _none,
    (DATE, MOMENT): lambda side: side.cast(_MOMENT),
}


# What is a column to be read as, where a project says so? Cast entry by entry, failures counted.
#
# Casts are never strict: no message of another library can quote an entry.


WORDS = {"integer": "whole number", "number": "number", "text": "text", "date": "date"}
"""What an entry of each type is called."""
_LONGEST_WHOLE = float(2**63)


def apply_types(table: Table, types: Mapping[str, str]) -> Table:
    """The table with these columns in these types; a column that it has not is left aside.

    Raises
    ------
    ReadError
        If entries cannot be read as what the column is said to hold: how many, never which.
    """
    frame, notes, faults = table.frame, list(table.notes), []
    for name in (name for name in types if name in table.frame.columns):
        was = table.frame[name].alias("")
        now = _CASTS[types[name]](was)
        n_failed = now.null_count() - _known_missing(was)
        if n_failed > 0:
            faults.append(_fault(name, types[name], n_failed, table))
        elif now.dtype != was.dtype:
            frame = frame.with_columns(now.alias(name))
            notes.append(_note(name, types[name], was.dtype, table.side))
    check_faults(faults, ReadError)
    return replace(table, frame=frame, notes=tuple(notes))


def _fault(name: str, kind: str, n: int, table: Table) -> str:
    entries = f"1 entry that is not a {WORDS[kind]}"
    if n > 1:
        entries = f"{n:,} entries that are not {WORDS[kind]}s"
    return (
        f"Column {name!r} of {mid_sentence(table.place)} has {entries}. [data.types] says {kind}:"
        " correct the file, name the missing codes under missing_values, or change the type."
    )


def _note(name: str, kind: str, was: pl.DataType, side: str) -> Coercion:
    read = WORDS[kind] if kind == "text" else f"{WORDS[kind]}s"
    sentence = f"Column {name!r}: {_family(was)} read as {read}, as the project declares."
    return Coercion(side=side, column=name, kind="type", sentence=sentence)


def _family(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "numbers"
    if dtype == pl.Boolean:
        return "truth values"
    return "dates" if dtype.is_temporal() else "text"


def _known_missing(column: pl.Series) -> int:
    """Entries that were missing before: null, NaN and empty text."""
    if column.dtype.is_float():
        return column.fill_nan(None).null_count()
    if column.dtype == pl.String:
        return column.null_count() + int((column.str.strip_chars() == "").sum())
    return column.null_count()


def _cast_integers(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer() or column.dtype == pl.Null:
        return column
    exact = _text_of(column).cast(pl.Int64, strict=False)
    numbers = _number(column)
    is_whole = (numbers == numbers.round()) & (numbers.abs() < _LONGEST_WHOLE)
    by_value = numbers.set(~is_whole.fill_null(False), None).cast(pl.Int64, strict=False)
    return exact.zip_with(exact.is_not_null(), by_value)


def _number(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer() or column.dtype == pl.Null:
        return column
    if not column.dtype.is_float():
        column = _text_of(column).cast(pl.Float64, strict=False)
    return column.set(~column.is_finite().fill_null(False), None)


def _text(column: pl.Series) -> pl.Series:
    if not column.dtype.is_float():
        return column if column.dtype == pl.Null else column.cast(pl.String, strict=False)
    known = column.fill_nan(None)
    whole = _cast_integers(known).cast(pl.String)
    return whole.zip_with(whole.is_not_null(), known.cast(pl.String))


def _cast_dates(column: pl.Series) -> pl.Series:
    if column.dtype in (pl.Date, pl.Null):
        return column
    if column.dtype == pl.Datetime:
        days = column.dt.date()
        is_a_day = days.cast(column.dtype) == column.dt.replace_time_zone(None)
        return days.set(~is_a_day.fill_null(False), None)
    return _text_of(column).str.to_date("%Y-%m-%d", strict=False)


def _text_of(column: pl.Series) -> pl.Series:
    """Text without spaces around it; nothing where a column is neither text nor numbers."""
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return pl.Series([None] * len(column), dtype=pl.String)
    return column.str.strip_chars()


_CASTS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "integer": _cast_integers,
    "number": _number,
    "text": _text,
    "date": _cast_dates,
}


# What type does a column of text hold: numbers, truth values, dates, or text after all?
#
# Every entry counts, not only the first ones, and a column has a type only if all its entries
# have it. Empty text is missing. Words such as "NA" are levels like any other unless the user
# says that they mean missing. No entry ever reaches a message: casts are not strict, and failures
# are counted.


_WHOLE = r"^-?(?:0|[1-9][0-9]{0,18})$"
_DECIMAL = r"^-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"
_DECIMAL_COMMA = _DECIMAL.replace(r"\.", ",")
_TRUTH = r"^(?:true|false|TRUE|FALSE|True|False)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_CLOCK = r"[0-9]{2}:[0-9]{2}"
_SECONDS = r":[0-9]{2}(?:\.[0-9]{1,6})?"
_ZONE = r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
_MOMENTS = tuple(
    (f"{_DATE[:-1]}{joint}{_CLOCK}{seconds}{zone}$", f"%Y-%m-%d{joint}%H:%M{form}{zone_form}")
    for joint in ("T", " ")
    for seconds, form in (("", ""), (_SECONDS, ":%S%.f"))
    for zone, zone_form in (("", ""), (_ZONE, "%#z"))
)
_CANNOT_BE_THOUSANDS = r"^-?(?:0?,|[0-9]{4,},|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})$)"
_LIKE_NUMBERS = r"^(?:[-+0-9.,eE]*|NaN|nan)$"
_NUMBER_LIKE = r"^-?[0-9][0-9.,]*$"

_HEAD = 100
_EXACT_WHOLE_FLOAT = 2**53


def infer_type(
    column: pl.Series,
    *,
    decimal_comma: bool = False,
    missing_values: Sequence[str] = (),
    may_be_empty: bool = True,
) -> pl.Series:
    """The column in the type all its entries have: the first that fits of those below.

    Whole numbers without leading zeros become Int64, decimals Float64, true and false Boolean,
    ISO dates Date, ISO date-times Datetime; all else stays text as it stands. A column with
    nothing but missing entries has the type Null: none is known, so it agrees with any.
    """
    entries = without(column, ("", *missing_values) if may_be_empty else missing_values)
    if entries.null_count() == len(entries):
        return pl.Series(column.name, [None] * len(entries), dtype=pl.Null)
    found = None
    if _has_head(entries, _LIKE_NUMBERS):
        found = _parse_numbers(entries, decimal_comma=decimal_comma)
        if found is None and (numbers := without(entries, ("NaN", "nan"))) is not entries:
            found = _parse_numbers(numbers, decimal_comma=decimal_comma)
    readers: tuple[Callable[[pl.Series], pl.Series | None], ...] = (_truth, _parse_dates, _moment)
    for read in readers:
        found = read(entries) if found is None else found
    return entries if found is None else found


def without(column: pl.Series, tokens: Sequence[str]) -> pl.Series:
    """The text column with these entries missing."""
    if not tokens or (tuple(tokens) == ("",) and not has_empty(column)):
        return column
    hit = column.is_in(list(tokens))
    return column.set(hit, None) if hit.any() else column


def has_empty(column: pl.Series) -> bool:
    """Whether some text is empty."""
    return bool((column == "").any())


def decimal_marks(columns: Iterable[pl.Series]) -> set[str]:
    """Which marks, comma or point, the decimals of these text columns are written with.

    A comma proves nothing in a column where each could part thousands, as in 12,500.
    """
    marks = set()
    for column in columns:
        numbers = without(column, ("", "NaN", "nan"))
        if _decimal(numbers, decimal_comma=False) is not None:
            marks |= {"."} if numbers.str.contains(".", literal=True).any() else set()
        elif _decimal(numbers, decimal_comma=True) is not None:
            marks |= {","} if numbers.str.contains(_CANNOT_BE_THOUSANDS).any() else set()
    return marks


def is_almost_numbers(column: pl.Series, *, decimal_comma: bool = False) -> bool:
    """Whether a text column is numbers, at least half of it, but for one word over and over."""
    entries = column.drop_nulls()
    if len(_words(entries.head(_HEAD), decimal_comma=decimal_comma).unique()) > 1:
        return False
    words = _words(entries, decimal_comma=decimal_comma)
    if not 0 < len(words) <= len(entries) / 2:
        return False
    words = words.unique()
    return len(words) == 1 and not words.str.contains(_NUMBER_LIKE).any()


def _words(entries: pl.Series, *, decimal_comma: bool) -> pl.Series:
    """The entries that are no numbers."""
    numbers = entries.str.replace(",", ".", literal=True) if decimal_comma else entries
    return entries.filter(numbers.cast(pl.Float64, strict=False).is_null())


def _parse_numbers(entries: pl.Series, *, decimal_comma: bool) -> pl.Series | None:
    found = _parse_integers(entries)
    return _decimal(entries, decimal_comma=decimal_comma) if found is None else found


def _parse_integers(entries: pl.Series) -> pl.Series | None:
    return (
        _if_complete(entries, entries.cast(pl.Int64, strict=False))
        if _all(entries, _WHOLE)
        else None
    )


def _decimal(entries: pl.Series, *, decimal_comma: bool) -> pl.Series | None:
    if not _all(entries, _DECIMAL_COMMA if decimal_comma else _DECIMAL):
        return None
    if decimal_comma:
        entries = entries.str.replace(",", ".", literal=True)
    found = _if_complete(entries, entries.cast(pl.Float64, strict=False))
    if found is None or found.is_infinite().any():
        return None
    # Whole numbers too long for a float would become equal to their neighbours: they stay text.
    is_long = found.abs() >= _EXACT_WHOLE_FLOAT
    is_lost = bool(is_long.any()) and entries.filter(is_long).str.contains(r"^-?[0-9]+$").any()
    return None if is_lost else found


def _truth(entries: pl.Series) -> pl.Series | None:
    return entries.str.to_lowercase() == "true" if _all(entries, _TRUTH) else None


def _parse_dates(entries: pl.Series) -> pl.Series | None:
    if not _all(entries, _DATE):
        return None
    return _if_complete(entries, entries.str.to_date("%Y-%m-%d", strict=False))


def _moment(entries: pl.Series) -> pl.Series | None:
    for pattern, form in _MOMENTS:
        if _all(entries, pattern):
            found = entries.str.to_datetime(form, strict=False, time_unit="us")
            return _if_complete(entries, found)
    return None


def _all(entries: pl.Series, pattern: str) -> bool:
    """Whether all entries have the pattern, and there is one; most fail within the first few."""
    if not _has_head(entries, pattern):
        return False
    # Entries that recur are found faster than they are matched one by one.
    does_recur = entries.head(_HEAD).n_unique() < 0.9 * min(_HEAD, len(entries))
    some = entries.unique() if does_recur else entries
    return entries.null_count() < len(entries) and bool(some.str.contains(pattern).all())


def _has_head(entries: pl.Series, pattern: str) -> bool:
    """Whether the first few have the pattern, but for those that are missing."""
    head = entries.head(_HEAD).to_list()
    return all(one is None or re.fullmatch(pattern, one) for one in head)


def _if_complete(entries: pl.Series, found: pl.Series) -> pl.Series | None:
    """What was found, if no entry was lost on the way."""
    return found if found.null_count() == entries.null_count() else None
