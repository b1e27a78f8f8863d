"""How likely is each row under a model of classes, and which columns tell something of their own?

What synthesis, which draws from such models, and measures, which compare them, have in common.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]

RUN_OFF = 15.0
"""A log-odds beyond this, for a step of one standard deviation, is on its way to infinity."""


def normalised(eta: Floats) -> Floats:
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


def own_columns(covariance: Floats, least: float) -> tuple[NDArray[np.int64], Floats]:
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
