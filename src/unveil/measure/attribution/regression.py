"""Does the number of copies change the CAP score?

Taub et al. (2018), section 4.1: ordinary least squares of the mean CAP scores on m = 1 to M, with t
tests on M - 2 degrees of freedom. The m are nested, so the points are not independent and p is a
guide only.

Erratum: Table 2 repeats the CART numbers for parametric model 1 (the printed means give 0.3193 +
0.01087 m), Table 3 repeats model 2 for CART model 5 (they give 0.3155 - 0.00015 m, p = 0.84).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Fit:
    """intercept + slope m; None where there are too few points."""

    n_points: int
    intercept: float | None = None
    slope: float | None = None
    se_intercept: float | None = None
    se_slope: float | None = None
    t_intercept: float | None = None
    t_slope: float | None = None
    p_intercept: float | None = None
    p_slope: float | None = None
    df: int | None = None


def on_m(m: Sequence[float], cap: Sequence[float | None]) -> Fit:
    """Fit the scores that are defined.

    Notes
    -----
    One point has no line; two have a line without standard errors. Where all points lie on the line
    the standard errors are 0 and there is nothing to test: t and p are None.
    """
    points = [(x, y) for x, y in zip(m, cap, strict=True) if y is not None]
    n = len(points)
    if n < 2:
        return Fit(n)
    x, y = np.array(points, float).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    intercept = float(y.mean()) - slope * float(x.mean())
    df = n - 2
    if df == 0:
        return Fit(n, intercept, slope, df=df)
    residual = y - intercept - slope * x
    variance = float((residual**2).sum()) / df
    if variance <= (4 * np.finfo(float).eps * float(abs(y).max())) ** 2:
        variance = 0.0  # what is left is the rounding of the last digit
    se_slope = math.sqrt(variance / spread)
    se_intercept = math.sqrt(variance * (1 / n + float(x.mean()) ** 2 / spread))
    t_intercept, p_intercept = _tested(intercept, se_intercept, df)
    t_slope, p_slope = _tested(slope, se_slope, df)
    return Fit(
        n,
        intercept,
        slope,
        se_intercept,
        se_slope,
        t_intercept,
        t_slope,
        p_intercept,
        p_slope,
        df,
    )


def _tested(estimate: float, se: float, df: int) -> tuple[float | None, float | None]:
    """The statistic t and its two-sided p; None where there is nothing to test."""
    if se == 0:
        return None, None
    from scipy.special import stdtr

    t = estimate / se
    return t, 2 * float(stdtr(df, -abs(t)))
