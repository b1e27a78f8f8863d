"""A logistic model that tells copy from original, fitted by Newton's steps."""

from collections.abc import Sequence

import numpy as np

from unveil.measure.utility.cart_cuts import Floats, Mask
from unveil.measure.utility.logit_design import design
from unveil.measure.utility.propensity import Fit, Term, fit_of

MOST_STEPS = 60
SETTLED = 1e-10  # change of the deviance at which the fit has settled
CERTAIN = 14.0  # log odds beyond which a record is told apart with certainty
ALIASED = 1e-7  # R's tolerance for columns that say nothing new
PIECE = 4_096  # records weighed at once
TOGETHER = 64  # columns looked at together for what is new in them
DIGITS = 11  # equal records have equal propensities but for rounding


def logit_fit(terms: Sequence[Term], is_synthetic: Mask, order: int) -> Fit:
    """The figures of a logistic propensity model.

    Notes
    -----
    Columns that are sums of others take no part, as in R: df counts the parameters that are left,
    without the intercept. Where some records can be told apart with certainty there is no largest
    likelihood; steps end when the deviance no longer changes, which settles pMSE all the same.

    References
    ----------
    Snoke, Raab, Nowok, Dibben and Slavkovic (2018), equations 1 and 2.
    """
    matrix = _independent(design(terms, order, len(is_synthetic)))
    log_odds = _fitted(matrix, is_synthetic.astype(np.float64))
    p, group = np.unique(np.round(_expit(log_odds), DIGITS), return_inverse=True)
    ts = np.bincount(group[is_synthetic], minlength=len(p))
    td = np.bincount(group[~is_synthetic], minlength=len(p))
    is_separated = bool((np.abs(log_odds) > CERTAIN).any())
    return fit_of(td, ts, p, df=matrix.shape[1] - 1, is_separated=is_separated)


def _expit(log_odds: Floats) -> Floats:
    made: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
    return made


def _independent(matrix: Floats) -> Floats:
    """The matrix without the columns that are sums of those before them, or all 0.

    A column stays where more than 1e-7 of its length is new, first come first kept, as in the
    pivoting of R's dqrdc2: a column that says nothing new takes no direction from those behind it.
    """
    n_rows, n_columns = matrix.shape
    known = np.empty((n_rows, min(n_rows, n_columns)), order="F")  # directions of length 1
    kept: list[int] = []
    for start in range(0, n_columns, TOGETHER):
        piece = matrix[:, start : start + TOGETHER].copy()
        length = np.sqrt((piece**2).sum(axis=0))
        filled = np.flatnonzero(length > 0)
        piece = _rest(piece[:, filled] / length[filled], known[:, : len(kept)])
        first = len(kept)
        for place, column in zip(filled.tolist(), piece.T, strict=True):
            left = _rest(column, known[:, first : len(kept)])
            size = float(np.sqrt(left @ left))
            if size > ALIASED and len(kept) < n_rows:
                # Once more against all: what is left may be small beside its rounding.
                left = _rest(left / size, known[:, : len(kept)])
                known[:, len(kept)] = left / np.sqrt(left @ left)
                kept.append(start + place)
    return matrix if len(kept) == n_columns else matrix[:, kept]


def _rest(columns: Floats, known: Floats) -> Floats:
    """What of columns is along none of the known directions."""
    rest: Floats = columns - known @ (known.T @ columns)
    return rest


def _fitted(matrix: Floats, label: Floats) -> Floats:
    """The log odds of every record, where the likelihood is largest."""
    share = label.mean()
    log_odds = np.full(len(label), np.log(share / (1 - share)))
    deviance = _deviance(log_odds, label)
    for _ in range(MOST_STEPS):
        step = matrix @ _newton(matrix, log_odds, label)
        size = 1.0
        most = deviance * (1 + 1e-13)  # but for rounding
        while (after := _deviance(log_odds + size * step, label)) > most and size > 1e-3:
            size /= 2
        if after > most:
            break
        log_odds = log_odds + size * step
        is_settled = deviance - after <= max(SETTLED, 1e-13 * after)
        deviance = after
        if is_settled:
            break
    return log_odds


def _newton(matrix: Floats, log_odds: Floats, label: Floats) -> Floats:
    """The coefficients of one step; the shortest where there are many, as under separation."""
    from scipy.linalg import cho_factor, cho_solve

    p = _expit(log_odds)
    slope = matrix.T @ (label - p)
    hessian = np.zeros((matrix.shape[1], matrix.shape[1]))
    for start in range(0, len(p), PIECE):
        rows = slice(start, start + PIECE)
        hessian += matrix[rows].T @ (matrix[rows] * (p[rows] * (1 - p[rows]))[:, None])
    try:
        step: Floats = cho_solve(cho_factor(hessian), slope)
    except np.linalg.LinAlgError:
        step = np.linalg.lstsq(hessian, slope, rcond=1e-14)[0].astype(np.float64)
    return step


def _deviance(log_odds: Floats, label: Floats) -> float:
    """Minus twice the log likelihood."""
    return float(2 * np.logaddexp(0.0, np.where(label > 0, -log_odds, log_odds)).sum())
