"""What is declared about the columns of a table, by its file or by a dictionary beside it?"""

from dataclasses import dataclass

import msgspec
import polars as pl

from unveil.read.table import Table
from unveil.read.undeclared import codebook_of, kind_of, variable_of
from unveil.records.codebook import Codebook, Variable


@dataclass(frozen=True)
class Declared:
    """The codebook of a table, column by column, and what a dictionary says beyond it."""

    codebook: Codebook
    not_in_file: tuple[str, ...]


def declared(table: Table, dictionary: Codebook | None) -> Declared:
    """What is known of each column; a dictionary given by the user goes before the file's own."""
    own = codebook_of(table)
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


def _variable(column: pl.Series, known: Variable | None) -> Variable:
    if known is None:
        return variable_of(column)
    if known.kind != "unknown":
        return known
    return msgspec.structs.replace(known, kind=kind_of(column.dtype))
