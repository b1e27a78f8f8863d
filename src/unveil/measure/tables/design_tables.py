"""Which tables are compared: one, a list, by name, in a folder, or one for each area?"""

from collections.abc import Iterable, Mapping
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from unveil.errors import InputError, RolesError, SettingsError, listed, nearest
from unveil.measure.tables.counts import table_given
from unveil.measure.tables.grid import MOST_DIMS, Counts, Grid
from unveil.measure.tables.release import Release
from unveil.read.given import is_list, shown

Named = dict[str, tuple[Grid, Counts]]
SUFFIXES = (".csv", ".tsv", ".parquet", ".xlsx")
ONE = "table"


def tables_given(given: Any, *, area: str | None, dims: Any, count: str | None) -> Named:
    """The tables by name, in their order.

    Nested lists of numbers and arrays are one table; a list of arrays, of releases or of files is
    many, and so is a mapping from names to tables. A frame or a file is one, or with `area` many.
    """
    if area is not None:
        return _by_area(given, area, dims, count)
    if isinstance(given, str | Path) and Path(given).is_dir():
        return _in_folder(Path(given), dims, count)
    if isinstance(given, Mapping) and given and not _is_counts(given.values()):
        return {str(name): _one(table, dims, count) for name, table in given.items()}
    if isinstance(given, list | tuple) and given and not _is_counts(given):
        return {f"{ONE} {place}": _one(one, dims, count) for place, one in enumerate(given, 1)}
    return {ONE: _one(given, dims, count)}


def of_people(named: Named, n_max: Any) -> tuple[Named, tuple[str, ...]]:
    """The tables that count somebody, and a note on the others: nobody of them becomes known."""
    empty = [name for name, (_, counts) in named.items() if not counts.any()]
    if not empty or n_max == 0:
        return named, ()
    if len(empty) == len(named):
        raise InputError("Nobody is counted in any table, so that nobody can become known.")
    note = (
        f"Nobody is counted in {len(empty):,} of the tables, which are left out: {listed(empty)}."
    )
    return {name: table for name, table in named.items() if name not in set(empty)}, (note,)


def _is_counts(values: Iterable[Any], depth: int = 0) -> bool:
    """Whether these are numbers, or plain lists of them: parts of one table."""
    return all(
        one is None
        or isinstance(one, Number | np.number)
        or (isinstance(one, list | tuple) and (depth > MOST_DIMS or _is_counts(one, depth + 1)))
        for one in values
    )


def _one(given: Any, dims: Any, count: str | None) -> tuple[Grid, Counts]:
    if isinstance(given, Release):
        return given.grid, np.array(given.system.counts, np.int64)
    if isinstance(given, str | Path) or _is_frame(given):
        return _from_file(given, dims, count)
    if not is_list(given) and not isinstance(given, Mapping):
        raise SettingsError(
            f"A table to compare is {shown(given)}. Give counts, a release, a frame or a file."
        )
    return table_given(given, dims, None)


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") and not isinstance(given, np.ndarray)


def _from_file(given: Any, dims: Any, count: str | None) -> tuple[Grid, Counts]:
    found = Release.from_file(given, dims=dims, count=count)
    return found.grid, np.array(found.system.counts, np.int64)


def _in_folder(folder: Path, dims: Any, count: str | None) -> Named:
    files = sorted(one for one in folder.iterdir() if one.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(
            f"The folder {folder.name!r} has no table in it. Files of tables end in:"
            f" {listed(SUFFIXES)}."
        )
    names = [one.stem for one in files]
    told = names if len(set(names)) == len(names) else [one.name for one in files]
    return {name: _from_file(str(one), dims, count) for name, one in zip(told, files, strict=True)}


def _by_area(given: Any, area: str, dims: Any, count: str | None) -> Named:
    """One table for each level of a column; all of them have the levels of all."""
    from unveil.measure.tables.release_file import table_in
    from unveil.read.roles import names

    asked = None if dims is None else (area, *(d for d in names(dims, "Dimensions") if d != area))
    found = table_in(
        given, dims=asked, count=count, layout="long", total_label=("Total", "All"), published=None
    )
    grid = found.grid
    if area not in grid.dims:
        raise RolesError(
            f"There is no column of areas {area!r}.{nearest(area, grid.dims)} The columns of"
            f" levels are: {listed(grid.dims)}."
        )
    if len(grid.dims) == 1:
        raise RolesError(
            f"Beside the areas {area!r} no column of levels is left to make tables of."
        )
    place = grid.dims.index(area)
    rest = [dim for dim in range(len(grid.dims)) if dim != place]
    inner = Grid(tuple(grid.dims[d] for d in rest), tuple(grid.levels[d] for d in rest))
    counts = np.moveaxis(found.counts.reshape(grid.shape), place, 0)
    return {
        name: (inner, counts[number].reshape(-1)) for number, name in enumerate(grid.levels[place])
    }
