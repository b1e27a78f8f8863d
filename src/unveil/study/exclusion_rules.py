"""What does the user want left out? Texts, tables and records, all as `Exclusion` records.

Only the form is checked here; whether the columns and levels exist is known when they are counted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from unveil.arguments import check_faults
from unveil.errors import SettingsError, hint_at, list_names, quote_text
from unveil.records.exclusions import Exclusion, Rule

RULES: tuple[str, ...] = get_args(Rule)
ORDER = {rule: place for place, rule in enumerate(RULES)}
"""The order in which rules act and take the credit for a record: synthpop's."""

_LIMITS = ("max-denominator", "max-denominator-syn")
_MISSING = ("missing-targets", "missing-keys")
_NAMED = (*_MISSING, *_LIMITS)
_LEVELS = ("level", "pair")
_FIELDS: dict[str, tuple[str, ...]] = {
    "level": ("target", "level"),
    "pair": ("target", "level", "key", "key_level", "keys", "key_levels"),
    "missing-targets": (),
    "missing-keys": ("keys", "key"),
    "max-denominator": ("limit",),
    "max-denominator-syn": ("limit",),
}
_TAKES = {
    "level": "A level has target and level; with a key level, key and key_level too.",
    "pair": "A pair has target, level, key and key_level.",
    "missing-targets": (
        'It acts on every target; for one target give its name and the empty level ("") instead.'
    ),
    "missing-keys": "It takes the names of keys, or nothing for all of them.",
    "max-denominator": "It takes a limit and acts on every target.",
    "max-denominator-syn": "It takes a limit and acts on every target.",
}
_PART = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^"=@,]*))(?P<end>[=@,]|\Z)')
_FORMS = (
    "Write target=level, target=level@key=level, missing-targets, missing-keys,"
    " missing-keys=age,region, max-denominator=1 or max-denominator-syn=1."
)


def parse_exclusions(given: Any) -> tuple[Exclusion, ...]:
    """Every exclusion, once each, in the order they act; all faults are told together."""
    if given is None:
        return ()
    parsed: dict[Exclusion, None] = {}
    faults = []
    for one in _several(given):
        try:
            parsed[_parse_exclusion(one)] = None
        except SettingsError as fault:
            faults.append(str(fault))
    check_faults(faults)
    return tuple(sorted(parsed, key=lambda exclusion: ORDER[exclusion.rule]))


def _several(given: Any) -> list[Any]:
    if isinstance(given, str | Mapping | Exclusion):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise SettingsError(
            f"Exclusions must be texts or tables; given is {type(given).__name__}. {_FORMS}"
        ) from None


def _parse_exclusion(one: Any) -> Exclusion:
    if isinstance(one, Exclusion):
        return _from_table(_as_table(one))
    if isinstance(one, str):
        return _from_text(one)
    if isinstance(one, Mapping):
        return _from_table(one)
    raise SettingsError(
        f"An exclusion must be a text or a table; one is {type(one).__name__}. {_FORMS}"
    )


def _as_table(rule: Exclusion) -> dict[str, Any]:
    """The fields that matter to the rule."""
    fields = {
        name: getattr(rule, name)
        for name in ("rule", "target", "keys", "key_levels", "limit")
        if getattr(rule, name) not in (None, ())
    }
    return fields | ({"level": rule.level} if rule.rule in _LEVELS else {})


def _from_text(text: str) -> Exclusion:
    parts = _parts(text)
    marks = "".join(part.mark for part in parts)
    first, *rest = parts
    said = quote_text(text)
    # A rule's name in quotes is the name of a column.
    if first.text in _NAMED and not first.is_quoted and "@" not in marks:
        return _parse_named_rule(
            first.text, [part.text for part in rest], said, is_open=bool(first.mark)
        )
    # Name and level in turn: name=level, then @name=level as often as there are keys.
    if not re.fullmatch(r"=(@=)*", marks):
        if not marks:
            hint = hint_at(first.text, _NAMED)
            raise SettingsError(f"Exclusion {said} is not a rule.{hint} {_FORMS}")
        raise SettingsError(
            f"Exclusion {said} cannot be read. {_FORMS} Put a name or level that contains =, @ or"
            " a comma in double quotes."
        )
    values = [part.text for part in parts]
    return _level(values[0], values[1], tuple(values[2::2]), tuple(values[3::2]), said)


@dataclass(frozen=True)
class _RulePart:
    """A name or a level, and the mark that ends it: = @ or a comma; nothing at the end."""

    text: str
    is_quoted: bool
    mark: str


def _parts(text: str) -> list[_RulePart]:
    parts, place = [], 0
    while True:
        found = _PART.match(text, place)
        if found is None:
            raise SettingsError(
                f"Exclusion {quote_text(text)} cannot be read: a name or level in double quotes "
                "must"
                " end with one, before =, @ or a comma."
            )
        inside = found["quoted"]
        is_quoted = inside is not None
        part = inside.replace('""', '"') if is_quoted else found["plain"]
        parts.append(_RulePart(part, is_quoted, found["end"]))
        place = found.end()
        if not found["end"]:
            return parts


def _from_table(table: Mapping[str, Any]) -> Exclusion:
    said = quote_text(
        ", ".join(f"{field} = {_format_value(value)}" for field, value in table.items())
    )
    is_pair = not {"key", "keys", "key_levels"}.isdisjoint(table)
    rule = table.get("rule") or ("pair" if is_pair else "level")
    if rule not in RULES:
        raise SettingsError(
            f"There is no exclusion rule {_format_value(rule)}.{hint_at(str(rule), _NAMED)} The "
            "rules are:"
            f" {list_names(_NAMED)}."
        )
    for field in table:
        if field not in (*_FIELDS[rule], "rule"):
            raise SettingsError(
                f"Exclusion {said}: {rule} takes no field {_format_value(field)}."
                f"{hint_at(str(field), _FIELDS[rule])} {_TAKES[rule]}"
            )
    if rule in _LEVELS:
        target = table.get("target")
        if not isinstance(target, str) or "level" not in table:
            raise SettingsError(
                f"Exclusion {said} names no target and level. Give both, or a rule:"
                f" {list_names(_NAMED)}."
            )
        keys = _texts(table.get("key", table.get("keys", ())))
        levels = _texts(table.get("key_level", table.get("key_levels", ())))
        return _level(target, _text(table["level"]), keys, levels, said)
    if rule in _LIMITS:
        return _parse_named_rule(rule, [_text(table.get("limit", ""))], said, is_open=True)
    keys = _texts(table.get("keys", table.get("key", ())))
    return _parse_named_rule(rule, keys, said, is_open="keys" in table or "key" in table)


def _parse_named_rule(rule: str, values: Sequence[str], said: str, *, is_open: bool) -> Exclusion:
    if rule in _LIMITS:
        return Exclusion(rule=rule, limit=_limit(rule, values))  # type: ignore[arg-type]
    if rule == "missing-targets" and is_open:
        raise SettingsError(
            f"Exclusion {said} cannot be read: missing-targets acts on every target and takes no"
            " names. For one target write its name and an empty level, such as income=."
        )
    if is_open and not (values and all(values)):
        raise SettingsError(
            f"Exclusion {said} names no key. Write missing-keys for all keys, or their names:"
            " missing-keys=age,region."
        )
    return Exclusion(rule=rule, keys=tuple(dict.fromkeys(values)))  # type: ignore[arg-type]


def _limit(rule: str, values: Sequence[str]) -> int:
    limit = values[0].strip(" ") if len(values) == 1 else ",".join(values)
    if not re.fullmatch(r"[0-9]{1,18}", limit) or int(limit) < 1:
        typed = f" is {quote_text(limit)}. It" if limit else ""
        raise SettingsError(
            f"The limit of {rule}{typed} must be a whole number of records, from 1 on, such as"
            f" {rule}=1."
        )
    return int(limit)


def _level(
    target: str, level: str, keys: tuple[str, ...], levels: tuple[str, ...], said: str
) -> Exclusion:
    if not target or not all(keys):
        raise SettingsError(f"Exclusion {said} has no name before an =. {_FORMS}")
    if len(keys) != len(levels):
        raise SettingsError(
            f"Exclusion {said} has not one level for each key: keys {len(keys)}, levels"
            f" {len(levels)}. Give each key its level."
        )
    if len(set(keys)) < len(keys):
        raise SettingsError(f"Exclusion {said} names a key twice. No one has two levels of it.")
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


def _format_value(value: Any) -> str:
    return _text(value) if isinstance(value, str | int | float | None) else type(value).__name__
