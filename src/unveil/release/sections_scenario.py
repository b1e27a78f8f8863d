"""What may an intruder know, and learn? `[roles]` and `[[scenario]]`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, get_args

from unveil.errors import InputError, RolesError, SettingsError, listed, nearest
from unveil.measure.attribution.gtcap_settings import parse_radii
from unveil.measure.people import refuse_person
from unveil.measure.roles.person import NONE
from unveil.protection.plan import Fault
from unveil.read.banding import parse_bands
from unveil.read.given import shown
from unveil.read.roles import declared
from unveil.records.run import Kind
from unveil.release.fields import Fields, table_in, tables_in
from unveil.release.model import RoleLists, Scenario

TEMPLATE_NAMES = ("neighbour", "colleague", "co-owner", "prosecutor")
_KINDS: tuple[Kind, ...] = get_args(Kind)
MEASURES: tuple[Kind, ...] = _KINDS[_KINDS.index("disclosure") : _KINDS.index("membership") + 1]
"""What can be measured of a scenario; the others are about the files as a whole."""
LISTED = ("identifier", "key", "target", "ignore")
ROLES = (*LISTED, "weight", "person")
SCENARIO = ("name", "template", "keys", "targets", "bands", "radii", "measures")
LONGEST_NAME = 60


def read_roles(document: Mapping[str, Any], faults: list[Fault]) -> RoleLists:
    """`[roles]`: every column has one at most."""
    fields = table_in(document, "roles", faults)
    fields.only((*ROLES, "sensitive"))
    lists = {name: fields.columns(name, f"{name} columns") for name in LISTED}
    single = {
        name: fields.text(name, "Name one column, as text.") if fields.has(name) else None
        for name in ("weight", "person")
    }
    every = {**lists, **{name: () if one is None else (one,) for name, one in single.items()}}
    for one, other in combinations(every, 2):
        both = [name for name in every[one] if name in every[other]]
        if both and (one, other) != ("identifier", "person"):  # whose row it is points at people
            fields.refuse(
                f"{listed(map(repr, both))} cannot be {one} and {other}: a column has one"
                " role here. What is a key in one scenario and a target in another is said there.",
                other,
            )
    sensitive = fields.by_column("sensitive", '{hiv_test = ["positive"]}', _refuse_no_levels)
    if single["person"] not in (None, NONE):
        lists["identifier"] = tuple(dict.fromkeys((*lists["identifier"], *every["person"])))
    return RoleLists(
        identifier=lists["identifier"],
        key=lists["key"],
        target=lists["target"],
        ignore=lists["ignore"],
        weight=single["weight"],
        person=single["person"],
        sensitive={column: tuple(levels) for column, levels in sensitive.items()},
    )


def person_faults(roles: RoleLists, scenarios: Sequence[Scenario]) -> Iterator[Fault]:
    """Scenarios that have the column of people among their keys or targets."""
    for number, scenario in enumerate(scenarios):
        for name, columns in (("keys", scenario.keys), ("targets", scenario.targets or ())):
            try:
                refuse_person(roles.person, columns)
            except RolesError as fault:
                yield Fault(("scenario", number, name), str(fault))


def _refuse_no_levels(column: str, given: Any) -> None:
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise SettingsError(
            f"The sensitive values of {shown(column)} must be a list of texts, such as"
            ' ["positive"].'
        )


def read_scenarios(
    document: Mapping[str, Any], codes: Mapping[str, Any], faults: list[Fault]
) -> tuple[Scenario, ...]:
    """Every `[[scenario]]`; `codes` are the special codes by column."""
    read = []
    first: dict[str, str] = {}
    for fields in tables_in(document, "scenario", faults):
        scenario = _scenario(fields, codes)
        read.append(scenario)
        name = scenario.name.casefold()
        if name and name in first:
            fields.refuse(
                f"two scenarios are called {shown(scenario.name)}. Give each its own name.", "name"
            )
        first.setdefault(name, scenario.name)
    return tuple(read)


def _scenario(fields: Fields, codes: Mapping[str, Any]) -> Scenario:
    fields.only(SCENARIO)
    keys = fields.columns("keys", "keys")
    if fields.table.get("keys", []) == []:
        is_owner = fields.table.get("template") == "co-owner"
        who = "of one data owner" if is_owner else "an intruder would know"
        fields.refuse(
            f'{fields.called} has no keys. Name the columns {who}: keys = ["sex", "age"].',
            *(["keys"] if fields.has("keys") else []),
        )
    targets = _targets(fields, keys)
    return Scenario(
        name=_name(fields) or "",
        keys=keys,
        targets=targets,
        template=fields.one_of("template", TEMPLATE_NAMES),
        bands=_settings(fields, "bands", keys, targets, codes),
        radii=_settings(fields, "radii", keys, targets, codes),
        measures=_measures(fields),
    )


def _name(fields: Fields) -> str | None:
    name = fields.text("name", 'Name it: name = "neighbour".')
    if name is None:
        return None
    if "/" in name or not name.isprintable() or name != name.strip() or len(name) > LONGEST_NAME:
        fields.refuse(
            f"a scenario cannot be called {shown(name)}: its name has at most {LONGEST_NAME}"
            " letters, no / and no blank at its ends. Rulings name it in front of a /.",
            "name",
        )
    return name


def _targets(fields: Fields, keys: Sequence[str]) -> tuple[str, ...] | None:
    """The targets that are named; None for all."""
    given = fields.table.get("targets", "all")
    if given == "all":
        return None
    if isinstance(given, str):
        fields.refuse(
            f'targets is {shown(given)}. Write "all", or a list: targets = ["income"].', "targets"
        )
        return None
    if given == []:
        fields.refuse(
            'targets is empty. Name what an intruder might learn, or write targets = "all".',
            "targets",
        )
        return None
    targets = fields.columns("targets", "targets")
    try:
        if keys and targets:
            declared(keys, targets)
    except InputError as fault:
        fields.refuse(str(fault), "targets")
    return targets


def _settings(
    fields: Fields,
    name: str,
    keys: Sequence[str],
    targets: Sequence[str] | None,
    codes: Mapping[str, Any],
) -> dict[str, Any]:
    """Bands or radii by column, of keys and targets alone."""

    def read_bands(column: str, given: Any) -> None:
        parse_bands({column: given}, {column: codes[column]} if column in codes else None)

    def read_radius(column: str, given: Any) -> None:
        parse_radii({column: given})

    if name == "bands":
        found = fields.by_column(name, "{age = 5}", read_bands)
    else:
        found = fields.by_column(name, "{age = 5}", read_radius)
    known = (*keys, *(targets or ()))
    for column in found if targets is not None else ():
        if column not in known:
            fields.refuse(
                f"{name} are given for {shown(column)}, which is neither key nor target here."
                f"{nearest(column, known)} Keys and targets are: {listed(known)}.",
                name,
                column,
            )
    return found


def _measures(fields: Fields) -> tuple[str, ...] | None:
    given = fields.table.get("measures")
    if given is None:
        return None
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        fields.refuse(
            'measures must be a list, such as ["disclosure", "cap"]. Leave it out for all of them.',
            "measures",
        )
        return None
    for one in given:
        if one not in MEASURES:
            fields.refuse(
                f"there is no measure {shown(one)}.{nearest(one, MEASURES)} The measures are:"
                f" {listed(MEASURES, most=20)}.",
                "measures",
            )
    return tuple(dict.fromkeys(given))
