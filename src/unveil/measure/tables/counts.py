"""Which table of counts did a user write down: its cells, its dimensions and its true counts?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unveil.errors import InputError, RolesError, SettingsError, listed, nearest
from unveil.measure.tables.grid import (
    ONLY_DIM,
    Counts,
    Grid,
    is_missing,
    refuse_many_cells,
    whole,
)
from unveil.read.given import is_list, shown
from unveil.read.roles import names

LARGEST_COUNT = 2**53
DEEPEST = 64
NOT_COUNTS = (
    "The counts must be whole numbers in a list, in lists of equal length, in an array, or in a"
    " mapping from cells to counts"
)


def table_given(counts: Any, dims: Any, levels: Any) -> tuple[Grid, Counts]:
    """The cells and the counts a user gave, as lists, an array or a mapping."""
    if isinstance(counts, Mapping):
        return _from_mapping(counts, dims, levels)
    values = nested(counts)
    grid = Grid(_dims(dims, values.ndim), _levels(levels, dims, values.shape))
    return grid, checked(values.reshape(-1), grid)


def nested(given: Any) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Lists of lists, or an array, as an array of objects; a refusal where lengths differ."""
    given = kept(given)
    if not is_list(given):
        raise SettingsError(f"{NOT_COUNTS}; given is {shown(given)}.")
    shape = _shape(given)
    refuse_many_cells(shape)
    flat = list(_flattened(given, shape))
    made = np.empty(len(flat), dtype=object)
    for place, one in enumerate(flat):  # one by one: numpy would look into foreign objects
        made[place] = one
    return made.reshape(shape)


def kept(given: Any) -> Any:
    """The same; a frame as an array, and what can be gone through only once as a list."""
    if hasattr(given, "to_numpy"):
        return given.to_numpy()
    return list(given) if isinstance(given, Iterator) else given


def _shape(given: Any) -> tuple[int, ...]:
    """The shape by the first entry of each level."""
    sizes: list[int] = []
    while is_list(given):
        if len(sizes) == DEEPEST:  # a list may even hold itself
            raise SettingsError(f"{NOT_COUNTS}; more than {DEEPEST} lists stand in one another.")
        sizes.append(len(given))
        if not len(given):
            break
        given = next(iter(given))
    return tuple(sizes)


def _flattened(given: Any, shape: Sequence[int]) -> Any:
    if not shape:
        if is_list(given):
            raise SettingsError(f"{NOT_COUNTS}; one list is deeper than another.")
        yield given
        return
    if not is_list(given) or len(given) != shape[0]:
        raise SettingsError(f"{NOT_COUNTS}; not all lists have the same length.")
    for one in given:
        yield from _flattened(one, shape[1:])


def checked(flat: Any, grid: Grid) -> Counts:
    """Counts as 64-bit numbers; the first that is no count is named by its cell."""
    found = np.zeros(len(flat), np.int64)
    for cell, given in enumerate(flat):
        found[cell] = _count(given, grid, cell)
    if int(found.sum(dtype=object)) > LARGEST_COUNT:
        raise InputError(f"The counts add up to more than {LARGEST_COUNT:,}.")
    return found


def _count(given: Any, grid: Grid, cell: int) -> int:
    count = whole(given)
    if count is not None and 0 <= count <= LARGEST_COUNT:
        return count
    what = "is not a whole number"
    if is_missing(given):
        what = "is missing"
    elif count is not None:
        what = "is negative" if count < 0 else f"is above {LARGEST_COUNT:,}"
    raise InputError(
        f"The count of {grid.what(cell)} {what}. A table of counts holds whole numbers from 0."
    )


def _dims(given: Any, n_dims: int) -> tuple[str, ...]:
    if given is None:
        many = tuple(f"dim{i}" for i in range(1, n_dims + 1))
        return (ONLY_DIM,) if n_dims == 1 else many
    found = names(given, "Dimensions")
    if len(found) != n_dims:
        raise RolesError(
            f"The counts have {n_dims:,} dimensions, but {len(found):,} names are given:"
            f" {listed(found)}."
        )
    refuse_names(found)
    return found


def refuse_names(dims: Sequence[str]) -> None:
    """No dimension may be called as a part of the release is, nor have a comma in its name."""
    for dim in dims:
        if dim in ("table", "total", "margins") or "," in dim or not dim.strip():
            raise RolesError(
                f"A dimension cannot be called {dim!r}: table, total, margins, nothing and names"
                " with a comma mean something else. Give it another name."
            )


def _levels(given: Any, dims: Any, shape: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    if given is None:
        return tuple(tuple(str(i) for i in range(size)) for size in shape)
    found = levels_given(given, _dims(dims, len(shape)))
    for dim, one, size in zip(_dims(dims, len(shape)), found, shape, strict=True):
        if len(one) != size:
            raise SettingsError(
                f"Dimension {dim!r} has {size:,} levels in the counts, but {len(one):,} are named."
            )
    return found


def levels_given(given: Any, dims: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Levels of each dimension, given by its name or in the order of the dimensions."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in dims:
                raise RolesError(
                    f"Levels are given for {name!r}, which is no dimension of the table."
                    f"{nearest(str(name), dims)} Its dimensions are: {listed(dims)}."
                )
        given = [given.get(dim) for dim in dims]
    given = kept(given)
    if is_list(given) and len(dims) == 1 and not any(is_list(one) for one in given):
        given = [given]
    if not is_list(given) or len(given) != len(dims) or not all(is_list(one) for one in given):
        raise SettingsError(
            "levels must be one list of names per dimension, such as [['m', 'f'], ['young',"
            f" 'old']]. The dimensions are: {listed(dims)}."
        )
    return tuple(_texts(dim, one) for dim, one in zip(dims, given, strict=True))


def _texts(dim: str, given: Sequence[Any]) -> tuple[str, ...]:
    texts = tuple(str(one) for one in given)
    if len(set(texts)) < len(texts):
        raise SettingsError(f"A level of dimension {dim!r} is given twice. Name each once.")
    return texts


def _from_mapping(given: Mapping[Any, Any], dims: Any, levels: Any) -> tuple[Grid, Counts]:
    """A count by cell; a combination that is not there has nobody in it."""
    if not given:
        raise InputError("The table has no cells. Give at least one count.")
    cells = [key if isinstance(key, tuple) else (key,) for key in given]
    if len({len(cell) for cell in cells}) > 1:
        raise SettingsError("Not all cells of the counts have the same number of levels.")
    texts = [tuple(str(one) for one in cell) for cell in cells]
    if len(set(texts)) < len(texts):
        raise SettingsError("A cell of the counts is given twice, once as text. Give it once.")
    found_dims = _dims(dims, len(cells[0]))
    found = (
        tuple(tuple(dict.fromkeys(column)) for column in zip(*texts, strict=True))
        if levels is None
        else levels_given(levels, found_dims)
    )
    grid = Grid(found_dims, found)
    flat: list[Any] = [0] * grid.n_cells
    for cell, count in zip(texts, given.values(), strict=True):
        flat[grid.cell(cell, "The counts")] = count
    return grid, checked(flat, grid)
