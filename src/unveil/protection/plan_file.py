"""What does a project file say about protection? Its sections, with every fault and its line."""

import os
import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unveil.errors import InputError, ReadError, SettingsError, listed, nearest, quoted
from unveil.protection.plan import Fault, Plan, plan_of
from unveil.protection.plan_lines import Lines
from unveil.protection.plan_roles import Named, named_in, role_faults
from unveil.protection.presets import audience_of
from unveil.read.banding import parse_bands
from unveil.read.given import shown
from unveil.records.base import SCHEMA

LARGEST = 1_000_000
SECTIONS = (
    *("schema", "data", "context", "roles", "scenario", "exclude", "limits", "ruling"),
    *("published", "synthesis", "protect", "finding", "table"),
)
"""What a project file may hold; what is not about protection is left to others."""
DATA = ("original", "synthetic", "control", "special_codes", "types", "labels")
_STEP = re.compile(r"^(?:Step (\d+)|The synthesis)\b", re.MULTILINE)
_TYPES = (
    "[data] types is not used here: the columns have the types with which they were read. Where one"
    " should be text or a number, change the file, or recode the column."
)


@dataclass(frozen=True)
class Project:
    """What a project file asks `protect` to do."""

    name: str
    original: Path
    plan: Plan
    audience: Any
    roles: Mapping[str, Named]  # keys and targets
    special_codes: Mapping[str, Any]
    labels: Path | None
    lines: Lines
    warnings: tuple[str, ...] = ()

    def told(self, fault: InputError) -> InputError:
        """A fault of a step, with the line of the step in front."""
        return type(fault)(_STEP.sub(self._located, str(fault)))

    def sentences(self, faults: Sequence[Fault], besides: Container[str] = ()) -> list[str]:
        """Faults that the data show, each with its line; `besides` was not said in the file."""
        places = {name: one.path for name, one in self.roles.items()}
        places["special_codes"] = ("data", "special_codes")
        found = []
        for fault in faults:
            first, *rest = fault.path or ("",)
            if first in besides:
                found.append(replace(fault, path=()))
            else:
                path = (*places.get(str(first), (first,)), *rest) if first else ()
                found.append(replace(fault, path=path))
        return _in_order(self.name, self.lines, found)

    def _located(self, found: re.Match[str]) -> str:
        path = ("synthesis",) if found[1] is None else ("protect", "step", int(found[1]) - 1)
        line = self.lines.of(*path)
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
    return Project(
        name=file.name,
        original=file.parent / data["original"],
        plan=plan,
        audience=document.get("context", {}).get("audience"),
        roles=named_in(document),
        special_codes=data.get("special_codes", {}),
        labels=file.parent / data["labels"] if "labels" in data else None,
        lines=lines,
        warnings=(_TYPES,) if data.get("types") else (),
    )


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise ReadError(f"The file {quoted(file.name)} is too large for a project file.")
        return file.read_text(encoding="utf-8-sig")
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
        elif given is not None and not _is_there(file.parent / given):
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
        return
    for column, given in codes.items():
        try:
            parse_bands(None, {column: given})
        except SettingsError as fault:
            yield Fault(("data", "special_codes", column), str(fault))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


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
    context = document.get("context")
    try:
        audience_of(context.get("audience") if isinstance(context, dict) else None)
    except SettingsError as fault:
        yield Fault(("context", "audience"), str(fault))
    yield from role_faults(document)


def _planned(document: Mapping[str, Any]) -> tuple[Plan | None, list[Fault]]:
    protect = document.get("protect")
    if isinstance(protect, dict) and protect.get("step"):
        plan, told = plan_of(protect["step"], document.get("synthesis"))
        return plan, [*_unknown("protect", protect, ("step",)), *told]
    _, told = plan_of([], document.get("synthesis"))
    none = (
        "there is no [[protect.step]]. Begin each step with it, then say what to do: do ="
        ' "synthesise".'
    )
    return None, [Fault(("protect",), none), *told]


def _in_order(name: str, lines: Lines, faults: list[Fault]) -> list[str]:
    """Every fault with its line, in the order of the lines."""
    found = []
    for fault in faults:
        path = fault.path
        while path and lines.of(*path) is None:
            path = path[:-1]
        line = lines.of(*path) if path else None
        place = name if line is None else f"{name}, line {line}"
        found.append((line or 0, f"{place}: {fault.sentence}" if fault.path else fault.sentence))
    found.sort(key=lambda one: one[0])
    return [sentence for _, sentence in dict.fromkeys(found)]
