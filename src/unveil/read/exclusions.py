"""What does the user want left out? Texts, tables and records, all as `Exclusion` records.

Only the form is checked here; whether the columns and levels exist is known when they are counted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from unveil.errors import SettingsError, listed, nearest
from unveil.records.exclusions import Exclusion, Rule

RULES: tuple[str, ...] = get_args(Rule)
ORDER = {rule: place for place, rule in enumerate(RULES)}
"""The order in which rules act and take the credit for a record: synthpop's."""

_LIMITS = ("max-denominator", "max-denominator-syn")
_MISSING = ("missing-targets", "missing-keys")
_NAMED = (*_MISSING, *_LIMITS)
_TABLE = ("target", "level", "key", "key_level", "rule", "keys", "limit")
_PART = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^"=@,]*))(?P<end>[=@,]|\Z)')
_FORMS = (
    "Write target=level, target=level@key=level, missing-targets, missing-keys,"
    " missing-keys=age,region, max-denominator=1 or max-denominator-syn=1."
)


def parse_exclusions(given: Any) -> tuple[Exclusion, ...]:
    """Every exclusion, once each, in the order they act; all faults are told together."""
    if given is None:
        return ()
    if isinstance(given, str | Mapping | Exclusion):
        given = (given,)
    if not isinstance(given, Iterable):
        raise SettingsError(
            f"Exclusions must be texts or tables; given is {type(given).__name__}. {_FORMS}"
        )
    parsed: dict[Exclusion, None] = {}
    faults = []
    for one in given:
        try:
            parsed[_parsed(one)] = None
        except SettingsError as fault:
            faults.append(str(fault))
    if faults:
        raise SettingsError("\n".join(faults))
    return tuple(sorted(parsed, key=lambda exclusion: ORDER[exclusion.rule]))


def _parsed(one: Any) -> Exclusion:
    if isinstance(one, Exclusion):
        return _from_table({k: v for k, v in one.to_dict().items() if v not in (None, [], ())}, one)
    if isinstance(one, str):
        return _from_text(one)
    if isinstance(one, Mapping):
        return _from_table(one, one)
    raise SettingsError(
        f"An exclusion must be a text or a table; one is {type(one).__name__}. {_FORMS}"
    )


def _from_text(text: str) -> Exclusion:
    parts = _parts(text)
    (name, first), *rest = parts
    marks = "".join(mark for _, mark in parts)
    if name in _NAMED and "@" not in marks:
        return _named_rule(name, [value for value, _ in rest], first, text)
    # Name and level in turn: name=level, then @name=level as often as there are keys.
    if not re.fullmatch(r"=(@=)*", marks):
        if first == "" and len(parts) == 1:
            raise SettingsError(f"Exclusion {text!r} is no rule.{nearest(name, _NAMED)} {_FORMS}")
        raise SettingsError(
            f"Exclusion {text!r} cannot be read. {_FORMS} A name or level that holds =, @ or a"
            " comma stands in double quotes."
        )
    values = [value for value, _ in parts]
    return _level(values[0], values[1], tuple(values[2::2]), tuple(values[3::2]), text)


def _parts(text: str) -> list[tuple[str, str]]:
    """Names and levels, each with the mark that ends it: = @ or a comma; nothing at the end."""
    parts, place = [], 0
    while True:
        found = _PART.match(text, place)
        if found is None:
            raise SettingsError(
                f"Exclusion {text!r} cannot be read: a name or level in double quotes must end with"
                " one, before =, @ or a comma."
            )
        quoted = found["quoted"]
        parts.append(
            (found["plain"] if quoted is None else quoted.replace('""', '"'), found["end"])
        )
        place = found.end()
        if not found["end"]:
            return parts


def _from_table(table: Mapping[str, Any], said: Any) -> Exclusion:
    for field in table:
        if field not in (*_TABLE, "key_levels"):
            raise SettingsError(
                f"An exclusion has no field {field!r}.{nearest(str(field), _TABLE)} Its fields are:"
                f" {listed(_TABLE)}."
            )
    rule = table.get("rule")
    if rule is None or rule in ("level", "pair"):
        target = table.get("target")
        if not isinstance(target, str) or "level" not in table:
            raise SettingsError(
                f"Exclusion {_shown(said)} names no target and level. Give both, or a rule:"
                f" {listed(_NAMED)}."
            )
        keys = _texts(table.get("key", table.get("keys", ())))
        levels = _texts(table.get("key_level", table.get("key_levels", ())))
        return _level(target, _text(table["level"]), keys, levels, _shown(said))
    if rule not in _NAMED:
        raise SettingsError(
            f"There is no exclusion rule {rule!r}.{nearest(str(rule), _NAMED)} The rules are:"
            f" {listed(_NAMED)}."
        )
    values = (
        [table["limit"]] if "limit" in table else _texts(table.get("keys", table.get("key", ())))
    )
    return _named_rule(
        rule, [_text(value) for value in values], "=" if values else "", _shown(said)
    )


def _named_rule(rule: str, values: Sequence[str], mark: str, said: str) -> Exclusion:
    if rule in _LIMITS:
        return Exclusion(rule=rule, limit=_limit(rule, values))  # type: ignore[arg-type]
    if rule == "missing-targets" and mark:
        raise SettingsError(
            f"Exclusion {said!r} cannot be read: missing-targets acts on every target and takes no"
            " names. For one target write its name and an empty level, such as income=."
        )
    if mark and not all(values):
        raise SettingsError(f"Exclusion {said!r} names no key after the = or a comma.")
    return Exclusion(rule=rule, keys=tuple(dict.fromkeys(values)))  # type: ignore[arg-type]


def _limit(rule: str, values: Sequence[str]) -> int:
    limit = values[0] if len(values) == 1 else ""
    if not re.fullmatch(r"\s*\d{1,18}\s*", limit) or int(limit) < 1:
        raise SettingsError(
            f"The limit of {rule} must be a whole number of records, 1 or more, such as {rule}=1."
        )
    return int(limit)


def _level(
    target: str, level: str, keys: tuple[str, ...], levels: tuple[str, ...], said: str
) -> Exclusion:
    if not target or not all(keys):
        raise SettingsError(f"Exclusion {said!r} has no name before an =. {_FORMS}")
    if len(keys) != len(levels):
        raise SettingsError(
            f"Exclusion {said!r} has {len(keys)} keys but {len(levels)} key levels. Give each key"
            " its level."
        )
    if len(set(keys)) < len(keys):
        raise SettingsError(f"Exclusion {said!r} names a key twice. Nobody has two levels of it.")
    rule: Rule = "pair" if keys else "level"
    return Exclusion(rule=rule, target=target, level=level, keys=keys, key_levels=levels)


def _texts(given: Any) -> tuple[str, ...]:
    several = given if isinstance(given, list | tuple) else (given,)
    return tuple(_text(one) for one in several)


def _text(value: Any) -> str:
    """A level as text; None is the missing level, which is written as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def _shown(said: Any) -> str:
    if isinstance(said, Exclusion):
        return said.text
    return ", ".join(f"{field} = {value}" for field, value in said.items())
