"""The columns of a regression, taken in blocks of rows: numbers, levels and their products.

Nothing as large as records x columns is ever held: a block is made when it is looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import mul

import numpy as np
from numpy.typing import NDArray

from unveil.count.likelihoods import Floats, own_columns

AT_ONCE = 2**20
"""Numbers in a block."""
LEAST = 1e-10
"""Share of a column's variance that the columns before it must leave unexplained."""


@dataclass(frozen=True)
class Number:
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
class Level:
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
    parts: tuple[Number | Level, ...]

    @property
    def is_indicator(self) -> bool:
        """Whether it can hold nothing but 1 and 0."""
        return all(isinstance(part, Level) for part in self.parts)

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
    mean: Floats
    scale: Floats
    absent: tuple[str, ...]  # products and levels that no record has
    collinear: tuple[str, ...]  # determined by the columns before them, or the same for everybody
    too_large: tuple[str, ...] = ()  # no float can hold their numbers

    @property
    def labels(self) -> tuple[str, ...]:
        """What each kept column stands for."""
        return tuple(column.label for column in self.design.columns)

    def blocks(self, *, ones: bool) -> Iterator[tuple[slice, Floats]]:
        """Centred and scaled columns, block by block; a column of ones before them if wanted."""
        for rows, block in self.design.blocks():
            turned = (block - self.mean) / self.scale
            yield rows, np.insert(turned, 0, 1.0, axis=1) if ones else turned


def axes_of(design: Design) -> Axes:
    """Choose the columns that carry something of their own, first come first kept."""
    finite = Design(
        tuple(one for one, top in zip(design.columns, _tops(design), strict=True) if top < np.inf),
        design.n,
    )
    top = _tops(finite)
    scale = np.where(top > 0, top, 1.0)
    mean, covariance = _moments(finite, scale)
    spread = np.sqrt(np.diag(covariance))
    varies = np.flatnonzero(spread > 1e-12)
    unit = np.outer(spread[varies], spread[varies])
    own, _ = own_columns(covariance[np.ix_(varies, varies)] / unit, LEAST)
    kept = [int(j) for j in varies[own]]
    labels = [column.label for column in finite.columns]
    return Axes(
        Design(tuple(finite.columns[j] for j in kept), design.n),
        (mean * scale)[kept],
        (spread * scale)[kept],
        tuple(label for label, one in zip(labels, top, strict=True) if one == 0),
        tuple(labels[j] for j in range(len(labels)) if j not in kept and top[j] > 0),
        tuple(one.label for one in design.columns if one.label not in labels),
    )


def _tops(design: Design) -> Floats:
    """The largest number of each column, signs aside; infinite where one is too large to hold."""
    top = np.zeros(len(design.columns))
    for _, block in design.blocks():
        top = np.maximum(top, np.abs(block).max(axis=0, initial=0.0))
    return np.where(np.isnan(top), np.inf, top)


def _moments(design: Design, scale: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the columns, each divided by its scale."""
    p, n = len(design.columns), max(design.n, 1)
    mean, square = np.zeros(p), np.zeros((p, p))
    for _, block in design.blocks():
        mean += (block / scale).sum(axis=0) / n
    for _, block in design.blocks():
        centred = block / scale - mean
        square += centred.T @ centred
    return mean, square / n
