"""Is a file of counts long or wide, and which of its columns are levels and which are counts?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from unveil.errors import ReadError, RolesError, SettingsError, listed
from unveil.read.given import choice
from unveil.read.roles import absent
from unveil.read.table import Table

COUNT_NAMES = ("count", "counts", "n", "freq", "frequency", "number", "people", "persons")
LAYOUTS = ("long", "wide")
ROWS, COLUMNS, COUNT = "rows", "columns", "count"


@dataclass(frozen=True)
class Long:
    """A long table: the columns of its levels, and the column of its counts."""

    table: Table
    dims: tuple[str, ...]
    count: str


def laid_out(
    table: Table,
    *,
    dims: tuple[str, ...] | None,
    count: Any,
    layout: Any,
    published: str | None,
) -> Long:
    """The file as a long table, whichever it is."""
    if layout is not None:
        choice("layout", layout, LAYOUTS)
    if count is not None and not isinstance(count, str):
        raise RolesError(f"count must be the name of a column; given is {type(count).__name__}.")
    rest = [name for name in table.frame.columns if name != published]
    if layout is None:
        layout = _layout(table, rest, dims, count)
    if layout == "wide":
        return _from_wide(table, dims, count, published)
    counts = _count_column(table, rest, dims) if count is None else count
    chosen = tuple(name for name in rest if name != counts) if dims is None else dims
    for name in (*chosen, counts, *([published] if published else [])):
        if name not in table.frame.columns:
            raise RolesError(absent(table.place, name, table.frame.columns))
    if counts in chosen or not chosen:
        raise RolesError(
            f"Column {counts!r} cannot be counts and a dimension at once. Name at least one column"
            " of levels with dims, and the column of counts with count."
        )
    return Long(table, chosen, counts)


def _layout(table: Table, rest: Sequence[str], dims: Sequence[str] | None, count: Any) -> str:
    if count is not None or _named_count(rest) is not None:
        return "long"
    if dims is not None and set(dims) < set(rest):
        return "long"
    n_numeric = sum(_is_numeric(table, name) for name in rest[1:])
    if len(rest) > 1 and n_numeric == len(rest) - 1:
        return "long" if len(rest) == 2 else "wide"
    raise ReadError(_unclear(table))


def _unclear(table: Table) -> str:
    return (
        f"In {table.place[0].lower()}{table.place[1:]} it is not clear which column holds the"
        f" counts. Name it with count, or say layout='wide'. Its columns are:"
        f" {listed(table.frame.columns)}."
    )


def _named_count(columns: Sequence[str]) -> str | None:
    found = [name for name in columns if name.strip().casefold() in COUNT_NAMES]
    return found[0] if len(found) == 1 else None


def _is_numeric(table: Table, name: str) -> bool:
    return table.frame[name].dtype.is_numeric()


def _count_column(table: Table, rest: Sequence[str], dims: Sequence[str] | None) -> str:
    """The counts: the column called so, the only one that is left, or the only one of numbers."""
    left = [name for name in rest if dims is None or name not in dims]
    named = _named_count(left)
    if named is not None:
        return named
    numeric = [name for name in left if _is_numeric(table, name)]
    for found in (left, numeric):
        if len(found) == 1:
            return found[0]
    if dims is None and len(rest) == 2 and _is_numeric(table, rest[1]):
        return rest[1]
    raise ReadError(_unclear(table))


def _from_wide(
    table: Table, dims: tuple[str, ...] | None, count: Any, published: str | None
) -> Long:
    """Every number with the label of its row and the header of its column."""
    if count is not None or published is not None:
        raise SettingsError(
            "A wide file has a column of counts for each level: count and published name columns"
            " of long files only."
        )
    first, *others = table.frame.columns
    if dims is not None and len(dims) != 2:
        raise RolesError(
            f"A wide file has two dimensions, its rows and its columns; given are {len(dims):,}"
            " names."
        )
    if not others:
        raise ReadError(f"{table.place} has one column. A wide file has levels beside it.")
    not_numbers = [name for name in others if not _is_numeric(table, name)]
    if not_numbers:
        raise ReadError(
            f"{table.place} is read as a wide file, but these columns are not numbers:"
            f" {listed(not_numbers)}. The table must hold the true counts, as whole numbers."
        )
    rows = ROWS if first.startswith("unnamed_") else first
    chosen = dims or (rows, COLUMNS if rows != COLUMNS else "header")
    n_rows = table.frame.height
    long = pl.DataFrame(
        {
            "0": pl.concat([table.frame[first]] * len(others)),
            "1": [name for name in others for _ in range(n_rows)],
            "2": pl.concat([_as_float_or_whole(table.frame[name]) for name in others]),
        }
    )
    names = COUNT if COUNT not in chosen else "counts"
    long.columns = [*chosen, names]
    return Long(replace(table, frame=long), tuple(chosen), names)


def _as_float_or_whole(column: pl.Series) -> pl.Series:
    """Columns of one type, so that they can stand below each other; counts are below 2^53."""
    return column.cast(pl.Float64).alias("")
