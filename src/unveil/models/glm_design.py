"""The columns of a regression, taken in blocks of rows: numbers, levels and their products.

Nothing as large as records x columns is ever held: a block is made when it is looked at.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.count.centring import Centre, centre
from unveil.models.newton import independent_columns

AT_ONCE = 2**20
"""Numbers in a block."""
LEAST = 1e-10
"""Share of a column's variance that the columns before it must leave unexplained."""
_ROUNDING = 4 * np.finfo(np.float64).eps
"""Products of numbers that are the same for everybody differ by less, beside their size."""


@dataclass(frozen=True)
class NumberTerm:
    """A number of every record, to a power."""

    values: Floats
    power: int = 1

    def block(self, rows: slice) -> Floats:
        """The numbers of some rows."""
        values = self.values[rows]
        with np.errstate(over="ignore"):  # what is too large is left out of the fit, and said
            powered: Floats = values if self.power == 1 else values**self.power
        return powered


@dataclass(frozen=True)
class LevelTerm:
    """Whether each record has a level, as 1 or 0."""

    codes: NDArray[np.integer]
    code: int

    def block(self, rows: slice) -> Floats:
        """Ones and zeros of some rows."""
        made: Floats = (self.codes[rows] == self.code).astype(np.float64)
        return made


@dataclass(frozen=True)
class DesignColumn:
    """One column of a regression: a number, a level, or a product of several."""

    label: str
    parts: tuple[NumberTerm | LevelTerm, ...]

    @property
    def is_indicator(self) -> bool:
        """Whether it can hold nothing but 1 and 0."""
        return all(isinstance(part, LevelTerm) for part in self.parts)

    def block(self, rows: slice) -> Floats:
        """The column in some rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return reduce(mul, (part.block(rows) for part in self.parts))


@dataclass(frozen=True)
class Design:
    """All columns but that of ones, which every model adds by itself."""

    columns: tuple[DesignColumn, ...]
    n: int

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """All rows, block by block."""
        step = max(1, AT_ONCE // max(len(self.columns), 1))
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            block = np.empty((rows.stop - start, len(self.columns)))
            for place, column in enumerate(self.columns):
                block[:, place] = column.block(rows)
            yield rows, block


@dataclass(frozen=True)
class Axes:
    """The columns that are fitted, centred and scaled, so that steps are well rounded."""

    design: Design  # of the kept columns
    centres: tuple[Centre, ...]
    absent: tuple[str, ...] = ()  # products and levels that no record has
    collinear: tuple[str, ...] = ()  # determined by the columns before them, or the same for all
    too_large: tuple[str, ...] = ()  # no float can hold their numbers

    @property
    def labels(self) -> tuple[str, ...]:
        """What each kept column stands for."""
        return tuple(column.label for column in self.design.columns)

    @property
    def mean(self) -> Floats:
        """The mean of each kept column."""
        return np.array([one.mean for one in self.centres])

    @property
    def scale(self) -> Floats:
        """The standard deviation of each kept column, divided by n."""
        return np.array([one.sd(ddof=0) for one in self.centres])

    def blocks(self, *, ones: bool) -> Iterator[tuple[slice, Floats]]:
        """Centred and scaled columns, block by block; a column of ones before them if wanted."""
        for rows, block in self.design.blocks():
            for place, one in enumerate(self.centres):
                block[:, place] = one.standardise(block[:, place])
            yield rows, np.insert(block, 0, 1.0, axis=1) if ones else block


def axes_of(design: Design) -> Axes:
    """Choose the columns that carry something of their own, first come first kept."""
    centres = {
        place: centre(numbers)
        for place, column in enumerate(design.columns)
        if np.isfinite(numbers := column.block(slice(0, design.n))).all()
    }
    varies = [j for j, one in centres.items() if one.spread > _ROUNDING]
    own, _ = independent_columns(_correlations(_axes(design, centres, varies)), LEAST)
    kept = [varies[int(j)] for j in own]
    absent = [j for j, one in centres.items() if one.is_zero]

    def labels(places: Iterable[int]) -> tuple[str, ...]:
        return tuple(design.columns[j].label for j in places)

    return replace(
        _axes(design, centres, kept),
        absent=labels(absent),
        collinear=labels(j for j in centres if j not in kept and j not in absent),
        too_large=labels(j for j in range(len(design.columns)) if j not in centres),
    )


def _axes(design: Design, centres: Mapping[int, Centre], places: Sequence[int]) -> Axes:
    columns = tuple(design.columns[j] for j in places)
    return Axes(Design(columns, design.n), tuple(centres[j] for j in places))


def _correlations(axes: Axes) -> Floats:
    p = len(axes.centres)
    square = np.zeros((p, p))
    for _, block in axes.blocks(ones=False):
        square += block.T @ block
    return square / max(axes.design.n, 1)
