"""What is said of a value that does not fit its column, and what is wanted instead?"""

from collections.abc import Sequence
from typing import Never

from unveil.count.expressions.nodes import Column, Expression, Kind, Number, Stamp, Text, Value
from unveil.count.expressions.scope import Known
from unveil.errors import SettingsError, nearest, quoted

HOLDS: dict[Kind, str] = {
    "number": "numbers",
    "text": "text",
    "truth": "truth values",
    "date": "dates",
    "moment": "moments",
    "time": "times",
    "empty": "no values that can be compared",
}
_WANTED: dict[Kind, str] = {
    "number": "Write a number.",
    "text": "Write a level as it stands in the data.",
    "truth": "Write true or false.",
    "date": "Write a date such as 2001-12-31.",
    "moment": "Write a moment such as 2001-12-31T23:59.",
    "time": "Write a time such as 23:59.",
    "empty": "Only is missing can be asked of it.",
}


def refuse_value(
    what: str, known: Known, given: Value, *, verb: str, columns: Sequence[str]
) -> Never:
    """Refuse a value of another kind than its column; a bare word may be meant for a column."""
    kind = "the number" if isinstance(given, Number) else "the text"
    if isinstance(given, Stamp):
        kind = "the " + given.kind
    hint = ""
    if isinstance(given, Text) and given.is_bare:
        hint = nearest(given.value, columns)
    join = "with" if verb == "compares" else "the value"
    raise SettingsError(
        f"{what} {verb} {known.series.name!r}, which holds {HOLDS[known.kind]}, {join} {kind}"
        f" {_shown(given)}.{hint} {_WANTED[known.kind]}"
    )


def nobody(what: str, known: Known, level: str) -> SettingsError:
    """A level that the original does not have."""
    return SettingsError(
        f"{what.rstrip(',')}: nobody has {known.series.name!r} = {quoted(level)}."
        f"{known.hint(level)} Write the level as it stands in the data."
    )


def written(given: Value) -> str:
    """A value as it was written."""
    match given:
        case Text():
            return given.value
        case Stamp() | Number():
            return given.text
    return ""


def _shown(given: Value) -> str:
    return quoted(given.value) if isinstance(given, Text) else written(given)


def called(piece: Expression, kind: Kind) -> str:
    """A piece of an expression in a sentence: a column by name, or what it holds."""
    return f"{piece.name!r} ({HOLDS[kind]})" if isinstance(piece, Column) else HOLDS[kind]
