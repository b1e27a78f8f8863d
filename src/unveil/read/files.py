"""What is this source: a text file, a Parquet file, or a frame? Each goes to its own reader."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from unveil.errors import ReadError, listed
from unveil.read.csv import read_csv
from unveil.read.frames import read_frame
from unveil.read.parquet import read_parquet
from unveil.read.table import Table, place_of
from unveil.records.disclosure import Coercion

_TEXT = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")


def read_table(
    source: Any,
    *,
    side: str,
    columns: Sequence[str] | None = None,
    missing_values: Sequence[str] = (),
) -> Table:
    """One side of a comparison, from a path or a frame.

    Only `columns` are read, in that order, where they are given. Entries equal to one of
    `missing_values` are missing: as text, and in columns of numbers by their value.
    """
    if not isinstance(source, str | os.PathLike):
        table = read_frame(source, side=side, columns=columns)
        return _noted(_with_missing(table, missing_values), missing_values)
    path = Path(os.fsdecode(source))
    ending = path.suffix.lower()
    if ending in _TEXT:
        table = read_csv(path, side=side, columns=columns, missing_values=missing_values)
        table = _with_missing(table, missing_values)  # again by value, now that numbers are numbers
    elif ending in _PARQUET:
        table = _with_missing(read_parquet(path, side=side, columns=columns), missing_values)
    else:
        raise ReadError(_unknown_ending(path, place_of(side, path.name)))
    return _noted(table, missing_values)


def _noted(table: Table, missing_values: Sequence[str]) -> Table:
    """The table with what the user declared missing among its notes."""
    if not missing_values:
        return table
    declared = listed(repr(token) for token in missing_values)
    note = Coercion(
        side=table.side,
        column=None,
        kind="missing_values",
        sentence=f"Entries {declared} are taken as missing, as asked.",
    )
    return replace(table, notes=(*table.notes, note))


def _unknown_ending(path: Path, place: str) -> str:
    if _is_there(path) and path.is_dir():
        return f"{place} is a folder, not a file. Give the path of one file in it."
    ending = f"the ending {path.suffix!r}" if path.suffix else "no ending"
    is_column = not path.suffix and not _is_there(path)
    hint = " If it is a column, join the names with commas, without blanks." if is_column else ""
    return (
        f"{place} has {ending}; unveil reads files that end in {', '.join(_TEXT)}, "
        f"{' or '.join(_PARQUET)}. Save it as CSV or Parquet.{hint}"
    )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _with_missing(table: Table, missing_values: Sequence[str]) -> Table:
    """The table without these entries: what a text file's reader does before typing."""
    if not missing_values:
        return table
    numbers = pl.Series(missing_values, dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
    texts = cs.string() | cs.categorical() | cs.enum()
    frame = table.frame.with_columns(
        pl.when(~texts.cast(pl.String).is_in(list(missing_values))).then(texts),
        pl.when(~cs.numeric().cast(pl.Float64).is_in(numbers.to_list())).then(cs.numeric()),
    )
    return replace(table, frame=frame)
