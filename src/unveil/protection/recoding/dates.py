"""Dates without their day: the first day of their month, quarter or year."""

import polars as pl

from unveil.protection.recoding.change import Change, Column, records, refuse_unless, were
from unveil.records.recoding import CoarsenDate

_EVERY = {"month": "1mo", "quarter": "1q", "year": "1y"}


def coarsened(step: CoarsenDate, column: Column) -> Change:
    """Every date as the first day of its period, so that the column stays one of dates.

    A date with a time loses the time too; in a time zone, midnight is that of the zone.
    """
    refuse_unless(
        column, ("date", "moment"), "dates", "Round numbers instead, or read the column as dates."
    )
    made = tuple(_first_days(side, step) for side in column.sides)

    def told(n: int) -> str:
        return (
            f"Column {column.name!r}: {records(n)} {were(n)} set to the first day of the {step.to}."
        )

    return Change(told, made)


def _first_days(side: pl.Series, step: CoarsenDate) -> pl.Series:
    if not side.dtype.is_temporal():  # nothing but missing values
        return side
    return side.dt.truncate(_EVERY[step.to])
