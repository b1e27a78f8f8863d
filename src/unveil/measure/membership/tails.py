"""Where would values have to be cut off, so that the noise is enough for all of them?"""

from dataclasses import dataclass

import numpy as np

from unveil.measure.membership.placed import Values
from unveil.measure.membership.shapes import Floats
from unveil.measure.membership.whole import Whole

_STEPS = 60


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
    if isinstance(values, Whole):
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
    is_whole = isinstance(values, Whole)
    for _ in range(_STEPS):
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
