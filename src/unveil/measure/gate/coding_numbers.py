"""Are the numbers of the synthetic data those of the original with a trace of noise, or recoded?

Noise: u is the distance of a synthetic number to the nearest one of the original, over half the gap
around it. For fresh numbers of a density that is smooth over the gap u is uniform, so that an
excess near 0 is a trace of the original. Another unit or origin: the distributions lie apart, and
meet after one multiplication and addition.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.assessment.alerts import percent
from unveil.measure.gate.coding_levels import (
    CLOSE,
    FAR,
    LEAST_RECORDS,
    LEAST_SHARE,
    SIGMAS,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
    LinkedCodes,
    Sample,
    sample_of,
)
from unveil.measure.gate.columns import ORIGINAL
from unveil.measure.gate.disguises import usual_factors
from unveil.measure.gate.values import MOST, read_numbers, round_digits

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
    if mine.repeated_share < TIED or n_off < max(LEAST_NUMBERS, LEAST_SHARE * theirs.total):
        return
    if len(mine.values) <= FEW_VALUES:
        u, _ = _gap_shares(mine.values, theirs.values, theirs.counts.astype(float))
        if len(u) and float(np.median(u)) > TRACE:
            return
    rounded = sample_of(np.round(theirs.values / unit) * unit, theirs.counts)
    before, after = (measure_overlap(one, mine) for one in (theirs, rounded))
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


def measure_overlap(records: Sample, people: Sample) -> float:
    """The share of records whose number some person has."""
    return records.share(np.isin(records.values, people.values))


def unit_of(sample: Sample) -> float:
    """The unit in which numbers are written: a power of ten on which 99 % of them lie."""
    for power in range(6, -10, -1):
        if sample.share(is_on(sample.values, 10.0**power)) >= 0.99:
            return 10.0**power
    return 1e-10


def is_on(values: Floats, step: float) -> Mask:
    """Which numbers are multiples of a step."""
    parts = values / step
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


# Are the numbers or dates of one file those of the other in rounded steps, bands or with a top?
#
# A step is a lattice on which nearly all synthetic numbers lie and those of the original do not;
# the original is then rounded in the same way, down or to the nearest, whichever gives the
# synthetic distribution.


ON_STEP = 0.98
"""So many synthetic numbers are on a step, or the first of a month."""
OFF_STEP = 0.1
"""So many of the original's are not, and ten times as many as of the synthetic data."""
HEAPED = 0.2
"""Where fewer lie between the steps, rare numbers may have been excluded: links have to tell."""
DATES_ON = 0.5
_STEPS = (50, 30, 25, 15, 12, 10, 7, 6, 5, 4, 3, 2, 1)
_TOP = 0.02
_RARE = 5
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(
    rf"[\[(]?\s*{_NUMBER}\s*(?:[-\u2012-\u2014]|to|,|;|\.\.|:)\s*<?\s*{_NUMBER}\s*([\])]?)"
)
_BELOW = re.compile(rf"(?:<=?|under|below|up to|less than|until)\s*{_NUMBER}")
_ABOVE = re.compile(
    rf"(?:>=?|over|above|from|at least|more than)\s*{_NUMBER}"
    rf"|{_NUMBER}\s*(?:\+|and over|and older|and above|and more|or more|or older|plus)"
)


def find_coarser(pair: CodingPair, links: Sequence[LinkedCodes] = ()) -> Iterator[CodingProposal]:
    """Rounded numbers, dates cut to months, bands, and a top or a bottom that others are put to."""
    if pair.numbers is None:
        yield from _bands(pair)
        return
    mine, theirs = pair.sample(ORIGINAL), pair.sample(SYNTHETIC)
    if min(len(mine.values), len(theirs.values)) < 2:
        return
    if pair.reading.is_date:
        yield from _dates(pair, mine, theirs)
        return
    yield from _propose_rounding(pair, mine, theirs, links)
    yield from _ends(pair, mine, theirs)


def _propose_rounding(
    pair: CodingPair, mine: Sample, theirs: Sample, links: Sequence[LinkedCodes]
) -> Iterator[CodingProposal]:
    """The coarsest rounding that nearly all synthetic numbers show, and the original's do not."""
    for words, ways in _roundings(theirs):
        off_o, off_s = (
            ~np.isclose(ways[0](one.values), one.values, rtol=1e-10, atol=1e-12)
            for one in (mine, theirs)
        )
        on_o, on_s = 1 - mine.share(off_o), 1 - theirs.share(off_s)
        if not _is_coarser(on_s, on_o, mine, theirs):
            continue
        apart = [distance(sample_of(way(mine.values), mine.counts), theirs) for way in ways]
        made = ways[int(np.argmin(apart))](pair.numbers_of(ORIGINAL))
        is_told = not _can_be_dropped(mine, off_o) or any(
            _is_linked(pair, one, made) for one in links
        )
        if min(apart) <= FAR and is_told:
            yield CodingProposal(
                "coarser",
                on_s,
                on_o,
                f"{percent(100 * on_s)} of its numbers {words}, of those of the original"
                f" {percent(100 * on_o)}",
                original=pair.spell(made, SYNTHETIC),
            )
            return


def _roundings(theirs: Sample) -> Iterator[tuple[str, list[Callable[[Floats], Floats]]]]:
    """Steps and significant digits, the coarsest first: in words, and the ways to round to them."""
    unit = unit_of(theirs)
    for step in (unit * k for k in _STEPS):
        at = _residue(theirs, step, unit)
        words = f"are multiples of {step:.6g}" + (f", counted from {at:g}" if at else "")
        yield (
            words,
            [partial(_round_to_step, step=step, at=at, up=up) for up in (0.0, 0.5, 1 - 1e-9)],
        )
    for digits in (1, 2, 3):
        yield (
            f"have at most {digits} significant digits",
            [partial(_round_to_digits, digits=digits)],
        )


def _round_to_step(values: Floats, step: float, at: float, up: float) -> Floats:
    return np.floor(np.round((values - at) / step, 9) + up) * step + at


def _round_to_digits(values: Floats, digits: int) -> Floats:
    return pl.Series(values).round_sig_figs(digits).to_numpy()


def _is_coarser(on_s: float, on_o: float, mine: Sample, theirs: Sample) -> bool:
    off = 1 - on_o
    error = np.sqrt(max(off * on_o, 1e-9) * (1 / mine.total + 1 / theirs.total))
    return bool(
        on_s >= ON_STEP
        and off >= max(OFF_STEP, 10 * (1 - on_s), SIGMAS * error)
        and off * min(mine.total, theirs.total) >= LEAST_NUMBERS
    )


def _can_be_dropped(mine: Sample, off: Mask) -> bool:
    """Whether numbers between the steps may have been excluded, as rare ones are, not rounded."""
    share = mine.share(off)
    is_rare = mine.share(off & (mine.counts < _RARE)) > 0.5 * share
    return share < HEAPED or (is_rare and share < 0.5)


def _is_linked(pair: CodingPair, links: LinkedCodes, made: Floats) -> bool:
    """Whether linked records show people with a number between the steps the rounded one."""
    assert pair.numbers is not None
    numbers, rounded = round_digits(pair.numbers), round_digits(made)
    weight = links.weight * (rounded != numbers)[links.mine] * np.isfinite(made)[links.mine]
    agrees = weight[rounded[links.mine] == numbers[links.theirs]].sum()
    return bool(agrees >= max(LEAST_RECORDS, 0.5 * weight.sum()))


def _residue(sample: Sample, step: float, unit: float) -> float:
    """Where the steps begin: what most numbers leave over, divided by the step."""
    rest = np.round((sample.values % step) / unit).astype(np.int64) % round(step / unit)
    return float(np.bincount(rest, sample.counts).argmax() * unit)


def _ends(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[CodingProposal]:
    """A top or a bottom to which all numbers beyond it were put."""
    for sign, name in ((1, "top"), (-1, "bottom")):
        here = Sample(sign * mine.values, mine.counts)
        there = Sample(sign * theirs.values, theirs.counts)
        end = there.values.max()
        beyond = here.share(here.values > end)
        piled = there.share(there.values == end) - here.share(here.values == end)
        error = np.sqrt(0.25 * (1 / mine.total + 1 / theirs.total))
        is_enough = beyond * mine.total >= LEAST_NUMBERS and len(there.values) > LEAST_NUMBERS
        cut = sample_of(np.minimum(here.values, end), here.counts)
        is_alike = distance(cut, there) <= max(CLOSE, 6 * error)
        if is_enough and is_alike and beyond >= _TOP and piled >= max(0.5 * beyond, 3 * error):
            values = pair.numbers_of(ORIGINAL)
            made = np.where(sign * values > end, sign * end, values)
            yield CodingProposal(
                "coarser",
                1.0,
                1 - beyond,
                f"all numbers beyond a {name} are put to it; {percent(100 * beyond)} of those of"
                " the original lie beyond",
                original=pair.spell(made, SYNTHETIC),
            )


_PERIODS = {"years": "1y", "quarters": "1q", "months": "1mo", "weeks": "1w"}


def _dates(pair: CodingPair, mine: Sample, theirs: Sample) -> Iterator[CodingProposal]:
    for name, period in _PERIODS.items():
        on_s, on_o = (one.share(_first(one.values, period) == one.values) for one in (theirs, mine))
        if on_s >= ON_STEP and on_o <= DATES_ON and len(theirs.values) > 1:
            made = _first(pair.numbers_of(ORIGINAL), period)
            yield CodingProposal(
                "coarser",
                on_s,
                on_o,
                f"{percent(100 * on_s)} of its dates are the first day of {name}, of those of the"
                f" original {percent(100 * on_o)}",
                original=pair.spell(made, SYNTHETIC),
            )
            return


def _first(days: Floats, period: str) -> Floats:
    """The first day of the period that each day is in."""
    dates = pl.Series(days).fill_nan(None).floor().cast(pl.Int32).cast(pl.Date)
    first = dates.dt.truncate(period).cast(pl.Int32).cast(pl.Float64)
    return first.fill_null(np.nan).to_numpy()


def _bands(pair: CodingPair) -> Iterator[CodingProposal]:
    """Bands in one file for the numbers, or the narrower bands, of the other."""
    if pair.levels.dtype != pl.String:
        return
    for side, other in ((SYNTHETIC, ORIGINAL), (ORIGINAL, SYNTHETIC)):
        wide = _read_bands(pair, side)
        values = None if wide is None else _middles(pair, other)
        if wide is None or values is None:
            continue
        place, is_inside = _band_of(wide, values)
        share = pair.share(pair.has_level[other] & is_inside, other)
        is_changed = pair.has_level[other] & is_inside & (place != np.arange(len(place)))
        if share >= MOST and pair.share(is_changed, other) >= 0.5:
            told = pair.move_levels(np.where(is_changed, place, np.arange(len(place))))
            names = ("the original", "the synthetic data")
            yield CodingProposal(
                "coarser",
                share,
                pair.share(pair.has_level[SYNTHETIC] & pair.is_met),
                f"numbers of {names[other]} are bands in {names[side]}",
                original=told if other == ORIGINAL else None,
                synthetic=told if other == SYNTHETIC else None,
            )
            return


def _middles(pair: CodingPair, side: int) -> Floats | None:
    """The numbers of one file by level, or the middles of its bands."""
    held = np.flatnonzero(pair.has_level[side])
    read = read_numbers(pair.text.gather(held))
    found = np.full(len(pair.levels), np.nan)
    if read is not None and read[1] == "number":
        found[held] = read[0]
        return found
    bands = _read_bands(pair, side)
    if bands is None:
        return None
    place, low, high = bands
    with np.errstate(invalid="ignore"):
        found[place] = np.clip((low + high) / 2, low, high)
    is_open = ~np.isfinite(found[place])
    found[place[is_open]] = np.where(np.isfinite(low), low + 1e-9, high - 1e-9)[is_open]
    return found


def _read_bands(pair: CodingPair, side: int) -> tuple[Ints, Floats, Floats] | None:
    """The levels of one file that are bands, with their ends, by their lower end."""
    held = np.flatnonzero(pair.has_level[side])
    if not 2 <= len(held) <= 1000:
        return None
    read = [_band(text) for text in pair.text.gather(held).to_list()]
    is_band = np.array([one is not None for one in read])
    mask = np.zeros(len(pair.levels), bool)
    mask[held[is_band]] = True
    if pair.share(mask, side) < MOST or is_band.sum() < 2:
        return None
    ends = np.array([one for one in read if one is not None])
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return held[is_band][order], ends[order, 0], ends[order, 1]


def _band_of(bands: tuple[Ints, Floats, Floats], values: Floats) -> tuple[Ints, np.ndarray]:
    """For each number the level of the band that it is in, and whether there is one."""
    level, low, high = bands
    place = np.searchsorted(low, np.nan_to_num(values), "right") - 1
    inside = (place >= 0) & np.isfinite(values) & (np.floor(values) <= high[place.clip(0)])
    return level[place.clip(0)], inside


def _band(text: str) -> tuple[float, float] | None:
    """The ends of a label such as 20-29, [20,30), under 20 or 65+."""
    plain = text.strip().lower()
    if found := _BAND.fullmatch(plain):
        return float(found[1]), float(found[2]) - (1e-9 if found[3] == ")" else 0)
    if found := _BELOW.fullmatch(plain):
        return -np.inf, float(found[1])
    if found := _ABOVE.fullmatch(plain):
        return float(found[1] or found[2]), np.inf
    return None
