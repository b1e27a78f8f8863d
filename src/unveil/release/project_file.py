"""Where is the project file, and what does it say? All its faults are told at once.

A project is a folder with one readable file, `project.toml`. Nothing of the data is read here.
"""

import os
from pathlib import Path
from typing import Any

from unveil.errors import ReadError, SettingsError, quoted
from unveil.protection.plan import Fault
from unveil.protection.plan_faults import section_faults, told_in_order
from unveil.protection.plan_file import plan_in
from unveil.protection.plan_lines import Lines
from unveil.protection.plan_text import document_of, text_of
from unveil.read.given import shown
from unveil.records.base import SCHEMA
from unveil.release.model import ProjectFile
from unveil.release.people import LONGEST, text_fault
from unveil.release.rulings_in_force import contradictions
from unveil.release.sections_files import read_data, read_findings, read_published, read_tables
from unveil.release.sections_people import (
    read_context,
    read_exceptions,
    read_excludes,
    read_limits,
    read_rulings,
)
from unveil.release.sections_scenario import person_faults, read_roles, read_scenarios

NAME = "project.toml"
Given = str | os.PathLike[str] | None


def find_project(given: Given = None) -> Path:
    """The project file: itself, that of a folder, or that of the working folder."""
    path = Path() if given is None else Path(os.fsdecode(given))
    try:
        return _found(path, given)
    except OSError as fault:  # no leave to look, or a name that no file can have
        raise ReadError(f"{quoted(str(path))} cannot be looked at: {fault.strerror}.") from None


def _found(path: Path, given: Given) -> Path:
    if path.is_dir():
        file = path / NAME
        if file.is_file():
            return file
        where = "here" if given is None else f"in the folder {quoted(str(path))}"
        raise ReadError(
            f"There is no {NAME} {where}. Make one: unveil init survey.csv; or name the folder of"
            " your project."
        )
    if not path.exists():
        raise ReadError(
            f"There is no file or folder {quoted(str(path))}. Make a project: unveil init"
            " survey.csv; or name the folder of yours."
        )
    if path.suffix.lower() != ".toml":
        raise ReadError(
            f"{quoted(path.name)} is no project file: it does not end in .toml. Make a project of"
            f" it: unveil init {path.name}."
        )
    return path


def read_project(given: Given = None, *, needs_files: bool = True) -> ProjectFile:
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
    return project_from(path, text_of(path), needs_files=needs_files)


def project_from(path: Path, text: str, *, needs_files: bool = True) -> ProjectFile:
    """What a text says as the project file of a place."""
    document = document_of(path.name, text)
    faults: list[Fault] = []
    if _is_of_the_future(document):
        faults.extend(fault for fault in section_faults(document) if fault.path == ("schema",))
        project = None
    else:
        project = _read(path, text, document, faults, needs_files=needs_files)
    if project is None or faults:
        raise SettingsError("\n".join(told_in_order(path.name, Lines(text), faults)))
    return project


def _is_of_the_future(document: dict[str, Any]) -> bool:
    """Whether a later version wrote it, so that its other faults would be none."""
    schema = document.get("schema")
    return isinstance(schema, int) and schema > SCHEMA


def _read(
    path: Path, text: str, document: dict[str, Any], faults: list[Fault], *, needs_files: bool
) -> ProjectFile:
    folder = path.parent
    faults.extend(section_faults(document))
    data = read_data(document, folder, faults, needs_files=needs_files)
    context = read_context(document, faults)
    scenarios = read_scenarios(document, data.special_codes, faults)
    roles = read_roles(document, faults)
    faults.extend(person_faults(roles, scenarios))
    faults.extend(plan_in(document)[1])
    protect = document.get("protect", {})
    steps = protect.get("step", []) if isinstance(protect, dict) else []
    excludes = read_excludes(document, scenarios, faults)
    rulings = read_rulings(document, scenarios, context.audience, faults)
    if not faults:
        faults.extend(contradictions(excludes, rulings, text))
    return ProjectFile(
        path=path,
        text=text,
        title=_title(document, folder, faults),
        data=data,
        context=context,
        roles=roles,
        scenarios=scenarios,
        excludes=excludes,
        limits=read_limits(document, faults),
        rulings=rulings,
        exceptions=read_exceptions(document, faults),
        published=read_published(document, folder, faults, needs_files=needs_files),
        synthesis=document.get("synthesis"),
        steps=tuple(steps) if isinstance(steps, list) else (),
        findings=read_findings(document, faults),
        tables=read_tables(document, folder, faults, needs_files=needs_files),
    )


def _title(document: dict[str, Any], folder: Path, faults: list[Fault]) -> str:
    """What the project is called: the name of its folder where nothing is said."""
    given = document.get("title")
    if isinstance(given, str) and (wrong := text_fault(given, LONGEST)) is not None:
        faults.append(Fault(("title",), f"title is {shown(given)}, {wrong}. Write it in a line."))
    return folder.resolve().name if given is None else str(given)
