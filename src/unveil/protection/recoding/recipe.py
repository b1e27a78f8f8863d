"""A recipe as text: tables ``[[protect.step]]`` of a project file, and back by `steps_from`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from unveil.protection.recoding.steps import steps_from
from unveil.records.recoding import Step, as_mapping


def steps_to_toml(steps: Iterable[Step | Mapping[str, Any]]) -> str:
    """The steps as TOML; what was left open is not written."""
    return "\n".join(map(_table, steps_from(list(steps))))


def _table(step: Step) -> str:
    said = [f"{name} = {_value(value)}\n" for name, value in as_mapping(step).items()]
    return "".join(["[[protect.step]]\n", *said])


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_text(key)} = {_text(held)}" for key, held in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)


def _text(value: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
