"""What does a person say: a finding is common knowledge, these are the limits, this is the context?

Each is written into the project file with a name and a day, and logged.
"""

from collections.abc import Mapping

from unveil.assessment.context import factor_named, may_rule_together
from unveil.assessment.limits import preset as preset_of
from unveil.assessment.rulings import TWO_WAY, together_id
from unveil.errors import InputError, SettingsError, list_names, nearest, quote_text
from unveil.project.assess_run import judgement_of
from unveil.project.edit_project import add_ruling, change, set_answer, set_limits, today
from unveil.project.model import Answer, ProjectFile, RulingEntry
from unveil.project.people import check_name, reason_given
from unveil.project.rulings import parse_flag_name
from unveil.project.store import load_parts, load_run, runs_of
from unveil.protection.leaf_sizes import audience_of
from unveil.records.assessment import Audience, FlagRuling
from unveil.records.limits import limits_fault
from unveil.records.run import RunPart
from unveil.study.exclusion_rules import parse_exclusions

Values = Mapping[str, tuple[float, float]]


def findings_now(project: ProjectFile) -> tuple[FlagRuling, ...]:
    """The findings of the last run, as they are ruled now."""
    run = load_run(project.folder)
    return judgement_of(project, run, load_parts(project.folder, run)).findings


def rule(
    project: ProjectFile,
    finding: str,
    *,
    accept: bool,
    reason: str | None,
    by: str | None,
    instead: bool = False,
) -> ProjectFile:
    """Rule on one finding of the last run, or on all pairs of one target.

    Parameters
    ----------
    finding
        Its id, "neighbour/workab=NO"; or "neighbour/marital two-way" where the audience allows it.
    accept
        It is common knowledge, and from the next run on left out; otherwise it is kept as a risk.
    reason, by
        Why, and who says so.
    instead
        Replace an earlier ruling on the same finding.

    Raises
    ------
    SettingsError
        If there is no such finding, or it was ruled on before.
    """
    who, why = check_name(by), reason_given(reason)
    found = findings_now(project)
    id_ = _resolve_id(project, finding, found)
    earlier = [
        one for one in project.rulings if parse_flag_name(one.finding) == parse_flag_name(id_)
    ]
    if earlier and not instead:
        raise SettingsError(
            f"{quote_text(id_)} was ruled on already, by {earlier[0].by}. To replace that "
            "ruling, add"
            " --instead."
        )
    if not accept:
        _check_excluded(project, id_)
    as_written = earlier[0].finding if earlier else id_
    entry = RulingEntry(finding=as_written, accept=accept, reason=why, by=who, on=today())
    text = add_ruling(project.text, entry, instead=bool(earlier))
    name = parse_flag_name(id_)
    return change(project, text, event="ruling", by=who, subject=f"{name.scenario} {name.target}")


def _check_excluded(project: ProjectFile, id_: str) -> None:
    """Refuse to keep what `[[exclude]]` leaves out: one of the two would have no effect."""
    name = parse_flag_name(id_)
    for entry in project.excludes:
        if entry.scenario in (None, name.scenario) and entry.exclusion == name.exclusion:
            raise SettingsError(
                f"{quote_text(id_)} cannot be kept: [[exclude]] in project.toml leaves it out, "
                "said by"
                f" {entry.by}. Take that table out first."
            )


def accept_limits(
    project: ProjectFile,
    *,
    by: str | None,
    preset: str | None = None,
    changes: Mapping[str, tuple[float, float] | None] | None = None,
) -> ProjectFile:
    """Accept limits by name: those of the project, or of a preset, with some of them changed.

    Parameters
    ----------
    by
        Who accepts them.
    preset
        Start from the limits of this audience instead of those in the project file.
    changes
        Review and limit by measure; None takes a limit off.
    """
    who = check_name(by)
    values = propose_limits(project, preset=preset, changes=changes)
    off = {name: None for name in project.limits.values if name not in values}
    text = set_limits(project.text, {**values, **off}, who, today())
    return change(project, text, event="limits", by=who, subject=" ".join(values))


def propose_limits(
    project: ProjectFile,
    *,
    preset: str | None = None,
    changes: Mapping[str, tuple[float, float] | None] | None = None,
) -> dict[str, tuple[float, float]]:
    """The limits that would be accepted; values that mean nothing are refused, all together."""
    values = dict(project.limits.values)
    if preset is not None:
        limits = preset_of(audience_of(preset), declared=list_declared(project))
        values = {limit.measure: (limit.review, limit.limit) for limit in limits}
    given = changes or {}
    values |= {name: pair for name, pair in given.items() if pair is not None}
    faults = [limits_fault(name, *(given[name] or (0, 0))) for name in given]
    if told := [fault for fault in faults if fault is not None]:
        raise SettingsError("\n".join(told))
    for name in [name for name, pair in given.items() if pair is None]:
        values.pop(name, None)
    if not values:
        audience = project.context.audience or "open"
        raise SettingsError(
            f"There are no limits to accept. Start from a preset: unveil limits --preset {audience}"
            ' --accept --by "Name, role".'
        )
    return values


def list_declared(project: ProjectFile) -> tuple[str, ...]:
    """What a project has beyond original and copies, as far as limits need it."""
    kinds = {part.kind for part in _last_parts(project) if part.file is not None}
    found = {
        "control": project.data.control is not None,
        "table": bool(project.tables),
        "radii": any(scenario.radii for scenario in project.scenarios),
        "protection": "protection" in kinds,
    }
    return tuple(name for name, is_there in found.items() if is_there)


def answer(project: ProjectFile, factor: str, *, answer: str | None, by: str | None) -> ProjectFile:
    """Answer one of the five questions about the context."""
    name = factor_named(factor)
    said = reason_given(answer, "unveil answer " + name, "Write the answer")
    who = check_name(by)
    entry = Answer(answer=said, by=who, on=today())
    text = set_answer(project.text, name, entry)
    return change(project, text, event="context", by=who, subject=name)


def _last_parts(project: ProjectFile) -> tuple[RunPart, ...]:
    return load_run(project.folder).parts if runs_of(project.folder) else ()


def _resolve_id(project: ProjectFile, given: str, findings: tuple[FlagRuling, ...]) -> str:
    """The id that was meant; an unknown one is refused with its nearest."""
    ids = [finding.id for finding in findings]
    ruled = [one.finding for one in project.rulings]
    together = list(
        dict.fromkeys(
            together_id(finding.scenario, finding.target)
            for finding in findings
            if finding.kind == "two_way"
        )
    )
    meant = next((one for one in (given, _normalise_id(given)) if one in (*ids, *ruled)), None)
    if meant is not None:
        return meant
    if given in together:
        _check_together(project.context.audience, given)
        return given
    still = [finding.id for finding in findings if finding.state == "open"]
    known = f"Open are: {list_names(still)}." if still else "No finding is open."
    raise SettingsError(
        f"There is no finding {quote_text(given)}.{nearest(given, [*ids, *together])} {known}"
    )


def _check_together(audience: Audience | None, given: str) -> None:
    if not may_rule_together(audience):
        raise SettingsError(
            f"{quote_text(given)} would rule on all pairs of a target at once. For the audience"
            f" {audience or 'open'} each pair needs a ruling of its own: unveil rule lists them."
        )


def _normalise_id(given: str) -> str | None:
    """The same finding as we would write it, where it is quoted in another way."""
    scenario, slash, text = given.partition("/")
    if not slash or text.endswith(TWO_WAY):
        return None
    try:
        (exclusion,) = parse_exclusions([text])
    except (InputError, ValueError):
        return None
    return f"{scenario}/{exclusion.text}"
