"""How does a stored run stand against the project as it is now?"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from unveil.assessment.assess_run import ProjectStatements, assess_run
from unveil.assessment.flag_rulings import ExclusionInForce, Ruling
from unveil.assessment.limits import limits_of
from unveil.assessment.run_alerts import GateStatements
from unveil.assessment.summarise import ProjectFacts, summarise_run
from unveil.errors import InputError
from unveil.project.fingerprint import settings_sha256
from unveil.project.model import ProjectFile
from unveil.project.rulings_in_force import parse_flag_name
from unveil.project.sources import hash_files
from unveil.records.alerts import Acceptance
from unveil.records.disclosure import Disclosure, NotMeasured
from unveil.records.judgement import FigureRow, Judgement, RulingState
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.records.summary import Summary, SummaryRuling

COMMON: RulingState = "common knowledge"

# Is a run still of the files and settings of its project? What is not is told in sentences.


def list_changes(project: ProjectFile, run: Run) -> tuple[str, ...]:
    """What is no longer as it was when a run was made, in sentences; nothing where all is."""
    said = []
    if run.settings_sha256 != settings_sha256(project):
        said.append("Settings of the project that decide figures were changed since the run.")
    try:
        now = {(one.role, one.copy, one.path): one.sha256 for one in hash_files(project)}
    except InputError as fault:
        return (*said, *str(fault).split("\n"))
    for file in run.files:
        there = now.get((file.role, file.copy, file.path))
        if there is not None and there != file.sha256:
            said.append(f"The file {file.path!r} was changed since the run.")
    return tuple(said)


def assess_stored_run(
    project: ProjectFile, run: Run, parts: Parts, *, is_new: bool = False
) -> Judgement:
    """Limits, findings, rulings and answers of now, held against the figures of a run.

    A run that is new (`is_new`) is of the files and settings as they are.
    """
    return assess_run(
        run,
        _disclosures(run, parts),
        replace(read_statements(project), sensitive=_sensitive(run)),
        gate=_gate(project, run, parts),
        stale=() if is_new else list_changes(project, run),
        reasons=_reasons(run, parts),
    )


def _disclosures(run: Run, parts: Parts) -> list[tuple[str, Disclosure]]:
    return [(part.scenario or "", parts[part.name]) for part in run.list_parts("disclosure")]


def summarise(
    project: ProjectFile,
    run: Run,
    parts: Parts,
    judgement: Judgement,
    *,
    run_hash: str | None = None,
) -> Summary:
    """The page to sign: a run, as it is judged, in one record."""
    gtcap = [json.loads(part.settings) for part in run.list_parts("gtcap")]
    facts = ProjectFacts(
        sensitive=_sensitive(run),
        rulings=tuple(_rulings(project)),
        with_radii=frozenset(one["target"] for one in gtcap if one["target"] in one["radii"]),
        has_weight=project.roles.weight is not None,
        run_hash=run_hash,
    )
    return summarise_run(run, _disclosures(run, parts), judgement, facts)


def list_excluded(project: ProjectFile) -> frozenset[str]:
    """Everything that is excluded as common knowledge now, as text."""
    ruled = (one for one in _rulings(project) if one.state == COMMON)
    return frozenset(text for one in ruled for text in one.what)


def _rulings(project: ProjectFile) -> Iterator[SummaryRuling]:
    """What was ruled and excluded, that of one person about one target together."""
    found: dict[tuple[str | None, RulingState, str], list[str]] = {}
    for entry in project.excludes:
        key = (entry.exclusion.target, COMMON, entry.by)
        found.setdefault(key, []).append(entry.exclusion.text)
    for one in project.rulings:
        name = parse_flag_name(one.finding)
        state: RulingState = COMMON if one.accept else "keep"
        text = f"{name.target} two-way" if name.exclusion is None else name.exclusion.text
        found.setdefault((name.target, state, one.by), []).append(text)
    for (target, state, by), texts in found.items():
        yield SummaryRuling(
            target=target,
            what=tuple(dict.fromkeys(texts)),
            state=state,
            n_rulings=len(texts),
            by=by,
        )


def _sensitive(run: Run) -> dict[str, tuple[str, ...]]:
    """The sensitive levels of each target, as the scenarios of the run counted them."""
    found: dict[str, tuple[str, ...]] = {}
    for part in run.list_parts("disclosure"):
        for target, levels in json.loads(part.settings).get("sensitive", {}).items():
            found[target] = tuple(dict.fromkeys((*found.get(target, ()), *levels)))
    return found


def _gate(project: ProjectFile, run: Run, parts: Parts) -> GateStatements:
    """What the gate counted in a run, and the roles that columns have now."""
    roles = project.roles
    ignored = {*roles.ignore, *([] if roles.weight is None else [roles.weight])}
    compared = [
        name for part in run.list_parts("gate") for name in json.loads(part.settings)["compared"]
    ]
    return GateStatements(
        evidence=next((record for _, record in parts.of("gate")), None),
        with_role=frozenset({*compared, *roles.identifier, *roles.key, *roles.target, *ignored}),
        ignored=frozenset(ignored),
        identifiers=frozenset(roles.identifier),
        needs_fraction=any(
            "dis_fraction" not in json.loads(part.settings) for part in run.list_parts("suda")
        ),
        given_back=tuple(one for _, record in parts.of("protection") for one in record.given_back),
        n_close_after=sum(
            record.n_close_after or 0
            for _, record in parts.of("protection")
            if record.n_close_removed is None
        ),
    )


def _reasons(run: Run, parts: Parts) -> dict[FigureRow, str]:
    """Why figures are not defined, out of the records of their parts."""
    undefined = [row for row in run.figures if row.value is None]
    found = ((row, _reason(row, parts[row.part])) for row in undefined)
    return {row: reason for row, reason in found if reason is not None}


def _reason(row: FigureRow, record: Any) -> str | None:
    """The reason in a record that fits a figure best; None where it gives none."""
    told = [
        one
        for one in getattr(record, "not_measured", ())
        if isinstance(one, NotMeasured) and one.target in (None, row.target)
    ]
    for wanted in ((row.measure, row.copy), (None, row.copy), (None, None)):
        for one in told:
            if wanted[0] in (None, one.field) and wanted[1] in (None, one.copy):
                return one.reason
    return None


def explain_unaccepted(project: ProjectFile) -> str | None:
    """Why a name beside the limits does not count; None where it does, or there is none."""
    limits = project.limits
    if limits.accepted_by is not None or limits.written_by is None:
        return None
    if limits.is_marked:
        return f"the limits were changed since {limits.written_by} accepted them"
    return f"{limits.written_by} is named beside the limits but did not accept them by command"


def read_statements(project: ProjectFile) -> ProjectStatements:
    """What people said in a project file."""
    limits, context = project.limits, project.context
    return ProjectStatements(
        audience=context.audience,
        limits=limits_of(limits.values),
        accepted_by=limits.accepted_by,
        accepted_on=limits.on if limits.accepted_by else None,
        not_in_force=explain_unaccepted(project),
        rulings=tuple(
            Ruling(one.finding, one.accept, one.reason, one.by, one.on) for one in project.rulings
        ),
        exclusions=tuple(
            ExclusionInForce(one.scenario, one.exclusion.text, one.reason, one.by, one.on)
            for one in project.excludes
        ),
        answered=frozenset(context.factors),
        four_eyes=context.four_eyes,
        acceptances=tuple(
            Acceptance(
                alert=one.alert, reason=one.reason, by=one.by, on=one.on, files_sha256=one.files
            )
            for one in project.exceptions
        ),
    )
