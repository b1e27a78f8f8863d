"""What does a report of a run show? The run, its records, and what people said and decided."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from unveil.judge.factors import QUESTIONS
from unveil.records.dossier import Dossier, ExclusionText, Factor, Parts, ScenarioText
from unveil.records.run import Run
from unveil.release.at_risk import records_path
from unveil.release.finding_names import finding_of
from unveil.release.history import history_of, last_decisions, left_out, two_way
from unveil.release.judging import judgement_of
from unveil.release.model import ProjectFile
from unveil.release.store import load_parts, load_run, results_sha256
from unveil.report.sentences import TEMPLATES
from unveil.report.words import and_list

GONE = "no longer in the project: nobody says now why"
"""Why something was left out that the project does not name any more."""


def dossier_of(project: ProjectFile, n: int | None = None) -> tuple[Dossier, Parts]:
    """All about a run (the last where none is named), judged by the project as it is now."""
    run = load_run(project.folder, n)
    parts = load_parts(project.folder, run)
    made = Dossier(
        title=project.title,
        run=run,
        results_sha256=results_sha256(project.folder, run.number),
        judgement=judgement_of(project, run, parts),
        decision=last_decisions(project.folder).get(run.number),
        factors=tuple(_factors(project)),
        scenarios=tuple(_scenarios(project, run, parts)),
        exclusions=tuple(_exclusions(project, run)),
        history=history_of(project),
        records_file=records_file(project.folder, run.number),
    )
    return made, parts


def records_file(folder: Path, number: int) -> str | None:
    """The records at risk of a run, below the folder of the project; None where none are kept."""
    place = records_path(folder, number)
    return place.relative_to(folder).as_posix() if place.is_file() else None


def _factors(project: ProjectFile) -> Iterator[Factor]:
    for name, asked in QUESTIONS.items():
        said = project.context.factors.get(name)
        yield Factor(
            name=name,
            question=asked.question,
            answer=None if said is None else said.answer,
            by=None if said is None else said.by,
            on=None if said is None else said.on,
        )


def _scenarios(project: ProjectFile, run: Run, parts: Parts) -> Iterator[ScenarioText]:
    """The scenarios as they were measured; what is not measured, as the project has it."""
    templates = {scenario.name: scenario.template for scenario in project.scenarios}
    declared = {scenario.name: scenario for scenario in project.scenarios}
    for name in dict.fromkeys(part.scenario for part in run.parts if part.scenario is not None):
        measured = [record for _, record in parts.of("disclosure", name)]
        if not measured and name not in declared:
            continue
        keys = measured[0].keys if measured else declared[name].keys
        targets = measured[0].targets if measured else declared[name].targets or ()
        yield ScenarioText(
            name=name,
            template=templates.get(name),
            keys=tuple(keys),
            targets=tuple(targets),
            sentence=TEMPLATES["scenario"].format(keys=and_list(keys)),
        )


def _exclusions(project: ProjectFile, run: Run) -> Iterator[ExclusionText]:
    """What the run left out, with the reasons that the project gives; then what was added since."""
    had = left_out(run)
    told = list(_entries(project))
    found = [made for one in told for made in _in_run(one, had)]
    yield from (one for one in found if one.in_run)
    named = {(scenario, one.rule) for one in told for scenario in _scenarios_of(one, had)}
    for scenario, rules in had.items():
        for rule in rules:
            if (scenario, rule) not in named:
                yield ExclusionText(
                    scenario=scenario,
                    rule=rule,
                    reason=GONE,
                    by="",
                    on=None,
                    from_ruling=False,
                )
    yield from (one for one in found if not one.in_run)


def _entries(project: ProjectFile) -> Iterator[ExclusionText]:
    """What is in force now: lines of their own, then what rulings take for common knowledge."""
    for entry in project.excludes:
        yield ExclusionText(
            scenario=entry.scenario,
            rule=entry.exclusion.text,
            reason=entry.reason,
            by=entry.by,
            on=entry.on,
            from_ruling=False,
        )
    for ruling in project.rulings:
        if ruling.accept:
            finding = finding_of(ruling.finding)
            whole = two_way(finding.target)
            yield ExclusionText(
                scenario=finding.scenario,
                rule=whole if finding.exclusion is None else finding.exclusion.text,
                reason=ruling.reason,
                by=ruling.by,
                on=ruling.on,
                from_ruling=True,
            )


def _scenarios_of(one: ExclusionText, had: dict[str, tuple[str, ...]]) -> list[str]:
    return list(had) if one.scenario is None else [one.scenario]


def _in_run(one: ExclusionText, had: dict[str, tuple[str, ...]]) -> Iterator[ExclusionText]:
    """An entry of the project as the run knew it; scenario by scenario where they differ."""
    scenarios = _scenarios_of(one, had)
    known = [one.rule in had.get(scenario, ()) for scenario in scenarios]
    if len(set(known)) < 2:
        yield replace(one, in_run=all(known))
        return
    for scenario, is_known in zip(scenarios, known, strict=True):
        yield replace(one, scenario=scenario, in_run=is_known)
