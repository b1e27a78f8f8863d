"""What `unveil.read_file` gives: a table with what is declared about it, from any file or frame."""

import os
from collections.abc import Sequence
from typing import Any

from unveil.io.code_meanings import codebook_of
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.records.codebook import Codebook


def read_file(
    source: Any,
    *,
    dictionary: str | os.PathLike[str] | Codebook | None = None,
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
        What columns and codes mean: the path of a dictionary, or a codebook. It goes before what
        the file says. One beside a text file under a usual name is found without.
    columns
        Read only these, in this order.
    missing_values
        Entries that stand for missing.
    sheet
        Of a workbook, the sheet to read; the first that shows otherwise. It may also be named
        behind the path, as in "survey.xlsx#2020".
    """
    table = read_table(
        source,
        side="data",
        columns=columns,
        missing_values=missing_values,
        sheet=sheet,
        dictionary=dictionary,
    )
    return Labelled(table.frame, codebook_of(table))
