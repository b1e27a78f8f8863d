"""How does ECAP fall with the noise, here and in populations of other size and spread?

Chapelle and Falissard, Figures 5 to 7. They advise to look at the curve and at its successive
difference quotients.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unveil.errors import UnveilError
from unveil.measure.membership.occurring import is_possible
from unveil.measure.membership.placed import Places, Setting, Values
from unveil.measure.membership.probability import lowest
from unveil.measure.membership.search import smallest
from unveil.measure.membership.shapes import Floats
from unveil.measure.membership.whole import Whole
from unveil.records.ecap import CurveRow, SensitivityRow

FACTORS = (0.25, 0.5, 2.0, 4.0)
_BEFORE = [step / 20 for step in range(1, 21)]
_AFTER = [*(step / 10 for step in range(11, 21)), *(2 + 0.3 * step for step in range(1, 11))]
STEPS = (0.0, *_BEFORE, *_AFTER)
"""In units of the noise that is enough: 40 points besides none, that noise the 20th of them."""
WORST = 200  # of more distinct values, curves and sensitivity look at so many, the worst


def worst_of(found: Floats) -> Places:
    """The places of the most exposed values."""
    if len(found) <= WORST:
        return np.arange(len(found))
    return np.sort(np.argsort(-np.nan_to_num(found), kind="stable")[:WORST])


def sigmas_about(values: Values, sigma: float) -> list[float]:
    """Amounts from none to five times what is enough."""
    unit = sigma or values.setting.population.spread / 10
    return [step * unit for step in STEPS]


def curve(values: Values, sigmas: Sequence[float]) -> Iterator[CurveRow]:
    """The highest ECAP at each amount of noise (004, Figure 5)."""
    before: tuple[float, float] | None = None
    for at in sigmas:
        ecap = float(np.nan_to_num(values.ecap(at)).max())
        quotient = None if before is None else (ecap - before[1]) / (at - before[0])
        yield CurveRow(sigma=at, ecap=ecap, quotient=quotient)
        before = (at, ecap)


def sensitivity(
    values: Values, threshold: float, sigmas: Sequence[float]
) -> Iterator[SensitivityRow]:
    """What populations of other size (004, Figure 6) and spread (Figure 7) would need."""
    setting = values.setting
    for factor in FACTORS:
        other = replace(setting, N=round(setting.N * factor))
        yield _other(values, other, ("N", factor), threshold, sigmas)
    for factor in FACTORS:
        other = replace(setting, population=setting.population.stretched(factor))
        yield _other(values, other, ("spread", factor), threshold, sigmas)


def _other(
    values: Values,
    setting: Setting,
    changed: tuple[Any, float],
    threshold: float,
    sigmas: Sequence[float],
) -> SensitivityRow:
    there, reason = _within(values, setting)
    sigma, limit = None, lowest(max(setting.N, 1), setting.n)
    if there is not None and threshold <= limit:
        reason = f"no noise goes below {limit:.3g} there"
    elif there is not None:
        sigma = smallest(there, threshold)
        reason = "none was found to be enough" if sigma is None else None
    return SensitivityRow(
        what=changed[0],
        factor=changed[1],
        N=setting.N,
        population=setting.population.text,
        sigma=sigma,
        reason=reason,
        curve=() if there is None else tuple(curve(there, sigmas)),
    )


def _within(values: Values, setting: Setting) -> tuple[Values | None, str | None]:
    """The values in another setting, or why they cannot be there."""
    if setting.n > setting.N:
        return None, "the population would be smaller than the sample"
    whole = isinstance(values, Whole)
    try:
        if is_possible(setting.population, values.x, whole=whole).all():
            return values.within(setting), None
    except UnveilError:
        pass
    return None, "some values would have probability zero there"
