"""What does a project file say about protection? Its sections, with every fault and its line."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unveil.errors import InputError, SettingsError
from unveil.measure.roles.person import NONE
from unveil.protection.plan import Fault, Plan, plan_of
from unveil.protection.plan_data import data_faults, texts_of
from unveil.protection.plan_faults import section_faults, told_in_order, unknown_faults
from unveil.protection.plan_lines import Lines
from unveil.protection.plan_roles import Named, named_in, role_faults
from unveil.protection.plan_synthesis import (
    columns_named,
    identifier_faults,
    without_identifiers,
)
from unveil.protection.plan_text import document_of, text_of
from unveil.protection.presets import audience_of
from unveil.read.given import is_list

_STEP = re.compile(r"^(?:Step (\d+)|The synthesis)\b", re.MULTILINE)
_BEGIN = 'Begin each step with [[protect.step]], then say what to do: do = "synthesise".'
_NO_STEP = (
    'there is no [[protect.step]]. Begin each step with it, then say what to do: do = "synthesise".'
)
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
    missing_values: tuple[str, ...]
    labels: Path | None
    lines: Lines
    identifiers: tuple[str, ...] = ()  # of [roles], but for those that a step or setting names
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
        return told_in_order(self.name, self.lines, found)

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
    text = text_of(file)
    document = document_of(file.name, text)
    lines = Lines(text)
    plan, faults = _planned(document)
    faults = [
        *section_faults(document),
        *data_faults(document, file.parent),
        *_others(document),
        *faults,
    ]
    identifiers = [] if faults else [*_identifiers(document)]
    if plan is not None:
        faults += [
            Fault(("synthesis", str(name)), f"synthesis: {sentence}")
            for name, sentence in identifier_faults(identifiers, plan.synthesis)
        ]
    if faults or plan is None:
        raise SettingsError("\n".join(told_in_order(file.name, lines, faults)))
    named = {column for _, column in columns_named(plan.synthesis)}
    plan = replace(
        plan,
        synthesis=without_identifiers([n for n in identifiers if n in named], plan.synthesis),
    )
    data = document["data"]
    return Project(
        name=file.name,
        original=file.parent / data["original"],
        plan=plan,
        audience=document.get("context", {}).get("audience"),
        roles=named_in(document),
        special_codes=data.get("special_codes", {}),
        missing_values=texts_of(data.get("missing_values", [])),
        labels=file.parent / data["labels"] if "labels" in data else None,
        lines=lines,
        identifiers=tuple(name for name in identifiers if name not in named),
        warnings=(_TYPES,) if data.get("types") else (),
    )


def _identifiers(document: Mapping[str, Any]) -> Iterator[str]:
    """Columns that point at people, and that no step is about."""
    named: set[Any] = set()
    for step in document["protect"]["step"]:
        columns = step.get("columns", ())
        named |= {step.get("column"), *(columns if is_list(columns) else (columns,))}
    roles = document.get("roles", {})
    given, person = roles.get("identifier", ()), roles.get("person")
    every = [*(given if is_list(given) else ()), *([person] if isinstance(person, str) else [])]
    yield from (name for name in dict.fromkeys(every) if name not in {*named, NONE})


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


def plan_in(document: Mapping[str, Any]) -> tuple[Plan | None, list[Fault]]:
    """The plan of `[synthesis]` and `[[protect.step]]`, or every fault of it."""
    protect = document.get("protect", {})
    if not isinstance(protect, dict):
        _, told = plan_of([], document.get("synthesis"))
        return None, [Fault(("protect",), _BEGIN), *told]
    plan, told = plan_of(protect.get("step", []), document.get("synthesis"))
    told = [*unknown_faults(("protect",), "[protect]", protect, ("step",)), *told]
    return (None if told else plan), told


def _planned(document: Mapping[str, Any]) -> tuple[Plan | None, list[Fault]]:
    protect = document.get("protect")
    if isinstance(protect, dict) and protect.get("step"):
        return plan_in(document)
    _, told = plan_of([], document.get("synthesis"))
    return None, [Fault(("protect",), _NO_STEP), *told]
