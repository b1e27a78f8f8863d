"""What a dictionary declares, put beside the table it describes."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from unveil.errors import ReadError, listed
from unveil.read.dictionary import dictionary_beside, dictionary_given, read_dictionary
from unveil.read.stamps import from_clock_text
from unveil.read.table import Table
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion


def with_dictionary(table: Table, given: Any) -> Table:
    """The table with the dictionary that the user gave; one that fits no column is refused.

    It goes before what the file says itself, which still counts for all other columns.
    """
    known = dictionary_given(given)
    book = _of_columns(known, table)
    if not book.variables:
        name = known.source if given is known else Path(os.fsdecode(given)).name
        raise ReadError(
            f"The dictionary ({name}) names none of the columns of the file. Its columns are: "
            f"{listed(table.frame.columns)}."
        )
    return _with_times(replace(table, codebook=_completed(book, table.codebook)))


def with_dictionary_beside(table: Table, path: Path) -> Table:
    """The table with the dictionary found beside its file, where there is one; that is told."""
    found = dictionary_beside(path)
    if found is None:
        return table
    try:
        book = _of_columns(read_dictionary(found), table)
    except ReadError:
        return _noted(table, f"The file {found.name!r} beside it is no dictionary unveil can read.")
    if not book.variables:
        return _noted(table, f"The dictionary {found.name!r} beside it names none of its columns.")
    sentence = f"What columns and codes mean was taken from {found.name!r} beside the file."
    return _with_times(replace(_noted(table, sentence), codebook=book))


def _with_times(table: Table) -> Table:
    """The table with times of day where they are declared; a text file has them as text."""
    book = table.codebook
    declared = [one.name for one in book.variables if one.kind == "time"] if book else []
    texts = [table.frame[name] for name in declared if table.frame[name].dtype == pl.String]
    found = [(text.name, from_clock_text(text)) for text in texts]
    # Spans of a day and more stay text: nothing else would compare them with text elsewhere.
    times = [
        column.alias(name)
        for name, column in found
        if column is not None and column.dtype == pl.Time and column.null_count() < len(column)
    ]
    return replace(table, frame=table.frame.with_columns(times)) if times else table


def _of_columns(book: Codebook, table: Table) -> Codebook:
    here = set(table.frame.columns)
    kept = tuple(variable for variable in book.variables if variable.name in here)
    return msgspec.structs.replace(book, source=table.source, variables=kept)


def _completed(book: Codebook, own: Codebook | None) -> Codebook:
    """What the file says itself, but for the columns that the dictionary declares."""
    if own is None:
        return book
    known = {variable.name: variable for variable in (*own.variables, *book.variables)}
    return msgspec.structs.replace(own, variables=tuple(known.values()))


def _noted(table: Table, sentence: str) -> Table:
    note = Coercion(side=table.side, column=None, kind="dictionary", sentence=sentence)
    return replace(table, notes=(*table.notes, note))
