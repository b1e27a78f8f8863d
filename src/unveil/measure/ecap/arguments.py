"""Which values, sizes and amounts were given, and do they mean anything?"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.arguments import (
    check_fields,
    number_in,
    parse_choice,
    parse_number_within,
    parse_whole_number,
)
from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.io.numbers import EXACT_IN_FLOAT

Sampling = Literal["equation 1", "without replacement"]
SAMPLINGS: tuple[Sampling, ...] = ("equation 1", "without replacement")
_NO_NUMBERS = {bool, np.bool_, str, bytes, np.str_, np.bytes_}
_MOST_NOISE = 1e100


def parse_numbers(given: Any, what: str = "values") -> Floats:
    """Numbers as an array, NaN where one is missing; a single number is an array of one."""
    found = _array(given)
    if found is None or found.ndim > 1:
        raise SettingsError(
            f"The {what} are not a list of numbers. Give numbers, with None where one is missing."
        )
    found = np.atleast_1d(found)
    if _is_whole(given) and (np.abs(found) >= EXACT_IN_FLOAT).any():
        raise SettingsError(
            f"The {what} hold a whole number beyond {EXACT_IN_FLOAT:,}, which cannot be"
            " distinguished from the next. Subtract what they have in common, or give them in"
            " other units."
        )
    if not len(found):
        raise SettingsError(f"There are no {what}. Give at least one number.")
    if np.isinf(found).any():
        raise SettingsError(
            f"The {what} hold an infinite number, the first at place"
            f" {int(np.isinf(found).argmax())} (from 0). Remove it, or make it missing."
        )
    return found


def _array(given: Any) -> Floats | None:
    if isinstance(given, pl.Series):
        if not given.dtype.is_numeric():
            return None
        return given.cast(pl.Float64).fill_null(math.nan).to_numpy()
    try:
        found = np.asarray(given)
        if found.dtype.kind not in "iufO" or (found.dtype.kind == "O" and _has_others(found)):
            return None
        return found.astype(np.float64)
    except OverflowError:
        return np.array([math.inf]) if found.ndim == 0 else _clip_to_infinity(found)
    except (TypeError, ValueError):
        return None


def _has_others(found: np.ndarray) -> bool:
    """Whether objects are among them that turn into numbers but are none: "34", True."""
    return not _NO_NUMBERS.isdisjoint(map(type, found.ravel()))


def _clip_to_infinity(found: np.ndarray) -> Floats:
    """Whole numbers that no float is large enough for are infinite."""
    return np.array([number_in(one) if one is not None else math.nan for one in found], np.float64)


def _is_whole(given: Any) -> bool:
    if isinstance(given, pl.Series):
        return given.dtype.is_integer()
    return np.asarray(given).dtype.kind in "iuO"


@dataclass(frozen=True)
class SampleSettings:
    """How many are in the population, how many of them in the data, and how they were drawn."""

    N: int
    n: int
    sampling: Sampling = "equation 1"

    def __post_init__(self) -> None:
        way = partial(parse_choice, choices=SAMPLINGS)
        check_fields(self, {"N": parse_whole_number, "n": parse_whole_number, "sampling": way})
        if self.n > self.N:
            raise SettingsError(
                f"N is {self.N:,} and n is {self.n:,}. The population (N) cannot be smaller than"
                " the sample drawn from it (n)."
            )


def parse_noise_amount(given: Any) -> float:
    """A standard deviation of noise from 0 on."""
    why = ", the standard deviation of the noise"
    return parse_number_within("sigma", given, f"[0, {_MOST_NOISE}]", why)


def parse_ecap_threshold(given: Any) -> float:
    """A tolerated ECAP, between 0 and 1."""
    why = ", the highest ECAP to be tolerated, such as 0.1"
    return parse_number_within("The threshold", given, "(0, 1)", why)


# `unveil.ecap_from_probabilities`: with which probability is a claim of membership right?
#
# Chapelle and Falissard, Equation 1, in a form that loses no digits:
#
#     ECAP = 1 - exp(n log1p(-1/N)) expm1(n log1p(-b)) / expm1(n log1p(-(p/N + (1 - 1/N) b)))
#
# The printed form subtracts powers that differ in their last digits where N is large.


def ecap_from_probabilities(
    p: float, b: float, N: int, n: int, *, sampling: Sampling = "equation 1"
) -> float | None:
    """The elemental correct attribution probability from its two ingredients.

    Parameters
    ----------
    p
        The probability that a person's own noised value lands where it is looked for: P(B in I2).
    b
        The probability that another person's does: P(Y + B in I1).
    N, n
        How many people are in the population, and in the sample.
    sampling
        "equation 1", which draws people with replacement, or "without replacement".

    Returns
    -------
    float or None
        None where p = b = 0: nothing could land there, and nothing can be claimed. 1 where N = 1.

    References
    ----------
    Chapelle and Falissard, *Open-CESP*, Equation 1.
    """
    drawn = SampleSettings(N, n, sampling)
    chances = (
        np.array([parse_number_within("p", p, "[0, 1]")]),
        np.array([parse_number_within("b", b, "[0, 1]")]),
    )
    found = float(claims(*chances, drawn.N, drawn.n, drawn.sampling)[0])
    return None if np.isnan(found) else found


def claims(p: Floats, b: Floats, N: int, n: int, sampling: Sampling = "equation 1") -> Floats:
    """ECAP of many values; NaN where p = b = 0.

    Equation 1 draws n times with replacement. Without it n of N people are in the data, and

        ECAP = f h / (f h + (1 - f) m),  f = n/N,  h = 1 - (1 - p)(1 - b)^(n-1),  m = 1 - (1 - b)^n

    with h and m the chances that a person lands there if the person is in the data, or is not.
    """
    if sampling == "without replacement":
        return _claims_without_replacement(p, b, N, n)
    if N == 1:
        return np.where((p > 0) | (b > 0), 1.0, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.expm1(n * np.log1p(-b))
        anyone = np.expm1(n * np.log1p(-np.minimum(p / N + (1 - 1 / N) * b, 1.0)))
        found = 1 - np.exp(n * np.log1p(-1 / N)) * others / anyone
    return np.where((p > 0) | (b > 0), np.clip(found, 0.0, 1.0), np.nan)


def _claims_without_replacement(p: Floats, b: Floats, N: int, n: int) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        elsewhere = (n - 1) * np.log1p(-b) if n > 1 else np.zeros_like(b)
        inside = n / N * -np.expm1(np.log1p(-p) + elsewhere)
        outside = (1 - n / N) * -np.expm1(n * np.log1p(-b))
        found = inside / (inside + outside)
    return np.where((p > 0) | (b > 0), np.clip(found, 0.0, 1.0), np.nan)


def lowest(N: int, n: int, sampling: Sampling = "equation 1") -> float:
    """What no noise can go below, the chance to be in the data: 1 - ((N-1)/N)^n, or n/N."""
    if sampling == "without replacement":
        return n / N
    return 1.0 if N == 1 else float(-np.expm1(n * np.log1p(-1 / N)))
