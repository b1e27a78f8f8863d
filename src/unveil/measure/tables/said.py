"""What is said of a table besides what is published: other sums, and impossible cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unveil.errors import InputError, SettingsError, nearest
from unveil.measure.tables.counts import LARGEST_COUNT, kept
from unveil.measure.tables.facts import Fact
from unveil.measure.tables.grid import MOST_DIMS, Counts, Grid, whole
from unveil.read.given import is_list, shown


def constraint_facts(grid: Grid, given: Any) -> Iterator[Fact]:
    """What a user says is known besides, each as a fact."""
    if given is None:
        return
    if not is_list(given):
        raise SettingsError(
            'constraints must be a list, such as [{"cells": [0, 3], "lo": 2, "hi": 4}]; given is'
            f" {shown(given)}."
        )
    for number, one in enumerate(given, 1):
        yield _constraint(grid, one, f"Constraint {number:,}")


def _constraint(grid: Grid, given: Any, where: str) -> Fact:
    if not isinstance(given, Mapping):
        raise SettingsError(f'{where} is no mapping such as {{"cells": [0, 3], "lo": 2, "hi": 4}}.')
    for key in given:
        if key not in ("cells", "lo", "hi"):
            hint = nearest(str(key), ("cells", "lo", "hi"))
            raise SettingsError(f"{where} has an entry {key!r}.{hint} It has cells, lo and hi.")
    asked: Any = kept(given.get("cells", ()))
    if not is_list(asked) or not len(asked):
        raise SettingsError(f"{where} names no cells. Give a list of them.")
    cells = [grid.cell(one, where) for one in asked]
    if len(set(cells)) < len(cells):
        raise SettingsError(f"{where} names a cell twice. Name each once.")
    lo, hi = _bound(given.get("lo", 0), where), _bound(given.get("hi"), where)
    if lo is None or (hi is not None and hi < lo):
        raise SettingsError(f"{where} has no lo that is at most its hi.")
    return Fact(tuple(sorted(cells)), lo, hi, f"the sum of {where.lower()}")


def _bound(given: Any, where: str) -> int | None:
    if given is None:
        return None
    found = whole(given)
    if found is None or not 0 <= found <= LARGEST_COUNT:
        raise SettingsError(
            f"{where} has a bound that is {shown(given)}. Bounds are whole numbers from 0 to"
            f" {LARGEST_COUNT:,}; hi may be None."
        )
    return found


def structural_cells(grid: Grid, given: Any, counts: Counts) -> frozenset[int]:
    """The impossible cells, given by number, by levels or as a mask; none may have a count."""
    if given is None:
        return frozenset()
    if not is_list(given) and not isinstance(given, set | frozenset):
        raise SettingsError(
            "structural must be a list of impossible cells, or a mask of the table's shape; given"
            f" is {shown(given)}."
        )
    given = kept(given)
    mask = _mask(given, grid)
    cells = (
        {grid.cell(one, "structural") for one in given}
        if mask is None
        else set(np.flatnonzero(mask).tolist())
    )
    for cell in sorted(cells):
        if counts[cell]:
            raise InputError(
                f"People are counted in {grid.what(cell)}, which is declared impossible"
                " (structural). Take it off the structural cells, or correct its count."
            )
    return frozenset(cells)


def _mask(given: Any, grid: Grid) -> Any:
    """Truth values in the table's shape, or flat; None where they are not truth values."""
    if isinstance(given, set | frozenset) or not len(given) or not _is_truth(given):
        return None
    try:
        mask = np.array(given, dtype=bool)
    except ValueError:  # lists of unequal length
        mask = np.zeros(0, dtype=bool)
    if mask.shape not in (grid.shape, (grid.n_cells,)):
        sizes = " x ".join(f"{size:,}" for size in grid.shape)
        raise SettingsError(
            f"The mask of structural cells does not have the table's shape, {sizes}."
        )
    return mask.reshape(-1)


def _is_truth(given: Any, depth: int = 0) -> bool:
    """Whether everything in these lists of lists is True or False."""
    if isinstance(given, np.ndarray):
        return bool(given.dtype == bool)
    if is_list(given) and depth <= MOST_DIMS:
        return all(_is_truth(one, depth + 1) for one in given)
    return isinstance(given, bool | np.bool_)
