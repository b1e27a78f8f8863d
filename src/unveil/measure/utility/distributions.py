"""How is one column distributed on every side? Counts by level, shared bins, and distances.

Everything is found from the counts of the column's levels, which all sides share.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.count.centring import centre
from unveil.count.codes import CodedColumn, level_labels
from unveil.models.density import GRID, bandwidth, density
from unveil.records.comparison import (
    Density,
    DistanceRow,
    Distribution,
    Histogram,
    LevelCount,
    LevelKind,
)

# How far apart are two distributions? Hellinger, total variation and Wasserstein, from counts.


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


MOST_LEVELS = 100
_TAIL = 0.005  # the share of numbers at either end that gets no bin of its own
_FEWEST_BINS, _MOST_BINS, _MOST_WHOLE = 8, 30, 40


def distribution(variable: CodedColumn) -> Distribution:
    """One column on every side, as a record."""
    n_sides = len(variable.sides.rows)
    histogram = _histogram(variable)
    moments = [_moments(variable, side) for side in range(n_sides)]
    return Distribution(
        column=variable.name,
        kind=variable.scale,
        levels=tuple(_level_counts(variable)),
        histogram=histogram,
        density=None if histogram is None or histogram.is_whole else _density(variable, histogram),
        mean_original=moments[0][0],
        sd_original=moments[0][1],
        mean_synthetic=tuple(mean for mean, _ in moments[1:]),
        sd_synthetic=tuple(sd for _, sd in moments[1:]),
    )


def distance_row(variable: CodedColumn, found: Distribution, copy: int) -> DistanceRow:
    """How far one copy is from the original in one column.

    Notes
    -----
    Hellinger and total variation of a category are over its levels, missing among them; of numbers
    over the shared bins, special codes and missing, so they depend on the bins. Wasserstein is of
    the numbers alone and depends on none.
    """
    moved = _shift(variable, copy) if variable.is_scaled else None
    sd = found.sd_original
    n_p, n_q = _in_bins(variable, found, 0), _in_bins(variable, found, copy)
    lost = [_percent_without_number(variable, side) for side in (0, copy)]
    return DistanceRow(
        column=variable.name,
        kind=variable.scale,
        copy=copy,
        hellinger=hellinger(n_p, n_q),
        total_variation=total_variation(n_p, n_q),
        wasserstein=moved,
        wasserstein_sd=_ratio(moved, sd),
        missing_difference=None if None in lost else lost[1] - lost[0],  # type: ignore[operator]
    )


def _ratio(moved: float | None, sd: float | None) -> float | None:
    if moved is None or not sd:
        return None
    ratio = moved / sd
    return ratio if math.isfinite(ratio) else None


def _shift(variable: CodedColumn, copy: int) -> float | None:
    kept = variable.is_ordinary
    n_p, n_q = (variable.counts_on(side)[kept] for side in (0, copy))
    return wasserstein(variable.amounts[kept], n_p, n_q)


def _in_bins(variable: CodedColumn, found: Distribution, side: int) -> Ints:
    """Counts of one side over bins and the levels that are no numbers, none of them merged."""
    if found.histogram is None:
        return variable.counts_on(side)
    histogram = found.histogram
    binned = histogram.n_original if side == 0 else histogram.n_synthetic[side - 1]
    return np.concatenate([binned, variable.counts_on(side)[~variable.is_ordinary]])


def _percent_without_number(variable: CodedColumn, side: int) -> float | None:
    n = variable.sides.rows[side]
    counts = variable.counts_on(side)
    if not n:
        return None
    if variable.is_scaled:
        return 100 * (1 - int(counts[variable.is_ordinary].sum()) / n)
    return 100 * int(counts[-1]) / n if variable.has_missing else 0.0


def _moments(variable: CodedColumn, side: int) -> tuple[float | None, float | None]:
    """Mean and standard deviation of the numbers of a side; None without two of them."""
    counts = variable.amount_counts(side)
    n = int(counts.sum())
    if not variable.is_scaled or not n:
        return None, None
    middle = centre(variable.amounts[counts > 0], counts[counts > 0])
    return middle.mean, _finite(middle.sd(ddof=1)) if n > 1 else None


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _level_counts(variable: CodedColumn) -> Iterator[LevelCount]:
    """The levels that are no numbers, most frequent ones kept; missing last."""
    shown = np.flatnonzero(~variable.is_ordinary)
    counts = np.stack([variable.counts_on(side) for side in range(len(variable.sides.rows))])
    is_missing = variable.has_missing and len(shown) > 0
    told = shown[:-1] if is_missing else shown
    kept = np.sort(told[np.argsort(-counts[0][told], kind="stable")[:MOST_LEVELS]])
    rest = np.setdiff1d(told, kept, assume_unique=True)
    texts = level_labels(variable) if len(kept) else []
    kind: LevelKind = "special" if variable.is_scaled else "level"
    for place in kept:
        yield _level_count(variable, texts[place], kind, counts[:, [place]])
    if len(rest):
        yield _level_count(variable, None, "other", counts[:, rest])
    if is_missing:
        yield _level_count(variable, None, "missing", counts[:, shown[-1:]])


def _level_count(
    variable: CodedColumn, text: str | None, kind: LevelKind, counts: Ints
) -> LevelCount:
    rows = variable.sides.rows
    n = [int(count) for count in counts.sum(axis=1)]
    percents = [100 * one / of if of else None for one, of in zip(n, rows, strict=True)]
    return LevelCount(
        level=text,
        kind=kind,
        n_levels=counts.shape[1],
        n_original=n[0],
        percent_original=percents[0],
        n_synthetic=tuple(n[1:]),
        percent_synthetic=tuple(percents[1:]),
    )


def _histogram(variable: CodedColumn) -> Histogram | None:
    """Counts of every side in bins that all share; None where there is no number at all."""
    n_sides = len(variable.sides.rows)
    by_side = [variable.amount_counts(side) for side in range(n_sides)]
    pooled = np.sum(by_side, axis=0)
    occurs = pooled > 0
    if not variable.is_scaled or not occurs.any():
        return None
    values = variable.amounts[occurs]
    edges, is_whole = bin_edges(values, pooled[occurs])
    place = np.searchsorted(edges, values, side="right")
    binned = [
        tuple(np.bincount(place, counts[occurs], len(edges) + 1).astype(np.int64).tolist())
        for counts in by_side
    ]
    return Histogram(
        edges=tuple(edges.tolist()),
        is_whole=is_whole,
        n_original=binned[0],
        n_synthetic=tuple(binned[1:]),
    )


def bin_edges(values: Floats, counts: Ints) -> tuple[Floats, bool]:
    """Edges of bins for sorted values with counts, and whether each whole number has its own.

    Up to 40 whole numbers get a bin each. Otherwise the bins are 1, 2 or 5 times a power of ten
    wide, about 2 n^(1/3) of them (the Rice rule), and leave half a percent at either end outside.
    """
    low, high = _inner_range(values, counts)
    is_whole = bool((values == np.rint(values)).all())
    if is_whole and high - low < _MOST_WHOLE and abs(low) + abs(high) < 2**52:
        return np.arange(low, high + 2) - 0.5, True
    if low == high:
        half = max(abs(low) * 1e-6, 0.5 if is_whole else 1e-9)
        return np.array([low - half, low + half]), False
    n_bins = min(max(round(2 * float(counts.sum()) ** (1 / 3)), _FEWEST_BINS), _MOST_BINS)
    return _nice_edges(low, high, n_bins, at_least=1.0 if is_whole else 0.0), False


def _inner_range(values: Floats, counts: Ints) -> tuple[float, float]:
    """The range without its outermost half percent, or the whole where that leaves one value."""
    ends = np.cumsum(counts)
    skipped = int(ends[-1] * _TAIL)
    low, high = values[np.searchsorted(ends, [skipped, ends[-1] - 1 - skipped], side="right")]
    return (float(low), float(high)) if low < high else (float(values[0]), float(values[-1]))


def _nice_edges(low: float, high: float, n_bins: int, at_least: float) -> Floats:
    wanted = max(high / n_bins - low / n_bins, at_least)
    power = math.floor(math.log10(wanted)) if wanted > 0 else -300
    step = next((one for one in (1, 2, 5) if one * 10.0**power >= wanted * 0.999), 10)
    first, last = (math.floor(end / 10.0**power / step) for end in (low, high))
    steps = np.arange(first, last + 2, dtype=np.float64) * step
    # Division by a power of ten gives 0.3, multiplication by a tenth 0.30000000000000004.
    with np.errstate(over="ignore"):
        edges = steps / 10.0**-power if power < 0 else steps * 10.0**power
    if _parts(edges, low, high):
        return edges
    # So far from 0 that no nice number lies between, or at the very end of the scale.
    return 2 * np.linspace(low / 2, np.nextafter(high, np.inf) / 2, n_bins + 1)


def _parts(edges: Floats, low: float, high: float) -> bool:
    has_order = bool(np.isfinite(edges).all() and (np.diff(edges) > 0).all())
    return has_order and bool(edges[0] <= low and high < edges[-1])


def _density(variable: CodedColumn, histogram: Histogram) -> Density | None:
    counts = [variable.amount_counts(side) for side in range(len(variable.sides.rows))]
    width = bandwidth(variable.amounts[variable.is_ordinary], counts[0][variable.is_ordinary])
    if width is None:
        return None
    at = 2 * np.linspace(histogram.edges[0] / 2, histogram.edges[-1] / 2, GRID)
    values = variable.amounts[variable.is_ordinary]
    made = [density(values, one[variable.is_ordinary], at, width) for one in counts]
    if any(one is not None and not np.isfinite(one).all() for one in made) or made[0] is None:
        return None
    return Density(
        bandwidth=width,
        at=tuple(at.tolist()),
        original=tuple(made[0].tolist()),
        synthetic=tuple(None if one is None else tuple(one.tolist()) for one in made[1:]),
    )
