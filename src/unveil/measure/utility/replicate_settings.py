"""Which published results are to be replicated? The list of a user, or of a TOML file."""

import datetime as dt
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from unveil.arguments import check_faults, is_list, number_in, quote_value
from unveil.errors import (
    InputError,
    ReadError,
    SettingsError,
    hint_at,
    list_names,
    quote_text,
)
from unveil.expressions.nodes import Expression
from unveil.expressions.parse import parse_condition
from unveil.io.read_toml import parse_document, read_text
from unveil.models.formula import Formula, parse_regression


def read_findings(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The `[[finding]]` entries of a TOML file; its other tables are left to others."""
    file = Path(path)
    document = parse_document(file.name, read_text(file, "a list of published results"))
    found = document.get("finding")
    if not isinstance(found, list):
        hint = next((hint for key in document if (hint := hint_at(key, ["finding"]))), "")
        raise ReadError(
            f"The file {quote_text(file.name)} has no [[finding]].{hint} Begin each with"
            " [[finding]], then name, kind and what it is about."
        )
    return found


# Which published results are to be replicated? The list of a user, checked before data is read.
#
# The same form in Python, a list of mappings, and in a TOML file, `[[finding]]`.


Kind = Literal["prevalence", "mean", "table", "regression"]
Model = Literal["linear", "logistic", "multinomial", "ordered"]
Of = Literal["known", "all"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MODELS: tuple[Model, ...] = get_args(Model)
MOST = 500

_KEYS: dict[str, tuple[str, ...]] = {
    "prevalence": ("column", "level", "of"),
    "mean": ("column",),
    "table": ("columns", "within", "of"),
    "regression": ("formula", "model", "levels"),
}
_NEEDED = {
    "prevalence": {"column": "condition", "level": "diabetes"},
    "mean": {"column": "income"},
    "table": {"columns": "sex"},
    "regression": {"formula": "income ~ age + sex"},
}


@dataclass(frozen=True)
class ResultSpec:
    """One finding: what it is called, of which kind, in which subgroup, and what it is about."""

    name: str
    kind: Kind
    where: str | None = None
    condition: Expression | None = None
    columns: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()  # of a prevalence
    within: str | None = None
    of: Of = "known"
    formula: Formula | None = None
    model: Model | None = None
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of levels, by column

    @property
    def heading(self) -> str:
        """What a sentence calls it."""
        return f"Published result {quote_text(self.name)}"


def parse_results(given: Any) -> tuple[ResultSpec, ...]:
    """The list of a user; all errors are told together."""
    if isinstance(given, Mapping) or not is_list(given):
        raise SettingsError(
            "findings must be a list of mappings, such as"
            ' [{"name": "Diabetes", "kind": "prevalence", "column": "condition",'
            ' "level": "diabetes"}], or the name of a TOML file.'
        )
    entries = list(given)
    if not 0 < len(entries) <= MOST:
        raise SettingsError(
            "No published result is given. Declare at least one."
            if not entries
            else (
                f"There are {len(entries):,} published results; at most {MOST} are compared at"
                " once."
            )
        )
    made, faults = [], []
    for place, entry in enumerate(entries, start=1):
        try:
            made.append(_parse_result(entry, place))
        except InputError as fault:
            faults.append(str(fault))
    names = [one.name for one in made]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    faults += [
        (f"Two published results are called {quote_text(name)}. Give each its own name.")
        for name in twice
    ]
    check_faults(faults)
    return tuple(made)


def _parse_result(entry: Any, place: int) -> ResultSpec:
    if not isinstance(entry, Mapping) or not all(isinstance(key, str) for key in entry):
        raise SettingsError(
            f"Published result {place} is {quote_value(entry)}, not a mapping of its settings."
        )
    kind = entry.get("kind")
    what = f"Published result {place}"
    name = entry.get("name")
    if name is not None:
        what = f"{what} ({quote_text(_text(entry, 'name', what))})"
    if not isinstance(kind, str) or kind not in KINDS:
        hint = hint_at(kind, KINDS) if isinstance(kind, str) else ""
        said = "has no kind" if kind is None else f"has the kind {quote_value(kind)}"
        raise SettingsError(f"{what} {said}.{hint} It must be one of: {list_names(KINDS)}.")
    _check_keys(entry, kind, what)
    where = None if entry.get("where") is None else _text(entry, "where", what)
    return ResultSpec(
        name=name or _name_of(entry, kind),
        kind=kind,
        where=where,
        condition=None if where is None else parse_condition(where, f"{what}: the subgroup"),
        **_OWN[kind](entry, what),
    )


def _check_keys(entry: Mapping[str, Any], kind: str, what: str) -> None:
    known = ("name", "kind", "where", *_KEYS[kind])
    for key in entry:
        if key not in known:
            raise SettingsError(
                f"{what} has the key {quote_text(key)}, which a {kind} does not"
                f" have.{hint_at(key, known)} Its keys are: {list_names(known)}."
            )
    for key, example in _NEEDED[kind].items():
        if entry.get(key) is None:
            raise SettingsError(f'{what} has no {key}. Write one, such as {key} = "{example}".')


def _text(entry: Mapping[str, Any], key: str, what: str) -> str:
    text = entry[key]
    if not isinstance(text, str) or not text.strip():
        raise SettingsError(f"{what}: {key} is {quote_value(text)}. Write it as text.")
    return text


def _one_of(entry: Mapping[str, Any], key: str, choices: tuple[str, ...], what: str) -> Any:
    text = entry.get(key)
    if text is None or text in choices:
        return text
    hint = hint_at(text, choices) if isinstance(text, str) else ""
    raise SettingsError(
        f"{what}: {key} is {quote_value(text)}.{hint} It must be one of: {list_names(choices)}."
    )


def _level(given: Any, what: str) -> str:
    """A level as text, whatever type it was written in."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str) and given:
        return given
    if isinstance(given, dt.date | dt.time):
        return given.isoformat()
    number = number_in(given)
    if number is None or not math.isfinite(number):
        raise SettingsError(
            f"{what}: a level is {quote_value(given)}. Write it as text or a number."
        )
    return str(given) if isinstance(given, int) else repr(number)


def _levels(given: Any, what: str) -> tuple[str, ...]:
    levels = tuple(_level(one, what) for one in (given if is_list(given) else [given]))
    if not levels:
        raise SettingsError(f"{what} names no level. Name at least one.")
    return tuple(dict.fromkeys(levels))


def _prevalence(entry: Mapping[str, Any], what: str) -> dict[str, Any]:
    return {
        "columns": (_text(entry, "column", what),),
        "levels": _levels(entry["level"], what),
        "of": _one_of(entry, "of", get_args(Of), what) or "known",
    }


def _mean(entry: Mapping[str, Any], what: str) -> dict[str, Any]:
    return {"columns": (_text(entry, "column", what),)}


def _table(entry: Mapping[str, Any], what: str) -> dict[str, Any]:
    given = entry["columns"]
    columns = tuple(given) if is_list(given) else (given,)
    fits = all(isinstance(name, str) and name for name in columns)
    if not fits or len(columns) not in (1, 2) or len({*columns}) != len(columns):
        raise SettingsError(
            f'{what}: columns must be one or two names, such as columns = ["sex", "health"].'
        )
    return {
        "columns": columns,
        "within": _one_of(entry, "within", columns, what),
        "of": _one_of(entry, "of", get_args(Of), what) or "known",
    }


def _regression(entry: Mapping[str, Any], what: str) -> dict[str, Any]:
    orders = entry.get("levels") or {}
    if not isinstance(orders, Mapping) or not all(is_list(given) for given in orders.values()):
        raise SettingsError(
            f"{what}: levels must state the order of the levels of a column, such as levels ="
            ' {health = ["poor", "fair", "good"]}.'
        )
    return {
        "formula": parse_regression(_text(entry, "formula", what), f"{what}: the formula"),
        "model": _one_of(entry, "model", MODELS, what),
        "orders": tuple((str(name), _levels(given, what)) for name, given in orders.items()),
    }


_OWN = {"prevalence": _prevalence, "mean": _mean, "table": _table, "regression": _regression}


def _name_of(entry: Mapping[str, Any], kind: str) -> str:
    """A name for a finding that was given none."""
    if kind == "regression":
        said = str(entry["formula"])
    elif kind == "prevalence":
        levels = entry["level"] if is_list(entry["level"]) else [entry["level"]]
        said = f"{entry['column']} = {' or '.join(map(str, levels))}"
    elif kind == "mean":
        said = f"mean of {entry['column']}"
    else:
        columns = entry["columns"]
        said = " by ".join(map(str, columns if is_list(columns) else [columns]))
    where = entry.get("where")
    return said if where is None else f"{said} where {where}"
