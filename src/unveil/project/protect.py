"""`unveil.protect`: from raw data to a copy that can be released, in four steps.

Chapelle and Falissard (paper 004): manual control of what stands out, synthesis, a distance filter
with refill, and noise against claims of membership. From Python, or from a project file.
"""

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, parse_whole_number, quote_value
from unveil.errors import InputError, SettingsError, list_names
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.project.fields import FieldPath
from unveil.project.model import ProjectFile, ScenarioEntry
from unveil.project.read_files import missing_files
from unveil.project.read_project import read_project
from unveil.protection.leaf_sizes import (
    add_leaf_size,
    compare_leaf_sizes,
    list_leaf_sizes,
    parse_audience,
    parse_sweep,
)
from unveil.protection.plan import FileError, ProtectionPlan, faults_error, parse_plan
from unveil.protection.plan_columns import absent_roles, leaf_faults
from unveil.protection.plan_synthesis import drop_identifiers, identifier_faults, list_named_columns
from unveil.protection.result import ProtectResult, make_record, unused_notes
from unveil.protection.steps import Stages
from unveil.records.protection import Audience, ProtectionSeeds, SweepRow
from unveil.seeding import choose_seed, stream
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names, parse_roles
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study
from unveil.synthesis.methods import MOST_ROWS
from unveil.synthesis.settings import parse_missing_entries

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
    def named_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the original must have."""
        return {
            "keys": self.keys,
            "targets": self.targets or (),
            "special_codes": tuple(self.codes),
        }

    @classmethod
    def of(cls, plan: ProtectionPlan, given: Mapping[str, Any]) -> "ProtectionSettings":
        """What is given, or a refusal of what means nothing."""
        audience = parse_audience(given["audience"])
        settings, preset = add_leaf_size(plan.synthesis, audience)
        if settings.get("renumber"):
            raise SettingsError(
                "The synthesis: renumber cannot be done here: rows are filtered and drawn again,"
                " so running numbers would have gaps. Drop the columns instead."
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
            parse_sweep(given["sweep"], audience),
            _seeds(given["seed"], own["seed"]),
            None if rows is None else parse_whole_number("rows", rows, most=MOST_ROWS),
            keys,
            targets,
            parse_bands(None, given["special_codes"]).special_codes,
            tuple(parse_missing_entries(missing)),
        )


def _seeds(given: Any, of_synthesis: Any) -> ProtectionSeeds:
    """A seed for each step, by its name."""
    seed = choose_seed(given)
    own = {name: int(stream(seed, "protect", name).integers(2**63 - 1)) for name in _SEEDED}
    if of_synthesis is not None:
        own["synthesise"] = choose_seed(of_synthesis)
    return ProtectionSeeds(seed=seed, **own)


@takes_study
def protect(
    original: Any,
    *,
    steps: Sequence[Any] | None = None,
    synthesis: Mapping[str, Any] | None = None,
    rows: int | None = None,
    seed: int | None = None,
    audience: str | None = None,
    keys: str | Iterable[str] | None = None,
    targets: str | Iterable[str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    sweep: Iterable[int] | None = None,
    progress: Progress | None = None,
) -> ProtectResult:
    """Recode, synthesise, filter and add noise, in one call.

    Parameters
    ----------
    original
        A file or frame; or a project file (.toml), which says all that follows but `seed`.
    steps
        Mappings in the order in which they are done: recodings as in `unveil.recode`, then
        ``{"do": "synthesise"}``, then ``{"do": "distance_filter", "columns": [...]}`` (arguments
        of `unveil.refill`), ``{"do": "remove_replicated_uniques"}``, ``{"do": "smooth", "columns":
        [...]}``, and ``{"do": "add_noise", "column": "age", "population": "normal(34, 8)", "N":
        60000}``, with threshold (0.1), or with sigma instead; n is the number of records if
        omitted. ``"not_needed": "reason"`` declares that a column needs no noise. If omitted:
        synthesis and filter.
    synthesis
        Arguments of `unveil.synthesise`. Leaves hold at least 33 records and nodes under 100 are
        not cut, as in the paper, where nothing else is said.
    rows
        Rows of the synthetic data; as many as the recoded original has where None.
    seed
        Each step has one of its own that comes from it; drawn by the system where None.
    audience
        "closed", "registered" or "open": for open release larger leaves are proposed (100 and 300)
        and the sweep is shown. `synthesis` wins where it says the leaves.
    keys, targets
        What an intruder would know, and might learn: for figures about recodings and the sweep.
    special_codes
        By column, codes that are no amounts, for every step.
    sweep
        Sizes of leaves to compare, such as [5, 20, 33, 100]: a synthesis each.

    Returns
    -------
    ProtectResult
        `.data` (the synthetic data), `.recoded`, `.s1`, `.s2`, `.s3`, `.statement` (public),
        `.record` and `.confidential`.

    References
    ----------
    Chapelle and Falissard (2023), sections 1 to 4; the leaves are those of their assessment.
    """
    told = progress or no_progress
    given = {
        "rows": rows,
        "seed": seed,
        "audience": audience,
        "keys": keys,
        "targets": targets,
        "special_codes": special_codes,
        "missing_values": missing_values,
        "sweep": sweep,
    }
    if not is_project(original):
        plan, faults = parse_plan(steps, synthesis)
        if plan is None:
            raise faults_error(faults)
        return _protect(original, plan, given, told)
    if steps is not None or synthesis is not None:
        raise SettingsError(
            "The project file declares the steps and the synthesis. Omit steps and synthesis."
        )
    return protect_project(read_project(original, needs_files=False), given, told)


_STEP = re.compile(r"^(?:Step (\d+)|The synthesis)\b", re.MULTILINE)
_NO_STEP = (
    "there is no [[protect.step]]. Begin each step with it, then state what to do: do ="
    ' "synthesise".'
)
_TYPES = (
    "[data] types is not used here: the columns have the types with which they were read. Where one"
    " should be text or a number, change the file, or recode the column."
)


def is_project(given: Any) -> bool:
    """Whether something is the path of a project file."""
    return isinstance(given, str | os.PathLike) and os.fsdecode(given).lower().endswith(".toml")


def protect_project(
    project: ProjectFile, given: Mapping[str, Any], progress: Progress
) -> ProtectResult:
    """Protect as a project file says; what is given besides wins."""
    plan, identifiers = plan_protection(project)
    roles = _role_columns(project)
    said = {
        "audience": project.context.audience,
        **{name: columns for name, (_, columns) in roles.items()},
        "special_codes": project.data.special_codes,
        "missing_values": project.data.missing_values,
    }
    besides = {name for name in said if given.get(name)}
    kept = {name: said[name] for name in {*said} - besides}
    asked = {"rows": None, "seed": None, "sweep": None, **given, **kept}
    labels = project.data.labels
    try:
        return _protect(
            project.folder / project.data.original,
            plan,
            asked,
            progress,
            labels=None if labels is None else project.folder / labels,
            identifiers=identifiers,
            notes=(_TYPES,) if project.data.types else (),
            locate=partial(_locate, project, {n: path for n, (path, _) in roles.items()}, besides),
        )
    except InputError as fault:
        raise type(fault)(_STEP.sub(partial(_put_line, project), str(fault))) from None


def plan_protection(project: ProjectFile) -> tuple[ProtectionPlan, tuple[str, ...]]:
    """The plan of a project that has steps, and the identifiers that are left out before it.

    Identifiers are those of `[roles]` that no step is about; those that the synthesis names are
    dropped by it.
    """
    faults = [one for one in missing_files(project) if one.path[1] in ("original", "labels")]
    plan = project.plan
    if plan is None or not project.steps:
        raise SettingsError(project.locate([*faults, FileError(("protect",), _NO_STEP)]))
    about: set[Any] = set()
    for step in project.steps:
        columns = step.get("columns", ())
        about |= {step.get("column"), *(columns if is_list(columns) else (columns,))}
    identifiers = [name for name in project.roles.identifier if name not in about]
    faults += [
        FileError(("synthesis", str(name)), f"synthesis: {sentence}")
        for name, sentence in identifier_faults(identifiers, plan.synthesis)
    ]
    if faults:
        raise SettingsError(project.locate(faults))
    named = {column for _, column in list_named_columns(plan.synthesis)}
    said = drop_identifiers([one for one in identifiers if one in named], plan.synthesis)
    person = project.roles.person
    said = said if person is None else {"person": person, "time": project.roles.time, **said}
    return replace(plan, synthesis=said), tuple(n for n in identifiers if n not in named)


def _role_columns(project: ProjectFile) -> dict[str, tuple[FieldPath, tuple[str, ...] | None]]:
    """Keys and targets and where the file names them: of the roles, or else the first scenario."""
    roles = project.roles
    first = project.scenarios[0] if project.scenarios else ScenarioEntry("", ())
    return {
        "keys": (("roles", "key"), roles.key)
        if roles.key
        else (("scenario", 0, "keys"), first.keys or None),
        "targets": (("roles", "target"), roles.target)
        if roles.target
        else (("scenario", 0, "targets"), first.targets or None),
    }


def _locate(
    project: ProjectFile,
    roles: Mapping[str, FieldPath],
    besides: Container[str],
    faults: Sequence[FileError],
) -> InputError:
    """Faults that the data show, each with its line; `besides` was not said in the file."""
    places = {**roles, "special_codes": ("data", "special_codes")}
    found = []
    for fault in faults:
        first, *rest = fault.path or ("",)
        path = (*places.get(str(first), (first,)), *rest) if first else ()
        found.append(replace(fault, path=() if first in besides else path))
    return faults[0].kind(project.locate(found))


def _put_line(project: ProjectFile, found: re.Match[str]) -> str:
    """What a sentence calls a step, with the line of the step in front."""
    path = ("synthesis",) if found[1] is None else ("protect", "step", int(found[1]) - 1)
    line = project.lines.of(*path)
    return found[0] if line is None else f"{project.path.name}, line {line}: {found[0]}"


def _protect(
    original: Any,
    plan: ProtectionPlan,
    given: Mapping[str, Any],
    progress: Progress,
    *,
    labels: Path | None = None,
    identifiers: Sequence[str] = (),
    notes: tuple[str, ...] = (),
    locate: Callable[[Sequence[FileError]], InputError] = faults_error,
) -> ProtectResult:
    asked = ProtectionSettings.of(plan, given)
    if original is None or isinstance(original, list | tuple):
        raise SettingsError(f"The original is {quote_value(original)}. Give one file or frame.")
    table = read_table(original, side="original", missing_values=asked.missing, dictionary=labels)
    gone = [name for name in identifiers if name in table.frame.columns]
    if gone:
        person = asked.settings.get("person")  # people are counted by it until the copy is made
        left = table.frame.drop(name for name in gone if name != person)
        table = replace(table, frame=left)
        notes = (
            *notes,
            f"{list_names(gone)} {'is' if len(gone) == 1 else 'are'} excluded: the project calls"
            f" {'it an identifier' if len(gone) == 1 else 'them identifiers'}.",
        )
    keys = tuple(key for key in asked.keys if key in table.frame.columns)
    codes = _numeric_codes(asked.codes, table)
    stages = Stages(table, plan, asked.seeds, keys, codes, progress, asked.rows)
    faults = [*absent_roles(asked.named_columns, table), *stages.recode()]
    leaves = list_leaf_sizes(asked.leaves, asked.settings, stages.table.frame, given["sweep"])
    faults += leaf_faults(stages.table.frame, asked.settings, leaves)
    if faults:
        raise locate(faults)
    return _make_copy(stages, table, replace(asked, leaves=leaves), given, notes)


def _make_copy(
    stages: Stages,
    table: Table,
    asked: ProtectionSettings,
    given: Mapping[str, Any],
    notes: Sequence[str],
) -> ProtectResult:
    """The copy, once nothing is left that could be refused before."""
    stages.codes = _numeric_codes(asked.codes, stages.table)
    settings = {**asked.settings}
    codes = {**stages.codes, **(settings.get("special_codes") or {})}
    if codes:
        settings["special_codes"] = codes
    stages.synthesise({**settings, "seed": asked.seeds.synthesise})
    stages.finish()
    record = make_record(
        stages,
        source=table,
        audience=asked.audience,
        preset=asked.preset,
        targets=asked.targets or (),
        sweep=_compare_leaves(stages, asked, settings),
        is_seeded=given["seed"] is not None,
        notes=(*notes, *unused_notes(stages, asked.named_columns, is_swept=bool(asked.leaves))),
    )
    person = settings.get("person")
    return ProtectResult(
        record,
        asked.seeds,
        stages.original,
        s1=stages.frames["s1"],
        s2=stages.frames["s2"],
        s3=stages.frames["s3"],
        codebook=stages.codebook,
        recipe=stages.recipe,
        person=person if person in stages.table.frame.columns else None,
    )


def _compare_leaves(
    stages: Stages, asked: ProtectionSettings, settings: Mapping[str, Any]
) -> tuple[SweepRow, ...]:
    """The sweep, by the keys and targets that the copy has."""
    columns, targets = stages.frames["s1"].columns, asked.targets
    rows = compare_leaf_sizes(
        stages.original,
        asked.leaves,
        settings,
        keys=[key for key in asked.keys if key in columns],
        targets=None if targets is None else [one for one in targets if one in columns],
        seed=asked.seeds.sweep,
        progress=stages.progress,
    )
    return tuple(rows)


def _numeric_codes(codes: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Codes of columns that are there and hold numbers still."""
    schema = table.frame.schema
    return {name: of for name, of in codes.items() if name in schema and schema[name].is_numeric()}
