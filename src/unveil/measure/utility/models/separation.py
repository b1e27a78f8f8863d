"""Are there finite coefficients at all? Where terms separate the classes, none is the most likely.

What tells is the log-odds of the records, not the coefficients: a coefficient may be any number,
as the unit and the origin of its column have it.
"""

import numpy as np

from unveil.count.likelihoods import Floats
from unveil.measure.utility.models.design import Axes
from unveil.measure.utility.models.fitted import SEPARATED, UNSETTLED
from unveil.measure.utility.models.newton import Lowest

CERTAIN = 18.0
"""Log-odds of a record that is all but certain: its chance of another class is 1.5 in 10^8."""
WIDEST = 1e4
"""A standard error of a record's log-odds from which on nothing holds them."""

Line = tuple[Floats, Floats]
"""Coefficients of one linear predictor, that of the ones first, and their covariance."""


def why_unfit(axes: Axes, found: Lowest, lines: list[Line]) -> str | None:
    """Why the place found is no place of highest likelihood; None where it is.

    Notes
    -----
    Along a direction that separates, the loss falls by a factor e with every unit of log-odds, and
    so does its curvature: where the search ends (1e-16), the standard error of the log-odds of the
    records that it moves is about 1e8. At a finite maximum, records on both sides hold it: the
    error is that of a few records, far below 1e4, however steep the slopes are.

    References
    ----------
    Albert and Anderson (1984) for complete and quasi-complete separation.
    """
    if found.is_reached:
        return SEPARATED if _widest(axes, lines) > WIDEST else None
    return SEPARATED if _farthest(axes, lines) > CERTAIN else UNSETTLED


def _widest(axes: Axes, lines: list[Line]) -> float:
    """The largest standard error of the linear predictors of any record."""
    worst = 0.0
    for _, block in axes.blocks(ones=True):
        for _, covariance in lines:
            variance = np.einsum("ij,ij->i", block @ covariance, block)
            worst = max(worst, float(variance.max(initial=0.0)))
    return float(np.sqrt(worst))


def _farthest(axes: Axes, lines: list[Line]) -> float:
    """The largest linear predictor of any record, signs aside."""
    sizes = [
        float(np.abs(block @ line).max(initial=0.0))
        for _, block in axes.blocks(ones=True)
        for line, _ in lines
    ]
    return max(sizes, default=0.0)
