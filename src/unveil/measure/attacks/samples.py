"""Who is attacked: everybody, or a sample; as many of the original as of the control.

Rates of samples of one size can be compared without a correction for size.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unveil.count.packing import Ids, Whole
from unveil.count.profile import Mask
from unveil.count.streams import stream
from unveil.errors import SettingsError
from unveil.measure.attacks.opening import CONTROL, ORIGINAL, Opened
from unveil.measure.attacks.rates import Floats, Outcomes
from unveil.read.given import number_in, shown

Chosen = Mask | slice
EVERY = slice(None)


@dataclass(frozen=True)
class Attacked:
    """The attacked records as places in the stacked sides, each in the order of its file."""

    original: Whole
    control: Whole | None
    n_requested: int | None
    warnings: tuple[str, ...]
    whose: Mapping[int, Ids] = field(default_factory=dict)  # by side, whose record each is

    @property
    def rows(self) -> Whole:
        """All of them: the original's, then the control's."""
        return self.original if self.control is None else np.r_[self.original, self.control]

    def parts(self, of_rows: Any) -> tuple[Any, Any]:
        """What was found for each of `rows`, in its two parts; None for a control not there."""
        n = len(self.original)
        return of_rows[:n], None if self.control is None else of_rows[n:]

    def by_person(self, outcomes: Outcomes, mine: Chosen = EVERY, its: Chosen = EVERY) -> Outcomes:
        """What became of the attacks on some records: one by one, or the mean of each person's."""
        main, naive = (
            _means(of_rows[mine], self.whose.get(ORIGINAL), mine)
            for of_rows in (outcomes.main, outcomes.naive)
        )
        control = outcomes.control
        if control is not None:
            control = _means(control[its], self.whose.get(CONTROL), its)
        return Outcomes(main, naive, control)


def _means(of_rows: Floats, whose: Ids | None, chosen: Chosen) -> Floats:
    """The mean of what each person's records have; all of them where records are attacked."""
    if whose is None:
        return of_rows
    _, place, n = np.unique(whose[chosen], return_inverse=True, return_counts=True)
    means: Floats = np.bincount(place, of_rows, minlength=len(n)) / n
    return means


def attacked(opened: Opened, n: int | None, seed: int) -> Attacked:
    """Draw the records to attack: n of each side, all where there are no more than n.

    Where people have several records, as many people are drawn, with all their records.
    """
    sides = {ORIGINAL: "original", **({CONTROL: "control"} if opened.has_control else {})}
    sizes = {side: opened.n_attackable(side) for side in sides}
    size = min([*sizes.values(), *([] if n is None else [n])])
    places = {side: _drawn(sizes[side], size, seed, name) for side, name in sides.items()}
    whose = {}
    for side, of_row in opened.people.items():
        places[side] = np.flatnonzero(np.isin(of_row, places[side]))
        whose[side] = of_row[places[side]]
    rows = {side: opened.slice_of(side).start + one for side, one in places.items()}
    warnings = _cut_short(opened, n, size)
    return Attacked(rows[ORIGINAL], rows.get(CONTROL), n, warnings, whose)


def _drawn(n_rows: int, size: int, seed: int, side: str) -> Whole:
    if size == n_rows:
        return np.arange(n_rows)
    return np.sort(stream(seed, "attacked", side).choice(n_rows, size, replace=False))


def _cut_short(opened: Opened, n: int | None, size: int) -> tuple[str, ...]:
    n_original = opened.n_attackable(ORIGINAL)
    if size == (n_original if n is None else min(n, n_original)):
        return ()
    mine, its = ("people of the original", "people in the control sample")
    if not opened.people:
        mine, its = ("original records", "control records")
    return (
        f"Only {size:,} of {n_original:,} {mine} were attacked: as many as there are {its}, so that"
        " both sides are of one size.",
    )


def whole_number(what: str, given: Any, *, least: int = 1) -> int:
    """A whole number that is at least so large, or a refusal."""
    number = number_in(given)
    if number is None or not number.is_integer() or number < least:
        raise SettingsError(f"{what} is {shown(given)}. Give a whole number, {least} or more.")
    return int(number)


def level_of(given: Any) -> float:
    """The level of the intervals, or a refusal."""
    number = number_in(given)
    if number is None or not 0 < number < 1:
        raise SettingsError(
            f"level is {shown(given)}. Give a number between 0 and 1, such as 0.95."
        )
    return number
