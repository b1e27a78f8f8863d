"""What to beware of in the row of an attack, in sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unveil.measure.attacks.rates import (
    ALIKE,
    WANTED,
    Outcomes,
    Rate,
    delta_interval,
    needed,
)
from unveil.records.attacks import Interval

WIDE = 0.1
"""An R known no better than this, either way, says little."""
NOTHING_SAID = 2.0
"""An interval as wide as from -1 to 1 says nothing."""


@dataclass(frozen=True)
class Weighed:
    """Outcomes, their rates, and the interval that came of them."""

    outcomes: Outcomes
    main: Rate | None
    naive: Rate | None
    control: Rate | None
    interval: Interval | None
    level: float


def row_warnings(row: Weighed, group: str | None = None) -> Iterator[str]:
    """What to say of a row; of a group that the control does not have, that."""
    if row.main is None:
        who = "Nothing was attacked" if group is None else "Nobody attacked has this value"
        yield f"{who}, so there is no rate."
        return
    if row.naive is not None and row.naive.centre >= row.main.centre - ALIKE:
        yield (
            "Uninformed guesses succeed as often as the attack, or more often: it is too weak to"
            " say that there is no risk."
        )
    if row.outcomes.control is not None and row.control is None:
        who = "Nothing of the control was attacked"
        if group is not None:
            who = "Nobody attacked in the control has this value"
        yield f"{who}, so R is not computable."
    if row.control is not None:
        yield from _of_control(row, row.main, row.control)
    yield from _alike(row.outcomes)


def _of_control(row: Weighed, main: Rate, control: Rate) -> Iterator[str]:
    """Where R is known too badly: for want of people, or of people to be given away."""
    n = 0 if row.outcomes.control is None else len(row.outcomes.control)
    if row.interval is not None and row.interval[1] - row.interval[0] > NOTHING_SAID:
        yield (
            "R cannot be said: the attack succeeds with so many of the control that too few are"
            " left whom the copy could give away, or too few were attacked."
        )
        return
    low, high = delta_interval(main, control)
    if (high - low) / 2 > WIDE:
        enough = needed(main.centre, control.centre, row.level)
        yield (
            f"The control is too small to say much: with {n:,} {'attack' if n == 1 else 'attacks'}"
            f" on it R is known to within {(high - low) / 2:.2f} either way; for {WANTED} about"
            f" {max(enough, n + 1):,} on each side are needed."
        )


def _alike(outcomes: Outcomes) -> Iterator[str]:
    """Where no attack of a side ended otherwise than the others, which leaves much to belief."""
    sides = {"the original": outcomes.main}
    if outcomes.control is not None and len(outcomes.control):
        sides["the control"] = outcomes.control
    alike = [name for name, values in sides.items() if np.ptp(values) < ALIKE]
    if alike:
        yield (
            f"All attacks on {' and on '.join(alike)} ended alike, so the width of the interval"
            " rests on how many there were, and on nothing seen."
        )
