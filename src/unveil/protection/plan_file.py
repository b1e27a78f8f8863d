"""What does a project file say about protection? Its sections, with every fault and its line."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.errors import InputError, ReadError, SettingsError, listed, nearest, quoted
from unveil.protection.plan import Fault, Plan, place_as_written, plan_of
from unveil.protection.plan_lines import Lines
from unveil.protection.presets import audience_of
from unveil.read.given import is_list, shown
from unveil.records.base import SCHEMA

LARGEST = 1_000_000
SECTIONS = (
    *("schema", "data", "context", "roles", "scenario", "exclude", "limits", "ruling"),
    *("published", "synthesis", "protect", "finding", "table"),
)
"""What a project file may hold; what is not about protection is left to others."""
DATA = ("original", "synthetic", "control", "special_codes", "types", "labels")
_STEP = re.compile(r"^Step (\d+)\b", re.MULTILINE)


@dataclass(frozen=True)
class Project:
    """What a project file asks `protect` to do."""

    name: str
    original: Path
    plan: Plan
    audience: Any
    keys: Any
    targets: Any
    special_codes: Mapping[str, Any]
    labels: Path | None
    lines: Lines

    def told(self, fault: InputError) -> InputError:
        """A fault of a step, with the line of the step in front."""
        return type(fault)(_STEP.sub(self._located, str(fault)))

    def _located(self, found: re.Match[str]) -> str:
        place = place_as_written(int(found[1]) - 1, self.plan.inserted)
        line = self.lines.of("protect", "step", place)
        return found[0] if line is None else f"{self.name}, line {line}: {found[0]}"


def is_project(given: Any) -> bool:
    """Whether something is the path of a project file."""
    return isinstance(given, str | os.PathLike) and os.fsdecode(given).lower().endswith(".toml")


def project_of(path: str | os.PathLike[str]) -> Project:
    """Read a project file, or refuse it with all its faults."""
    file = Path(os.fsdecode(path))
    text = _text(file)
    document = _parsed(file, text)
    lines = Lines(text)
    plan, faults = _planned(document)
    faults = [*_sections(document), *_data(document, file), *_others(document), *faults]
    if faults or plan is None:
        raise SettingsError("\n".join(_in_order(file.name, lines, faults)))
    data = document["data"]
    keys, targets = _scenario(document)
    return Project(
        name=file.name,
        original=file.parent / data["original"],
        plan=plan,
        audience=document.get("context", {}).get("audience"),
        keys=keys,
        targets=targets,
        special_codes=data.get("special_codes", {}),
        labels=file.parent / data["labels"] if "labels" in data else None,
        lines=lines,
    )


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise ReadError(f"The file {quoted(file.name)} is too large for a project file.")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReadError(f"The file {quoted(file.name)} is no text in UTF-8.") from None
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "it is no file"
        raise ReadError(f"The file {quoted(str(file))} cannot be read: {why}.") from None


def _parsed(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ReadError(f"The file {quoted(file.name)} is no TOML: {fault}.") from None
    except RecursionError:
        raise ReadError(
            f"The file {quoted(file.name)} has tables inside one another too deep."
        ) from None


def _sections(document: Mapping[str, Any]) -> Iterator[Fault]:
    for name in document:
        if name not in SECTIONS:
            yield Fault(
                (name,),
                f"there is no section {shown(name)}.{nearest(name, SECTIONS)} The sections are:"
                f" {listed(SECTIONS, most=20)}.",
            )
    if document.get("schema", SCHEMA) != SCHEMA:
        yield Fault(
            ("schema",), f"schema is {shown(document['schema'])}. This version reads schema 1."
        )


def _data(document: Mapping[str, Any], file: Path) -> Iterator[Fault]:
    data = document.get("data")
    if not isinstance(data, dict):
        yield Fault(
            ("data",),
            'there is no [data]. Name the original there: [data] and below it original = "a.csv".',
        )
        return
    yield from _unknown("data", data, DATA)
    for name in ("original", "labels"):
        given = data.get(name)
        if name == "original" and given is None:
            yield Fault(("data",), '[data] has no original. Name the file: original = "a.csv".')
        elif given is not None and (not isinstance(given, str) or not given):
            yield Fault(("data", name), f"{name} is {shown(given)}. Name a file, as text.")
        elif given is not None and not (file.parent / given).exists():
            yield Fault(
                ("data", name),
                f"there is no file {quoted(given)}. Paths start at the folder of the project file.",
            )
    codes = data.get("special_codes", {})
    if not isinstance(codes, dict):
        yield Fault(
            ("data", "special_codes"),
            f"special_codes is {shown(codes)}. Write them by column: {{income = [-8]}}.",
        )


def _unknown(section: str, given: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[Fault]:
    for name in given:
        if name not in known:
            yield Fault(
                (section, name),
                f"[{section}] has no setting {shown(name)}.{nearest(name, known)} Its settings"
                f" are: {listed(known)}.",
            )


def _others(document: Mapping[str, Any]) -> Iterator[Fault]:
    """What is read of sections that are others': who gets the copy, and what they may know."""
    for section in ("context", "roles"):
        if not isinstance(document.get(section, {}), dict):
            yield Fault((section,), f"[{section}] must be a table.")
            return
    try:
        audience_of(document.get("context", {}).get("audience"))
    except SettingsError as fault:
        yield Fault(("context", "audience"), str(fault))
    for name in ("key", "target"):
        given = document.get("roles", {}).get(name, [])
        if not is_list(given) or not all(isinstance(one, str) for one in given):
            yield Fault(("roles", name), f"{name} of [roles] must be a list of names of columns.")


def _scenario(document: Mapping[str, Any]) -> tuple[Any, Any]:
    """Keys and targets: of the roles, or else of the first scenario."""
    roles = document.get("roles", {})
    scenarios = document.get("scenario")
    first = scenarios[0] if isinstance(scenarios, list) and scenarios else {}
    first = first if isinstance(first, dict) else {}
    keys = roles.get("key") or first.get("keys")
    targets = roles.get("target") or first.get("targets")
    return keys or None, None if targets == "all" else targets or None


def _planned(document: Mapping[str, Any]) -> tuple[Plan | None, list[Fault]]:
    protect = document.get("protect")
    if not isinstance(protect, dict) or not protect.get("step"):
        return None, [
            Fault(
                ("protect",),
                "there is no [[protect.step]]. Begin each step with it, then say what to do: do ="
                ' "synthesise".',
            )
        ]
    faults = [*_unknown("protect", protect, ("step",))]
    try:
        plan, told = plan_of(protect["step"], document.get("synthesis"))
    except SettingsError as fault:
        return None, [*faults, Fault(("protect", "step"), str(fault))]
    return plan, [*faults, *told]


def _in_order(name: str, lines: Lines, faults: list[Fault]) -> list[str]:
    """Every fault with its line, in the order of the lines."""
    found = []
    for fault in faults:
        path = fault.path
        while path and lines.of(*path) is None:
            path = path[:-1]
        found.append((lines.of(*path) if path else None, fault.sentence))
    found.sort(key=lambda one: one[0] or 0)
    return [
        f"{name}: {sentence}" if line is None else f"{name}, line {line}: {sentence}"
        for line, sentence in dict.fromkeys(found)
    ]
