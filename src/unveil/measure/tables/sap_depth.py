"""At which depth is a zero recovered, and among whom? Events and chances of the curves beyond SAP.

Smith and Elliot (2008), section 3: a zero in a cross-classification by thirty variables need not
concern anybody, one in a margin by two may. Section 2.3: the same measure for conditional tables.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np

from unveil.arguments import quote_value
from unveil.errors import SettingsError
from unveil.measure.tables.grid import GivenLevels, as_count
from unveil.measure.tables.parts import System

# What does a recovered zero teach about somebody who is in the table?
#
# Smith and Elliot (2008), section 2 and Tables 1 and 2: a zero may settle a variable for those
# whose other variables are known, rule out one of its levels, or rule out a combination and
# nothing else.


Kind = Literal["settles", "rules_out_level", "combination_only"]


@dataclass(frozen=True)
class ZeroDisclosure:
    """What one recovered zero teaches at most, and about which dimensions."""

    cell: int
    kind: Kind
    settles: tuple[int, ...]
    """Dimensions of which one level is left, the others held."""
    rules_out: tuple[int, ...]
    """Dimensions of which several are left."""


def list_lessons(
    system: System, recovered: Collection[int], given: GivenLevels = ()
) -> tuple[tuple[ZeroDisclosure, ...], int]:
    """What each recovered zero teaches, and of how many people a variable is settled.

    With key levels only about people who have them, and about the other variables.

    Notes
    -----
    Along a variable through the zero, all other levels held: if all cells but one are known to be
    empty, whoever has those levels is in that one, and the variable is *settled* (Table 1, county
    B). If several are left, a *level is ruled out* (Table 2). If none is left along any variable,
    nobody has the other levels, and only the *combination* is ruled out. A zero counts once, for
    the most it teaches. Impossible cells are known to be empty, and teach nothing themselves.
    """
    cells = under(system.shape, given)
    dims = [dim for dim in range(len(system.shape)) if dim not in dict(given)]
    zero = _mask(system, recovered)[cells]
    empty = zero | _mask(system, system.structural)[cells]
    people = np.asarray(system.counts, np.int64)[cells]
    left = [np.broadcast_to((~empty).sum(k, keepdims=True), zero.shape) for k in range(zero.ndim)]
    settled = np.zeros(zero.shape, dtype=bool)
    for dim, n_left in enumerate(left):
        settled |= ~empty & (n_left == 1) & zero.any(dim, keepdims=True)
    made = [
        _lesson(int(cells.flat[place]), dims, [int(n.flat[place]) for n in left])
        for place in np.flatnonzero(zero).tolist()
    ]
    return tuple(made), int(people[settled].sum())


def _mask(system: System, cells: Collection[int]) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    made = np.zeros(len(system.counts), dtype=bool)
    made[sorted(cells)] = True
    return made


def _lesson(cell: int, dims: list[int], left: list[int]) -> ZeroDisclosure:
    settles = tuple(dim for dim, n_left in zip(dims, left, strict=True) if n_left == 1)
    rules_out = tuple(dim for dim, n_left in zip(dims, left, strict=True) if n_left > 1)
    kind: Kind = "settles" if settles else "rules_out_level" if rules_out else "combination_only"
    return ZeroDisclosure(cell, kind, settles, rules_out)


Events = tuple[tuple[int, ...], ...]
BY_DEPTH = "all"
MOST_IN_EVENTS = 2_000_000
"""Cells in all the margins of one depth together; about half a gigabyte."""


def parse_depth(depth: Any, n_free: int) -> int | None:
    """A number of variables, or None where the whole table is asked for."""
    if depth is None or (isinstance(depth, str) and depth == BY_DEPTH):
        return None
    found = as_count(depth)
    if found is None or not 1 <= found <= n_free:
        variables = "variable" if n_free == 1 else "variables"
        raise SettingsError(
            f"depth is {quote_value(depth)}. It must be a whole number from 1 to {n_free}, for "
            "the table"
            f" has {n_free} {variables} that {'is' if n_free == 1 else 'are'} not given, or"
            f" '{BY_DEPTH}' for a curve of each."
        )
    return found


def under(shape: Sequence[int], given: GivenLevels) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """The cells of those who have the key levels, in the shape of the other dimensions."""
    fixed = dict(given)
    at = tuple(fixed.get(dim, slice(None)) for dim in range(len(shape)))
    return np.asarray(np.arange(int(np.prod(shape))).reshape(shape)[at], np.int64)


def events_at(system: System, depth: int | None, given: GivenLevels = ()) -> Events | None:
    """The sets of cells of which one must be recovered; None where it is any cell by itself.

    Notes
    -----
    SAP_d(n) is the probability that a recovered zero lies in a margin of at most d variables, and a
    margin cell is recovered when every possible cell under it is. A zero in a smaller margin is one
    in every margin of d variables below it, so margins of exactly d variables are enough. Margin
    cells in which everything is structural are no events.
    """
    cells = under(system.shape, given)
    n_free = cells.ndim
    if depth is None or depth >= n_free:
        depth = n_free
        if not given:
            return None
    _check_many(cells.size, n_free, depth)
    found: dict[tuple[int, ...], None] = {}
    for dims in combinations(range(n_free), depth):
        rest = [dim for dim in range(n_free) if dim not in dims]
        rows = cells.transpose(*dims, *rest).reshape(
            int(np.prod([cells.shape[dim] for dim in dims])), -1
        )
        for row in rows.tolist():
            possible = tuple(sorted(cell for cell in row if cell not in system.structural))
            if possible:
                found[possible] = None
    return tuple(found)


def _check_many(n_cells: int, n_free: int, depth: int) -> None:
    n_margins = comb(n_free, depth)
    if n_margins * n_cells > MOST_IN_EVENTS:
        raise SettingsError(
            f"Depth {depth} of {n_free} variables is {n_margins:,} margins of {n_cells:,} cells"
            f" each, together more than {MOST_IN_EVENTS:,}. Ask for another depth, or for a table"
            " of fewer variables."
        )


def chance_at(system: System, given: GivenLevels) -> tuple[int, ...] | None:
    """How many of each cell can become known: only those with the key levels; None for all."""
    if not given:
        return None
    inside = set(under(system.shape, given).reshape(-1).tolist())
    return tuple(count if cell in inside else 0 for cell, count in enumerate(system.counts))
