"""What `unveil.read_file` gives: a table with what is declared about it, from any file or frame."""

import os
from collections.abc import Sequence
from typing import Any

import polars as pl

from unveil.read.files import read_table
from unveil.read.foreign_codebook import kind_of
from unveil.read.labelled import Labelled
from unveil.read.table import Table
from unveil.records.codebook import Codebook, Format, Level, Variable

_FORMATS: dict[str, Format] = {".parquet": "parquet", ".pq": "parquet", ".rds": "r"}


def read_file(
    source: Any,
    *,
    dictionary: str | os.PathLike[str] | None = None,
    columns: Sequence[str] | None = None,
    missing_values: Sequence[str] = (),
    sheet: str | None = None,
) -> Labelled:
    """The table of a file or frame, and what is declared about its columns.

    Parameters
    ----------
    source
        The path of a file (SPSS, Stata, SAS, Excel, Parquet, CSV, also with .gz, or R's .rds), or
        a data frame.
    dictionary
        The path of a file that says what columns and codes mean; one beside a text file under a
        usual name is found without.
    columns
        Read only these, in this order.
    missing_values
        Entries that stand for missing.
    sheet
        Of a workbook, the sheet to read; the first otherwise.
    """
    table = read_table(
        source,
        side="data",
        columns=columns,
        missing_values=missing_values,
        sheet=sheet,
        dictionary=dictionary,
    )
    return Labelled(table.frame, table.codebook or _undeclared(table))


def _undeclared(table: Table) -> Codebook:
    """The codebook of a table about which nobody said anything but its types."""
    ending = os.path.splitext(table.source)[1].lower()
    form = _FORMATS.get(ending, "csv" if ending else "frame")
    return Codebook(
        source=table.source,
        format=form,
        variables=tuple(_variable(column) for column in table.frame.get_columns()),
    )


def _variable(column: pl.Series) -> Variable:
    if not isinstance(column.dtype, pl.Enum):
        kind = "text" if column.dtype == pl.Categorical else kind_of(column.dtype)
        return Variable(name=column.name, kind=kind)
    levels = tuple(Level(code=text, label=text) for text in column.dtype.categories)
    return Variable(name=column.name, kind="text", levels=levels)
