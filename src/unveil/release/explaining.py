"""Why does a target stand where it stands, and what can be done about it?"""

from collections.abc import Iterator

from unveil.errors import RolesError, listed, nearest, quoted
from unveil.judge.measures import MEASURES
from unveil.judge.missing import rule_command, typed
from unveil.read.exclusions import parse_exclusions
from unveil.records.checks import Flag
from unveil.records.disclosure import Disclosure
from unveil.records.dossier import Parts
from unveil.records.explanation import ExplainedFinding, ExplainedScenario, Explanation, Rung
from unveil.records.judgement import Finding, Judgement
from unveil.records.run import Run
from unveil.release.editing import with_exclusion
from unveil.release.model import ExcludeEntry, ProjectFile
from unveil.report import sentences

LADDER = ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "DCAP")


def explained(
    project: ProjectFile,
    run: Run,
    parts: Parts,
    judgement: Judgement,
    target: str,
    *,
    scenario: str | None = None,
) -> Explanation:
    """One target of a run, in every scenario that has it or in one.

    Raises
    ------
    RolesError
        If no scenario measured such a target.
    """
    disclosures = [(part.scenario or "", parts[part.name]) for part in run.of_kind("disclosure")]
    _refuse_unknown(disclosures, target, scenario)
    chosen = [
        (name, record)
        for name, record in disclosures
        if target in record.targets and scenario in (None, name)
    ]
    return Explanation(
        run=run.number,
        target=target,
        scenarios=tuple(_scenario(name, record, judgement, target) for name, record in chosen),
        figures=tuple(
            row
            for row in judgement.figures
            if row.target == target and scenario in (None, row.scenario)
        ),
        stale=judgement.stale,
    )


def _refuse_unknown(
    disclosures: list[tuple[str, Disclosure]], target: str, scenario: str | None
) -> None:
    names = [name for name, _ in disclosures]
    if not names:
        raise RolesError(
            "The run has no target to explain: no scenario measured disclosure. Declare one,"
            " [[scenario]] with name and keys in project.toml, and run again: unveil run."
        )
    if scenario is not None and scenario not in names:
        raise RolesError(
            f"The run has no scenario {quoted(scenario)}.{nearest(scenario, names)} The scenarios"
            f" are: {listed(names)}."
        )
    targets = dict.fromkeys(
        one for name, record in disclosures if scenario in (None, name) for one in record.targets
    )
    if target not in targets:
        raise RolesError(
            f"The run has no target {quoted(target)}.{nearest(target, [*targets])} The targets are:"
            f" {listed(targets)}."
        )


def _scenario(
    name: str, record: Disclosure, judgement: Judgement, target: str
) -> ExplainedScenario:
    row = record.attribute_of(target, record.headline_copy)
    said = sentences.attribute(record, row)
    spread = sentences.spread(record, target, "DiSCO")
    findings = {found.id: found for found in judgement.findings if found.scenario == name}
    return ExplainedScenario(
        scenario=name,
        keys=record.keys,
        copy=row.copy,
        sentences=(*said.values(), *([spread] if spread else [])),
        ladder=tuple(
            Rung(measure=one, value=getattr(row, one), what=MEASURES[one].what) for one in LADDER
        ),
        findings=tuple(_findings(record, findings, target)),
    )


def _findings(
    record: Disclosure, findings: dict[str, Finding], target: str
) -> Iterator[ExplainedFinding]:
    flags: dict[str, Flag] = {}
    for flag in record.flags:
        flags.setdefault(flag.exclusion, flag)
    for found in findings.values():
        flag_of = flags.get(found.exclusion)
        if found.target == target and flag_of is not None:
            yield _finding(found, flag_of)


def _finding(found: Finding, flag: Flag) -> ExplainedFinding:
    return ExplainedFinding(
        finding=found,
        level=flag.level,
        key=flag.key,
        key_level=flag.key_level,
        whatif=f"unveil whatif --exclude {typed(found.exclusion)}",
        toml=_toml(found),
        accept=rule_command(found, "--common-knowledge"),
        keep=rule_command(found, "--keep"),
    )


def _toml(found: Finding) -> str:
    """The exclusion as a table of the project file, to be pasted and completed."""
    (exclusion,) = parse_exclusions([found.exclusion])
    entry = ExcludeEntry(exclusion, reason="...", by="Name, role", on=None, scenario=found.scenario)
    return with_exclusion("", entry).strip()
