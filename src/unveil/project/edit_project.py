"""How does what somebody says get into the project file? Written whole, and logged, at once."""

import datetime as dt
import os
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unveil.atomic import replace_file
from unveil.errors import ReadError, WriteError, quote_text
from unveil.project.fingerprint import project_sha256
from unveil.project.log import append_to, open_log
from unveil.project.log_repair import heal_log
from unveil.project.model import (
    Answer,
    ExceptionEntry,
    ExcludeEntry,
    ProjectFile,
    RulingEntry,
    limits_mark,
)
from unveil.project.read_people import read_limits
from unveil.project.read_project import project_from
from unveil.project.rulings import parse_flag_name
from unveil.project.toml import (
    append_entry,
    document_from,
    document_of,
    entry_lines,
    insert_settings,
    replace_table,
    table_lines,
    text_of,
)
from unveil.records.assessment import FactorName
from unveil.records.exclusions import Exclusion

# How is one thing changed in a project file, so that every other byte stays as it is?
#
# A new table or setting is a few lines put in at one place; a value that is there already is
# changed by tomlkit, which keeps comments and spacing. What comes out is read again before it is
# given back: it must say the same as before but for the change.


Document = dict[str, Any]
_ONE_KEY = 1


def add_exclusion(text: str, entry: ExcludeEntry) -> str:
    """The text with one more `[[exclude]]`."""
    said = {
        "scenario": entry.scenario,
        **_rule(entry.exclusion),
        "reason": entry.reason,
        "by": entry.by,
        "on": entry.on,
    }
    return _with_entry(text, "exclude", said)


def add_ruling(text: str, entry: RulingEntry, *, instead: bool = False) -> str:
    """The text with one more `[[ruling]]`; `instead` changes the one on the same finding."""
    said = {
        "finding": entry.finding,
        "accept": entry.accept,
        "reason": entry.reason,
        "by": entry.by,
        "on": entry.on,
    }
    given = _document(text).get("ruling", [])
    name = parse_flag_name(entry.finding)
    places = [place for place, one in enumerate(given) if parse_flag_name(one["finding"]) == name]
    if not instead or not places:
        return _with_entry(text, "ruling", said)
    return _with_settings(text, ("ruling", places[0]), said)


def add_exception(text: str, entry: ExceptionEntry) -> str:
    """The text with one more `[[exceptions]]`."""
    said = {
        "alert": entry.alert,
        "reason": entry.reason,
        "by": entry.by,
        "on": entry.on,
        "files": entry.files,
    }
    return _with_entry(text, "exceptions", said)


def set_limits(
    text: str,
    values: Mapping[str, tuple[float, float] | None],
    accepted_by: str | None,
    on: str | None,
) -> str:
    """The text with these limits, and who accepts all of them; None takes one off, others stay."""
    said = {name: pair and [_number(one) for one in pair] for name, pair in values.items()}
    before = read_limits(_document(text), []).values
    after = {name: pair for name, pair in {**before, **values}.items() if pair is not None}
    mark = None if accepted_by is None else limits_mark(after, accepted_by)
    accepted = {"accepted_by": accepted_by, "on": on, "accepted": mark}
    return _with_settings(text, ("limits",), {**said, **accepted})


def set_answer(text: str, factor: FactorName, answer: Answer) -> str:
    """The text with the answer of a named person to one of the five factors."""
    said = {"answer": answer.answer, "by": answer.by, "on": answer.on}
    return _with_settings(text, ("context", factor), said)


def set_synthetic(text: str, paths: Sequence[str]) -> str:
    """The text with these files as the synthetic copies, in the place of those before."""
    return _with_settings(text, ("data",), {"synthetic": list(paths)})


def write_project(project: ProjectFile, new_text: str) -> ProjectFile:
    """Put a new text in the place of a project file that is still as it was read.

    Raises
    ------
    WriteError
        If the file was changed since, by an editor or by another command; nothing is written then.
    """
    made = project_from(project.path, new_text, needs_files=False)
    _check_changed(project)
    place = Path(os.path.realpath(project.path))
    try:
        replace_file(place, new_text.encode("utf-8"), mode=place.stat().st_mode & 0o777)
    except OSError as fault:
        raise WriteError(
            f"The file {quote_text(str(project.path))} cannot be written: {fault.strerror}. "
            "Nothing was"
            " changed."
        ) from None
    return made


def _check_changed(project: ProjectFile) -> None:
    try:
        is_same = text_of(project.path) == project.text
    except ReadError:
        is_same = False
    if not is_same:
        raise WriteError(
            f"The file {quote_text(project.path.name)} was changed since it was read. Nothing was"
            " written. Repeat the command: it starts from the file as it is now."
        )


def _with_entry(text: str, section: str, said: Mapping[str, Any]) -> str:
    """One more table of a kind of which there may be several."""
    told = _given_fields(said)
    wanted = _document(text)
    wanted.setdefault(section, []).append(told)
    return _first_right(
        wanted,
        entry_lines(section, told),
        lambda: append_entry(text, section, told),
        lambda: replace_table(text, (section,), lambda entries: entries.append(dict(told))),
    )


def _with_settings(text: str, path: tuple[str | int, ...], said: Mapping[str, Any]) -> str:
    """These settings in one table, which is begun where it is not there; None takes one out."""
    document = _document(text)
    told = _given_fields(said)
    gone = [name for name, given in said.items() if given is None]
    wanted = deepcopy(document)
    table = _below(wanted, path)
    table.update(told)
    for name in gone:
        table.pop(name, None)
    before = _below(deepcopy(document), path)
    changed = {name: one for name, one in told.items() if before.get(name, one) != one}
    new = {name: one for name, one in told.items() if name not in before}

    def changes(tables: Any) -> None:
        for name, one in changed.items():
            tables[name] = one
        for name in gone:
            if name in tables:
                del tables[name]

    def everything(tables: Any) -> None:
        changes(tables)
        for name, one in new.items():
            tables[name] = one

    has_changes = bool(changed) or any(name in before for name in gone)
    base = replace_table(text, path, changes) if has_changes else text
    return _first_right(
        wanted,
        table_lines(path, told),
        lambda: insert_settings(base, path, new),
        lambda: replace_table(text, path, everything),
    )


def _first_right(wanted: Document, lines: Sequence[str], *ways: Callable[[], str]) -> str:
    """What the first way makes that says what is wanted; `lines` are told where none does."""
    for way in ways:
        made = way()
        try:
            if document_from(made) == wanted:
                return made
        except ValueError:
            continue
    raise WriteError(
        "The project file is laid out so that this cannot be put in at one place alone. Nothing was"
        f" written. Put it in by hand:\n{chr(10).join(lines)}"
    )


def _document(text: str) -> Document:
    return document_of("project.toml", text)


def _below(document: Document, path: Sequence[str | int]) -> Any:
    """The table at a path; begun where it is not there."""
    found: Any = document
    for part in path:
        found = found[part] if isinstance(part, int) else found.setdefault(part, {})
    return found


def _given_fields(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is said, without what was left open; days as dates."""
    return {
        name: dt.date.fromisoformat(given) if name == "on" else given
        for name, given in said.items()
        if given is not None
    }


def _rule(exclusion: Exclusion) -> dict[str, Any]:
    """The settings by which `[[exclude]]` says a rule."""
    if exclusion.rule not in ("level", "pair"):
        keys = list(exclusion.keys)
        if exclusion.rule == "missing-keys" and keys:
            return {"rule": exclusion.rule, "keys": keys}
        return {"rule": exclusion.text}
    said: dict[str, Any] = {"target": exclusion.target, "level": exclusion.level or ""}
    if len(exclusion.keys) == _ONE_KEY:
        return {**said, "key": exclusion.keys[0], "key_level": exclusion.key_levels[0]}
    if exclusion.keys:
        return {**said, "keys": list(exclusion.keys), "key_levels": list(exclusion.key_levels)}
    return said


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def change(project: ProjectFile, text: str, *, event: str, by: str, subject: str) -> ProjectFile:
    """Put a changed project file in place and log it; the project as it is then.

    `subject` is names of columns, scenarios and measures: no level and no reason. Two commands that
    change the file at once take turns, and the second is refused: it started from another file.
    """
    heal_log(project.folder)
    with open_log(project.folder) as file:
        changed = write_project(project, text)
        append_to(
            file,
            project.folder,
            before=project_sha256(project),
            event=event,
            by=by,
            subject=subject,
            project_sha256=project_sha256(changed),
            file_sha256=None,
        )
    return changed


def today() -> str:
    """The day on which somebody says something."""
    return datetime.now(UTC).strftime("%Y-%m-%d")
