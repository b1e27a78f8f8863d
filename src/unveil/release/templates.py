"""Which intruders could be tried? Four templates, each a scenario made from proposed roles.

The neighbour and the colleague are usual in disclosure control; the co-owner is somebody who holds
some of the columns already (one of several data owners); the prosecutor knows that a person is in
the data (Elliot and others' "response knowledge"), which makes figures of the original count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from unveil.errors import RolesError, SettingsError
from unveil.measure.roles.choosing import MOST_KEYS
from unveil.read.given import choice
from unveil.records.suggestion import RoleRow, Suggestion
from unveil.release.model import Scenario

OF_ORIGINAL = ("suda", "match_risk")
"""What is measured of the original alone."""


@dataclass(frozen=True)
class Template:
    """What an intruder of a kind is taken to know."""

    sentence: str
    note: str | None
    keys: Callable[[Suggestion, Sequence[str]], tuple[str, ...]]


def neighbour_keys(roles: Suggestion, owner: Sequence[str] = ()) -> tuple[str, ...]:
    """The proposed keys that others see or find out; all of them where none is so, or was named."""
    if roles.stop == "given":
        return roles.keys
    seen = tuple(name for name in roles.keys if roles.row_of(name).grade == "visible")
    return seen or roles.keys


def colleague_keys(roles: Suggestion, owner: Sequence[str] = ()) -> tuple[str, ...]:
    """The neighbour's keys and what is often known, at most as many as are ever proposed."""
    first = neighbour_keys(roles)
    often = [row for row in roles.rows if row.column not in first and _is_often_known(row)]
    often.sort(key=lambda row: -(row.n_gained or 0))
    return (*first, *(row.column for row in often))[: max(MOST_KEYS, len(first))]


def _is_often_known(row: RoleRow) -> bool:
    return row.grade == "often" and row.role in ("key", "target")


def owner_keys(roles: Suggestion, owner: Sequence[str]) -> tuple[str, ...]:
    """The columns of one data owner."""
    return tuple(owner)


TEMPLATES: Mapping[str, Template] = {
    "neighbour": Template(
        "Somebody who sees a person, or can find out what others see of them.",
        None,
        neighbour_keys,
    ),
    "colleague": Template(
        "Somebody who knows a person well: what others see, and what is often known.",
        None,
        colleague_keys,
    ),
    "co-owner": Template(
        "Somebody who holds these columns already, and would learn each of the others.",
        None,
        owner_keys,
    ),
    "prosecutor": Template(
        "Somebody who knows that a person is in the data, and what others see of them.",
        "Membership is known, so figures of the original itself count: UiO and match_risk.",
        neighbour_keys,
    ),
}
"""Templates of scenarios, by name."""


def scenario_of(name: str, roles: Suggestion, owner: Sequence[str] = ()) -> Scenario:
    """The scenario of a template; a refusal where it lacks its columns."""
    template = TEMPLATES[choice("template", name, tuple(TEMPLATES))]
    keys = template.keys(roles, owner)
    if name == "co-owner" and not keys:
        raise SettingsError(
            "The template co-owner needs the columns of one data owner. Name them: owner ="
            ' ["income", "tax"] (--owner income,tax on the command line).'
        )
    return Scenario(
        name=name,
        keys=keys,
        targets=_others(roles, keys) if name == "co-owner" else None,
        template=name,
    )


def measured_once(scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """The prosecutor measures of the original alone what the neighbour measures of the copy.

    Their keys and targets are the same, so each finding would be raised, and ruled on, twice.
    """
    others = [(one.keys, one.targets) for one in scenarios if one.name != "prosecutor"]
    return tuple(
        replace(one, measures=OF_ORIGINAL)
        if one.name == "prosecutor" and (one.keys, one.targets) in others
        else one
        for one in scenarios
    )


def _others(roles: Suggestion, keys: Sequence[str]) -> tuple[str, ...]:
    """Each column of the other owners: also what is a key elsewhere."""
    found = tuple(
        row.column for row in roles.rows if row.column not in keys and row.role in ("key", "target")
    )
    if not found:
        raise RolesError(
            "Beside the owner's columns there is no key and no target, so that nothing is left to"
            " learn. Name fewer columns."
        )
    return found
