"""Which levels of which dimensions did a user name, as a mapping or as text such as "sex=m"?"""

from collections.abc import Mapping, Set
from typing import Any

from unveil.errors import RolesError, SettingsError, listed, nearest, quoted
from unveil.measure.tables.grid import Grid
from unveil.read.given import is_list, shown

Given = tuple[tuple[int, int], ...]
"""Key levels: pairs of a dimension and the place of its level."""


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
    if is_list(level) or isinstance(level, Mapping | Set):
        raise SettingsError(
            f"{where} names a level of dimension {name!r} that is {shown(level)}. Write one level,"
            " as text."
        )
    dim = grid.dims.index(name)
    return dim, grid.level(dim, str(level), where)
