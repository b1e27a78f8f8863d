"""At which depth is a zero recovered, and among whom? Events and chances of the curves beyond SAP.

Smith and Elliot (2008), section 3: a zero in a cross-classification by thirty variables need not
concern anybody, one in a margin by two may. Section 2.3: the same measure for conditional tables.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from unveil.errors import RolesError, SettingsError, listed, nearest, quoted
from unveil.measure.tables.facts import System
from unveil.measure.tables.grid import Grid, whole
from unveil.read.given import shown

Events = tuple[tuple[int, ...], ...]
Given = tuple[tuple[int, int], ...]
"""Key levels: pairs of a dimension and the place of its level."""

BY_DEPTH = "all"


def key_levels(given: Any, grid: Grid, *, where: str = "given") -> Given:
    """Levels of some dimensions, written as a mapping or as text such as "sex=m,age=2"."""
    pairs = _pairs_in(given, where) if isinstance(given, str) else given
    if not isinstance(pairs, Mapping):
        raise SettingsError(
            f'{where} is {shown(given)}. Write levels as {{"sex": "m"}} or as text, "sex=m,age=2".'
        )
    return tuple(sorted(_place(name, level, grid, where) for name, level in pairs.items()))


def _pairs_in(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, level = part.partition("=")
        if not equals or not name.strip() or name.strip() in found:
            raise SettingsError(
                f'{where} is {quoted(text)}. Write each dimension once, as in "sex=m,age=2";'
                " levels with a comma in them are written as a mapping."
            )
        found[name.strip()] = level.strip()
    return found


def _place(name: Any, level: Any, grid: Grid, where: str) -> tuple[int, int]:
    if name not in grid.dims:
        raise RolesError(
            f"{where} names {shown(name)}, which is no dimension of the table."
            f"{nearest(str(name), grid.dims)} Its dimensions are: {listed(grid.dims)}."
        )
    dim = grid.dims.index(name)
    levels = grid.levels[dim]
    if str(level) not in levels:
        raise SettingsError(
            f"{where} names a level that dimension {name!r} does not have."
            f"{nearest(str(level), levels)} Its levels are: {listed(levels)}."
        )
    return dim, levels.index(str(level))


def depth_asked(depth: Any, n_free: int) -> int | None:
    """A number of variables, or None where the whole table is asked for."""
    if depth is None or depth == BY_DEPTH:
        return None
    found = whole(depth)
    if found is None or not 1 <= found <= n_free:
        variables = "variable" if n_free == 1 else "variables"
        raise SettingsError(
            f"depth is {shown(depth)}. It must be a whole number from 1 to {n_free}, for the table"
            f" has {n_free} {variables} that {'is' if n_free == 1 else 'are'} not given, or"
            f" '{BY_DEPTH}' for a curve of each."
        )
    return found


def under(shape: Sequence[int], given: Given) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """The cells of those who have the key levels, in the shape of the other dimensions."""
    fixed = dict(given)
    at = tuple(fixed.get(dim, slice(None)) for dim in range(len(shape)))
    return np.asarray(np.arange(int(np.prod(shape))).reshape(shape)[at], np.int64)


def events_at(system: System, depth: int | None, given: Given = ()) -> Events | None:
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


def chance_at(system: System, given: Given) -> tuple[int, ...] | None:
    """How many of each cell can become known: only those with the key levels; None for all."""
    if not given:
        return None
    inside = set(under(system.shape, given).reshape(-1).tolist())
    return tuple(count if cell in inside else 0 for cell, count in enumerate(system.counts))
