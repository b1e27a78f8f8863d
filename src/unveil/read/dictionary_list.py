"""What does a list with a row for each code say? Ours in CSV, DHIS2's, and those of many offices.

A row names a column and, mostly, one code with its label. A row without a code is about the column
itself. Where the list has no column of codes, each row is a column and its label.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from unveil.errors import ReadError
from unveil.read.dictionary_rows import (
    Rows,
    codes_of,
    kind_in_words,
    levels_of,
    number_of,
    plain,
)
from unveil.read.tags import TAGS
from unveil.records.codebook import Code, MissingRange, Variable

# By importance: the first that a list has is meant. Names are plain: letters and figures alone.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "variable": (
        *("variable", "variablename", "var", "varname", "field", "fieldname", "column"),
        *("columnname", "dataelement", "dataelementname", "dataelementcode", "item"),
        *("optionset", "optionsetname", "optionsetcode", "name"),
    ),
    "code": ("code", "value", "valuecode", "optioncode", "categorycode", "codevalue"),
    "label": (
        *("label", "valuelabel", "codelabel", "optionname", "option", "categorylabel"),
        *("categoryname", "category", "meaning", "description"),
    ),
    "about": (
        *("variablelabel", "varlabel", "question", "questiontext", "fieldlabel", "columnlabel"),
        *("dataelementlabel", "variabledescription", "title"),
    ),
    "missing": ("missing", "ismissing"),
    "kind": ("kind", "type", "datatype", "valuetype", "variabletype"),
    "measure": ("measure", "measurement", "measurementlevel"),
    "format": ("format",),
    "width": ("width",),
    "code is": ("codeis",),
    "row": ("row",),
    "from": ("missingfrom",),
    "to": ("missingto",),
}
_YES = ("yes", "y", "true", "1", "x", "missing")
_NO = ("", "no", "n", "false", "0")
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_MEASURES: Sequence[Literal["nominal", "ordinal", "scale"]] = ("nominal", "ordinal", "scale")
_GUARD = "'"  # keeps a spreadsheet from running a label of ours
_FOUND = "found"  # a row of ours on what the records have, and nobody declared


def is_list_of_codes(rows: Rows) -> bool:
    """Whether the header names columns and something about them."""
    known = _places(rows)
    return "variable" in known and ("label" in known or "about" in known)


def variables_of_list(rows: Rows) -> tuple[Variable, ...]:
    """The columns of the list, in the order in which it first names them."""
    by_name: dict[str, list[dict[str, str]]] = {}
    places = _places(rows)
    for row in rows.rows:
        entries = _entries(row, places)
        if entries["variable"] and entries["row"] != _FOUND:
            by_name.setdefault(entries["variable"], []).append(entries)
    return tuple(_variable(name, entries, rows.place) for name, entries in by_name.items())


def _places(rows: Rows) -> dict[str, str]:
    """The list's own column for each of ours."""
    found = {}
    for ours, names in _NAMES.items():
        theirs = next((name for name in names if name in rows.heads), None)
        if theirs is not None:
            found[ours] = theirs
    if "code" not in found and "label" in found:  # a list of columns alone
        found.setdefault("about", found.pop("label"))
    return found


def _entries(row: dict[str, str], places: Mapping[str, str]) -> dict[str, str]:
    """A row under our names: as it stands in files of ours, elsewhere without blanks."""
    is_ours = {"row", "code is"} <= places.keys()
    entries = {ours: row.get(places.get(ours, ""), "") for ours in _NAMES}
    if is_ours:
        return {ours: text.removeprefix(_GUARD) for ours, text in entries.items()}
    return {ours: text.strip() for ours, text in entries.items()} | {"row": "", "code is": ""}


def _variable(name: str, rows: Sequence[dict[str, str]], place: str) -> Variable:
    said = _first(rows, "kind")
    kind = kind_in_words(said)
    coded = [row for row in rows if row["code"] or row["row"] in ("code", "missing")]
    codes = _codes(coded, are_text=kind == "text")
    labelled = [
        (code, row["label"])
        for code, row in zip(codes, coded, strict=True)
        if row["row"] == "code" or (row["label"] and not row["row"])
    ]
    levels = levels_of(*_apart(labelled), name, place)
    missing = [
        code for code, row in zip(codes, coded, strict=True) if _is_missing(row, name, place)
    ]
    if codes and kind == "unknown" and said != "unknown":
        kind = "text" if all(isinstance(code, str) for code in codes) else "number"
    measure = plain(_first(rows, "measure"))
    width = number_of(_first(rows, "width"))
    return Variable(
        name=name,
        label=_first(rows, "about") or _label_of_bare(rows),
        kind=kind,
        measure=next((known for known in _MEASURES if known == measure), None),
        format=_first(rows, "format") or None,
        width=width if isinstance(width, int) else None,
        levels=tuple(levels),
        missing=tuple(dict.fromkeys(missing)),
        missing_ranges=_ranges(rows, name, place),
    )


def _apart(pairs: Sequence[tuple[Code, str]]) -> tuple[list[Code], list[str]]:
    return [code for code, _ in pairs], [label for _, label in pairs]


def _first(rows: Sequence[dict[str, str]], field: str) -> str:
    return next((row[field] for row in rows if row[field]), "")


def _label_of_bare(rows: Sequence[dict[str, str]]) -> str | None:
    """The label of a row without a code, which is about the column itself."""
    return next((row["label"] for row in rows if row["label"] and not row["code"]), None)


def _codes(rows: Sequence[dict[str, str]], *, are_text: bool) -> tuple[Code, ...]:
    """The codes, by what the list says each is, or by what all of them look like."""
    if any(row["code is"] for row in rows):
        return tuple(_said(row) for row in rows)
    return codes_of([row["code"] for row in rows], are_text=are_text)


def _said(row: dict[str, str]) -> Code:
    code = row["code"]
    if row["code is"] != "number" or code in TAGS:
        return code
    number = _finite(code)
    if number is None or not _WHOLE.fullmatch(code):
        return code if number is None else number
    return int(code)


def _is_missing(row: dict[str, str], name: str, place: str) -> bool:
    word = row["missing"].strip().casefold()
    if word not in (*_YES, *_NO):
        raise ReadError(
            f"{place} says of a code of {name!r} neither that it stands for no answer nor that it"
            " does not. Write yes or no in its column of missing codes."
        )
    return word in _YES


def _ranges(rows: Sequence[dict[str, str]], name: str, place: str) -> tuple[MissingRange, ...]:
    return tuple(
        MissingRange(lo=_end(row["from"], name, place), hi=_end(row["to"], name, place))
        for row in rows
        if row["from"] or row["to"]
    )


def _end(text: str, name: str, place: str) -> float | None:
    number = _finite(text)
    if text and number is None:
        raise ReadError(
            f"{place} has an end of the missing numbers of {name!r} that is no number. Write a"
            " number, or nothing where the range has no end."
        )
    return number


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
