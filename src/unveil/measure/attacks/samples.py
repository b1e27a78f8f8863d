"""Who is attacked: everyone, or a sample; as many of the original as of the control.

Rates of samples of one size can be compared without a correction for size.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from unveil.arguments import parse_number_within
from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Ids
from unveil.io.numbers import level_text
from unveil.measure.attacks.inference_scores import Secret
from unveil.measure.attacks.prepare import CONTROL, MOST_PLACES, ORIGINAL, AttackData
from unveil.measure.attacks.rates import Outcomes
from unveil.seeding import sample_rows

Chosen = Mask | slice
EVERY = slice(None)


@dataclass(frozen=True)
class AttackedRows:
    """The attacked records as places in the stacked sides, each in the order of its file."""

    original: Ints
    control: Ints | None
    n_requested: int | None
    warnings: tuple[str, ...]
    whose: Mapping[int, Ids] = field(default_factory=dict)  # by side, whose record each is

    @property
    def rows(self) -> Ints:
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


def draw_attacked(opened: AttackData, n: int | None, seed: int) -> AttackedRows:
    """Draw the records to attack: n of each side, all where there are no more than n.

    Where people have several records, as many people are drawn, with all their records.
    """
    sides = {ORIGINAL: "original", **({CONTROL: "control"} if opened.has_control else {})}
    sizes = {side: opened.n_attackable(side) for side in sides}
    size = min([*sizes.values(), *([] if n is None else [n])])
    places = {
        side: sample_rows(np.arange(sizes[side]), size, seed, "attacked", name)
        for side, name in sides.items()
    }
    whose = {}
    for side, of_row in opened.people.items():
        is_drawn = np.isin(of_row, places[side])
        if opened.sequences is not None:
            is_drawn &= opened.sequences.place[opened.slice_of(side)] < MOST_PLACES
        places[side] = np.flatnonzero(is_drawn)
        whose[side] = of_row[places[side]]
    rows = {side: opened.slice_of(side).start + one for side, one in places.items()}
    warnings = _cut_short(opened, n, size)
    return AttackedRows(rows[ORIGINAL], rows.get(CONTROL), n, warnings, whose)


def _cut_short(opened: AttackData, n: int | None, size: int) -> tuple[str, ...]:
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


check_level = partial(parse_number_within, range_="(0, 1)", why=", such as 0.95")
"""The level of intervals, or a refusal."""


# Is the risk greater for some than for others? The attack by the value of the secret.


MOST_GROUPS = 50
"""A secret with more values than this has no groups: most would be of one or two people."""
MISSING = "(missing)"


@dataclass(frozen=True)
class SecretGroup:
    """Those attacked who have one value of the secret."""

    name: str
    outcomes: Outcomes


def groups_of(secret: Secret, attacked: AttackedRows, outcomes: Outcomes) -> Iterator[SecretGroup]:
    """The outcomes of each group, in the order of the levels.

    Rates are over attacked records of the group, on each side. The naive rate is the group's own:
    the share of the synthetic file that has its value.
    """
    original = secret.codes[attacked.original]
    control = None if attacked.control is None else secret.codes[attacked.control]
    for level in np.unique(secret.codes[attacked.rows]):
        mine = original == level
        its = EVERY if control is None else control == level
        yield SecretGroup(name_of(secret, int(level)), attacked.by_person(outcomes, mine, its))


def n_groups(secret: Secret, rows: Ints) -> int:
    """How many values of the secret those attacked have."""
    return len(np.unique(secret.codes[rows]))


def name_of(secret: Secret, level: int) -> str:
    """What a level is called: its label where it has one."""
    text = level_text(secret.column.levels[level], is_single=secret.column.is_single)
    if text is None:
        return MISSING
    meaning = secret.column.meanings.get(text)
    return text if meaning is None else meaning.label_with_code
