"""Are the numbers of the synthetic data those of the original with a trace of noise, or recoded?

Noise: u is the distance of a synthetic number to the nearest one of the original, over half the gap
around it. For fresh numbers of a density that is smooth over the gap u is uniform, so that an
excess near 0 is a trace of the original. Another unit or origin: the distributions lie apart, and
meet after one multiplication and addition.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from unveil.judge.alerts import percent
from unveil.measure.gate.coding_pair import (
    LEAST_SHARE,
    SIGMAS,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
    Sample,
    sample_of,
)
from unveil.measure.gate.coding_text import CLOSE, FAR
from unveil.measure.gate.columns import ORIGINAL, Mask
from unveil.measure.gate.copied import usual_factors
from unveil.measure.gate.values import Floats, round_digits

LEAST_NUMBERS = 20
HUGGING = 0.15
"""Numbers lie closer to the original's than fresh ones by so large a share."""
TIED = 0.5
FEW_VALUES = 20
TRACE = 0.1
"""Of half the gap between values: noise around few values that is a trace."""
"""Numbers are common property where so many records share theirs."""
_AT = np.linspace(0.05, 0.95, 19)


def find_number_codings(pair: CodingPair) -> Iterator[CodingProposal]:
    """Everything that the numbers of two files say by themselves, but for coarsening."""
    if pair.numbers is None:
        return
    mine, theirs = pair.sample(ORIGINAL), pair.sample(SYNTHETIC)
    if min(len(mine.values), len(theirs.values)) < 2:
        return
    recoded: tuple[CodingProposal, ...] = ()
    if not (_is_numbering(mine) and _is_numbering(theirs)):
        recoded = tuple(_affine(pair, mine, theirs))
    # In another unit the numbers are near to others by chance.
    yield from recoded or (*_near(pair, mine, theirs), *_finer(pair, mine, theirs))


def near_statistic(grid: Floats, values: Floats, weights: Floats) -> tuple[float, float, float]:
    """By how much numbers hug those of a sorted grid: the largest F(e) - e, e, and F(e), e <= 0.5.

    Numbers of the grid itself, and beyond its ends, take no part; e is 1 where none is left.
    """
    u, weights = _gap_shares(grid, values, weights)
    if not len(u):
        return 0.0, 1.0, 0.0
    order = np.argsort(u, kind="stable")
    u, share = u[order], np.cumsum(weights[order]) / weights.sum()
    excess = np.where(u <= 0.5, share - u, 0.0)
    top = int(excess.argmax())
    return float(excess[top]), float(u[top]), float(share[top])


def _gap_shares(grid: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    place = np.searchsorted(grid, values).clip(1, len(grid) - 1)
    near = np.minimum(np.abs(values - grid[place]), np.abs(values - grid[place - 1]))
    is_used = (near > 0) & (values > grid[0]) & (values < grid[-1])
    gap = grid[place] - grid[place - 1]
    return (near / (gap / 2))[is_used], weights[is_used]


def _near(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[CodingProposal]:
    u, weights = _gap_shares(mine.values, theirs.values, theirs.counts.astype(float))
    is_many = len(mine.values) >= LEAST_NUMBERS and len(u) > 0
    if not is_many or weights.sum() < max(LEAST_NUMBERS, LEAST_SHARE * theirs.total):
        return
    n = float(weights.sum() ** 2 / (weights**2).sum())  # records of one number are one
    excess, at, share = near_statistic(mine.values, theirs.values, theirs.counts.astype(float))
    # Numbers on a lattice take few distances; those of noise are many.
    n_distances = len(np.unique(np.round(u, 6)))
    is_noise = n_distances > min(LEAST_NUMBERS, 0.2 * len(u))
    # Numbers around a few values are spread, not hidden; only a trace of noise is another coding.
    is_trace = len(mine.values) > FEW_VALUES or at <= TRACE
    if excess >= max(HUGGING, SIGMAS * np.sqrt(0.25 / n)) and is_noise and is_trace:
        yield CodingProposal(
            "near",
            share,
            at,
            f"{percent(100 * share)} of its new numbers lie within {percent(100 * at)} of half the"
            " gap around a number of the original",
            synthetic=pair.spell(nearest(mine.values, pair.numbers_of(SYNTHETIC)), ORIGINAL),
        )


def _finer(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[CodingProposal]:
    """Decimals that the original does not have, where people share their numbers."""
    unit = unit_of(mine)
    off = ~is_on(theirs.values, unit)
    n_off = theirs.share(off) * theirs.total
    if mine.shared < TIED or n_off < max(LEAST_NUMBERS, LEAST_SHARE * theirs.total):
        return
    if len(mine.values) <= FEW_VALUES:
        u, _ = _gap_shares(mine.values, theirs.values, theirs.counts.astype(float))
        if len(u) and float(np.median(u)) > TRACE:
            return
    rounded = sample_of(np.round(theirs.values / unit) * unit, theirs.counts)
    before, after = (found_share(one, mine) for one in (theirs, rounded))
    if after - before >= max(LEAST_SHARE, SIGMAS * np.sqrt(0.25 / theirs.total)):
        numbers = pair.numbers_of(SYNTHETIC)
        yield CodingProposal(
            "format",
            after,
            before,
            f"{percent(100 * theirs.share(off))} of its numbers have digits below {unit:g}, those"
            " of the original have none",
            synthetic=pair.spell(np.round(numbers / unit) * unit, ORIGINAL),
        )


def found_share(records: Sample, people: Sample) -> float:
    """The share of records whose number some person has."""
    return records.share(np.isin(records.values, people.values))


def unit_of(sample: Sample) -> float:
    """The unit in which numbers are written: a power of ten on which 99 % of them lie."""
    for power in range(6, -10, -1):
        if sample.share(is_on(sample.values, 10.0**power)) >= 0.99:
            return 10.0**power
    return 1e-10


def is_on(values: Floats, step: float, at: float = 0.0) -> Mask:
    """Which numbers are multiples of a step, counted from `at`."""
    parts = (values - at) / step
    found: Mask = np.abs(parts - np.round(parts)) < 1e-6 * np.maximum(1, np.abs(parts) * 1e-4)
    return found


def distance(one: Sample, other: Sample) -> float:
    """Kolmogorov's distance of two samples."""
    at = np.union1d(one.values, other.values)
    shares = []
    for sample in (one, other):
        below = np.concatenate([[0], np.cumsum(sample.counts)]) / max(sample.total, 1)
        shares.append(below[np.searchsorted(sample.values, at, "right")])
    return float(np.abs(shares[0] - shares[1]).max(initial=0.0))


def _is_numbering(sample: Sample) -> bool:
    """Whether these may be numbers of records: whole, and each once."""
    is_whole = bool((sample.values == np.round(sample.values)).all())
    return is_whole and len(sample.values) >= LEAST_NUMBERS and int(sample.counts.max()) == 1


def _affine(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[CodingProposal]:
    """Another unit or origin, where the distributions lie apart and meet under it."""
    before = distance(mine, theirs)
    error = float(np.sqrt(1 / mine.total + 1 / theirs.total))
    if before <= max(FAR, 4 * error):
        return
    found = []
    for factor, shift in _candidates(pair, mine, theirs):
        back = undo_affine(theirs.values, (factor, shift), mine, theirs)
        # The simpler coding is the better one, unless another fits far better.
        n_parts = (factor != 1) + (shift != 0) + (abs(factor) not in _USUAL and factor != 1)
        apart = distance(mine, sample_of(back, theirs.counts))
        found.append((apart + 0.01 * n_parts, factor, shift))
    if not found:
        return
    after, factor, shift = min(found)
    if after < 0.25 * before and after < max(CLOSE, 3 * error):
        back = undo_affine(pair.numbers_of(SYNTHETIC), (factor, shift), mine, theirs)
        yield CodingProposal(
            "shift" if factor == 1 else "factor",
            1 - after,
            1 - before,
            f"its numbers are distributed as those of the original {affine_words(factor, shift)}",
            synthetic=pair.spell(back, ORIGINAL),
        )


_USUAL = {10.0**k for k in range(-9, 10)} | {1.0}


def affine_words(factor: float, shift: float) -> str:
    """The coding in words: times 12 plus 5."""
    times = "" if factor == 1 else f"times {factor:.6g}"
    plus = "" if shift == 0 else f"{'plus' if shift > 0 else 'minus'} {abs(shift):.6g}"
    return " ".join(one for one in (times, plus) if one)


def undo_affine(
    values: Floats, coding: tuple[float, float], mine: Sample, theirs: Sample
) -> Floats:
    """Synthetic numbers in the coding of the original: its nearest number, or in its unit.

    What was rounded after it was multiplied is not exact again; half a unit of either is allowed.
    """
    factor, shift = coding
    back = (values - shift) / factor
    unit = unit_of(mine)
    allowed = max(unit_of(theirs) / abs(factor), unit) * 0.51
    near = nearest(mine.values, back)
    rest = np.round(back / unit) * unit if unit > 1e-9 else round_digits(back)
    return np.where(np.abs(near - back) <= allowed, near, rest)


def nearest(grid: Floats, values: Floats) -> Floats:
    """For each value the nearest number of a sorted grid; NaN stays."""
    place = np.searchsorted(grid, values).clip(1, len(grid) - 1)
    low, high = grid[place - 1], grid[place]
    return np.where(np.isnan(values), np.nan, np.where(values - low <= high - values, low, high))


def _candidates(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[tuple[float, float]]:
    """Factors and shifts that take the quantiles of the original to those of the synthetic data."""
    here, there = mine.quantiles(_AT), theirs.quantiles(_AT)
    step = max(unit_of(mine), 1e-9)
    shift = float(np.median(there - here))
    yield 1.0, shift
    yield 1.0, float(np.round(shift / step) * step)
    if len(mine.values) <= LEAST_NUMBERS:
        yield 1.0, float(theirs.values[0] - mine.values[0])
    if pair.reading.is_date and pair.levels.dtype != pl.String:
        return
    is_used = (here != 0) & (np.sign(here) == np.sign(there))
    if is_used.sum() >= 3:
        for one in usual_factors(float(np.median(there[is_used] / here[is_used]))):
            yield one, 0.0
    yield -1.0, float(np.round(np.median(there + here[::-1]) / step) * step)
    if min(len(mine.values), len(theirs.values)) > LEAST_NUMBERS:
        for towards in (here, here[::-1]):
            spread = float(np.polyfit(towards, there, 1)[0]) if np.ptp(here) else 0.0
            if spread:
                yield spread, float(np.median(there - spread * towards))
