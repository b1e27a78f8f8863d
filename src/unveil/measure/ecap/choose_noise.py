"""`unveil.choose_noise`: how little noise is enough?

The smallest sigma with which no released value has an ECAP above the threshold, by bisection.
Chapelle and Falissard, section 4: 0.2 is suggestive of high protection, 0.1 is what they use.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.measure.ecap.arguments import parse_ecap_threshold
from unveil.measure.ecap.caveats import (
    Codes,
    codes_within,
    heaped_warning,
    no_noise_sentence,
    tail_warning,
    unattainable,
)
from unveil.measure.ecap.curves import curve, is_over, sensitivity, sigmas_about, smallest, worst_of
from unveil.measure.ecap.ecap import EcapValues, prepare_values
from unveil.measure.ecap.gaps import Places, Values
from unveil.measure.result import RowsResult, rows_frame
from unveil.records.noise import CurveRow, NoiseChoice, SensitivityRow

VISIBLE = 0.05  # noise beyond this share of the population's spread is seen in the data
N_PLACES = 20
_RUNGS = (1, 2, 5)
_MOST_RUNGS = 200


@dataclass(frozen=True, repr=False)
class NoiseChoiceResult(RowsResult[NoiseChoice]):
    """The amount of noise, the curve it was read from, and what should be known: confidential."""

    rows_in = "curve"

    @property
    def curve(self) -> list[dict[str, Any]]:
        """sigma, the highest ECAP, and the difference quotient, for some amounts of noise."""
        return [row.to_dict() for row in self.record.curve]

    @property
    def sensitivity(self) -> list[dict[str, Any]]:
        """The least noise in populations of other size and spread."""
        return [row.to_dict() for row in self.record.sensitivity]

    def frame(self) -> pl.DataFrame:
        """The curve as a frame, unrounded."""
        return rows_frame(self.rows, dict.fromkeys(("sigma", "ecap", "quotient"), pl.Float64))


def choose_noise(
    values: Any,
    *,
    population: Any,
    N: int,
    n: int,
    threshold: float = 0.1,
    noise: str = "normal",
    discrete: bool = False,
    sampling: str = "equation 1",
) -> NoiseChoiceResult:
    """Find the least noise with which no released value has an ECAP above the threshold.

    Parameters
    ----------
    values, population, N, n, noise, discrete, sampling
        As in `unveil.ecap`.
    threshold
        The highest ECAP to be tolerated.

    Returns
    -------
    NoiseChoiceResult
        `.sigma` (None where the threshold cannot be attained; the warning says why),
        `.sigma_to_use` (the next of 1, 2, 5, 10, ...: the exact one would give the most extreme
        value away), `.curve`, `.sensitivity` (004, Figures 6 and 7), `.warnings`: tail values, and
        the coding that would spare most of the noise. At both amounts no ECAP is above the
        threshold; that no smaller one would do is certain only where ECAP falls throughout.
    """
    tolerated = parse_ecap_threshold(threshold)
    asked = prepare_values(values, population, N, n, noise, discrete=discrete, sampling=sampling)
    return NoiseChoiceResult(choose_for_values(asked, tolerated))


def choose_for_values(asked: EcapValues, threshold: float) -> NoiseChoice:
    """The least noise for opened values."""
    values, distinct, setting = asked.values, asked.distinct, asked.values.setting
    limit = setting.limit
    if threshold <= limit:
        return _record(asked, threshold, _NO_TAIL, warnings=(unattainable(threshold, limit),))
    sigma = smallest(values, threshold)
    use = None if sigma is None else round_up_enough(values, sigma, threshold)
    if sigma is None or use is None:
        return _record(asked, threshold, _NO_TAIL, warnings=(no_noise_sentence(threshold),))
    found = values.ecap(sigma)
    tail = _tail(asked, sigma, threshold)
    worst = values.like(values.x[worst_of(found)])
    sigmas = sigmas_about(values, sigma)
    heaped = heaped_warning(distinct, setting.noise, use, discrete=asked.discrete)
    return _record(
        asked,
        threshold,
        tail,
        sigmas=(sigma, use),
        warnings=(*tail.warnings(sigma, int(distinct.counts.sum())), *heaped),
        found=found,
        curve=tuple(curve(worst, sigmas)),
        sensitivity=tuple(sensitivity(worst, threshold, sigmas[::2])),
    )


def round_up_enough(values: Values, sigma: float, threshold: float) -> float | None:
    """The first rung of 1, 2, 5, 10, ... from sigma on at which no value is above the threshold."""
    used = round_up(sigma)
    for _ in range(_MOST_RUNGS):
        if not is_over(values.ecap(used), threshold).any():
            return used
        used = round_up(used * 1.01)
    return None


def round_up(sigma: float) -> float:
    """1, 2 or 5 times a power of ten, not less than sigma.

    Published with two digits, the least noise would give the most extreme value away: who knows the
    population can turn it round to a hundredth of the population's spread.
    """
    if sigma == 0:
        return 0.0
    power = math.floor(math.log10(sigma))
    rungs = (float(f"{rung}e{at}") for at in (power - 1, power, power + 1) for rung in _RUNGS)
    return next(rung for rung in rungs if rung >= sigma)


@dataclass(frozen=True)
class _Tail:
    """Values that ask for far more noise than all others."""

    sigma: float | None
    places: Places
    codes: Codes

    def warnings(self, sigma: float, n_values: int) -> tuple[str, ...]:
        if self.sigma is None:
            return ()
        return (tail_warning(len(self.places), n_values, sigma, self.sigma, self.codes),)


_NO_TAIL = _Tail(None, np.zeros(0, np.int64), Codes(None, None))


def _tail(asked: EcapValues, sigma: float, threshold: float) -> _Tail:
    """Values that need more than a little noise, what the others need, and where to cut."""
    values, distinct = asked.values, asked.distinct
    little = VISIBLE * values.setting.population.spread
    if sigma <= little:
        return _NO_TAIL
    at_little = values.ecap(little)
    is_tail = np.nan_to_num(at_little) > threshold
    body = None if is_tail.all() else smallest(values, threshold, among=np.nonzero(~is_tail)[0])
    if body is None:
        return _NO_TAIL
    codes = codes_within(values, np.where(is_tail, 1.0, 0.0), body, threshold)
    places = np.nonzero(np.isin(distinct.codes, np.nonzero(is_tail)[0]))[0]
    return _Tail(body, places, codes)


def _record(
    asked: EcapValues,
    threshold: float,
    tail: _Tail,
    *,
    warnings: Sequence[str],
    sigmas: tuple[float | None, float | None] = (None, None),
    found: Floats | None = None,
    curve: tuple[CurveRow, ...] = (),
    sensitivity: tuple[SensitivityRow, ...] = (),
) -> NoiseChoice:
    distinct = asked.distinct
    worst = None if found is None else int(np.nan_to_num(found, nan=-1.0).argmax())
    return NoiseChoice(
        **asked.fields,
        threshold=threshold,
        sigma=sigmas[0],
        sigma_to_use=sigmas[1],
        worst=None if found is None or np.isnan(found[worst]) else float(found[worst]),
        worst_place=None if worst is None else int((distinct.codes == worst).argmax()),
        sigma_without_tail=tail.sigma,
        n_tail=len(tail.places),
        tail_places=tuple(int(one) for one in tail.places[:N_PLACES]),
        top_code=tail.codes.top,
        bottom_code=tail.codes.bottom,
        curve=curve,
        sensitivity=sensitivity,
        warnings=tuple(warnings),
    )
