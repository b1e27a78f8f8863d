"""Why does a target stand where it stands, and what can be done about it?"""

from collections.abc import Iterator

from unveil.assessment.outstanding import rule_command, shell_quote
from unveil.errors import RolesError, unknown_name
from unveil.project.edit_project import exclusion_table
from unveil.project.model import ExcludeEntry
from unveil.project.toml import entry_lines
from unveil.records.disclosure import Disclosure, Flag
from unveil.records.judgement import (
    DisclosureStep,
    ExplainedFlag,
    ExplainedScenario,
    Explanation,
    FlagRuling,
    Judgement,
)
from unveil.records.limits import MEASURES
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.study.exclusion_rules import parse_exclusions
from unveil.view import disclosure

LADDER = ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "DCAP")


def explain_target(
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
    disclosures = [(part.scenario or "", parts[part.name]) for part in run.list_parts("disclosure")]
    _check_unknown(disclosures, target, scenario)
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


def _check_unknown(
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
            unknown_name("The run has no scenario", scenario, names, "The scenarios are")
        )
    targets = dict.fromkeys(
        one for name, record in disclosures if scenario in (None, name) for one in record.targets
    )
    if target not in targets:
        raise RolesError(unknown_name("The run has no target", target, targets, "The targets are"))


def _scenario(
    name: str, record: Disclosure, judgement: Judgement, target: str
) -> ExplainedScenario:
    row = record.attribute_of(target, record.headline_copy)
    said = disclosure.attribute(record, row)
    spread = disclosure.spread_sentence(record, target, "DiSCO")
    findings = {found.id: found for found in judgement.findings if found.scenario == name}
    return ExplainedScenario(
        scenario=name,
        keys=record.keys,
        copy=row.copy,
        sentences=(*said.values(), *([spread] if spread else [])),
        ladder=tuple(
            DisclosureStep(measure=one, value=getattr(row, one), what=MEASURES[one].what)
            for one in LADDER
        ),
        findings=tuple(_list_flags(record, findings, target)),
    )


def _list_flags(
    record: Disclosure, findings: dict[str, FlagRuling], target: str
) -> Iterator[ExplainedFlag]:
    flags: dict[str, Flag] = {}
    for flag in record.flags:
        flags.setdefault(flag.exclusion, flag)
    for found in findings.values():
        flag_of = flags.get(found.exclusion)
        if found.target == target and flag_of is not None:
            yield _explain_flag(found, flag_of)


def _explain_flag(found: FlagRuling, flag: Flag) -> ExplainedFlag:
    return ExplainedFlag(
        finding=found,
        level=flag.level,
        key=flag.key,
        key_level=flag.key_level,
        whatif=f"unveil whatif --exclude {shell_quote(found.exclusion)}",
        toml=_toml(found),
        accept=rule_command(found.id),
        keep=rule_command(found.id, "--keep"),
    )


def _toml(found: FlagRuling) -> str:
    """The exclusion as a table of the project file, to be pasted and completed."""
    (exclusion,) = parse_exclusions([found.exclusion])
    entry = ExcludeEntry(exclusion, reason="...", by="Name, role", on=None, scenario=found.scenario)
    given = {name: one for name, one in exclusion_table(entry).items() if one is not None}
    return "\n".join(entry_lines("exclude", given))
