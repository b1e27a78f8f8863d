"""Which table do people's records make? Every combination of levels is a cell, nobody's too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from unveil.count.codes import CodedColumn, labels_or_none
from unveil.errors import InputError, RolesError, SettingsError
from unveil.io.table import mid_sentence
from unveil.measure.one_table import OneTable, open_table
from unveil.measure.tables.grid import LARGEST_COUNT, Counts, Grid, check_many_cells, check_names
from unveil.measure.tables.ptable import RecordKeys, keys_in
from unveil.study.roles import names
from unveil.study.scenario import no_progress

MISSING = "(missing)"


def count_cells(
    data: Any,
    dims: str | Iterable[str],
    *,
    weights: str | None,
    bands: Mapping[str, Any] | None,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    record_keys: str | None = None,
) -> tuple[Grid, Counts, RecordKeys | None, tuple[str, ...]]:
    """The cells, how many people are in each and their keys, and what was noticed on the way.

    There are no keys where records stand for several people.
    """
    asked = names(dims, "Dimensions")
    if not asked:
        raise RolesError("No dimensions are given. Name the columns that make the table.")
    check_names(asked)
    _check_aside(asked, weights, record_keys)
    people = open_table(
        data,
        keys=asked,
        others=[one for one in (weights, record_keys) if one is not None],
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=no_progress,
    )
    check_many_cells([column.n_levels for column in people.keys])
    grid = Grid(asked, tuple(texts(column) for column in people.keys), of_people=True)
    notes = tuple(note.sentence for note in people.notes)
    cell = np.zeros(people.n_records, np.int64)
    for column in people.keys:
        cell = cell * column.n_levels + column.codes
    if weights is not None:
        made = np.zeros(grid.n_cells, np.int64)
        np.add.at(made, cell, _weights(people, weights))
        return grid, made, None, notes
    keys = None if record_keys is None else keys_in(people, record_keys)
    counts = np.bincount(cell, minlength=grid.n_cells).astype(np.int64)
    return grid, counts, RecordKeys(cell, grid.n_cells, keys), notes


def _check_aside(dims: Sequence[str], weights: Any, record_keys: Any) -> None:
    for what, name in (("weights", weights), ("record_keys", record_keys)):
        if name is not None and not isinstance(name, str):
            raise RolesError(
                f"{what} must be the name of one column, as text; given is {type(name).__name__}."
            )
        if name in dims:
            raise RolesError(
                f"Column {name!r} cannot be a dimension and {what} at once. Remove it from one of"
                " the two."
            )
    if weights is not None and record_keys is not None:
        raise RolesError(
            "Cell keys count people: weights and record_keys cannot both be given. Omit one."
        )


def texts(column: CodedColumn) -> tuple[str, ...]:
    """Levels as text, the missing one by a name that no other has."""
    found = labels_or_none(column)
    missing = MISSING
    while missing in found:
        missing = f"({missing})"
    return tuple(missing if text is None else text for text in found)


def _weights(people: OneTable, name: str) -> Counts:
    given = people.others[name]
    where = f"The weights in column {name!r} of {mid_sentence(people.place)}"
    if given.null_count():
        raise SettingsError(
            f"{where} are missing for {given.null_count():,} of {people.n_records:,} records. Fill"
            " them in, or remove these records."
        )
    if not given.dtype.is_numeric():
        raise SettingsError(f"{where} are not numbers. Name a column of whole numbers.")
    values = given.cast(pl.Float64).to_numpy()
    n_bad = int((~np.isfinite(values) | (values < 0) | (values % 1 != 0)).sum())
    if n_bad:
        raise SettingsError(
            f"{where} are not whole numbers from 0 for {n_bad:,} of {people.n_records:,} records."
            " A table of counts needs whole people: sampling weights with decimals cannot be used."
        )
    if values.sum() > LARGEST_COUNT:
        raise InputError(f"{where} add up to more than {LARGEST_COUNT:,}.")
    return given.cast(pl.Int64).to_numpy()
