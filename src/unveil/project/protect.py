"""`unveil.protect`: from raw data to a copy that can be released, in four steps.

Chapelle and Falissard (paper 004): manual control of what stands out, synthesis, a distance filter
with refill, and noise against claims of membership. From Python, or from a project file.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unveil.arguments import quote_value
from unveil.errors import InputError, SettingsError, list_names
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.project.read_protection import (
    ProtectionFile,
    ProtectionSettings,
    is_project,
    project_of,
)
from unveil.protection.leaf_sizes import compare_leaf_sizes, sizes_of
from unveil.protection.plan import ProtectionPlan, faults_error, plan_of
from unveil.protection.plan_columns import absent_roles, too_few
from unveil.protection.recoding.recode import restore_form
from unveil.protection.result import ProtectResult, make_record, unused_notes
from unveil.protection.steps import Stages
from unveil.records.protection import SweepRow
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study


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
        ``{"do": "synthesise"}``, then ``{"do": "distance_filter", "columns": [...]}`` (arguments of
        `unveil.refill`), ``{"do": "remove_replicated_uniques"}``, ``{"do": "smooth", "columns":
        [...]}``, and ``{"do": "add_noise", "column": "age", "population": "normal(34, 8)", "N":
        60000}``, with threshold (0.1), or with sigma instead; n is the number of records where it
        is left out. ``"not_needed": "reason"`` declares that a column needs no noise. Left out:
        synthesis and filter.
    synthesis
        Arguments of `unveil.synthesise`. Leaves hold at least 33 records and nodes under 100 are
        not cut, as in the paper, where nothing else is said.
    rows
        Rows of the copy; as many as the recoded original has where None.
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
        `.data` (the copy), `.recoded`, `.s1`, `.s2`, `.s3`, `.statement` (public), `.record` and
        `.confidential`.

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
        plan, faults = plan_of(steps, synthesis)
        if plan is None:
            raise faults_error(faults)
        return _protect(original, plan, given, told)
    if steps is not None or synthesis is not None:
        raise SettingsError(
            "The project file says the steps and the synthesis. Leave steps and synthesis out."
        )
    return protect_project(project_of(original), given, told)


def protect_project(
    project: ProtectionFile, given: Mapping[str, Any], progress: Progress
) -> ProtectResult:
    """Protect as a project file says; what is given besides wins."""
    said = {
        "audience": project.audience,
        **{name: one.given for name, one in project.roles.items()},
        "special_codes": project.special_codes,
        "missing_values": project.missing_values,
    }
    nothing = {"rows": None, "seed": None, "sweep": None}
    besides = {name for name in said if given.get(name)}
    asked = {**said, **nothing, **given, **{name: said[name] for name in {*said} - besides}}
    try:
        return _protect(
            project.original, project.plan, asked, progress, project=project, besides=besides
        )
    except InputError as fault:
        raise project.told(fault) from None


def _protect(
    original: Any,
    plan: ProtectionPlan,
    given: Mapping[str, Any],
    progress: Progress,
    *,
    project: ProtectionFile | None = None,
    besides: Container[str] = (),
) -> ProtectResult:
    asked = ProtectionSettings.of(plan, given)
    if original is None or isinstance(original, list | tuple):
        raise SettingsError(f"The original is {quote_value(original)}. Give one file or frame.")
    labels = None if project is None else project.labels
    table = read_table(original, side="original", missing_values=asked.missing, dictionary=labels)
    if project is not None:
        table, project = _without_identifiers(table, project, asked.settings.get("person"))
    keys = tuple(key for key in asked.keys if key in table.frame.columns)
    codes = _numeric_codes(asked.codes, table)
    stages = Stages(table, plan, asked.seeds, keys, codes, progress, asked.rows)
    faults = [*absent_roles(asked.named, table), *stages.recoded()]
    leaves = sizes_of(asked.leaves, asked.settings, stages.table.frame, given["sweep"])
    faults += too_few(stages.table.frame, asked.settings, leaves)
    if faults:
        raise faults_error(faults, None if project is None else project.sentences(faults, besides))
    return _make_copy(stages, table, replace(asked, leaves=leaves), given, project)


def _without_identifiers(
    table: Table, project: ProtectionFile, person: str | None
) -> tuple[Table, ProtectionFile]:
    """The original without columns that point at people, and the project with a word on it.

    The column that says whose row it is stays, for people are counted by it until the copy is made.
    """
    gone = [name for name in project.identifiers if name in table.frame.columns]
    if not gone:
        return table, project
    said = (
        f"{list_names(gone)} {'is' if len(gone) == 1 else 'are'} left out: the project calls"
        f" {'it an identifier' if len(gone) == 1 else 'them identifiers'}."
    )
    kept = [name for name in table.frame.columns if name not in gone or name == person]
    left = replace(table, frame=table.frame[kept])
    return left, replace(project, warnings=(*project.warnings, said))


def _make_copy(
    stages: Stages,
    table: Table,
    asked: ProtectionSettings,
    given: Mapping[str, Any],
    project: ProtectionFile | None,
) -> ProtectResult:
    """The copy, once nothing is left that could be refused before."""
    stages.codes = _numeric_codes(asked.codes, stages.table)
    settings = {**asked.settings}
    codes = {**stages.codes, **(settings.get("special_codes") or {})}
    if codes:
        settings["special_codes"] = codes
    stages.synthesised({**settings, "seed": asked.seeds.synthesise})
    stages.finished()
    notes = () if project is None else project.warnings
    record = make_record(
        stages,
        source=table,
        audience=asked.audience,
        preset=asked.preset,
        targets=asked.targets or (),
        sweep=_swept(stages, asked, settings),
        is_seeded=given["seed"] is not None,
        notes=(*notes, *unused_notes(stages, asked.named, is_swept=bool(asked.leaves))),
    )
    return ProtectResult(
        record,
        asked.seeds,
        stages.table.frame.drop(settings.get("person") or (), strict=False),
        s1=stages.frames["s1"],
        s2=stages.frames["s2"],
        s3=stages.frames["s3"],
        codebook=stages.codebook,
        recipe=stages.recipe,
    )


def _swept(
    stages: Stages, asked: ProtectionSettings, settings: Mapping[str, Any]
) -> tuple[SweepRow, ...]:
    """The sweep, by the keys and targets that the copy has."""
    columns, targets = stages.frames["s1"].columns, asked.targets
    rows = compare_leaf_sizes(
        restore_form(stages.table),
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
