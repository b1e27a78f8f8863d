"""What type does a column of text hold: numbers, truth values, dates, or text after all?

Every entry counts, not only the first ones, and a column has a type only if all its entries have
it. Empty text is missing. Words such as "NA" are levels like any other unless the user says that
they mean missing. No entry ever reaches a message: casts are not strict, and failures are counted.
"""

from collections.abc import Callable, Iterable, Sequence

import polars as pl

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
_NUMBER_LIKE = r"^-?[0-9][0-9.,]*$"

_HEAD = 100
_EXACT_WHOLE_FLOAT = 2**53


def typed(
    column: pl.Series, *, decimal_comma: bool = False, missing_values: Sequence[str] = ()
) -> pl.Series:
    """The column in the type all its entries have: the first that fits of those below.

    Whole numbers without leading zeros become Int64, decimals Float64, true and false Boolean,
    ISO dates Date, ISO date-times Datetime; all else stays text as it stands. A column with
    nothing but missing entries has the type Null: none is known, so it agrees with any.
    """
    entries = without(column, ("", *missing_values))
    if entries.null_count() == len(entries):
        return pl.Series(column.name, [None] * len(entries), dtype=pl.Null)
    numbers = without(entries, ("NaN", "nan"))
    found = _whole(numbers)
    if found is None:
        found = _decimal(numbers, decimal_comma=decimal_comma)
    readers: tuple[Callable[[pl.Series], pl.Series | None], ...] = (_truth, _date, _moment)
    for read in readers:
        found = read(entries) if found is None else found
    return entries if found is None else found


def without(column: pl.Series, tokens: Sequence[str]) -> pl.Series:
    """The text column with these entries missing."""
    hit = column.is_in(list(tokens))
    return column.set(hit, None) if hit.any() else column


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
    numbers = entries.str.replace(",", ".", literal=True) if decimal_comma else entries
    is_word = numbers.cast(pl.Float64, strict=False).is_null()
    if not 0 < is_word.sum() <= len(entries) / 2:
        return False
    words = entries.filter(is_word).unique()
    return len(words) == 1 and not words.str.contains(_NUMBER_LIKE).any()


def _whole(entries: pl.Series) -> pl.Series | None:
    return _kept(entries, entries.cast(pl.Int64, strict=False)) if _all(entries, _WHOLE) else None


def _decimal(entries: pl.Series, *, decimal_comma: bool) -> pl.Series | None:
    if not _all(entries, _DECIMAL_COMMA if decimal_comma else _DECIMAL):
        return None
    if decimal_comma:
        entries = entries.str.replace(",", ".", literal=True)
    found = _kept(entries, entries.cast(pl.Float64, strict=False))
    if found is None or found.is_infinite().any():
        return None
    # Whole numbers too long for a float would become equal to their neighbours: they stay text.
    too_long = (found.abs() >= _EXACT_WHOLE_FLOAT) & entries.str.contains(r"^-?[0-9]+$")
    return None if too_long.any() else found


def _truth(entries: pl.Series) -> pl.Series | None:
    return entries.str.to_lowercase() == "true" if _all(entries, _TRUTH) else None


def _date(entries: pl.Series) -> pl.Series | None:
    if not _all(entries, _DATE):
        return None
    return _kept(entries, entries.str.to_date("%Y-%m-%d", strict=False))


def _moment(entries: pl.Series) -> pl.Series | None:
    for pattern, form in _MOMENTS:
        if _all(entries, pattern):
            found = entries.str.to_datetime(form, strict=False, time_unit="us")
            return _kept(entries, found)
    return None


def _all(entries: pl.Series, pattern: str) -> bool:
    """Whether all entries have the pattern, and there is one; most fail within the first few."""
    head = entries.head(_HEAD)
    if not head.str.contains(pattern).all():
        return False
    return entries.null_count() < len(entries) and bool(entries.str.contains(pattern).all())


def _kept(entries: pl.Series, found: pl.Series) -> pl.Series | None:
    """What was found, if no entry was lost on the way."""
    return found if found.null_count() == entries.null_count() else None
