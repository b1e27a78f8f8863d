"""How probabilities are written for people: never a positive one as 0, nor one below 1 as 1."""

from fractions import Fraction
from math import ceil, floor

DECIMALS = 1000
OPEN = "not settled"
"""What is said of a probability of which nothing is known: that it lies between 0 and 1."""


def is_open(low: float | Fraction, high: float | Fraction) -> bool:
    """Whether two bounds say nothing."""
    return low <= 0 and high >= 1


def probability(value: float | Fraction) -> str:
    """A probability in a sentence."""
    shown = _round_probability(value)
    return {"<0.001": "less than 0.001", ">0.999": "more than 0.999"}.get(shown, shown)


def probability_figure(low: float | Fraction, high: float | Fraction) -> str:
    """A probability in a table; where only bounds are known both, rounded outwards."""
    if _is_one_figure(low, high):
        return _round_probability(high)
    if is_open(low, high):
        return OPEN
    return f"{_down(low)}-{_up(high)}"


def between(low: float | Fraction, high: float | Fraction) -> str | None:
    """Bounds in a sentence, rounded outwards; None where they are one figure."""
    if _is_one_figure(low, high):
        return None
    if is_open(low, high):
        return OPEN
    below = {">0": "more than 0"}.get(_down(low), _down(low))
    above = {"<1": "less than 1"}.get(_up(high), _up(high))
    return f"between {below} and {above}"


def _is_one_figure(low: float | Fraction, high: float | Fraction) -> bool:
    # What floating point leaves open is far below the last digit that is shown.
    return _round_probability(low) == _round_probability(high) or high - low < 1e-6


def _round_probability(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    shown = f"{float(value):.3f}"
    return {"0.000": "<0.001", "1.000": ">0.999"}.get(shown, shown)


def _down(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    cut = floor(value * DECIMALS)
    return f"{cut / DECIMALS:.3f}" if cut else ">0"


def _up(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    cut = ceil(value * DECIMALS)
    return f"{cut / DECIMALS:.3f}" if cut < DECIMALS else "<1"
