"""What does a Parquet file hold? Its types are its own; nothing is guessed."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from unveil.errors import ReadError
from unveil.read.columns import choose, has_pattern
from unveil.read.disk import open_file
from unveil.read.table import Table, place_of

_MAGIC = b"PAR1"


def read_parquet(path: Path, *, side: str, columns: Sequence[str] | None = None) -> Table:
    """The table a Parquet file holds; only `columns`, in that order, where they are given."""
    place = place_of(side, path.name)
    with open_file(path, place) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ReadError(
                f"{place} is not a Parquet file, whatever its name says. If it is text, give its "
                "name the ending .csv; otherwise export it again."
            )
        frame = _frame(path.absolute(), columns, place)
    if frame.is_empty():
        raise ReadError(f"{place} has columns but no rows. Check that its export was finished.")
    return Table(side=side, place=place, frame=frame, source=path.name)


def _frame(path: Path, columns: Sequence[str] | None, place: str) -> pl.DataFrame:
    # One file, by its very name: no patterns, no partitions hidden in the folders' names.
    try:
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        wanted = choose(lazy.collect_schema().names(), columns, place)
        return (lazy if has_pattern(wanted) else lazy.select(wanted)).collect()[wanted]
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise ReadError(
            f"{place} is damaged: it begins as a Parquet file but cannot be read to its end. "
            "Export or copy it again."
        ) from None
