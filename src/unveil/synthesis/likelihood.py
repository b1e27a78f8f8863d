"""Which coefficients make the data most likely? One way of asking, for every model of categories.

The linear predictor of each class is that of a matrix of predictors, mostly zeros. Its columns are
made uncorrelated before climbing, so that few steps are enough; those that others determine are
left out. Nothing as large as records x classes is ever held: rows are taken in pieces.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.count.likelihoods import RUN_OFF, Codes, Floats, own_columns

Sparse = Any  # a scipy.sparse.csr_array: scipy comes without types

COLLINEAR = 0.99999
"""A column this much correlated with what the columns before it predict is left out."""
RIDGE = 0.04
"""Where classes are separated, coefficients of each class have a normal prior of this precision."""
AT_ONCE = 2**20
"""Numbers in a piece of records x classes."""
STEPS = 500
WORK = 1.5e9
"""Numbers of records x classes to go through in all steps together; at least 50 steps are made."""


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
        from scipy.linalg import solve_triangular

        if not len(self.kept):
            return turned
        found: Floats = solve_triangular(self.lower, turned, lower=True, trans="T")
        return found

    def turned(self, gradient: Floats) -> Floats:
        """The gradient along the uncorrelated columns, from that along the kept ones."""
        from scipy.linalg import solve_triangular

        if not len(self.kept):
            return gradient
        found: Floats = solve_triangular(self.lower, gradient, lower=True)
        return found

    def spread(self, coefficients: Floats) -> Floats:
        """Coefficients of all columns: 0 for those left out."""
        everywhere = np.zeros((self.n_columns, *coefficients.shape[1:]))
        everywhere[self.kept] = coefficients
        return everywhere


@dataclass(frozen=True)
class Fit:
    """Intercepts and coefficients (columns x classes, or columns), and how they were found."""

    intercept: Floats
    coefficients: Floats
    ridge: float = 0.0
    converged: bool = True
    dropped: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def fitted_as_needed(
    x: Sparse,
    y: Codes,
    n_classes: int,
    fitted: Callable[[Sparse, Codes, int, Basis, float], Fit],
    is_separated: Callable[[Sparse, Codes, int], bool],
) -> Fit:
    """Fit to the columns that carry something; with a ridge where classes are separated."""
    basis = basis_of(x)
    kept = x if len(basis.kept) == x.shape[1] else x[:, basis.kept]
    if is_separated(kept, y, n_classes):
        return fitted(kept, y, n_classes, basis, RIDGE)
    free = fitted(kept, y, n_classes, basis, 0.0)
    ran_off = bool(np.abs(free.coefficients).max(initial=0.0) > RUN_OFF)
    return fitted(kept, y, n_classes, basis, RIDGE) if ran_off else free


def basis_of(x: Sparse) -> Basis:
    """Choose the columns that carry something of their own, first come first kept."""
    n, p = x.shape
    mean = np.asarray(x.sum(axis=0), np.float64).ravel() / max(n, 1)
    covariance = (x.T @ x).toarray() / max(n, 1) - np.outer(mean, mean)
    varies = np.flatnonzero(np.diag(covariance) > 1e-12 * (np.diag(covariance) + mean * mean))
    own, lower = own_columns(covariance[np.ix_(varies, varies)], 1 - COLLINEAR**2)
    kept = varies[own]
    return Basis(p, kept, np.setdiff1d(varies, kept), mean[kept], lower)


def pieces(x: Sparse, width: int) -> Iterator[tuple[slice, Sparse]]:
    """The rows of a sparse matrix in pieces of at most `AT_ONCE` numbers at this width, no copy."""
    step = max(1, AT_ONCE // max(width, 1))
    for start in range(0, x.shape[0], step):
        rows = slice(start, min(start + step, x.shape[0]))
        yield rows, rows_of(x, rows)


def rows_of(x: Sparse, rows: slice) -> Sparse:
    """Consecutive rows of a sparse matrix, sharing its numbers."""
    from scipy.sparse import csr_array

    ends = x.indptr[rows.start : rows.stop + 1]
    inside = slice(ends[0], ends[-1])
    parts = (x.data[inside], x.indices[inside], ends - ends[0])
    return csr_array(parts, shape=(rows.stop - rows.start, x.shape[1]), copy=False)


def climb(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, n_numbers: int
) -> tuple[Floats, bool]:
    """Where a loss per record is least, by its gradient; and whether that place was reached.

    One look at the loss goes through `n_numbers`; a large problem gets fewer looks.
    """
    from scipy.optimize import minimize

    steps = int(min(STEPS, max(50, WORK / max(n_numbers, 1))))
    options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 20}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, np.float64), bool(found.status != 1)


def is_indicator(x: Sparse) -> NDArray[np.bool_]:
    """Which columns hold nothing but 0 and 1."""
    other = np.bincount(x.indices, weights=x.data != 1, minlength=x.shape[1])
    indicator: NDArray[np.bool_] = other == 0
    return indicator


def counts_by_class(x: Sparse, y: Codes, n_classes: int) -> Floats:
    """The sum of each column within each class: for an indicator, how many records."""
    from scipy.sparse import csr_array

    n = len(y)
    member = csr_array((np.ones(n), y, np.arange(n + 1)), shape=(n, n_classes))
    found: Floats = (x.T @ member).toarray()
    return found
