"""How is a column of one family read as another, entry by entry? What cannot be becomes null.

Casts are never strict and their failures are counted by the caller, so that no message of another
library can quote an entry.
"""

from collections.abc import Callable, Sequence

import polars as pl

from unveil.errors import AlignError
from unveil.read.table import Table, mid_sentence

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


def one_time_unit(
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
