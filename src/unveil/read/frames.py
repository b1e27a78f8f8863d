"""What does a frame of this or another library hold?

Polars is taken as it is, and with its codebook where it is `Labelled`; pandas column by column,
all else through narwhals. Columns asked for are chosen before anything is computed or copied.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from unveil.errors import ReadError, RolesError
from unveil.read.columns import choose, has_pattern
from unveil.read.labelled import Labelled
from unveil.read.pandas import from_pandas
from unveil.read.table import Table, place_of

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


def read_frame(frame: Any, *, side: str, columns: Sequence[str] | None = None) -> Table:
    """The table a frame holds; only `columns`, in that order, where they are given."""
    if isinstance(frame, Labelled):
        table = read_frame(frame.frame, side=side, columns=columns)
        return replace(table, source=frame.codebook.source, codebook=frame.codebook)
    place = place_of(side)
    found = _found(frame, columns, place)
    if found.is_empty():
        raise ReadError(f"{place} has columns but no rows. Check how the frame was made.")
    return Table(side=side, place=place, frame=found)


def _found(frame: Any, columns: Sequence[str] | None, place: str) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame[choose(frame.columns, columns, place)]
    # Only frames of other libraries pay for the import.
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame, pass_through=True)
    if isinstance(native, pl.DataFrame):
        return _found(native, columns, place)
    if nw.dependencies.is_pandas_dataframe(native):
        names = _text_names(native.columns.to_list(), place)
        return from_pandas(native, choose(names, columns, place), place)
    return _collected(_known(native, place), columns, place)


def _text_names(names: Sequence[Any], place: str) -> Sequence[str]:
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise RolesError(
                f"{place} has a column whose name is not text (column {position}: "
                f"{type(name).__name__}). Give every column a name in text."
            )
    return names


def _known(frame: Any, place: str) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_pyarrow_table(frame):
        choose(frame.column_names, None, place)  # narwhals fails on two columns of one name
    try:
        known: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
    except TypeError:
        raise ReadError(
            f"{place} is given as {_a(type(frame).__name__)}. unveil reads file paths and data "
            "frames: polars, pandas, pyarrow, DuckDB and all that narwhals knows."
        ) from None
    except nw.exceptions.NarwhalsError:
        raise ReadError(_not_computed(place)) from None
    return known


def _collected(
    frame: "nw.DataFrame[Any] | nw.LazyFrame[Any]", columns: Sequence[str] | None, place: str
) -> pl.DataFrame:
    import narwhals.stable.v2 as nw

    # Any engine may stand behind the frame, with error classes of its own that may quote values.
    try:
        names = frame.collect_schema().names()
    except (Exception, pl.exceptions.PanicException):
        raise ReadError(_not_computed(place)) from None
    wanted = choose(names, columns, place)
    try:
        chosen = frame if has_pattern(wanted) else frame.select(*wanted)
        eager = chosen.collect("polars") if isinstance(chosen, nw.LazyFrame) else chosen
        return eager.to_polars()[wanted]
    except (Exception, pl.exceptions.PanicException):
        raise ReadError(_not_computed(place)) from None


def _not_computed(place: str) -> str:
    return (
        f"{place} could not be turned into a table: the library behind the frame refused. Compute "
        "it there first, or save it as Parquet and give the path."
    )


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
