"""How far apart are two distributions? Hellinger, total variation and Wasserstein, from counts."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.number]


def hellinger(n_p: Numbers, n_q: Numbers) -> float | None:
    """From 0, the same shares, to 1, no level in common.

    Notes
    -----
    H = sqrt(1/2 sum (sqrt p - sqrt q)^2). Undefined, not 0, where a side has no record.

    References
    ----------
    Hellinger (1909), in the form of Le Cam (1986), section 4.2, scaled to at most 1.
    """
    shares = _shares(n_p, n_q)
    if shares is None:
        return None
    p, q = shares
    return min(1.0, math.sqrt(0.5 * float(((np.sqrt(p) - np.sqrt(q)) ** 2).sum())))


def total_variation(n_p: Numbers, n_q: Numbers) -> float | None:
    """The share of records that would have to change level for the two to be the same.

    Notes
    -----
    TV = 1/2 sum |p - q|, from 0 to 1. Undefined, not 0, where a side has no record.

    References
    ----------
    Levin, Peres and Wilmer (2009), *Markov Chains and Mixing Times*, proposition 4.2.
    """
    shares = _shares(n_p, n_q)
    return None if shares is None else min(1.0, 0.5 * float(np.abs(shares[0] - shares[1]).sum()))


def wasserstein(values: Floats, n_p: Numbers, n_q: Numbers) -> float | None:
    """How far, on average, a value must be moved for the two to be the same: in the column's unit.

    Notes
    -----
    W = integral of |F - G|, exact: both are steps at the sorted `values`. Undefined where a side
    has no value, and where the distance is too large for a number.

    References
    ----------
    Vallender (1974), *Theory of Probability and its Applications* 18, 784-786: the one-dimensional
    distance of order 1 is the area between the distribution functions.
    """
    shares = _shares(n_p, n_q)
    if shares is None:
        return None
    gaps = np.abs(np.cumsum(shares[0] - shares[1]))[:-1]
    # Halves first: the width of a range may be no number although its ends are.
    moved = float((gaps * (values[1:] / 2 - values[:-1] / 2)).sum())
    return 2 * moved if math.isfinite(2 * moved) else None


def _shares(n_p: Numbers, n_q: Numbers) -> tuple[Floats, Floats] | None:
    total_p, total_q = n_p.sum(), n_q.sum()
    return (n_p / total_p, n_q / total_q) if total_p and total_q else None
