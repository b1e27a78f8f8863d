"""What a custodian must be told before an amount of noise is relied on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unveil.arrays import Floats
from unveil.measure.ecap.discrete import IntegerPlaces
from unveil.measure.ecap.gaps import Distinct, Values
from unveil.measure.ecap.noise_kinds import KINDS, NoiseName

# Where would values have to be cut off, so that the noise is enough for all of them?


_TAIL_STEPS = 60


@dataclass(frozen=True)
class Codes:
    """The highest and the lowest value that may stay; None where that side needs no coding."""

    top: float | None
    bottom: float | None

    @property
    def is_any(self) -> bool:
        """Whether one would help."""
        return self.top is not None or self.bottom is not None


def codes_within(values: Values, found: Floats, sigma: float, threshold: float) -> Codes:
    """Top and bottom code under which every value is within the threshold at this noise.

    ECAP grows outwards, for people are further apart there. Where a value at the median itself is
    above the threshold, no coding helps.
    """
    middle = values.setting.population.median
    if isinstance(values, IntegerPlaces):
        middle = float(np.round(middle))
    if not _is_within(values, middle, sigma, threshold):
        return Codes(None, None)
    is_over = np.nan_to_num(found) > threshold
    over_above, over_below = (values.x[is_over & side] for side in _sides(values.x, middle))
    return Codes(
        _between(values, middle, over_above.min(), sigma, threshold) if len(over_above) else None,
        _between(values, middle, over_below.max(), sigma, threshold) if len(over_below) else None,
    )


def _sides(x: Floats, middle: float) -> tuple[np.ndarray, np.ndarray]:
    return x > middle, x < middle


def _is_within(values: Values, x: float, sigma: float, threshold: float) -> bool:
    return bool(values.like(np.array([x])).ecap(sigma)[0] <= threshold)


def _between(values: Values, within: float, over: float, sigma: float, threshold: float) -> float:
    """The value next to the border on its inner side: halved until nothing is left to halve."""
    is_whole = isinstance(values, IntegerPlaces)
    for _ in range(_TAIL_STEPS):
        half = (within + over) / 2
        if is_whole:
            half = float(np.trunc(half - within) + within)
        if half in (within, over):
            break
        if _is_within(values, half, sigma, threshold):
            within = half
        else:
            over = half
    return within


_WARNING_STEPS = tuple(float(f"{rung}e{power}") for power in range(6, -4, -1) for rung in (5, 1))
_MOST_OF_THEM = 2 / 3  # of multiples of 50 half are multiples of 100 by chance
_FEWEST = 5  # different multiples: two heights of 170 and 180 are not heaped
_FEWEST_DECIMALS = 20
_CLOSE = 1e-9


def format_people(n: int, *, of: int | None = None) -> str:
    """So many values, in words."""
    total = "" if of is None else f" of {of:,}"
    return f"1{total} value" if n == 1 and of is None else f"{n:,}{total} values"


def undefined_warning(n: int) -> Iterator[str]:
    """Nothing can land where these values are looked for."""
    if n:
        yield (
            f"ECAP is undefined for {format_people(n)}: with this noise neither they nor anybody"
            " else could come to lie there, so that nothing can be claimed."
        )


def code_warning(n_above: int | None, codes: Codes, threshold: float | None) -> Iterator[str]:
    """Some values stay above the threshold."""
    if not n_above:
        return
    verb = "stays" if n_above == 1 else "stay"
    said = f"{format_people(n_above)} {verb} above the threshold of {threshold:g} with this noise."
    yield f"{said} {coding_sentence(codes)}" if codes.is_any else said


def coding_sentence(codes: Codes) -> str:
    """Which coding would be enough."""
    top = None if codes.top is None else f"top-code at {_inwards(codes.top, -1)}"
    bottom = None if codes.bottom is None else f"bottom-code at {_inwards(codes.bottom, 1)}"
    said = " and ".join(part for part in (top, bottom) if part)
    return (
        f"{said[0].upper()}{said[1:]}, and it is enough for all; or give a population with heavier"
        " tails."
    )


def _inwards(value: float, towards: int) -> str:
    """Five digits, rounded to the inner side, so that what is advised is within the threshold."""
    short = float(f"{value:.5g}")
    if (value - short) * towards > 0:
        digit = 10.0 ** (len(f"{abs(value):.0f}") - 5)
        short = float(f"{short + towards * digit:.6g}")
    return f"{short:g}"


def heaped_warning(
    distinct: Distinct, noise: NoiseName, sigma: float, *, discrete: bool
) -> Iterator[str]:
    """Whole or round numbers are had back from a little noise by rounding."""
    step, share = commonest_step(distinct)
    if sigma == 0 or step is None or (discrete and step <= 1):
        return
    undone = 200 * float(KINDS[noise].half(np.array([step / 2 / sigma]))[0])
    if undone < 50:
        return
    if step == 1 and share == 1:
        yield (
            f"All values are whole numbers: rounding undoes this noise for {_most(undone)} of them,"
            " and people share them. Measure them as whole numbers: discrete=True, or --discrete."
        )
        return
    yield (
        f"{'All' if share == 1 else f'{100 * share:.0f} % of the'} values are multiples of"
        f" {step:g}: rounding to these undoes this noise for {_most(undone)} of them. Use more"
        f" noise, at least about {0.75 * step:g}, or band the values."
    )


def commonest_step(distinct: Distinct) -> tuple[float | None, float]:
    """The widest step that two thirds of the values but 0 are multiples of, and their share."""
    is_some = distinct.x != 0
    x, counts = distinct.x[is_some], distinct.counts[is_some]
    for step in _WARNING_STEPS:
        in_steps = x / step
        is_round = np.abs(in_steps - np.round(in_steps)) <= _CLOSE * np.maximum(np.abs(in_steps), 1)
        share = float(counts[is_round].sum() / counts.sum()) if len(x) else 0.0
        fewest = _FEWEST if step >= 1 else _FEWEST_DECIMALS
        is_heaped = share >= _MOST_OF_THEM and int(is_round.sum()) >= fewest
        if is_heaped or (step == 1 and len(x) and share == 1):
            return step, share
    return None, 0.0


def _most(share: float) -> str:
    return f"{share:.0f} %" if share < 99.5 else "nearly all"


def unattainable(threshold: float, limit: float) -> str:
    """No amount of noise can do it."""
    return (
        f"A threshold of {threshold:g} cannot be attained by any noise: whatever is released,"
        f" anybody of the population was sampled with probability {limit:.4g}. Give a threshold"
        " above that."
    )


def no_noise_sentence(threshold: float) -> str:
    """None was found, though the limit is lower."""
    return (
        f"No amount of noise was found with which no ECAP is above {threshold:g}, though the"
        " threshold is above the limit. Give a higher threshold, or top-code the values first."
    )


def tail_warning(n_tail: int, n_values: int, sigma: float, body: float, codes: Codes) -> str:
    """A few values far out ask for most of the noise."""
    few = (
        f"{format_people(n_tail, of=n_values)} {'lies' if n_tail == 1 else 'lie'} so far out that a"
    )
    rest = f"{body:.4g} is enough for all others" if body else "all others need none"
    said = f"{few} noise of {sigma:.4g} is needed, while {rest}."
    return f"{said} {coding_sentence(codes)}" if codes.is_any else said
