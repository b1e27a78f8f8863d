"""Which keys and targets does a project file name, and in which place?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unveil.errors import InputError
from unveil.protection.plan import Fault
from unveil.read.given import is_list
from unveil.read.roles import declared, names

_ROLES = {"keys": "key", "targets": "target"}


@dataclass(frozen=True)
class Named:
    """Columns, and where the file names them; None where it does not."""

    path: tuple[str | int, ...]
    given: Any


def named_in(document: Mapping[str, Any]) -> dict[str, Named]:
    """Keys and targets: of the roles, or else of the first scenario."""
    roles, first = document.get("roles"), _first(document)
    return {
        name: _named(roles if isinstance(roles, dict) else {}, role, first, name)
        for name, role in _ROLES.items()
    }


def role_faults(document: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with keys and targets, before any data is read."""
    scenarios = document.get("scenario", [])
    if not isinstance(scenarios, list) or not all(isinstance(one, dict) for one in scenarios):
        yield Fault(("scenario",), "Write each scenario as a table that begins with [[scenario]].")
    found = named_in(document)
    told = [fault for name, one in found.items() for fault in _faults(name, one)]
    yield from told
    keys, targets = found["keys"], found["targets"]
    if not told and keys.given is not None and targets.given is not None:
        try:
            declared(keys.given, targets.given)
        except InputError as fault:
            yield Fault(targets.path, str(fault))


def _first(document: Mapping[str, Any]) -> Mapping[str, Any]:
    scenarios = document.get("scenario")
    first = scenarios[0] if isinstance(scenarios, list) and scenarios else None
    return first if isinstance(first, dict) else {}


def _named(roles: Mapping[str, Any], role: str, scenario: Mapping[str, Any], name: str) -> Named:
    if roles.get(role, []) != []:
        return Named(("roles", role), roles[role])
    given = scenario.get(name, [])
    is_open = given == [] or (name == "targets" and given == "all")
    return Named(("scenario", 0, name), None if is_open else given)


def _faults(name: str, one: Named) -> Iterator[Fault]:
    if one.given is not None:
        yield from column_faults(one.path, one.given, name)


def column_faults(path: tuple[str | int, ...], given: Any, what: str) -> Iterator[Fault]:
    """What is wrong with a list of columns; `what` is the name of all of them, such as keys."""
    if not is_list(given) or not all(isinstance(column, str) for column in given):
        place = f"{path[-1]} of {'[roles]' if path[0] == 'roles' else f'[[{path[0]}]]'}"
        yield Fault(path, f"{place} must be a list of names of columns.")
        return
    try:
        names(given, what.capitalize())
    except InputError as fault:
        yield Fault(path, str(fault))
