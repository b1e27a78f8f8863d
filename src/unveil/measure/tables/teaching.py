"""What does a recovered zero teach about somebody who is in the table?

Smith and Elliot (2008), section 2 and Tables 1 and 2: a zero may settle a variable for those whose
other variables are known, rule out one of its levels, or rule out a combination and nothing else.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from unveil.measure.tables.facts import System

Kind = Literal["settles", "rules_out_level", "combination_only"]


@dataclass(frozen=True)
class Lesson:
    """What one recovered zero teaches at most, and about which dimensions."""

    cell: int
    kind: Kind
    settles: tuple[int, ...]
    """Dimensions of which one level is left, the others held."""
    rules_out: tuple[int, ...]
    """Dimensions of which several are left."""


def lessons(system: System, recovered: Collection[int]) -> tuple[tuple[Lesson, ...], int]:
    """What each recovered zero teaches, and of how many people a variable is settled.

    Notes
    -----
    Along a variable through the zero, all other levels held: if all cells but one are known to be
    empty, whoever has those levels is in that one, and the variable is *settled* (Table 1, county
    B). If several are left, a *level is ruled out* (Table 2). If none is left along any variable,
    nobody has the other levels, and only the *combination* is ruled out. A zero counts once, for
    the most it teaches. Impossible cells are known to be empty, and teach nothing themselves.
    """
    zero = _mask(system, recovered)
    empty = zero | _mask(system, system.structural)
    people = np.asarray(system.counts, np.int64).reshape(system.shape)
    left = [np.broadcast_to((~empty).sum(dim, keepdims=True), zero.shape) for dim in _dims(system)]
    settled = np.zeros(zero.shape, dtype=bool)
    for dim, n_left in enumerate(left):
        settled |= ~empty & (n_left == 1) & zero.any(dim, keepdims=True)
    made = [
        _lesson(cell, [int(n.flat[cell]) for n in left]) for cell in np.flatnonzero(zero).tolist()
    ]
    return tuple(made), int(people[settled].sum())


def _dims(system: System) -> range:
    return range(len(system.shape))


def _mask(system: System, cells: Collection[int]) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    made = np.zeros(len(system.counts), dtype=bool)
    made[sorted(cells)] = True
    return made.reshape(system.shape)


def _lesson(cell: int, left: list[int]) -> Lesson:
    settles = tuple(dim for dim, n_left in enumerate(left) if n_left == 1)
    rules_out = tuple(dim for dim, n_left in enumerate(left) if n_left > 1)
    kind: Kind = "settles" if settles else "rules_out_level" if rules_out else "combination_only"
    return Lesson(cell, kind, settles, rules_out)
