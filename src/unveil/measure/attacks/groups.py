"""Is the risk greater for some than for others? The attack by the value of the secret."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.measure.attacks.inference_secrets import Secret
from unveil.measure.attacks.rates import Outcomes
from unveil.measure.attacks.samples import EVERY, Attacked
from unveil.read.level_text import level_text

MOST_GROUPS = 50
"""A secret with more values than this has no groups: most would be of one or two people."""
MISSING = "(missing)"


@dataclass(frozen=True)
class Group:
    """Those attacked who have one value of the secret."""

    name: str
    outcomes: Outcomes


def groups_of(secret: Secret, attacked: Attacked, outcomes: Outcomes) -> Iterator[Group]:
    """The outcomes of each group, in the order of the levels.

    Rates are over attacked records of the group, on each side. The naive rate is the group's own:
    the share of the copy that has its value.
    """
    original = secret.codes[attacked.original]
    control = None if attacked.control is None else secret.codes[attacked.control]
    for level in np.unique(secret.codes[attacked.rows]):
        mine = original == level
        its = EVERY if control is None else control == level
        yield Group(name_of(secret, int(level)), attacked.by_person(outcomes, mine, its))


def n_groups(secret: Secret, rows: Whole) -> int:
    """How many values of the secret those attacked have."""
    return len(np.unique(secret.codes[rows]))


def name_of(secret: Secret, level: int) -> str:
    """What a level is called: its label where it has one."""
    text = level_text(secret.column.levels[level], is_single=secret.column.is_single)
    if text is None:
        return MISSING
    meaning = secret.column.meanings.get(text)
    return text if meaning is None else meaning.shown
