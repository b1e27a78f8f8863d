"""`unveil.protect`: from raw data to a copy that can be released, in four steps.

Chapelle and Falissard (paper 004): manual control of what stands out, synthesis, a distance filter
with refill, and noise against claims of membership. From Python, or from a project file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed, stream
from unveil.errors import InputError, RolesError, SettingsError
from unveil.protection.plan import Plan, plan_of, refused
from unveil.protection.plan_file import Project, is_project, project_of
from unveil.protection.presets import audience_of, sweep_of, with_leaves
from unveil.protection.recoding.recode import as_given
from unveil.protection.record import recorded
from unveil.protection.record_result import ProtectResult
from unveil.protection.stages import Stages
from unveil.protection.sweep import swept
from unveil.read.banding import parse_bands
from unveil.read.files import read_table
from unveil.read.given import shown
from unveil.read.roles import absent, names
from unveil.read.table import Table
from unveil.records.protection import Audience, ProtectionSeeds, SweepRow
from unveil.synthesis.settings import MOST_ROWS, whole

_SEEDED = ("recode", "synthesise", "distance_filter", "add_noise", "sweep")


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
    told = progress or silent
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
            raise refused(faults)
        return _protected(original, plan, given, None, told)
    if steps is not None or synthesis is not None:
        raise SettingsError(
            "The project file says the steps and the synthesis. Leave steps and synthesis out."
        )
    return of_project(project_of(original), given, told)


def of_project(project: Project, given: Mapping[str, Any], progress: Progress) -> ProtectResult:
    """Protect as a project file says; what is given besides wins."""
    said = {
        "audience": project.audience,
        "keys": project.keys,
        "targets": project.targets,
        "special_codes": project.special_codes,
    }
    nothing = {"rows": None, "seed": None, "missing_values": (), "sweep": None}
    asked = {**nothing, **given, **{name: given.get(name) or said[name] for name in said}}
    try:
        return _protected(project.original, project.plan, asked, project.labels, progress)
    except InputError as fault:
        raise project.told(fault) from None


@dataclass(frozen=True)
class _Asked:
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

    @classmethod
    def of(cls, plan: Plan, given: Mapping[str, Any]) -> "_Asked":
        audience = audience_of(given["audience"])
        settings, preset = with_leaves(plan.synthesis, audience)
        own = {name: settings.pop(name, None) for name in ("seed", "rows", "missing_values")}
        settings.pop("copies", None)
        rows = own["rows"] if given["rows"] is None else given["rows"]
        missing = given["missing_values"] or own["missing_values"] or ()
        return cls(
            audience,
            settings,
            preset,
            sweep_of(given["sweep"], audience),
            _seeds(given["seed"], own["seed"]),
            None if rows is None else whole("rows", rows, least=1, most=MOST_ROWS),
            () if given["keys"] is None else names(given["keys"], "Keys"),
            None if given["targets"] is None else names(given["targets"], "Targets"),
            parse_bands(None, given["special_codes"]).special_codes,
            (missing,) if isinstance(missing, str) else tuple(missing),
        )


def _protected(
    original: Any, plan: Plan, given: Mapping[str, Any], labels: Any, progress: Progress
) -> ProtectResult:
    asked = _Asked.of(plan, given)
    if original is None or isinstance(original, list | tuple):
        raise SettingsError(f"The original is {shown(original)}. Give one file or frame.")
    table = read_table(original, side="original", missing_values=asked.missing, dictionary=labels)
    _refuse_absent(asked.codes, table)
    codes = _of_numbers(asked.codes, table)
    stages = Stages(table, plan, asked.seeds, asked.keys, codes, progress, asked.rows)
    stages.recoded()
    stages.codes = _of_numbers(asked.codes, stages.table)
    settings = {**asked.settings}
    codes = {**stages.codes, **(settings.get("special_codes") or {})}
    if codes:
        settings["special_codes"] = codes
    stages.synthesised({**settings, "seed": asked.seeds.synthesise})
    stages.finished()
    record = recorded(
        stages,
        source=table,
        audience=asked.audience,
        preset=asked.preset,
        targets=asked.targets or (),
        sweep=_swept(stages, asked, settings),
        is_seeded=given["seed"] is not None,
    )
    return ProtectResult(
        record,
        asked.seeds,
        stages.table.frame,
        s1=stages.frames["s1"],
        s2=stages.frames["s2"],
        s3=stages.frames["s3"],
        codebook=stages.codebook,
    )


def _swept(stages: Stages, asked: _Asked, settings: Mapping[str, Any]) -> tuple[SweepRow, ...]:
    """The sweep, by the keys and targets that the recodings left."""
    columns, targets = stages.table.frame.columns, asked.targets
    rows = swept(
        as_given(stages.table),
        asked.leaves,
        settings,
        keys=[key for key in asked.keys if key in columns],
        targets=None if targets is None else [one for one in targets if one in columns],
        seed=asked.seeds.sweep,
        progress=stages.progress,
    )
    return tuple(rows)


def _seeds(given: Any, of_synthesis: Any) -> ProtectionSeeds:
    """A seed for each step, by its name."""
    seed = drawn_seed(given)
    own = {name: int(stream(seed, "protect", name).integers(2**63 - 1)) for name in _SEEDED}
    if of_synthesis is not None:
        own["synthesise"] = drawn_seed(of_synthesis)
    return ProtectionSeeds(seed=seed, **own)


def _refuse_absent(codes: Mapping[str, Any], table: Table) -> None:
    columns = table.frame.columns
    faults = [absent(table.place, name, columns) for name in codes if name not in columns]
    if faults:
        raise RolesError("\n".join(f"Special codes: {fault}" for fault in faults))


def _of_numbers(codes: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Codes of columns that are there and hold numbers still."""
    schema = table.frame.schema
    return {name: of for name, of in codes.items() if name in schema and schema[name].is_numeric()}
