"""Has the original every column that is named, and enough rows? Told before anything is fitted."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from unveil.arguments import absent_sentence
from unveil.errors import InputError, RolesError, SettingsError
from unveil.io.table import Table
from unveil.protection.plan import FileError, PlannedStep, ProtectionPlan
from unveil.protection.plan_synthesis import list_named_columns
from unveil.records.recoding import Drop
from unveil.study.roles import names
from unveil.view.format import format_count

_STEP = re.compile(r"^Step (\d+)\b")
_NEXT = re.compile(r"\n(?=Step \d+\b)")


def absent_roles(named: Mapping[str, Sequence[str]], table: Table) -> Iterator[FileError]:
    """Keys, targets and columns with special codes that the original has not."""
    what = {"keys": "Keys", "targets": "Targets", "special_codes": "Special codes"}
    columns = table.frame.columns
    for role, chosen in named.items():
        for name in chosen:
            if name not in columns:
                sentence = f"{what[role]}: {absent_sentence(table.place, name, columns)}"
                path = (role, name) if role == "special_codes" else (role,)
                yield FileError(path, sentence, RolesError)


def absent_columns(plan: ProtectionPlan, table: Table) -> Iterator[FileError]:
    """Columns that later steps or the synthesis name, and that no longer are there."""
    gone = dropped_columns(plan)
    left = [name for name in table.frame.columns if name not in gone]

    def why(name: str) -> str:
        if name in gone:
            return f"column {name!r} was dropped by step {gone[name]}. Take one of them out."
        return absent_sentence(table.place, name, left)

    for setting, name in list_named_columns(plan.synthesis):
        if name not in left:
            yield FileError(
                ("synthesis", setting), f"synthesis: {setting}: {why(name)}", RolesError
            )
    for step in plan.after:
        for setting, name in _columns_in_step(step):
            if name not in left:
                path = (*step_path(step), setting)
                yield FileError(path, f"{step.heading}: {why(name)}", RolesError)


def dropped_columns(plan: ProtectionPlan) -> dict[str, int]:
    """The columns that are dropped, and by which step."""
    return {
        step.column: number
        for number, step in enumerate(plan.recodings, start=1)
        if isinstance(step, Drop)
    }


def step_path(step: PlannedStep) -> tuple[str | int, ...]:
    """Where a step stands in a project file."""
    return ("synthesis",) if step.written is None else ("protect", "step", step.written - 1)


def recoding_faults(refusal: InputError) -> Iterator[FileError]:
    """Every fault of the recodings by itself."""
    for sentence in _NEXT.split(str(refusal)):
        found = _STEP.match(sentence)
        path = () if found is None else ("protect", "step", int(found[1]) - 1)
        yield FileError(path, sentence, type(refusal))


def leaf_faults(
    frame: pl.DataFrame, settings: Mapping[str, Any], leaves: Sequence[int]
) -> Iterator[FileError]:
    """Leaves, of the synthesis and of the sweep, that hold more people than there are."""
    leaf, one, more = settings["min_leaf"], "row", "rows"
    if settings.get("person") in frame.columns:
        one, more = "person", "people"
    n = fewest(frame, {**settings, "strata": None})
    if leaf > n:
        held = format_count(n, one, more)
        yield FileError(
            ("synthesis", "min_leaf"),
            f"synthesis: min_leaf is {leaf:,}, but the original has {held}. Choose a smaller"
            " min_leaf, or release nothing of so few people.",
        )
    most = fewest(frame, settings)
    where = "the smallest stratum" if settings.get("strata") else "the original"
    for size in leaves:
        if size > most and size != leaf:
            yield FileError(
                (),
                f"A leaf of the sweep is {size:,}, but {where} has"
                f" {format_count(most, one, more)}. Give smaller sizes.",
                SettingsError,
            )


def fewest(frame: pl.DataFrame, settings: Mapping[str, Any]) -> int:
    """Rows, or people, synthesised together: of the smallest stratum where there are strata."""
    strata, person = names(settings.get("strata") or (), "Strata"), settings.get("person")
    n = pl.len()
    if person in frame.columns:
        n = pl.col(person).drop_nulls().n_unique() + pl.col(person).null_count()
    if not strata or frame.is_empty() or not set(strata) <= set(frame.columns):
        return int(frame.select(n).item())
    return int(frame.group_by(strata).agg(n.alias("n"))["n"].to_numpy().min())


def _columns_in_step(step: PlannedStep) -> Iterator[tuple[str, str]]:
    for setting in ("column", "columns", "keys", "protect_columns"):
        given = step.settings.get(setting)
        if given is not None:
            yield from ((setting, name) for name in names(given, "Columns"))
