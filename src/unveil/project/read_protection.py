"""What does a project file say about protection? Its sections, with every fault and its line."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, whole_number
from unveil.errors import InputError, SettingsError
from unveil.project.fields import RoleColumns, read_role_columns, role_faults
from unveil.project.read_files import data_faults, texts_of
from unveil.project.toml import (
    Lines,
    document_of,
    section_faults,
    sort_faults,
    text_of,
    unknown_faults,
)
from unveil.protection.leaf_sizes import add_leaf_size, audience_of, sweep_of
from unveil.protection.plan import FileError, ProtectionPlan, plan_of
from unveil.protection.plan_synthesis import columns_named, identifier_faults, without_identifiers
from unveil.records.protection import Audience, ProtectionSeeds
from unveil.seeding import choose_seed, stream
from unveil.study.band_spec import parse_bands
from unveil.study.people import NONE
from unveil.study.roles import names, parse_roles
from unveil.synthesis.settings import MOST_ROWS, entries

# What is asked for besides the steps: for whom, how many rows, which leaves, by which seeds?


_SEEDED = ("recode", "synthesise", "distance_filter", "add_noise", "sweep")


@dataclass(frozen=True)
class ProtectionSettings:
    """What is asked for besides the steps, checked before any data is read."""

    audience: Audience | None
    settings: dict[str, Any]  # of the synthesis
    preset: str | None
    leaves: tuple[int, ...]
    seeds: ProtectionSeeds
    rows: int | None
    keys: tuple[str, ...]
    targets: tuple[str, ...] | None
    codes: Mapping[str, Any]
    missing: tuple[str, ...]

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The columns that the original must have."""
        return {
            "keys": self.keys,
            "targets": self.targets or (),
            "special_codes": tuple(self.codes),
        }

    @classmethod
    def of(cls, plan: ProtectionPlan, given: Mapping[str, Any]) -> "ProtectionSettings":
        """What is given, or a refusal of what means nothing."""
        audience = audience_of(given["audience"])
        settings, preset = add_leaf_size(plan.synthesis, audience)
        if settings.get("renumber"):
            raise SettingsError(
                "The synthesis: renumber cannot be done here: rows are filtered and drawn anew, so"
                " running numbers would have gaps. Drop the columns instead."
            )
        own = {name: settings.pop(name, None) for name in ("seed", "rows", "missing_values")}
        settings.pop("copies", None)
        rows = own["rows"] if given["rows"] is None else given["rows"]
        missing = given["missing_values"] or own["missing_values"] or ()
        keys = () if given["keys"] is None else names(given["keys"], "Keys")
        targets = None if given["targets"] is None else names(given["targets"], "Targets")
        if keys:
            parse_roles(keys, targets)
        return cls(
            audience,
            settings,
            preset,
            sweep_of(given["sweep"], audience),
            _seeds(given["seed"], own["seed"]),
            None if rows is None else whole_number("rows", rows, most=MOST_ROWS),
            keys,
            targets,
            parse_bands(None, given["special_codes"]).special_codes,
            tuple(entries(missing)),
        )


def _seeds(given: Any, of_synthesis: Any) -> ProtectionSeeds:
    """A seed for each step, by its name."""
    seed = choose_seed(given)
    own = {name: int(stream(seed, "protect", name).integers(2**63 - 1)) for name in _SEEDED}
    if of_synthesis is not None:
        own["synthesise"] = choose_seed(of_synthesis)
    return ProtectionSeeds(seed=seed, **own)


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
class ProtectionFile:
    """What a project file asks `protect` to do."""

    name: str
    original: Path
    plan: ProtectionPlan
    audience: Any
    roles: Mapping[str, RoleColumns]  # keys and targets
    special_codes: Mapping[str, Any]
    missing_values: tuple[str, ...]
    labels: Path | None
    lines: Lines
    identifiers: tuple[str, ...] = ()  # of [roles], but for those that a step or setting names
    warnings: tuple[str, ...] = ()

    def told(self, fault: InputError) -> InputError:
        """A fault of a step, with the line of the step in front."""
        return type(fault)(_STEP.sub(self._located, str(fault)))

    def sentences(self, faults: Sequence[FileError], besides: Container[str] = ()) -> list[str]:
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
        return sort_faults(self.name, self.lines, found)

    def _located(self, found: re.Match[str]) -> str:
        path = ("synthesis",) if found[1] is None else ("protect", "step", int(found[1]) - 1)
        line = self.lines.of(*path)
        return found[0] if line is None else f"{self.name}, line {line}: {found[0]}"


def is_project(given: Any) -> bool:
    """Whether something is the path of a project file."""
    return isinstance(given, str | os.PathLike) and os.fsdecode(given).lower().endswith(".toml")


def project_of(path: str | os.PathLike[str]) -> ProtectionFile:
    """Read a project file, or refuse it with all its faults."""
    file = Path(os.fsdecode(path))
    text = text_of(file)
    document = document_of(file.name, text)
    lines = Lines(text)
    plan, faults = _read_plan(document)
    faults = [
        *section_faults(document),
        *data_faults(document, file.parent),
        *_others(document),
        *faults,
    ]
    identifiers = [] if faults else [*_identifiers(document)]
    if plan is not None:
        faults += [
            FileError(("synthesis", str(name)), f"synthesis: {sentence}")
            for name, sentence in identifier_faults(identifiers, plan.synthesis)
        ]
    if faults or plan is None:
        raise SettingsError("\n".join(sort_faults(file.name, lines, faults)))
    named = {column for _, column in columns_named(plan.synthesis)}
    said = without_identifiers([n for n in identifiers if n in named], plan.synthesis)
    person = document.get("roles", {}).get("person")
    plan = replace(plan, synthesis=said if person is None else {"person": person, **said})
    data = document["data"]
    return ProtectionFile(
        name=file.name,
        original=file.parent / data["original"],
        plan=plan,
        audience=document.get("context", {}).get("audience"),
        roles=read_role_columns(document),
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


def _others(document: Mapping[str, Any]) -> Iterator[FileError]:
    """What is read of sections that are others': who gets the copy, and what they may know."""
    for section in ("context", "roles"):
        if not isinstance(document.get(section, {}), dict):
            yield FileError((section,), f"[{section}] must be a table.")
    context = document.get("context")
    try:
        audience_of(context.get("audience") if isinstance(context, dict) else None)
    except SettingsError as fault:
        yield FileError(("context", "audience"), str(fault))
    yield from role_faults(document)


def plan_in(document: Mapping[str, Any]) -> tuple[ProtectionPlan | None, list[FileError]]:
    """The plan of `[synthesis]` and `[[protect.step]]`, or every fault of it."""
    protect = document.get("protect", {})
    if not isinstance(protect, dict):
        _, told = plan_of([], document.get("synthesis"))
        return None, [FileError(("protect",), _BEGIN), *told]
    plan, told = plan_of(protect.get("step", []), document.get("synthesis"))
    told = [*unknown_faults(("protect",), "[protect]", protect, ("step",)), *told]
    return (None if told else plan), told


def _read_plan(document: Mapping[str, Any]) -> tuple[ProtectionPlan | None, list[FileError]]:
    protect = document.get("protect")
    if isinstance(protect, dict) and protect.get("step"):
        return plan_in(document)
    _, told = plan_of([], document.get("synthesis"))
    return None, [FileError(("protect",), _NO_STEP), *told]
