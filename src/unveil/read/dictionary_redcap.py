"""What does REDCap's data dictionary say about the columns of its export?

One row is one field. A field of check boxes becomes a column for each choice (`meals___1`), and
each form gets a column `<form>_complete`, which the dictionary does not list.
"""

import re
from collections.abc import Iterator

from unveil.read.dictionary_rows import Rows, codes_of, levels_of, refuse_twins
from unveil.records.codebook import Kind, Level, Variable

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


def is_redcap(rows: Rows) -> bool:
    """Whether the header is that of a REDCap data dictionary."""
    return any(head in rows.heads for head in _FIELD) and _TYPE[0] in rows.heads


def variables_of_redcap(rows: Rows) -> tuple[Variable, ...]:
    """The columns of the export, in its order."""
    found: list[Variable] = []
    form = ""
    for row in rows.rows:
        if _entry(row, _FORM) != form:
            found += _completeness(form)
            form = _entry(row, _FORM)
        found += _columns(row, rows.place)
    found += _completeness(form)
    refuse_twins((variable.name for variable in found), rows.place)
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
