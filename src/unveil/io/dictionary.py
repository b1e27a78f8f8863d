"""What does a dictionary beside a text file say about its columns?

Four kinds are known: unveil's own codebook (JSON or CSV), REDCap's data dictionary, and lists with
a row for each code, as DHIS2 and many offices have them. A dictionary is written by people about
columns; its names and labels may appear in messages, but nothing of it is trusted as markup.
"""

import csv
import io
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from unveil.arguments import quote_value
from unveil.errors import InputError, ReadError, SettingsError, list_names
from unveil.io.csv_dialect import detect_dialect
from unveil.io.dictionary_formats import (
    DictionaryRows,
    is_list_of_codes,
    is_redcap,
    plain,
    variables_of_list,
    variables_of_redcap,
)
from unveil.io.memory import open_file
from unveil.io.stat_dates import parse_clock_text
from unveil.io.table import Table
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

LARGEST = 64 << 20
"""Bytes above which a file is no dictionary, whatever it says."""

OWN = "{stem}.codebook.json"
"""What unveil calls the codebook of a text file, which lies beside it."""

_BESIDE = (
    OWN,
    "{stem}.codebook.csv",
    "{stem}_codebook.csv",
    "{stem}_dictionary.csv",
    "{stem}_datadictionary.csv",
)
_REDCAP_DATA = re.compile(r"(?P<project>.+)_data(?:_labels)?_(?P<stamp>\d{4}-\d{2}-\d{2}).*")
_PACKED = (".gz",)


def read_dictionary(path: str | os.PathLike[str]) -> Codebook:
    """The codebook that a dictionary holds.

    Raises
    ------
    ReadError
        If the file is none of the kinds above, contradicts itself, or cannot be read.
    """
    file = Path(os.fsdecode(path))
    place = f"The dictionary ({file.name})"
    content = _content(file, place)
    if file.suffix.lower() == ".json" or content.lstrip()[:1] == b"{":
        return _from_json(content, place)
    rows = _rows(content, place)
    if is_redcap(rows):
        variables = variables_of_redcap(rows)
    elif is_list_of_codes(rows):
        variables = variables_of_list(rows)
    else:
        raise ReadError(_unknown_dictionary_sentence(rows))
    if not variables:
        raise ReadError(f"{place} declares no column. Check that its export was finished.")
    return Codebook(source=file.name, format="csv", variables=variables)


def parse_dictionary(given: Any, *, what: str = "dictionary") -> Codebook:
    """A dictionary as a user gives it: a codebook, or the path of a file."""
    if isinstance(given, Codebook):
        return given
    if isinstance(given, str | os.PathLike):
        return read_dictionary(given)
    raise SettingsError(
        f"{what} is {quote_value(given)}. Give the path of a file, such as "
        "'survey_dictionary.csv', or a"
        " codebook."
    )


def dictionary_beside(path: str | os.PathLike[str]) -> Path | None:
    """The dictionary that lies beside a text file under one of the usual names; None without."""
    file = Path(os.fsdecode(path))
    try:
        known = {entry.name.casefold(): entry for entry in file.parent.iterdir()}
        known.pop(file.name.casefold(), None)
        found = _by_stem(file, known) or _find_redcap_dictionary(file, known)
        return found if found is not None and found.is_file() else None
    except (OSError, ValueError):  # a folder that may not be listed, a name no file can have
        return None


def _stem(file: Path) -> str:
    bare = file.with_suffix("") if file.suffix.lower() in _PACKED else file
    return bare.stem.casefold()


def _by_stem(file: Path, known: dict[str, Path]) -> Path | None:
    names = (pattern.format(stem=_stem(file)) for pattern in _BESIDE)
    return next((known[name] for name in names if name in known), None)


def _find_redcap_dictionary(file: Path, known: dict[str, Path]) -> Path | None:
    """The project's dictionary of the same day, or else the latest."""
    data = _REDCAP_DATA.fullmatch(_stem(file))
    if data is None:
        return None
    start = f"{data['project']}_datadictionary_"
    names = sorted(name for name in known if name.startswith(start) and name.endswith(".csv"))
    same_day = [name for name in names if name.startswith(start + data["stamp"])]
    chosen = same_day or names
    return known[chosen[-1]] if chosen else None


def _content(file: Path, place: str) -> bytes:
    with open_file(file, place) as opened:
        content = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ReadError(
            f"{place} has more than {LARGEST >> 20} MB, which no dictionary has. Check that it is"
            " not the data."
        )
    return content


def _from_json(content: bytes, place: str) -> Codebook:
    """A codebook as it is stored, or within the document that `unveil codebook --json` prints."""
    try:
        document: Any = msgspec.json.decode(content)
        if isinstance(document, dict) and "codebook" in document:
            document = document["codebook"]
        return msgspec.convert(document, type=Codebook)
    except (msgspec.MsgspecError, RecursionError, InputError, UnicodeError):
        raise ReadError(
            f"{place} is not a codebook of unveil, although it is JSON or is named so. Write it"
            " again with unveil codebook FILE --json, or give a dictionary in CSV."
        ) from None


def _rows(content: bytes, place: str) -> DictionaryRows:
    """The rows of a text file, by the plain names of their columns."""
    text, dialect = detect_dialect(io.BytesIO(content), place)
    text.seek(0)
    lines = io.TextIOWrapper(text, encoding="utf-8", newline="")
    try:
        head, *found = csv.reader(lines, delimiter=dialect.separator)
    except (csv.Error, ValueError):
        raise ReadError(
            f"{place} cannot be read as a table. Look for a stray quotation mark, or export it"
            " again as CSV."
        ) from None
    _check_longer(found, len(head), place)
    heads = tuple(plain(name) for name in head)
    rows = [dict(zip(heads, row, strict=False)) for row in found if any(map(str.strip, row))]
    return DictionaryRows(place, tuple(head), heads, rows)


def _check_longer(found: list[list[str]], n_fields: int, place: str) -> None:
    longer = [number for number, row in enumerate(found, 2) if any(row[n_fields:])]
    if longer:
        raise ReadError(
            f"{place} has rows with more fields than its header, first in row {longer[0]:,}. Put"
            " labels that hold a separator in double quotes."
        )


def _unknown_dictionary_sentence(rows: DictionaryRows) -> str:
    return (
        f"{rows.place} is not a dictionary that unveil knows; its columns are:"
        f" {list_names(rows.given)}. It reads REDCap's data dictionary, lists with the columns"
        " variable, code and label, and what unveil codebook FILE --csv writes."
    )


# What a dictionary declares, put beside the table it describes.


def apply_dictionary(table: Table, given: Any) -> Table:
    """The table with the dictionary that the user gave; one that fits no column is refused.

    It goes before what the file says itself, which still counts for all other columns.
    """
    known = parse_dictionary(given)
    book = _select_variables(known, table)
    if not book.variables:
        name = known.source if given is known else Path(os.fsdecode(given)).name
        raise ReadError(
            f"The dictionary ({name}) names none of the columns of the file. Its columns are: "
            f"{list_names(table.frame.columns)}."
        )
    return _with_times(replace(table, codebook=_complete_codebook(book, table.codebook)))


def apply_dictionary_beside(table: Table, path: Path) -> Table:
    """The table with the dictionary found beside its file, where there is one; that is told."""
    found = dictionary_beside(path)
    if found is None:
        return table
    try:
        book = _select_variables(read_dictionary(found), table)
    except ReadError:
        return _add_note(
            table, f"The file {found.name!r} beside it is not a dictionary unveil can read."
        )
    if not book.variables:
        return _add_note(
            table, f"The dictionary {found.name!r} beside it names none of its columns."
        )
    sentence = f"What columns and codes mean was taken from {found.name!r} beside the file."
    return _with_times(replace(_add_note(table, sentence), codebook=book))


def _with_times(table: Table) -> Table:
    """The table with times of day where they are declared; a text file has them as text."""
    book = table.codebook
    declared = [one.name for one in book.variables if one.kind == "time"] if book else []
    texts = [table.frame[name] for name in declared if table.frame[name].dtype == pl.String]
    found = [(text.name, parse_clock_text(text)) for text in texts]
    # Spans of a day and more stay text: nothing else would compare them with text elsewhere.
    times = [
        column.alias(name)
        for name, column in found
        if column is not None and column.dtype == pl.Time and column.null_count() < len(column)
    ]
    return replace(table, frame=table.frame.with_columns(times)) if times else table


def _select_variables(book: Codebook, table: Table) -> Codebook:
    here = set(table.frame.columns)
    kept = tuple(variable for variable in book.variables if variable.name in here)
    return msgspec.structs.replace(book, source=table.source, variables=kept)


def _complete_codebook(book: Codebook, own: Codebook | None) -> Codebook:
    """What the file says itself, but for the columns that the dictionary declares."""
    if own is None:
        return book
    known = {variable.name: variable for variable in (*own.variables, *book.variables)}
    return msgspec.structs.replace(own, variables=tuple(known.values()))


def _add_note(table: Table, sentence: str) -> Table:
    note = Coercion(side=table.side, column=None, kind="dictionary", sentence=sentence)
    return replace(table, notes=(*table.notes, note))
