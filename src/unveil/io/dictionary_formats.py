"""Which dictionaries are read: REDCap's, lists of codes, ours; and how are they written?"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from unveil.arguments import number_in_text
from unveil.errors import ReadError
from unveil.io.numbers import TAGS
from unveil.records.codebook import Code, Kind, Level, MissingRange, Variable

# How are names, codes and kinds written in a dictionary, whoever wrote it?


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?", re.ASCII)
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("number", "numeric", "float", "double", "real", "decimal", "long"), "number"),
    **dict.fromkeys(("int", "byte", "percentage", "unitinterval", "scale"), "number"),
    **dict.fromkeys(("text", "string", "str", "char", "character", "longtext"), "text"),
    **dict.fromkeys(("datetime", "moment", "timestamp"), "moment"),
    **dict.fromkeys(("truth", "boolean", "bool", "logical", "trueonly"), "truth"),
    "date": "date",
    "time": "time",
}


@dataclass(frozen=True)
class DictionaryRows:
    """A dictionary as rows of text, by the plain names of its columns."""

    place: str  # what a sentence calls it
    given: tuple[str, ...]  # the names in the header
    heads: tuple[str, ...]  # the same, plain
    rows: list[dict[str, str]]


def plain(name: str) -> str:
    """A column's name by its letters and figures alone: "Variable / Field Name" and field_name."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def kind_in_words(text: str) -> Kind:
    """What kind a dictionary gives a column, in the words of many programs."""
    word = plain(text)
    return "number" if word.startswith("integer") else _KINDS.get(word, "unknown")


def number_of(text: str) -> int | float | None:
    """The number a text writes as a program would; None for all else, 007 among it."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return int(number) if number.is_integer() else number


def codes_of(texts: Sequence[str], *, are_text: bool = False) -> tuple[Code, ...]:
    """The codes of one column: numbers where all are, letters of missing values aside."""
    numbers = [text if text in TAGS else number_of(text) for text in texts]
    if are_text or all(text in TAGS for text in texts):
        return tuple(texts)
    known = [number for number in numbers if number is not None]
    return tuple(known) if len(known) == len(texts) else tuple(texts)


def levels_of(codes: Iterable[Code], labels: Iterable[str], name: str, place: str) -> list[Level]:
    """Each code once, with its label; two labels of one code are a contradiction."""
    found: dict[Code, str] = {}
    for code, label in zip(codes, labels, strict=True):
        if found.setdefault(code, label) != label:
            raise ReadError(
                f"{place} gives one code of {name!r} two labels. Give each code one label."
            )
    return [Level(code=code, label=label) for code, label in found.items()]


def check_twins(names: Iterable[str], place: str) -> None:
    """Refuse a dictionary that declares a column twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ReadError(f"{place} declares {name!r} twice. Remove one of the two.")
        seen.add(name)


# What does REDCap's data dictionary say about the columns of its export?
#
# One row is one field. A field of check boxes becomes a column for each choice (`meals___1`), and
# each form gets a column `<form>_complete`, which the dictionary does not list.


# The names in the file that people download, and in what the interface for programs gives.
_FIELD = ("variablefieldname", "fieldname")
_CHOICES = (
    "choicescalculationsorsliderlabels",
    "selectchoicesorcalculations",
    "choicesorcalculations",
)
_VALIDATION = ("textvalidationtypeorshowslidernumber", "textvalidationtype")
_TYPE, _LABEL, _FORM = ("fieldtype",), ("fieldlabel",), ("formname",)

_NO_COLUMN = ("descriptive",)
_ONE_OF = ("dropdown", "radio", "select")
_YES_NO = (Level(code=1, label="Yes"), Level(code=0, label="No"))
_TRUE_FALSE = (Level(code=1, label="True"), Level(code=0, label="False"))
_CHECKED = (Level(code=0, label="Unchecked"), Level(code=1, label="Checked"))
_COMPLETE = (
    Level(code=0, label="Incomplete"),
    Level(code=1, label="Unverified"),
    Level(code=2, label="Complete"),
)
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")


def is_redcap(rows: DictionaryRows) -> bool:
    """Whether the header is that of a REDCap data dictionary."""
    return any(head in rows.heads for head in _FIELD) and _TYPE[0] in rows.heads


def variables_of_redcap(rows: DictionaryRows) -> tuple[Variable, ...]:
    """The columns of the export, in its order."""
    found: list[Variable] = []
    form = ""
    for row in rows.rows:
        if _entry(row, _FORM) != form:
            found += _completeness(form)
            form = _entry(row, _FORM)
        found += _columns(row, rows.place)
    found += _completeness(form)
    check_twins((variable.name for variable in found), rows.place)
    return tuple(found)


def _entry(row: dict[str, str], names: tuple[str, ...]) -> str:
    return next((row[name].strip() for name in names if row.get(name)), "")


def _columns(row: dict[str, str], place: str) -> Iterator[Variable]:
    """The columns that one field becomes."""
    name, kind = _entry(row, _FIELD), _entry(row, _TYPE).lower()
    label = _without_markup(_entry(row, _LABEL)) or None
    if not name or kind in _NO_COLUMN:
        return
    if kind == "checkbox":
        yield from _boxes(name, label, _entry(row, _CHOICES))
    elif kind in ("yesno", "truefalse"):
        levels = _YES_NO if kind == "yesno" else _TRUE_FALSE
        yield Variable(name=name, label=label, kind="number", measure="nominal", levels=levels)
    elif kind in _ONE_OF:
        yield _one_of(name, label, _entry(row, _CHOICES), place)
    else:
        validation = _entry(row, _VALIDATION)
        found = "number" if kind in ("calc", "slider") else _kind(validation)
        yield Variable(
            name=name,
            label=label,
            kind=found,
            measure="scale" if found == "number" else None,
            format=validation or None,
        )


def _kind(validation: str) -> Kind:
    """What a check on entry makes of a text field; exports write every date as year-month-day."""
    check = validation.lower()
    starts: tuple[tuple[str, Kind], ...] = (
        ("datetime", "moment"),
        ("date", "date"),
        ("time", "time"),
        ("integer", "number"),
        ("number", "number"),
    )
    return next((kind for start, kind in starts if check.startswith(start)), "text")


def _one_of(name: str, label: str | None, choices: str, place: str) -> Variable:
    pairs = list(_choices(choices))
    codes = codes_of([code for code, _ in pairs])
    is_text = any(isinstance(code, str) for code in codes)
    return Variable(
        name=name,
        label=label,
        kind="text" if is_text else "number",
        measure="nominal",
        levels=tuple(levels_of(codes, [text for _, text in pairs], name, place)),
    )


def _boxes(name: str, label: str | None, choices: str) -> Iterator[Variable]:
    for code, text in _choices(choices):
        # As REDCap writes it: in small letters, and a minus as an underscore.
        ending = code.lower().replace("-", "_")
        yield Variable(
            name=f"{name}___{ending}",
            label=f"{label or name} (choice={text})",
            kind="number",
            measure="nominal",
            levels=_CHECKED,
        )


def _choices(text: str) -> Iterator[tuple[str, str]]:
    """Codes and labels out of `1, Male | 2, Female`; a choice without a comma is its own label."""
    for choice in re.split(r"[|\n]", text):
        code, comma, label = choice.partition(",")
        if code.strip():
            yield code.strip(), _without_markup(label) if comma else code.strip()


def _completeness(form: str) -> list[Variable]:
    if not form:
        return []
    label = f"Is the form {form} complete?"
    name = f"{form}_complete"
    return [Variable(name=name, label=label, kind="number", measure="nominal", levels=_COMPLETE)]


def _without_markup(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


# What does a list with a row for each code say? Ours in CSV, DHIS2's, and those of many offices.
#
# A row names a column and, mostly, one code with its label. A row without a code is about the
# column itself. Where the list has no column of codes, each row is a column and its label.


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
_FOUND = "found"  # a row of ours on what the records have, and no one declared


def is_list_of_codes(rows: DictionaryRows) -> bool:
    """Whether the header names columns and something about them."""
    known = _places(rows)
    return "variable" in known and ("label" in known or "about" in known)


def variables_of_list(rows: DictionaryRows) -> tuple[Variable, ...]:
    """The columns of the list, in the order in which it first names them."""
    by_name: dict[str, list[dict[str, str]]] = {}
    places = _places(rows)
    for row in rows.rows:
        entries = _entries(row, places)
        if entries["variable"] and entries["row"] != _FOUND:
            by_name.setdefault(entries["variable"], []).append(entries)
    return tuple(_variable(name, entries, rows.place) for name, entries in by_name.items())


def _places(rows: DictionaryRows) -> dict[str, str]:
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
        return tuple(_parse_code(row) for row in rows)
    return codes_of([row["code"] for row in rows], are_text=are_text)


def _parse_code(row: dict[str, str]) -> Code:
    code = row["code"]
    if row["code is"] != "number" or code in TAGS:
        return code
    number = number_in_text(code)
    if number is None or not _WHOLE.fullmatch(code):
        return code if number is None else number
    return int(code)


def _is_missing(row: dict[str, str], name: str, place: str) -> bool:
    word = row["missing"].strip().casefold()
    if word not in (*_YES, *_NO):
        raise ReadError(
            f"{place} does not state whether a code of {name!r} stands for a missing value. Write"
            " yes or no in its column of missing codes."
        )
    return word in _YES


def _ranges(rows: Sequence[dict[str, str]], name: str, place: str) -> tuple[MissingRange, ...]:
    return tuple(
        MissingRange(lo=_end(row["from"], name, place), hi=_end(row["to"], name, place))
        for row in rows
        if row["from"] or row["to"]
    )


def _end(text: str, name: str, place: str) -> float | None:
    number = number_in_text(text)
    if text and number is None:
        raise ReadError(
            f"{place} has an end of the missing numbers of {name!r} that is not a number. Write a"
            " number, or nothing if the range is open."
        )
    return number
