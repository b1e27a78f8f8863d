"""What might a project of these data say? Roles, scenarios, limits and codings, with reasons.

Nothing is asked and nothing is decided; `unveil init` writes what is proposed here.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from unveil.count.scenario import Progress, silent
from unveil.errors import ReadError, RolesError, SettingsError, WriteError, listed, quoted
from unveil.measure.roles.suggest import suggest
from unveil.protection.plan_data import texts_of
from unveil.protection.plan_faults import file_fault
from unveil.protection.presets import audience_of
from unveil.protection.recoding.suggest import suggest_coding
from unveil.read.banding import parse_bands
from unveil.read.files import hold, read_table
from unveil.read.given import choice, shown
from unveil.read.roles import absent, names
from unveil.read.table import Table
from unveil.records.proposal import ProjectProposal, ProposedScenario
from unveil.records.suggestion import Suggestion
from unveil.release.hashing import project_sha256
from unveil.release.log import append
from unveil.release.model import ProjectFile, Scenario
from unveil.release.people import LONGEST, named, text_fault
from unveil.release.project_file import NAME, project_from
from unveil.release.proposing_numbers import proposed_codes, proposed_radii
from unveil.release.proposing_shared import shared_columns, with_ignored
from unveil.release.proposing_text import project_text
from unveil.release.templates import TEMPLATES, measured_once, scenario_of
from unveil.writing import all_or_none, write_new

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def proposed(data: str | os.PathLike[str], **settings: Any) -> str:
    """The text of a project file for a data set; nothing is written. Arguments as `propose` has."""
    return propose(data, **settings)[0]


def create_project(
    data: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None, **settings: Any
) -> Path:
    """Write the project file that `propose` makes; one that is there is never written over."""
    return written(data, folder, **settings)[0]


def written(
    data: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None, **settings: Any
) -> tuple[Path, ProjectProposal]:
    """The new project file, and what it proposes."""
    place = Path() if folder is None else Path(os.fsdecode(folder))
    path = place / NAME
    if os.path.lexists(path):
        raise WriteError(
            f"There is a project already: {quoted(str(path))}. Nothing was written. Change it in an"
            " editor, or name another folder with --folder."
        )
    text, record = propose(data, folder=place, **settings)
    with all_or_none() as files:
        files.extend(write_new(place, {NAME: text.encode("utf-8")}))
        _log(project_from(path, text, needs_files=False), settings.get("by"))
    return path, msgspec.structs.replace(record, file=str(path))


def _log(project: ProjectFile, by: str | None) -> None:
    names_of = " ".join(scenario.name for scenario in project.scenarios)
    sha256 = project_sha256(project)
    append(project.folder, event="init", by=by, subject=names_of or None, project_sha256=sha256)


def propose(
    data: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    keys: str | Iterable[str] | None = None,
    synthetic: Paths = (),
    control: str | os.PathLike[str] | None = None,
    audience: str = "registered",
    templates: str | Iterable[str] = ("neighbour",),
    owner: str | Iterable[str] = (),
    title: str | None = None,
    by: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> tuple[str, ProjectProposal]:
    """The text of a project file, and everything it proposes.

    Parameters
    ----------
    data
        The file of the original.
    folder
        Where the project will be: paths start there. The working folder where None.
    keys
        What an intruder knows, where you know it; proposed where None.
    synthetic, control
        Files of copies, and of people who were not used to make them.
    audience
        "closed", "registered" or "open": its limits are proposed.
    templates
        Scenarios: neighbour, colleague, co-owner (needs `owner`) and prosecutor.
    owner
        The columns that one data owner holds.
    title, by
        What the project is called, and who runs it ("Name, role").
    special_codes, missing_values, progress
        As in `unveil.suggest`.
    """
    told = progress or silent
    who = None if by is None else named(by)
    if title is not None and (wrong := text_fault(title, LONGEST)) is not None:
        raise SettingsError(f"The title is {shown(title)}, {wrong}. Write it in one line.")
    place = Path() if folder is None else Path(os.fsdecode(folder))
    chosen = _templates(templates, owner)
    for_whom = audience_of(audience) or "registered"
    missing = texts_of(missing_values)
    copies = _files(synthetic)
    others = [*copies, *([] if control is None else [control])]
    _refuse_no_files([data, *others])
    held = hold(Path(os.fsdecode(data)), side="data", missing_values=missing)
    source, lacking = shared_columns(held, others, missing)
    table = read_table(source, side="data", missing_values=missing)
    given = parse_bands(None, special_codes).special_codes
    codes = tuple(proposed_codes(table, given))
    apart = {**given, **{one.column: list(one.codes) for one in codes}}
    asked: dict[str, Any] = {"special_codes": apart, "missing_values": missing}
    roles = with_ignored(suggest(source, keys=keys, **asked, progress=told).record, lacking)
    own = _owned(table, owner, roles)
    scenarios = measured_once([scenario_of(name, roles, own) for name in chosen])
    told("looking for codings", 0, 1)
    first = scenarios[0].keys or None
    columns = dict.fromkeys([*roles.keys, *roles.targets, *own])
    record = ProjectProposal(
        file=None,
        original=_relative(data, place),
        title=title or _title(data),
        audience=for_whom,
        n_records=roles.n_records,
        scenarios=tuple(_proposed(one, roles, table) for one in scenarios),
        radii=tuple(proposed_radii(table, columns, apart)),
        special_codes=codes,
        roles=roles,
        codings=suggest_coding(source, keys=first, **asked).record,
    )
    text = project_text(
        record,
        synthetic=[_relative(one, place) for one in copies],
        control=None if control is None else _relative(control, place),
        missing_values=missing,
        special_codes=given,
        by=who,
    )
    project_from(place / NAME, text, needs_files=False)
    return text, record


def _templates(given: str | Iterable[str], owner: str | Iterable[str]) -> tuple[str, ...]:
    several = [given] if isinstance(given, str) else list(given)
    chosen = tuple(dict.fromkeys(choice("template", one, tuple(TEMPLATES)) for one in several))
    if not chosen:
        raise SettingsError(f"No template is given. Choose of: {', '.join(TEMPLATES)}.")
    if owner and "co-owner" not in chosen:
        return (*chosen, "co-owner")
    return chosen


def _owned(table: Table, owner: str | Iterable[str], roles: Suggestion) -> tuple[str, ...]:
    """The columns of an owner, all of which must be there and hold single values."""
    found = names(owner, "Owner columns")
    known = table.frame.columns
    faults = [absent(table.place, name, known) for name in found if name not in known]
    faults += [
        f"Column {name!r} holds no single values, so that nobody can look people up by it. Take it"
        " out of the owner's columns."
        for name in found
        if name in known and roles.row_of(name).n_distinct is None
    ]
    if faults:
        raise RolesError("\n".join(faults))
    return found


def _proposed(scenario: Scenario, roles: Suggestion, table: Table) -> ProposedScenario:
    return ProposedScenario(
        name=scenario.name,
        template=scenario.name,
        keys=scenario.keys,
        targets=scenario.targets,
        n_unique=_n_unique(scenario, roles, table),
        sentence=TEMPLATES[scenario.name].sentence,
        measures=scenario.measures,
    )


def _n_unique(scenario: Scenario, roles: Suggestion, table: Table) -> int | None:
    """People who are alone with the keys of a scenario."""
    if not scenario.keys:
        return None
    if set(scenario.keys) == set(roles.keys):
        return roles.n_unique
    return int(table.frame[list(scenario.keys)].is_unique().sum())


def _files(given: Paths) -> list[str | os.PathLike[str]]:
    return [given] if isinstance(given, str | os.PathLike) else list(given)


def _refuse_no_files(files: Sequence[Any]) -> None:
    """Refuse what is no file; a frame has no place in a project."""
    for one in files:
        if not isinstance(one, str | os.PathLike):
            raise SettingsError(
                f"A project needs files; given is {shown(one)}. Write the data to a file first:"
                " unveil.write_file."
            )
    absent_ones = [one for one in map(os.fsdecode, files[1:]) if file_fault(Path(), one)]
    if absent_ones:
        raise ReadError(
            f"There is no file {listed(map(repr, absent_ones))}. Check the name and the folder."
        )


def _relative(path: str | os.PathLike[str], folder: Path) -> str:
    """A path as the project file names it: from its folder, or whole where it is given whole."""
    given = Path(os.fsdecode(path))
    home = Path(os.path.realpath(folder))
    place = Path(os.path.realpath(given.parent)) / given.name
    if place.is_relative_to(home):
        return place.relative_to(home).as_posix()
    if given.is_absolute() or place.drive != home.drive:
        return place.as_posix()
    return Path(os.path.relpath(place, home)).as_posix()


def _title(data: str | os.PathLike[str]) -> str:
    name = Path(os.fsdecode(data)).name.partition(".")[0]
    return "".join(one for one in name if one.isprintable())[:LONGEST].strip() or "project"
