"""What is nearby, and how many of those looked at are members? Or a refusal."""

import math
from dataclasses import dataclass
from typing import Any

from unveil.count.streams import drawn_seed
from unveil.errors import SettingsError
from unveil.measure.attacks.samples import level_of, whole_number
from unveil.read.given import number_in, shown


@dataclass(frozen=True)
class MembershipAsked:
    """The settings of `unveil.membership`, all of them sound."""

    threshold: float | None
    prevalence: float
    n: int | None
    level: float
    seed: int

    @classmethod
    def of(
        cls, threshold: Any, prevalence: Any, n: Any, level: Any, seed: Any
    ) -> "MembershipAsked":
        """The settings, or a sentence on what is wrong with them."""
        return cls(
            None if threshold is None else _threshold(threshold),
            _prevalence(prevalence),
            None if n is None else whole_number("n", n, least=2),
            level_of(level),
            drawn_seed(seed),
        )


def _prevalence(given: Any) -> float:
    share = number_in(given)
    if share is None or not 0 < share < 1:
        raise SettingsError(f"prevalence is {shown(given)}. It must be a number between 0 and 1.")
    return share


def _threshold(given: Any) -> float:
    number = number_in(given)
    if number is None or not math.isfinite(number) or number < 0:
        raise SettingsError(
            f"threshold is {shown(given)}. Give a distance: a number that is not negative."
        )
    return number
