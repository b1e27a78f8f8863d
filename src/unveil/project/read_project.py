"""Where is the project file, and what does it say? All its faults are told at once.

A project is a folder with one readable file, `project.toml`. Nothing of the data is read here.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

from unveil.arguments import quote_value
from unveil.errors import (
    InputError,
    ReadError,
    RolesError,
    SettingsError,
    hint_at,
    list_names,
    quote_text,
    unknown_name,
)
from unveil.io.read_toml import parse_document, read_text
from unveil.measure.cap.classes import parse_tolerance
from unveil.measure.cap.gtcap_prepare import parse_radii
from unveil.project.fields import Fields, table_in, tables_in
from unveil.project.model import Data, ProjectFile, RoleLists, ScenarioEntry
from unveil.project.people import LONGEST, text_fault
from unveil.project.read_files import (
    missing_files,
    read_data,
    read_engine,
    read_findings,
    read_publication,
    read_published,
    read_recognition,
    read_tables,
)
from unveil.project.read_people import (
    read_context,
    read_exceptions,
    read_excludes,
    read_limits,
    read_pack,
    read_rulings,
)
from unveil.project.rulings_in_force import contradictions
from unveil.protection.plan import FileError, ProtectionPlan, parse_plan
from unveil.records.base import SCHEMA
from unveil.records.run import Kind
from unveil.study.band_spec import parse_bands
from unveil.study.people import NONE, check_person
from unveil.study.roles import parse_roles
from unveil.study.weights import check_weights

# What may an intruder know, and learn? `[roles]` and `[[scenario]]`.


TEMPLATE_NAMES = ("neighbour", "colleague", "co-owner", "prosecutor")
_KINDS: tuple[Kind, ...] = get_args(Kind)
MEASURES: tuple[Kind, ...] = _KINDS[_KINDS.index("disclosure") : _KINDS.index("membership") + 1]
"""What can be measured of a scenario; the others are about the files as a whole."""
LISTED = ("identifier", "key", "target", "ignore")
ROLES = (*LISTED, "weight", "person")
SCENARIO = ("name", "template", "keys", "targets", "bands", "radii", "tolerance", "measures")
LONGEST_NAME = 60


def read_roles(document: Mapping[str, Any], faults: list[FileError]) -> RoleLists:
    """`[roles]`: every column has one at most."""
    fields = table_in(document, "roles", faults)
    fields.only((*ROLES, "time", "sensitive"))
    lists = {name: fields.columns(name, f"{name} columns") for name in LISTED}
    single = {
        name: fields.text(name, "Name one column, as text.") if fields.has(name) else None
        for name in ("weight", "person")
    }
    time = fields.text("time", "Name one column, as text.") if fields.has("time") else None
    if time is not None and single["person"] in (None, NONE):
        fields.refuse("time needs person: the column that says whose row it is.", "time")
    every = {**lists, **{name: () if one is None else (one,) for name, one in single.items()}}
    for one, other in combinations(every, 2):
        both = [name for name in every[one] if name in every[other]]
        if both and (one, other) != ("identifier", "person"):  # whose row it is points at people
            fields.refuse(
                f"{list_names(map(repr, both))} cannot be {one} and {other}: a column has one role"
                " here. What is a key in one scenario and a target in another is declared there.",
                other,
            )
    sensitive = fields.by_column("sensitive", '{hiv_test = ["positive"]}', _check_no_levels)
    if single["person"] not in (None, NONE):
        lists["identifier"] = tuple(dict.fromkeys((*lists["identifier"], *every["person"])))
    return RoleLists(
        identifier=lists["identifier"],
        key=lists["key"],
        target=lists["target"],
        ignore=lists["ignore"],
        weight=single["weight"],
        person=single["person"],
        time=time,
        sensitive={column: tuple(levels) for column, levels in sensitive.items()},
    )


def person_faults(roles: RoleLists, scenarios: Sequence[ScenarioEntry]) -> Iterator[FileError]:
    """Scenarios that have the column of people, or of weights, among their keys or targets."""
    for number, scenario in enumerate(scenarios):
        for name, columns in (("keys", scenario.keys), ("targets", scenario.targets or ())):
            try:
                check_person(roles.person, columns)
                check_weights(roles.weight, columns)
            except RolesError as fault:
                yield FileError(("scenario", number, name), str(fault))


def _check_no_levels(column: str, given: Any) -> None:
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise SettingsError(
            f"The sensitive values of {quote_value(column)} must be a list of texts, such as"
            ' ["positive"].'
        )


def read_scenarios(
    document: Mapping[str, Any], codes: Mapping[str, Any], faults: list[FileError]
) -> tuple[ScenarioEntry, ...]:
    """Every `[[scenario]]`; `codes` are the special codes by column."""
    read = []
    first: dict[str, str] = {}
    for fields in tables_in(document, "scenario", faults):
        scenario = _scenario(fields, codes)
        read.append(scenario)
        name = scenario.name.casefold()
        if name and name in first:
            fields.refuse(
                f"two scenarios are called {quote_value(scenario.name)}. Give each its own name.",
                "name",
            )
        first.setdefault(name, scenario.name)
    return tuple(read)


def _scenario(fields: Fields, codes: Mapping[str, Any]) -> ScenarioEntry:
    fields.only(SCENARIO)
    keys = fields.columns("keys", "keys")
    if fields.table.get("keys", []) == []:
        is_owner = fields.table.get("template") == "co-owner"
        who = "of one data owner" if is_owner else "an intruder would know"
        fields.refuse(
            f'{fields.heading} has no keys. Name the columns {who}: keys = ["sex", "age"].',
            *(["keys"] if fields.has("keys") else []),
        )
    targets = _targets(fields, keys)
    return ScenarioEntry(
        name=_name(fields) or "",
        keys=keys,
        targets=targets,
        template=fields.one_of("template", TEMPLATE_NAMES),
        bands=_settings(fields, "bands", keys, targets, codes),
        radii=_settings(fields, "radii", keys, targets, codes),
        tolerance=_settings(fields, "tolerance", (), targets, codes) or None,
        measures=_measures(fields),
    )


def _name(fields: Fields) -> str | None:
    name = fields.text("name", 'Name it: name = "neighbour".')
    if name is None:
        return None
    if "/" in name or not name.isprintable() or name != name.strip() or len(name) > LONGEST_NAME:
        fields.refuse(
            f"a scenario cannot be called {quote_value(name)}: a name has at most {LONGEST_NAME}"
            " letters, no / and no blank at either end.",
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
            f'targets is {quote_value(given)}. Write "all", or a list: targets = ["income"].',
            "targets",
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
            parse_roles(keys, targets)
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
    """Bands, radii or tolerance by column, of keys and targets alone."""

    def read_bands(column: str, given: Any) -> None:
        parse_bands({column: given}, {column: codes[column]} if column in codes else None)

    def read_radius(column: str, given: Any) -> None:
        parse_radii({column: given})

    def read_tolerance(column: str, given: Any) -> None:
        parse_tolerance({column: given}, [column], "targets")

    readers = {"bands": read_bands, "radii": read_radius, "tolerance": read_tolerance}
    found = fields.by_column(name, "{age = 5}", readers[name])
    known = (*keys, *(targets or ()))
    for column in found if targets is not None else ():
        if column not in known:
            is_of_targets = name == "tolerance"
            of = "is no target here" if is_of_targets else "is neither key nor target here"
            fields.refuse(
                f"{name} {'is' if is_of_targets else 'are'} given for {quote_value(column)}, which"
                f" {of}.{hint_at(column, known)} {'The' if is_of_targets else 'Keys and'} targets"
                f" are: {list_names(known)}.",
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
            'measures must be a list, such as ["disclosure", "cap"]. Omit it for all of them.',
            "measures",
        )
        return None
    for one in given:
        if one not in MEASURES:
            sentence = unknown_name(
                "there is no measure", one, MEASURES, "The measures are", most=20
            )
            fields.refuse(sentence, "measures")
    return tuple(dict.fromkeys(given))


NAME = "project.toml"
ProjectPath = str | os.PathLike[str] | None


def find_project(given: ProjectPath = None) -> Path:
    """The project file: itself, that of a folder, or that of the working folder."""
    path = Path() if given is None else Path(os.fsdecode(given))
    try:
        return _find_file(path, given)
    except OSError as fault:  # no leave to look, or a name that no file can have
        raise ReadError(f"{quote_text(str(path))} cannot be read: {fault.strerror}.") from None


def _find_file(path: Path, given: ProjectPath) -> Path:
    if path.is_dir():
        file = path / NAME
        if file.is_file():
            return file
        where = "here" if given is None else f"in the folder {quote_text(str(path))}"
        raise ReadError(
            f"There is no {NAME} {where}. Make one: unveil init survey.csv; or name the folder of"
            " your project."
        )
    if not path.exists():
        raise ReadError(
            f"There is no file or folder {quote_text(str(path))}. Make a project: unveil init"
            " survey.csv; or name the folder of yours."
        )
    if path.suffix.lower() != ".toml":
        raise ReadError(
            f"{quote_text(path.name)} is not a project file: it does not end in .toml. Make a"
            f" project of it: unveil init {path.name}."
        )
    return path


def read_project(given: ProjectPath = None, *, needs_files: bool = True) -> ProjectFile:
    """Read a project file, or refuse it with all its faults, each with its line.

    Parameters
    ----------
    given
        As in `find_project`.
    needs_files
        Whether the files that it names must be there; to look at a log or at an old run they need
        not be.
    """
    path = find_project(given)
    return project_from(path, read_text(path), needs_files=needs_files)


def project_from(path: Path, text: str, *, needs_files: bool = True) -> ProjectFile:
    """What a text says as the project file of a place; the same text is parsed once."""
    project, faults = _parse_project(os.path.abspath(path), path, text)
    if needs_files:
        faults = (*faults, *missing_files(project))
    if faults:
        raise SettingsError(project.locate(faults))
    return project


@lru_cache(maxsize=8)
def _parse_project(place: str, path: Path, text: str) -> tuple[ProjectFile, tuple[FileError, ...]]:
    """What a text says, and what is wrong with it; `place` tells equal relative paths apart."""
    document = parse_document(path.name, text)
    faults = [*_section_faults(document)]
    schema = document.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:  # its other faults may be none
        return ProjectFile(path, text, "", Data("")), tuple(
            fault for fault in faults if fault.path == ("schema",)
        )
    data = read_data(document, faults)
    context = read_context(document, faults)
    scenarios = read_scenarios(document, data.special_codes, faults)
    roles = read_roles(document, faults)
    faults.extend(person_faults(roles, scenarios))
    plan, steps = _read_plan(document, faults)
    excludes = read_excludes(document, scenarios, faults)
    rulings = read_rulings(document, scenarios, context.audience, faults)
    if not faults:
        faults.extend(contradictions(excludes, rulings, text))
    project = ProjectFile(
        path=path,
        text=text,
        title=_title(document, path.parent, faults),
        data=data,
        context=context,
        roles=roles,
        scenarios=scenarios,
        excludes=excludes,
        limits=read_limits(document, faults),
        rulings=rulings,
        exceptions=read_exceptions(document, faults),
        published=read_published(document, faults),
        synthesis=document.get("synthesis"),
        steps=steps,
        plan=plan,
        recognition=read_recognition(document, faults),
        findings=read_findings(document, faults),
        tables=read_tables(document, faults),
        publication=read_publication(document, faults),
        engine=read_engine(document, faults),
        pack=read_pack(document, faults),
    )
    return project, tuple(faults)


SECTIONS = (
    *("schema", "title", "data", "context", "roles", "scenario", "exclude", "limits", "ruling"),
    *("exceptions", "published", "synthesis", "protect", "recognition", "finding", "table"),
    *("publication", "pack", "engine"),
)
"""What a project file may hold."""
_BEGIN = 'Begin each step with [[protect.step]], then state what to do: do = "synthesise".'


def _section_faults(document: Mapping[str, Any]) -> Iterator[FileError]:
    """Sections that there are not, and a schema that is another."""
    for name in document:
        if name not in SECTIONS:
            what, there = "there is no section", "The sections are"
            yield FileError((name,), unknown_name(what, name, SECTIONS, there, most=20))
    schema = document.get("schema", SCHEMA)
    if schema is True or schema != SCHEMA:
        yield FileError(
            ("schema",), f"schema is {quote_value(schema)}. This version reads schema {SCHEMA}."
        )


def _read_plan(
    document: Mapping[str, Any], faults: list[FileError]
) -> tuple[ProtectionPlan | None, tuple[Mapping[str, Any], ...]]:
    """`[synthesis]` and `[[protect.step]]`: the plan, and its steps as they are written."""
    protect = document.get("protect", {})
    if not isinstance(protect, dict):
        faults.append(FileError(("protect",), _BEGIN))
        protect = {}
    Fields(protect, ("protect",), faults).only(("step",))
    steps = protect.get("step", [])
    plan, wrong = parse_plan(steps, document.get("synthesis"))
    faults.extend(wrong)
    return plan, tuple(steps) if isinstance(steps, list) else ()


def _title(document: dict[str, Any], folder: Path, faults: list[FileError]) -> str:
    """What the project is called: the name of its folder where nothing is said."""
    if "title" not in document:
        return folder.resolve().name
    given = document["title"]
    if not isinstance(given, str) or not given.strip():
        sentence = f"title is {quote_value(given)}. Write a text, or omit it."
        faults.append(FileError(("title",), sentence))
    elif (wrong := text_fault(given, LONGEST)) is not None:
        sentence = f"title is {quote_value(given)}, {wrong}. Write it in a line."
        faults.append(FileError(("title",), sentence))
    return str(given)
