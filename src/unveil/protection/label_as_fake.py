"""`unveil.label_as_fake`: a copy that says so wherever it is opened.

By a column, by label and note of its codebook and, where a path is given, by the name of its file
and its metadata: the marks of `unveil.write_file`, on data that stays in memory too.
"""

import os
from dataclasses import dataclass
from typing import Any

import msgspec

from unveil.arguments import quote_value
from unveil.errors import SettingsError
from unveil.io.code_meanings import codebook_of, variable_of
from unveil.io.outgoing import MARK, OutgoingTable, mark_copy
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook
from unveil.records.protection import FakeMarks
from unveil.view.show import Result


@dataclass(frozen=True, repr=False, eq=False)
class FakeResult(Result):
    """Data that says that it is fake, and how it does; printing it shows no record of the data."""

    record: FakeMarks
    data: Labelled


def label_as_fake(
    data: Any,
    *,
    column: str | None = MARK,
    path: str | os.PathLike[str] | None = None,
    partly: bool = False,
    overwrite: bool = False,
) -> FakeResult:
    """Mark synthetic data as fake: by a first column, by label and note, and by the file's name.

    Parameters
    ----------
    column
        The column that says FAKE in every row; None omits it.
    path
        Where to write it, as `unveil.write_file` does; the name gets FAKE_ in front. If omitted,
        nothing is written.
    partly
        Whether only some columns were replaced, so that its rows are of real people.

    Raises
    ------
    SettingsError
        If the data has a column of that name already that says something else.
    """
    _check_nameless(column)
    table = read_table(data, side="synthetic")
    book = codebook_of(table)
    outgoing = mark_copy(
        OutgoingTable(table.place, table.frame, book), marker=column, partly=partly
    )
    labelled = Labelled(outgoing.frame, _with_marker(outgoing))
    written = None
    if path is not None:
        written = write_file(
            data, path, codebook=book, marker=column, partly=partly, overwrite=overwrite
        )
    record = FakeMarks(
        n_records=table.frame.height,
        marker=column,
        label=labelled.codebook.file_label or "",
        note=labelled.codebook.notes[0],
        written=written,
    )
    return FakeResult(record, labelled)


def _check_nameless(column: Any) -> None:
    if column is not None and (not isinstance(column, str) or not column.strip()):
        given = "empty" if isinstance(column, str) else quote_value(column)
        raise SettingsError(f"The marker column is {given}. Give it a name, such as FAKE.")


def _with_marker(outgoing: OutgoingTable) -> Codebook:
    """What is declared of every column, the marker among them; of the original's file nothing."""
    book = outgoing.codebook
    known = {variable.name: variable for variable in book.variables}
    variables = [
        known.get(column.name) or variable_of(column) for column in outgoing.frame.get_columns()
    ]
    return msgspec.structs.replace(book, source="FAKE data", variables=tuple(variables))
