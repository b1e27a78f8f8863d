"""Where is a loss least, and how sharply does it rise there? Newton's steps, halved as needed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats

# How likely is each row under a model of classes, and which columns tell something of their own?
#
# What synthesis, which draws from such models, and measures, which compare them, have in common.


Codes = NDArray[np.integer]

RUN_OFF = 15.0
"""A log-odds beyond this, for a step of one standard deviation, is on its way to infinity."""


def softmax(eta: Floats) -> Floats:
    """Probabilities exp(eta_k) / sum over l of exp(eta_l), in place of the linear predictors."""
    eta -= eta.max(axis=1, keepdims=True)
    np.exp(eta, out=eta)
    eta /= eta.sum(axis=1, keepdims=True)
    return eta


def between_cuts(eta: Floats, cuts: Floats, y: Codes) -> tuple[float, Floats, Floats]:
    """Log s(a) + log s(-c) summed, and the slopes 1 - s(a) and s(c) of each row.

    With s the logistic function, a and c are the cuts above and below the row's class, less eta.
    """
    from scipy.special import expit, log_expit

    upper = np.append(cuts, np.inf)[y] - eta
    lower = np.insert(cuts, 0, -np.inf)[y] - eta
    value = float(log_expit(upper).sum() + log_expit(-lower).sum())
    return value, expit(-upper), expit(lower)


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


# Which coefficients make the data most likely? One way of asking, for every model of categories.
#
# The linear predictor of each class is that of a matrix of predictors, mostly zeros. Its columns
# are made uncorrelated before climbing, so that few steps are enough; those that others determine
# are left out. Nothing as large as records x classes is ever held: rows are taken in pieces.


Sparse = Any  # a scipy.sparse.csr_array: scipy comes without types

COLLINEAR = 0.99999
"""A column this much correlated with what the columns before it predict is left out."""
RIDGE = 0.04
"""Where classes are separated, coefficients of each class have a normal prior of this precision."""
AT_ONCE = 2**20
"""Numbers in a piece of records x classes."""
MOST_STEPS = 500
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
class ClassFit:
    """Intercepts and coefficients (columns x classes, or columns), and how they were found."""

    intercept: Floats
    coefficients: Floats
    ridge: float = 0.0
    converged: bool = True
    dropped: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def fit_with_ridge(
    x: Sparse,
    y: Codes,
    n_classes: int,
    fitted: Callable[[Sparse, Codes, int, Basis, float], ClassFit],
    is_separated: Callable[[Sparse, Codes, int], bool],
) -> ClassFit:
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
    own, lower = independent_columns(covariance[np.ix_(varies, varies)], 1 - COLLINEAR**2)
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

    steps = int(min(MOST_STEPS, max(50, WORK / max(n_numbers, 1))))
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


Look = Callable[[Floats], tuple[float, Floats, Floats]]
"""The loss at a place, its gradient and its curvature."""

NEWTON_STEPS = 60
HALVINGS = 40
NEAR = 1e-16
"""The squared distance to the lowest place, in standard errors, at which to stop."""
ROUNDED = 1e-10
"""The same, below which rounding may hide the way."""


@dataclass(frozen=True)
class Lowest:
    """The place, and the inverse of the curvature there; whether the place was reached."""

    place: Floats
    covariance: Floats
    is_reached: bool


def lowest(look: Look, start: Floats) -> Lowest:
    """Go down a convex loss; the inverse of the observed information is the covariance.

    Notes
    -----
    With g the gradient and H the curvature, a step is -H^-1 g, and g' H^-1 g is the squared
    distance that is left, in standard errors. Where classes are separated the loss falls for ever,
    by about a factor e for each step, and H loses its rank: both are "not reached".
    """
    place = start
    loss, gradient, curvature = look(place)
    for _ in range(NEWTON_STEPS):
        step = _solve(curvature, gradient)
        if step is None:
            return _unreached_minimum(place, curvature)
        left = float(gradient @ step)
        if left <= NEAR:
            return _reached_minimum(place, curvature)
        share = 1.0
        for _ in range(HALVINGS):
            seen = look(place - share * step)
            if seen[0] <= loss + 1e-12 * abs(loss):
                break
            share /= 2
        else:  # where rounding is all that is left, no step is lower
            return (
                _reached_minimum(place, curvature)
                if left <= ROUNDED
                else _unreached_minimum(place, curvature)
            )
        place = place - share * step
        loss, gradient, curvature = seen
    return _unreached_minimum(place, curvature)


def _reached_minimum(place: Floats, curvature: Floats) -> Lowest:
    inverse = _solve(curvature, np.eye(len(place)))
    return (
        _unreached_minimum(place, curvature)
        if inverse is None
        else Lowest(place, inverse, is_reached=True)
    )


def _unreached_minimum(place: Floats, curvature: Floats) -> Lowest:
    return Lowest(place, curvature, is_reached=False)


def _solve(curvature: Floats, wanted: Floats) -> Floats | None:
    """The curvature's inverse times something; None where it has lost its rank."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    if not np.isfinite(curvature).all():
        return None
    try:
        found: Floats = cho_solve(cho_factor(curvature, lower=True), wanted)
    except LinAlgError:
        return None
    return found
