"""What does a dictionary beside a text file say about its columns?

Four kinds are known: unveil's own codebook (JSON or CSV), REDCap's data dictionary, and lists with
a row for each code, as DHIS2 and many offices have them. A dictionary is written by people about
columns; its names and labels may appear in messages, but nothing of it is trusted as markup.
"""

import csv
import io
import os
import re
from pathlib import Path
from typing import Any

import msgspec

from unveil.errors import InputError, ReadError, SettingsError, listed
from unveil.read.dialect import understand
from unveil.read.dictionary_list import is_list_of_codes, variables_of_list
from unveil.read.dictionary_redcap import is_redcap, variables_of_redcap
from unveil.read.dictionary_rows import Rows, plain
from unveil.read.disk import open_file
from unveil.read.given import shown
from unveil.records.codebook import Codebook

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
        raise ReadError(_unknown(rows))
    if not variables:
        raise ReadError(f"{place} declares no column. Check that its export was finished.")
    return Codebook(source=file.name, format="csv", variables=variables)


def dictionary_given(given: Any, *, what: str = "dictionary") -> Codebook:
    """A dictionary as a user gives it: a codebook, or the path of a file."""
    if isinstance(given, Codebook):
        return given
    if isinstance(given, str | os.PathLike):
        return read_dictionary(given)
    raise SettingsError(
        f"{what} is {shown(given)}. Give the path of a file, such as 'survey_dictionary.csv', or a"
        " codebook."
    )


def dictionary_beside(path: str | os.PathLike[str]) -> Path | None:
    """The dictionary that lies beside a text file under one of the usual names; None without."""
    file = Path(os.fsdecode(path))
    try:
        known = {entry.name.casefold(): entry for entry in file.parent.iterdir()}
        known.pop(file.name.casefold(), None)
        found = _by_stem(file, known) or _of_redcap(file, known)
        return found if found is not None and found.is_file() else None
    except (OSError, ValueError):  # a folder that may not be listed, a name no file can have
        return None


def _stem(file: Path) -> str:
    bare = file.with_suffix("") if file.suffix.lower() in _PACKED else file
    return bare.stem.casefold()


def _by_stem(file: Path, known: dict[str, Path]) -> Path | None:
    names = (pattern.format(stem=_stem(file)) for pattern in _BESIDE)
    return next((known[name] for name in names if name in known), None)


def _of_redcap(file: Path, known: dict[str, Path]) -> Path | None:
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
            f"{place} is no codebook of unveil, although it is JSON or is called so. Write it anew"
            " with unveil codebook FILE --json, or give a dictionary in CSV."
        ) from None


def _rows(content: bytes, place: str) -> Rows:
    """The rows of a text file, by the plain names of their columns."""
    text, dialect = understand(io.BytesIO(content), place)
    text.seek(0)
    lines = io.TextIOWrapper(text, encoding="utf-8", newline="")
    try:
        head, *found = csv.reader(lines, delimiter=dialect.separator)
    except (csv.Error, ValueError):
        raise ReadError(
            f"{place} cannot be read as a table. Look for a quotation mark astray, or export it"
            " again as CSV."
        ) from None
    _refuse_longer(found, len(head), place)
    heads = tuple(plain(name) for name in head)
    rows = [dict(zip(heads, row, strict=False)) for row in found if any(map(str.strip, row))]
    return Rows(place, tuple(head), heads, rows)


def _refuse_longer(found: list[list[str]], n_fields: int, place: str) -> None:
    longer = [number for number, row in enumerate(found, 2) if any(row[n_fields:])]
    if longer:
        raise ReadError(
            f"{place} has rows with more fields than its header, first in row {longer[0]:,}. Put"
            " labels that hold a separator in double quotes."
        )


def _unknown(rows: Rows) -> str:
    return (
        f"{rows.place} is no dictionary that unveil knows; its columns are: {listed(rows.given)}."
        " It reads REDCap's data dictionary, lists with the columns variable, code and label, and"
        " what unveil codebook FILE --csv writes."
    )
