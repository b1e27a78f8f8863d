"""Which table of counts stands in a file: long or wide, with or without its margins?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import encode
from unveil.errors import InputError, ReadError, RolesError, SettingsError, listed
from unveil.measure.tables.counts import checked, refuse_names
from unveil.measure.tables.file_layout import laid_out
from unveil.measure.tables.grid import TABLE, Counts, Grid
from unveil.measure.tables.release_microdata import texts
from unveil.read.align import align
from unveil.read.files import read_table
from unveil.read.given import is_list
from unveil.read.roles import absent, names
from unveil.read.table import Table

ROLE = "data"


@dataclass(frozen=True)
class FileTable:
    """The cells of a file, their counts, what was noticed, and published values by part."""

    grid: Grid
    counts: Counts
    notes: tuple[str, ...]
    published: dict[str, list[Any]] | None


@dataclass(frozen=True)
class _Rows:
    """Each row of a long table: the code of its level in every dimension, -1 for a sum."""

    grid: Grid
    codes: NDArray[np.int64]
    place: str

    def of(self, part: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of a part, and the entry of the part that each is about."""
        kept = np.array([dim in self.grid.dims_of(part) for dim in self.grid.dims])
        rows = np.flatnonzero(((self.codes >= 0) == kept).all(axis=1))
        entry = np.zeros(len(rows), np.int64)
        for dim in np.flatnonzero(kept):
            entry = entry * self.grid.shape[dim] + self.codes[rows, dim]
        return rows, entry

    @property
    def parts(self) -> list[str]:
        """The parts some row is about, but for the table."""
        found = np.unique(self.codes >= 0, axis=0)
        dims = [
            [d for d, is_kept in zip(self.grid.dims, kept, strict=True) if is_kept]
            for kept in found
        ]
        return [part for part in map(self.grid.part, dims) if part != TABLE]


def table_in(
    source: Any,
    *,
    dims: str | Iterable[str] | None,
    count: str | None,
    layout: str | None,
    total_label: str | Sequence[str],
    published: Any,
) -> FileTable:
    """The table of counts in a file or a frame; margins in it must add up, and are left aside."""
    labels = _labels(total_label)
    column = published if isinstance(published, str) else None
    table = read_table(source, side=ROLE)
    long = laid_out(
        table,
        dims=None if dims is None else names(dims, "Dimensions"),
        count=count,
        layout=layout,
        published=column,
    )
    if column is not None and column not in long.table.frame.columns:
        raise RolesError(absent(table.place, column, table.frame.columns))
    refuse_names(long.dims)
    rows, notes = _rows(long.table, long.dims, labels)
    counts, more = _counts(rows, _numbers(long.table, long.count))
    _check_margins(rows, counts, long.table.frame[long.count].to_list(), labels)
    drawn = None if column is None else _published(rows, long.table.frame[column].to_list())
    return FileTable(rows.grid, counts, (*notes, *more), drawn)


def _labels(given: Any) -> frozenset[str]:
    asked = [given] if isinstance(given, str) else given
    if not is_list(asked) or not all(isinstance(one, str) for one in asked):
        raise SettingsError(
            "total_label must be the text that marks a sum, such as 'Total', or a list of them."
        )
    return frozenset(_folded(one) for one in asked)


def _folded(text: str) -> str:
    return text.strip().casefold()


def _rows(table: Table, dims: Sequence[str], labels: frozenset[str]) -> tuple[_Rows, list[str]]:
    """The rows as codes of levels, in the order in which the file names them first."""
    aligned = align([table], dims)
    codes, levels = [], []
    for dim in dims:
        column = encode(dim, aligned.columns[dim])
        found, first = np.unique(column.codes, return_index=True)
        named = texts(column)
        ordered = [int(code) for code in found[np.argsort(first)]]
        kept = [code for code in ordered if _folded(named[code]) not in labels]
        if not kept:
            raise InputError(
                f"Dimension {dim!r} of the table has no level but {listed(named)}, which marks a"
                " sum. Say with the total label how sums are marked."
            )
        renumbered = np.full(column.n_levels, -1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        codes.append(renumbered[column.codes])
        levels.append(tuple(named[code] for code in kept))
    grid = Grid(tuple(dims), tuple(levels))
    notes = [note.sentence for note in aligned.coercions]
    return _Rows(grid, np.column_stack(codes), table.place), notes


def _numbers(table: Table, count: str) -> list[Any]:
    """The column of counts; a column that is not numbers is refused without quoting it."""
    column = table.frame[count]
    if not column.dtype.is_numeric():
        n_bad = len(column)
        if column.dtype == pl.String:
            n_bad = int(column.cast(pl.Float64, strict=False).is_null().sum())
        raise ReadError(
            f"The counts in column {count!r} of {table.place[0].lower()}{table.place[1:]} are not"
            f" numbers in {n_bad:,} of {len(column):,} rows. The table must hold the true counts,"
            " as whole numbers; say with count which column they are."
        )
    return column.to_list()


def _counts(rows: _Rows, numbers: Sequence[Any]) -> tuple[Counts, list[str]]:
    found, cells = rows.of(TABLE)
    if not len(found):
        raise InputError(f"{rows.place} has rows of sums alone. The table has no cells.")
    _refuse_twins(rows, TABLE, cells)
    flat: list[Any] = [0] * rows.grid.n_cells
    for row, cell in zip(found.tolist(), cells.tolist(), strict=True):
        flat[cell] = numbers[row]
    n_absent = rows.grid.n_cells - len(cells)
    note = (
        f"{n_absent:,} of {rows.grid.n_cells:,} cells are not in the file and taken to have nobody"
        " in them."
    )
    return checked(flat, rows.grid), [note] if n_absent else []


def _refuse_twins(rows: _Rows, part: str, entries: NDArray[np.int64]) -> None:
    found, n_times = np.unique(entries, return_counts=True)
    if (n_times > 1).any():
        what = rows.grid.whats(part)[int(found[n_times > 1][0])]
        raise InputError(
            f"{rows.place} has more than one row for {what}. Name all columns that make the table"
            " with dims, or put these rows together."
        )


def _check_margins(
    rows: _Rows, counts: Counts, numbers: Sequence[Any], labels: frozenset[str]
) -> None:
    """Sums in the file must be those of its cells, or one of the two is wrong."""
    for part in rows.parts:
        found, entries = rows.of(part)
        _refuse_twins(rows, part, entries)
        sums = rows.grid.summed(counts, part)
        for row, entry in zip(found.tolist(), entries.tolist(), strict=True):
            if numbers[row] != sums[entry]:
                raise InputError(
                    f"{rows.place} gives another number for {rows.grid.whats(part)[entry]} than its"
                    " cells add up to. Correct it; or, where a level is only called like a sum"
                    f" ({listed(sorted(labels))}), say with the total label how"
                    " sums are marked."
                )


def _published(rows: _Rows, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Published values by part, of those parts that the column has whole."""
    made: dict[str, list[Any]] = {}
    for part in (TABLE, *rows.parts):
        found, entries = rows.of(part)
        if part == TABLE or len(found) == len(rows.grid.labels(part)):
            flat: list[Any] = [0] * len(rows.grid.labels(part))
            for row, entry in zip(found.tolist(), entries.tolist(), strict=True):
                flat[entry] = values[row]
            made[part] = flat if part != "total" else flat[0]
    return made
