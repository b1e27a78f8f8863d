"""What does a recipe ask for? Its steps, read from tables as people write them.

All faults of a recipe are told together, each with the number of its step, before any data is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.errors import InputError, SettingsError, listed, nearest
from unveil.protection.recoding.settings import CHECKS, HINTS, NEEDED, SETTINGS, column
from unveil.read.given import is_list, shown
from unveil.records.base import Record
from unveil.records.recoding import KINDS, Step, as_mapping

EXAMPLE = "{'do': 'drop', 'column': 'name'}"


@dataclass(frozen=True)
class Fault:
    """What is wrong with one step, and the kind of error it is."""

    number: int
    error: InputError


def steps_from(given: Any) -> tuple[Step, ...]:
    """The steps of a recipe: a list of mappings, or of steps; or a refusal with every fault."""
    steps, faults = read_steps(given)
    refuse_all(faults)
    return tuple(steps.values())


def read_steps(given: Any) -> tuple[dict[int, Step], list[Fault]]:
    """The steps that can be read, by their number, and what is wrong with the others."""
    if isinstance(given, Mapping) or not is_list(given):
        raise SettingsError(
            f"The recipe is {_kind(given)}. Give a list of steps, such as [{EXAMPLE}]."
        )
    listed_steps = list(given)
    if not listed_steps:
        raise SettingsError(f"The recipe has no steps. Give at least one, such as {EXAMPLE}.")
    steps: dict[int, Step] = {}
    faults: list[Fault] = []
    for number, one in enumerate(listed_steps, start=1):
        read = _read_step(number, one)
        if isinstance(read, Record):
            steps[number] = read
        else:
            faults += [Fault(number, SettingsError(sentence)) for sentence in read]
    return steps, faults


def refuse_all(faults: Sequence[Fault]) -> None:
    """Refuse with all faults together, in the order of the steps."""
    if not faults:
        return
    in_order = sorted(faults, key=lambda fault: fault.number)
    kind = type(in_order[0].error)
    raise kind("\n".join(str(fault.error) for fault in in_order)) from None


def heading(number: int, do: str) -> str:
    """What a sentence calls a step: "Step 2 (top_code)"."""
    return f"Step {number} ({do})"


def _kind(given: Any) -> str:
    return "a single table" if isinstance(given, Mapping) else shown(given)


def _read_step(number: int, given: Any) -> Step | list[str]:
    """A step, or what is wrong with it."""
    if isinstance(given, Step):
        given = as_mapping(given)
    if not isinstance(given, Mapping):
        return [f"Step {number} is {shown(given)}. Write each step as a table, such as {EXAMPLE}."]
    do = given.get("do")
    if do is None:
        return [f"Step {number} does not say what to do. Give it a do: {listed(KINDS)}."]
    if not isinstance(do, str) or do not in KINDS:
        hint = nearest(do, [*KINDS]) if isinstance(do, str) else ""
        return [f"Step {number}: do is {shown(do)}.{hint} It must be one of: {listed(KINDS)}."]
    where = heading(number, do)
    said, faults = _read_settings(do, given)
    if not faults:
        faults = CHECKS[do](said) if do in CHECKS else []
    if faults:
        return [f"{where}: {fault}" for fault in faults]
    return KINDS[do](**said)


def _read_settings(do: str, given: Mapping[Any, Any]) -> tuple[dict[str, Any], list[str]]:
    readers = {"column": column, **SETTINGS[do]}
    faults = [
        f"there is no setting {shown(name)}.{nearest(str(name), [*readers])}"
        f" Its settings are: {listed(readers)}."
        for name in given
        if name != "do" and name not in readers
    ]
    said = {}
    for name, read in readers.items():
        if given.get(name) is None:
            if name in ("column", *NEEDED.get(do, ())):
                faults.append(f"{name} is not given. {HINTS[name]}")
            continue
        try:
            said[name] = read(name, given[name])
        except SettingsError as fault:
            faults.append(str(fault))
    return said, faults
