"""What is known of columns about which nobody declared anything?

The kind of a column is that of its type, and the fixed categories of a polars Enum are its codes.
The categories of a Categorical are no declaration: they are whatever occurred, and polars may share
them among columns.
"""

import os

import polars as pl

from unveil.read.table import Table
from unveil.records.codebook import Codebook, Format, Kind, Level, Variable

NOUNS: dict[Kind, str] = {
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "moment": "dates with times",
    "time": "times",
    "truth": "truth values",
    "unknown": "values of another type",
}
"""What a sentence says that a column holds."""

_KINDS: dict[type[pl.DataType], Kind] = {
    pl.String: "text",
    pl.Categorical: "text",
    pl.Enum: "text",
    pl.Boolean: "truth",
    pl.Date: "date",
    pl.Datetime: "moment",
    pl.Time: "time",
    pl.Duration: "time",
}
_FORMATS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".gz"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".rds": "r",
}


def kind_of(dtype: pl.DataType) -> Kind:
    """What a column of this type holds."""
    return "number" if dtype.is_numeric() else _KINDS.get(dtype.base_type(), "unknown")


def variable_of(column: pl.Series) -> Variable:
    """A column by its name and type alone."""
    return Variable(name=column.name, kind=kind_of(column.dtype), levels=_fixed(column.dtype))


def codebook_of(table: Table) -> Codebook:
    """What is declared about a table; where nothing is, its columns by their types."""
    return table.codebook or Codebook(
        source=table.source,
        format=_FORMATS.get(os.path.splitext(table.source)[1].lower(), "frame"),
        variables=tuple(map(variable_of, table.frame.get_columns())),
    )


def _fixed(dtype: pl.DataType) -> tuple[Level, ...]:
    if not isinstance(dtype, pl.Enum):
        return ()
    return tuple(Level(code=text, label=text) for text in dtype.categories.to_list())
