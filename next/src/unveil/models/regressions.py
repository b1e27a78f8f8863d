"""Linear, logistic, multinomial and Poisson regressions with their standard errors.

Least squares, and maximum likelihood by Newton's method. Standard errors are the roots of the
diagonal of the inverse information. Models see arrays alone, so no message can quote a value.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Derivatives = tuple[float, Floats, Floats]

ROUNDS = 30
"""Newton's steps. Without a maximum each adds about 1 to the log-odds; with one, some 10 do."""
CONVERGED = 1e-9  # of the step in any linear predictor
DEPENDENT = 1e-9  # of a column's length, what is left of it beside the columns before it


class Fit(NamedTuple):
    """Coefficients with their standard errors, a row for each class beside the first."""

    coefficients: Floats
    errors: Floats
    fitted: Floats  # of each record: its mean, or the probability of each class
    freedom: float = np.inf  # of the residuals
    has_maximum: bool = True


def independent(X: Floats) -> Mask:
    """The columns that those before them do not determine: R keeps the same."""
    basis, rank = np.empty(X.shape[::-1]), 0
    is_kept = np.zeros(X.shape[1], bool)
    for place, column in enumerate(X.T):
        length = np.linalg.norm(column)
        for _ in range(2):  # the second time for rounding
            column = column - (basis[:rank] @ column) @ basis[:rank]
        if np.linalg.norm(column) > DEPENDENT * length:
            basis[rank] = column / np.linalg.norm(column)
            is_kept[place], rank = True, rank + 1
    return is_kept


def fit_linear(X: Floats, y: Floats) -> Fit:
    """Least squares; the residual variance is over n - p."""
    scale = np.linalg.norm(X, axis=0)
    beta = np.linalg.lstsq(X / scale, y, rcond=None)[0] / scale
    freedom = len(y) - X.shape[1]
    variance = ((y - X @ beta) ** 2).sum() / freedom if freedom else np.nan
    inverse = np.linalg.inv((X / scale).T @ (X / scale))
    errors = np.sqrt(variance * np.diag(inverse)) / scale
    return Fit(beta[None], errors[None], X @ beta, freedom)


def fit_multinomial(X: Floats, y: NDArray[np.int64], n_classes: int) -> Fit:
    """The log-odds of each class beside the first; of two classes it is the logistic model."""
    scale = np.linalg.norm(X, axis=0) / np.sqrt(len(X))
    X, seen, k = X / scale, np.eye(n_classes)[y], n_classes - 1

    def shares(beta: Floats) -> Floats:
        lines = np.column_stack([np.zeros(len(X)), X @ beta.reshape(k, -1).T])
        weights = np.exp(lines - lines.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def derive(beta: Floats) -> Derivatives:
        p = shares(beta)
        likelihood = np.log(np.maximum(p[np.arange(len(y)), y], 1e-300)).sum()
        gradient = ((seen - p)[:, 1:].T @ X).ravel()
        information = np.block([
            [X.T @ (X * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in range(1, n_classes)]
            for a in range(1, n_classes)
        ])  # fmt: skip
        return likelihood, gradient, information

    beta, errors, has_maximum = _maximise(np.zeros(k * X.shape[1]), derive, X)
    coefficients, errors = (part.reshape(k, -1) / scale for part in (beta, errors))
    return Fit(coefficients, errors, shares(beta), has_maximum=has_maximum)


def fit_poisson(X: Floats, y: Floats) -> Fit:
    """The logarithm of the mean of a count."""
    scale = np.linalg.norm(X, axis=0) / np.sqrt(len(X))
    X = np.asarray(X / scale, np.float64)

    def derive(beta: Floats) -> Derivatives:
        line = np.minimum(X @ beta, 700)
        mean = np.exp(line)
        return (y * line - mean).sum(), X.T @ (y - mean), X.T @ (X * mean[:, None])

    start = np.linalg.lstsq(X, np.log(y + 0.5), rcond=None)[0]
    beta, errors, has_maximum = _maximise(start.astype(np.float64), derive, X)
    return Fit(
        (beta / scale)[None], (errors / scale)[None], np.exp(X @ beta), has_maximum=has_maximum
    )


def _maximise(
    beta: Floats, derive: Callable[[Floats], Derivatives], X: Floats
) -> tuple[Floats, Floats, bool]:
    """Where the likelihood is highest, the standard errors there, and whether there is a highest.

    A step that would lower the likelihood is halved.
    """
    here = derive(beta)
    for _ in range(ROUNDS):
        step = np.linalg.lstsq(here[2], here[1], rcond=None)[0]
        while (there := derive(beta + step))[0] < here[0] - 1e-9 * (1 + abs(here[0])):
            step = step / 2
        beta, here = beta + step, there
        if np.abs(X @ step.reshape(-1, X.shape[1]).T).max() < CONVERGED:
            break
    else:
        return beta, np.full(len(beta), np.nan), False
    return beta, np.sqrt(np.diag(np.linalg.pinv(here[2], hermitian=True))), True
