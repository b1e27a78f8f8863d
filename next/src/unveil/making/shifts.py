"""Levels before and after a step, numbers in bands."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from unveil.counts.cells import Ints
from unveil.data.bands import band
from unveil.data.columns import Coded
from unveil.results import Chart, Copy, Level, Percent, Row

BANDS = 5  # of numbers that have more than twice as many levels


class ShiftRow(Row, frozen=True):
    """How often a level occurs, before and after."""

    version: str
    copy: Copy
    column: str
    level: Level
    before: Annotated[float, Percent("of the synthetic records before")]
    after: Annotated[float, Percent("of those after")]


def chart_of_shifts(title: str) -> Chart:
    parts = {"label": "level", "group": "column", "before": "before", "after": "after"}
    return Chart("shifts", "shifts", title, parts)


def in_bands(column: Coded, special: tuple[float, ...], *, is_number: bool) -> Coded:
    """A column as it is told: amounts of many levels in bands."""
    return band(column, BANDS, special) if is_number and column.n_levels > 2 * BANDS else column


def shifts_of(
    version: str, copy: int, column: Coded, before: Ints, after: Ints
) -> Iterator[ShiftRow]:
    """The share of each level among records by their codes, before and after."""
    counts = [np.bincount(codes, minlength=column.n_levels) for codes in (before, after)]
    shares = [100 * n / max(n.sum(), 1) for n in counts]
    levels = np.flatnonzero(counts[0] + counts[1])
    for code in sorted(levels, key=lambda code: column.texts[code] or ""):
        yield ShiftRow(
            version=version, copy=copy, column=column.name, level=column.texts[code],
            before=float(shares[0][code]), after=float(shares[1][code]),
        )  # fmt: skip
