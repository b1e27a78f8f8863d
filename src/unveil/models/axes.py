"""The columns of a regression: numbers, levels and their products, and which carry something.

Of formulas, columns are made block by block as they are looked at, so that large files fit into
memory; of dummies without end, they are a matrix of mostly zeros. Of both, the columns that those
before them determine are excluded, first come first kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.count.centring import Centre, centre
from unveil.count.packing import blocks

AT_ONCE = 2**20
"""Numbers in a block."""
HELD = 2**26
"""Numbers in a matrix that is kept between looks: half a gigabyte."""
LEAST = 1e-10
"""Share of a column's variance that the columns before it must leave unexplained."""
COLLINEAR = 0.99999
"""A dummy this much correlated with what the columns before it predict is excluded."""
_ROUNDING = 4 * np.finfo(np.float64).eps
"""Products of numbers that are the same for everyone differ by less, beside their size."""


@dataclass(frozen=True)
class NumberTerm:
    """A number of every record, to a power."""

    values: Floats
    power: int = 1

    def block(self, rows: slice) -> Floats:
        """The numbers of some rows."""
        values = self.values[rows]
        with np.errstate(over="ignore"):  # what is too large is excluded from the fit, and said
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

    def some(self, places: Iterable[int]) -> "Design":
        """Some of the columns."""
        return Design(tuple(self.columns[place] for place in places), self.n)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """All rows, block by block."""
        for rows in blocks(self.n, len(self.columns), AT_ONCE):
            block = np.empty((rows.stop - rows.start, len(self.columns)))
            for place, column in enumerate(self.columns):
                block[:, place] = column.block(rows)
            yield rows, block


@dataclass(frozen=True)
class Basis:
    """Columns that carry something of their own, and the change of axes that unlinks them.

    With S the covariance of the kept columns and S = L L', the columns (x - mean) L'^-1 are
    uncorrelated and have variance 1.
    """

    n_columns: int
    kept: NDArray[np.int64]
    dropped: NDArray[np.int64]  # determined by the kept ones; a column of one value is neither
    mean: Floats
    lower: Floats

    def coefficients(self, turned: Floats) -> Floats:
        """Coefficients of the kept columns, from those of the uncorrelated ones."""
        return self._solve(turned, "T")

    def turn(self, gradient: Floats) -> Floats:
        """The gradient along the uncorrelated columns, from that along the kept ones."""
        return self._solve(gradient, "N")

    def _solve(self, given: Floats, trans: str) -> Floats:
        from scipy.linalg import solve_triangular

        if not len(self.kept):
            return given
        found: Floats = solve_triangular(
            self.lower, given, lower=True, trans=trans, check_finite=False
        )
        return found

    def expand(self, coefficients: Floats) -> Floats:
        """Coefficients of all columns: 0 for those excluded."""
        everywhere = np.zeros((self.n_columns, *coefficients.shape[1:]))
        everywhere[self.kept] = coefficients
        return everywhere


def independent_columns(covariance: Floats, least: float) -> tuple[NDArray[np.int64], Floats]:
    """Columns that those before them do not determine, and their lower triangle.

    A column stays when more than `least` of its variance is its own, given those kept before it:
    Cholesky's decomposition, first come first kept.
    """
    p = len(covariance)
    needed = least * np.diag(covariance)
    left, lower = covariance.copy(), np.zeros((p, p))
    kept: list[int] = []
    for j in range(p):
        if left[j, j] <= needed[j]:
            continue
        column = left[j:, j] / np.sqrt(left[j, j])
        lower[j:, len(kept)] = column
        left[j:, j:] -= np.outer(column, column)
        kept.append(j)
    chosen = np.array(kept, np.int64)
    return chosen, lower[chosen][:, : len(kept)]


# The columns of a formula, centred and scaled.


@dataclass(frozen=True)
class Axes:
    """The columns that are fitted, centred and scaled, so that steps are well rounded."""

    design: Design  # of the kept columns
    centres: tuple[Centre, ...]
    basis: Basis
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

    @cached_property
    def _cached_blocks(self) -> list[tuple[slice, Floats]] | None:
        """All blocks, where they are few enough to be made once."""
        is_small = self.design.n * len(self.centres) <= HELD
        return list(_standardise(self.design, self.centres)) if is_small else None

    def blocks(self) -> Iterable[tuple[slice, Floats]]:
        """Centred and scaled columns, block by block."""
        return (
            _standardise(self.design, self.centres)
            if self._cached_blocks is None
            else self._cached_blocks
        )


def _standardise(design: Design, centres: Sequence[Centre]) -> Iterator[tuple[slice, Floats]]:
    for rows, block in design.blocks():
        for place, one in enumerate(centres):
            block[:, place] = one.standardise(block[:, place])
        yield rows, block


def axes_of(design: Design) -> Axes:
    """Choose the columns that carry something of their own, first come first kept."""
    centres = {
        place: centre(numbers)
        for place, column in enumerate(design.columns)
        if np.isfinite(numbers := column.block(slice(0, design.n))).all()
    }
    varies = [j for j, one in centres.items() if one.spread > _ROUNDING]
    square = np.zeros((len(varies), len(varies)))
    for _, block in _standardise(design.some(varies), [centres[j] for j in varies]):
        square += block.T @ block
    own, lower = independent_columns(square / max(design.n, 1), LEAST)
    kept = [varies[int(j)] for j in own]
    absent = [j for j, one in centres.items() if one.is_zero]
    p = len(kept)

    def labels(places: Iterable[int]) -> tuple[str, ...]:
        return tuple(design.columns[j].label for j in places)

    return Axes(
        design.some(kept),
        tuple(centres[j] for j in kept),
        Basis(p, np.arange(p), np.zeros(0, np.int64), np.zeros(p), lower),
        absent=labels(absent),
        collinear=labels(j for j in centres if j not in kept and j not in absent),
        too_large=labels(j for j in range(len(design.columns)) if j not in centres),
    )


# A matrix of mostly zeros: dummies, however many levels there are.


Sparse = Any  # a scipy.sparse.csr_array: scipy comes without types


def basis_of(x: Sparse, ridge: float = 0.0) -> Basis:
    """Choose the columns that carry something of their own, first come first kept.

    With a ridge on the coefficients all do that vary, for it tells collinear columns apart.
    """
    n, p = x.shape
    mean = np.asarray(x.sum(axis=0), np.float64).ravel() / max(n, 1)
    covariance = (x.T @ x).toarray() / max(n, 1) - np.outer(mean, mean)
    varies = np.flatnonzero(np.diag(covariance) > 1e-12 * (np.diag(covariance) + mean * mean))
    covariance = covariance[np.ix_(varies, varies)]
    if ridge:
        covariance += ridge / max(n, 1) * np.eye(len(varies))
    own, lower = independent_columns(covariance, 0.0 if ridge else 1 - COLLINEAR**2)
    kept = varies[own]
    return Basis(p, kept, np.setdiff1d(varies, kept), mean[kept], lower)


def pieces(x: Sparse, width: int) -> Iterator[tuple[slice, Sparse]]:
    """The rows of a sparse matrix in pieces of at most `AT_ONCE` numbers at this width, no copy."""
    for rows in blocks(x.shape[0], width, AT_ONCE):
        yield rows, rows_of(x, rows)


def rows_of(x: Sparse, rows: slice) -> Sparse:
    """Consecutive rows of a sparse matrix, sharing its numbers."""
    from scipy.sparse import csr_array

    ends = x.indptr[rows.start : rows.stop + 1]
    inside = slice(ends[0], ends[-1])
    parts = (x.data[inside], x.indices[inside], ends - ends[0])
    return csr_array(parts, shape=(rows.stop - rows.start, x.shape[1]), copy=False)


def is_indicator(x: Sparse) -> NDArray[np.bool_]:
    """Which columns hold nothing but 0 and 1."""
    other = np.bincount(x.indices, weights=x.data != 1, minlength=x.shape[1])
    indicator: NDArray[np.bool_] = other == 0
    return indicator
