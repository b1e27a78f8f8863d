"""What is declared about the columns of a table, by its file or by a dictionary beside it?

Where nobody says anything, the kind of a column is that of its type, and the fixed categories of a
polars Enum are its codes. The categories of a Categorical are no declaration: they are whatever
occurred, and polars may share them among columns.
"""

import os
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from unveil.errors import SettingsError
from unveil.read.dictionary import read_dictionary
from unveil.read.given import shown
from unveil.read.table import Table
from unveil.records.codebook import Codebook, Format, Kind, Level, Variable

_FORMATS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".gz"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".xlsx", ".xls", ".xlsm"), "excel"),
    **dict.fromkeys((".sav", ".zsav", ".por"), "spss"),
    **dict.fromkeys((".sas7bdat", ".xpt"), "sas"),
    ".dta": "stata",
    ".rds": "r",
}


@dataclass(frozen=True)
class Declared:
    """The codebook of a table, column by column, and what a dictionary says beyond it."""

    codebook: Codebook
    not_in_file: tuple[str, ...]


def dictionary_given(given: Any) -> Codebook | None:
    """A dictionary as a user gives it: a codebook, or the path of a file."""
    if given is None or isinstance(given, Codebook):
        return given
    if isinstance(given, str | os.PathLike):
        return read_dictionary(given)
    raise SettingsError(
        f"dictionary is {shown(given)}. Give the path of a file, such as 'survey_dictionary.csv',"
        " or a codebook."
    )


def declared(table: Table, dictionary: Codebook | None) -> Declared:
    """What is known of each column; a dictionary given by the user goes before the file's own."""
    own = table.codebook or Codebook(source=table.source, format=_format(table.source))
    known = {variable.name: variable for variable in own.variables}
    known |= {variable.name: variable for variable in (dictionary.variables if dictionary else ())}
    columns = table.frame.get_columns()
    variables = tuple(_variable(column, known.get(column.name)) for column in columns)
    names = set(table.frame.columns)
    return Declared(
        Codebook(
            source=table.source,
            format=own.format,
            file_label=own.file_label,
            notes=own.notes,
            encoding=own.encoding,
            variables=variables,
        ),
        tuple(name for name in known if name not in names),
    )


def kind_of(dtype: pl.DataType) -> Kind:
    """The kind of a column, by its type."""
    if dtype.is_numeric():
        return "number"
    kinds: dict[Any, Kind] = {
        pl.String: "text",
        pl.Categorical: "text",
        pl.Enum: "text",
        pl.Date: "date",
        pl.Datetime: "moment",
        pl.Time: "time",
        pl.Boolean: "truth",
    }
    return kinds.get(dtype.base_type(), "unknown")


def _variable(column: pl.Series, known: Variable | None) -> Variable:
    if known is None:
        known = Variable(name=column.name, levels=_fixed(column.dtype))
    if known.kind != "unknown":
        return known
    return msgspec.structs.replace(known, kind=kind_of(column.dtype))


def _fixed(dtype: pl.DataType) -> tuple[Level, ...]:
    if not isinstance(dtype, pl.Enum):
        return ()
    return tuple(Level(code=text, label=text) for text in dtype.categories.to_list())


def _format(source: str) -> Format:
    return _FORMATS.get(os.path.splitext(source)[1].lower(), "frame")
