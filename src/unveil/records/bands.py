"""Into which bands a column of numbers was cut before it was compared."""

from typing import Literal

from unveil.records.base import Record

Style = Literal["quantile", "equal", "breaks"]
"""Bands of equally many records, bands of equal width, or bands between breaks that were given."""


class Banded(Record, frozen=True, kw_only=True):
    """How one column was cut; the limits were found over the original and all copies together."""

    column: str
    style: Style  # the one used: "equal" where ties left too few bands of equally many records
    n: int | None  # how many bands were asked for; None where breaks were given
    breaks: tuple[float, ...]  # as given, or those found between the lowest and highest value
    levels: tuple[str, ...]  # labels of the bands that occur, from low to high
    special_codes: tuple[str, ...]  # codes kept apart that occur, as text
