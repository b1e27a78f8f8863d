"""Which values were published of a table? Those of a file, matched to the table's cells by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from unveil.errors import InputError, ReadError, list_names
from unveil.io.read_cells import has_cells, read_cells, read_place
from unveil.io.sources import read_table
from unveil.io.table import Table, mid_sentence
from unveil.measure.tables.crosstab import parse_crosstab
from unveil.measure.tables.from_records import texts
from unveil.measure.tables.grid import TABLE, TOTAL, Grid, PartRows
from unveil.measure.tables.read_counts import ROLE, fold, read_layout
from unveil.measure.tables.schemes import Published
from unveil.study.study import Study

_INTERVAL = re.compile(r"(\d{1,15}) to (\d{1,15})", re.ASCII)
_OPEN = re.compile(r"(\d{1,15}) or more", re.ASCII)
_WHOLE = re.compile(r"\d{1,15}(\.0*)?", re.ASCII)

Label = tuple[str | None, ...]


def read_published(
    source: Any,
    grid: Grid,
    *,
    value: str | None = None,
    layout: str | None = None,
    total_label: Sequence[str] = ("Total", "All"),
) -> dict[str, Any]:
    """Published values by part, flat, of those parts that the file has whole.

    Parameters
    ----------
    source
        A file or frame, long or wide, with the dimensions of the table. An empty value is
        suppressed; "1 to 4" and "5 or more" are intervals. Of people's records, a level that it
        lacks altogether is published as 0.
    grid
        The cells of the table.
    value
        Long: the column of the values; without it as `Release.from_file` finds counts.
    """
    table = read_table(source, side="data")
    dims = grid.dims if _is_long(table, grid, value, layout) else None
    long = read_layout(table, dims=dims, count=value, layout=layout, published=None)
    if len(long.dims) != len(grid.dims):
        raise ReadError(
            f"{table.place} with the published values has {len(long.dims):,} dimensions, but the"
            f" table has {len(grid.dims):,}: {list_names(grid.dims)}."
        )
    values = _values(long.table, long.count)
    sums = {"total", "all"}
    rows = _match_rows(_published_labels(long.table, long.dims, sums), grid, table.place)
    return dict(_parts(rows, values))


def _is_long(table: Table, grid: Grid, value: str | None, layout: str | None) -> bool:
    if layout is not None or value is not None:
        return layout != "wide"
    return set(grid.dims) <= set(table.frame.columns)


def _published_labels(table: Table, dims: Sequence[str], sums: set[str]) -> list[Label]:
    """The levels of every row; None for a sum."""
    columns = []
    for column in Study([table]).files.encode(dims).columns:
        told = [None if one.strip().casefold() in sums else one for one in texts(column)]
        columns.append(np.array([*told, None], dtype=object)[column.codes])
    return list(zip(*columns, strict=True))


@dataclass(frozen=True)
class LabelledValues:
    """Published values, each by its levels; None for a sum, and for a suppressed value."""

    labels: list[Label]
    values: list[Published]


def read_values(
    source: Any,
    *,
    dims: Sequence[str],
    value: str | None = None,
    hidden: Sequence[str] = (),
) -> LabelledValues:
    """The published values of a long file with these dimensions, whatever levels it has.

    `hidden` are marks of suppressed values, besides an empty one. A workbook may also have a
    cross-table by these dimensions: those of its rows, then those of its headers, unless it names
    them.
    """
    sums = {"total", "all"}
    try:
        long = read_layout(
            read_table(source, side=ROLE),
            dims=tuple(dims),
            count=value,
            layout="long",
            published=None,
        )
    except InputError as fault:
        if value is not None or not has_cells(source):
            raise
        return _read_values_of_crosstab(source, dims, frozenset(sums), fault)
    labels = _published_labels(long.table, long.dims, sums)
    return LabelledValues(labels, _values(long.table, long.count, hidden))


def _read_values_of_crosstab(
    source: Any, dims: Sequence[str], sums: frozenset[str], fault: InputError
) -> LabelledValues:
    try:
        table = parse_crosstab(read_cells(source, side=ROLE), sums)
    except ReadError:
        raise fault from None
    if len(table.names) != len(dims):
        raise ReadError(
            f"{read_place(source, ROLE)} is a cross-table by {len(table.names):,} dimensions, but"
            f" {len(dims):,} are named: {list_names(dims)}."
        ) from None
    is_named = set(table.names) == set(dims)
    order = [table.names.index(dim) for dim in dims] if is_named else range(len(dims))
    labels = [
        tuple(None if fold(one[k]) in sums else one[k] for k in order) for one in table.labels
    ]
    return LabelledValues(labels, [_value(one) for one in table.values])


def _values(table: Table, name: str, hidden: Sequence[str] = ()) -> list[Published]:
    column = table.frame[name].to_list()
    made, n_bad = [], 0
    for one in column:
        try:
            made.append(None if isinstance(one, str) and one.strip() in hidden else _value(one))
        except ValueError:
            n_bad += 1
    if n_bad:
        raise ReadError(
            f"The published values in column {name!r} of {mid_sentence(table.place)} cannot be read"
            f" in {n_bad:,} of {len(column):,} rows. Write whole numbers, nothing where a value is"
            " suppressed, or intervals: 1 to 4, 5 or more."
        )
    return made


def _value(given: Any) -> Published:
    text = "" if given is None or given != given else str(given).strip()  # noqa: PLR0124
    if not text:
        return None
    if found := _INTERVAL.fullmatch(text):
        return int(found[1]), int(found[2])
    if found := _OPEN.fullmatch(text):
        return int(found[1]), None
    if not _WHOLE.fullmatch(text):
        raise ValueError("neither a whole number nor an interval")
    return int(float(text))


def _match_rows(labels: Sequence[Label], grid: Grid, place: str) -> PartRows:
    """The rows by the levels of the table."""
    known: list[dict[str | None, int]] = [
        {None: -1} | {level: i for i, level in enumerate(levels)} for levels in grid.levels
    ]
    rows = []
    for label in labels:
        row = tuple(map(_find_level, label, known))
        for dim, code in zip(grid.dims, row, strict=True):
            if code is None:
                raise InputError(
                    f"{place} with the published values has a level of {dim!r} that the table does"
                    " not have. Its levels must be those of the counts."
                )
        rows.append(row)
    if len(set(rows)) < len(rows):
        raise InputError(
            f"{place} with the published values has more than one row for one cell or sum."
            " Give each once."
        )
    return PartRows(grid, np.array(rows, np.int64).reshape(-1, len(grid.dims)), place)


def _find_level(level: str | None, codes: dict[str | None, int]) -> int | None:
    """The code of a level, with or without the apostrophe that keeps a spreadsheet from running it.

    None where the table does not have it.
    """
    bare = level[1:] if level is not None and level.startswith("'") else level
    return codes.get(level, codes.get(bare))


def _parts(rows: PartRows, values: Sequence[Published]) -> Iterator[tuple[str, Any]]:
    """The values of every part that is whole; of people, 0 for a level that no row has."""
    grid = rows.grid
    for part in rows.parts:
        found, entries = rows.of(part)
        n = prod(grid.shape_of(part))
        named = dict.fromkeys(_absent_entries(rows, part), 0) if grid.of_people else {}
        named |= {e: values[row] for row, e in zip(found.tolist(), entries.tolist(), strict=True)}
        if len(named) < n and part == TABLE:
            raise InputError(
                f"{rows.place} with the published values has no row for {n - len(named):,} of"
                f" {n:,} cells. Give every cell; an empty value is a suppressed one."
            )
        if len(named) == n:
            yield part, named[0] if part == TOTAL else [named[entry] for entry in range(n)]


def _absent_entries(rows: PartRows, part: str) -> list[int]:
    """The entries of a part with a level that no row of the file has."""
    kept = [dim for dim, name in enumerate(rows.grid.dims) if name in rows.grid.dims_of(part)]
    is_absent = np.zeros(rows.grid.shape_of(part), bool)
    for axis, dim in enumerate(kept):
        lacks = ~np.isin(np.arange(rows.grid.shape[dim]), rows.codes[:, dim])
        is_absent |= lacks.reshape([-1 if place == axis else 1 for place in range(len(kept))])
    return np.flatnonzero(is_absent).tolist()
