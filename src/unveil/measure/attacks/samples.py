"""Who is attacked: everybody, or a sample; as many of the original as of the control.

Rates of samples of one size can be compared without a correction for size.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.count.packing import Whole
from unveil.count.streams import stream
from unveil.errors import SettingsError
from unveil.measure.attacks.opening import CONTROL, ORIGINAL, Opened
from unveil.read.given import number_in, shown


@dataclass(frozen=True)
class Attacked:
    """The attacked records as places in the stacked sides, each in the order of its file."""

    original: Whole
    control: Whole | None
    n_requested: int | None
    warnings: tuple[str, ...]

    @property
    def rows(self) -> Whole:
        """All of them: the original's, then the control's."""
        return self.original if self.control is None else np.r_[self.original, self.control]

    def parts(self, of_rows: Any) -> tuple[Any, Any]:
        """What was found for each of `rows`, in its two parts; None for a control not there."""
        n = len(self.original)
        return of_rows[:n], None if self.control is None else of_rows[n:]


def attacked(opened: Opened, n: int | None, seed: int) -> Attacked:
    """Draw the records to attack: n of each side, all where there are no more than n."""
    sizes = [opened.n_original]
    if opened.n_control is not None:
        sizes.append(opened.n_control)
    size = min([*sizes, *([] if n is None else [n])])
    drawn = [
        opened.slice_of(side).start + _drawn(n_rows, size, seed, name)
        for n_rows, side, name in zip(
            sizes, (ORIGINAL, CONTROL), ("original", "control"), strict=False
        )
    ]
    return Attacked(drawn[0], drawn[1] if len(drawn) > 1 else None, n, _cut_short(opened, n, size))


def _drawn(n_rows: int, size: int, seed: int, side: str) -> Whole:
    if size == n_rows:
        return np.arange(n_rows)
    return np.sort(stream(seed, "attacked", side).choice(n_rows, size, replace=False))


def _cut_short(opened: Opened, n: int | None, size: int) -> tuple[str, ...]:
    wanted = opened.n_original if n is None else min(n, opened.n_original)
    if size == wanted:
        return ()
    return (
        f"Only {size:,} of {opened.n_original:,} original records were attacked: as many as there"
        " are control records, so that both sides are of one size.",
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
