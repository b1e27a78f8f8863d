"""A number, from terms: least squares."""

import numpy as np

from unveil.count.centring import centre
from unveil.count.likelihoods import Floats
from unveil.count.one_thread import one_thread
from unveil.measure.utility.models.design import Axes
from unveil.measure.utility.models.fitted import INTERCEPT, Fitted, Unfit, told


@one_thread()
def fit_linear(axes: Axes, y: Floats) -> Fitted | Unfit:
    """Ordinary least squares, with Student's t on n - p degrees of freedom.

    Notes
    -----
    b = (X'X)^-1 X'y; its covariance is s^2 (X'X)^-1 with s^2 = RSS / (n - p), p coefficients with
    the intercept. Computed on centred and scaled columns, and turned back.

    References
    ----------
    Seber and Lee (2003), Linear Regression Analysis, chapter 3; what R calls `lm`.
    """
    n, p = len(y), len(axes.labels)
    if n <= p + 1:
        return Unfit(f"so few records ({n:,}) are not enough for {p + 1:,} coefficients", n)
    middle = centre(y)
    y = middle.deviations(y)
    square, along = np.zeros((p, p)), np.zeros(p)
    for rows, block in axes.blocks(ones=False):
        square += block.T @ block
        along += block.T @ y[rows]
    inverse = np.linalg.inv(square)
    slopes = inverse @ along
    residual = sum(
        float(((y[rows] - block @ slopes) ** 2).sum()) for rows, block in axes.blocks(ones=False)
    )
    variance = residual / (n - p - 1)
    covariance = np.zeros((p + 1, p + 1))
    covariance[0, 0] = variance / n
    covariance[1:, 1:] = variance * inverse
    place = np.append(middle.middle + middle.rest, slopes)
    turn = turned_back(axes) / middle.unit
    found = told((INTERCEPT, *axes.labels), place, covariance, turn)
    return Fitted(found, n, df=n - p - 1)


def turned_back(axes: Axes) -> Floats:
    """From intercept and slopes of centred and scaled columns to those of the columns."""
    turn = np.diag(np.append(1.0, 1 / axes.scale))
    turn[0, 1:] = -axes.mean / axes.scale
    return turn
