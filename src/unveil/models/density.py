"""What would a histogram with no bins look like? Kernel densities, one bandwidth for all sides."""

import math

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.count.centring import centre

GRID = 101
_EXACT = 5_000  # distinct values up to which every one is a kernel of its own
_FINE = 4_096
_REACH = 8.5  # a Gaussian is below 1e-15 of its height beyond so many bandwidths


def quantile(values: Floats, counts: Ints, share: float) -> float:
    """R's quantile of type 7 of values that are given once, in order, with their counts."""
    place = (int(counts.sum()) - 1) * share
    below = math.floor(place)
    ends = np.cumsum(counts)
    low, high = values[np.searchsorted(ends, [below, math.ceil(place)], side="right")].tolist()
    return float(low + (high - low) * (place - below))


def bandwidth(values: Floats, counts: Ints) -> float | None:
    """Silverman's rule of thumb: 0.9 min(sd, IQR / 1.34) n^(-1/5).

    Notes
    -----
    The sd alone where half of the values are the same. None for fewer than two values, and where
    all are the same.

    References
    ----------
    Silverman (1986), *Density Estimation*, equation 3.31.
    """
    n = int(counts.sum())
    if n < 2:
        return None
    spread = standard_deviation(values, counts)
    middle = (quantile(values, counts, 0.75) - quantile(values, counts, 0.25)) / 1.34
    width = 0.9 * (min(spread, middle) if middle > 0 else spread) * n**-0.2
    return width if 0 < width < math.inf else None


def standard_deviation(values: Floats, counts: Ints) -> float:
    """The standard deviation, divided by n - 1, of values with counts; 0 for fewer than two."""
    n = int(counts.sum())
    if n < 2:
        return 0.0
    return centre(values[counts > 0], counts[counts > 0]).sd(ddof=1)


def density(values: Floats, counts: Ints, at: Floats, width: float) -> Floats | None:
    """The Gaussian kernel density of values with counts, at some places; None without values.

    Notes
    -----
    f(x) = sum_i n_i phi((x - v_i) / h) / (n h). Of more than 5,000 distinct values each is shared
    between its two neighbours on a fine grid first (linear binning).

    References
    ----------
    Silverman (1986), equation 2.2a; Wand (1994) on linear binning.
    """
    total = int(counts.sum())
    if not total:
        return None
    near = (values >= at[0] - _REACH * width) & (values <= at[-1] + _REACH * width) & (counts > 0)
    places, weights = values[near], counts[near].astype(np.float64)
    if len(places) > _EXACT:
        places, weights = _bin_values(places, weights)
    with np.errstate(over="ignore"):
        kernels = np.exp(-0.5 * ((at[:, None] - places[None, :]) / width) ** 2)
    made: Floats = kernels @ weights / (total * width * math.sqrt(2 * math.pi))
    return made


def _bin_values(places: Floats, weights: Floats) -> tuple[Floats, Floats]:
    grid = np.linspace(places[0], places[-1], _FINE)
    position = (places - places[0]) / (grid[1] - grid[0])
    low = np.minimum(position.astype(np.int64), _FINE - 2)
    rest = position - low
    shared: Floats = np.bincount(low, weights * (1 - rest), _FINE).astype(np.float64)
    shared += np.bincount(low + 1, weights * rest, _FINE)
    return grid, shared
