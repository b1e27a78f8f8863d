"""How does the report of a run get onto the disk, and the records at risk beside it?

The report is a view of records that never change and of the project as it is now, so a later one
of the same run takes the place of the earlier. Elsewhere than in the project nothing is replaced.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from unveil.atomic import replace_file, write_private
from unveil.errors import WriteError
from unveil.project.assess_stored_run import assess_stored_run, summarise
from unveil.project.fingerprint import hash_bytes, project_sha256
from unveil.project.history import (
    build_history,
    exclusions_in_force,
    read_last_decisions,
    two_way_name,
)
from unveil.project.log import append, now
from unveil.project.log_repair import complete_log
from unveil.project.model import ProjectFile
from unveil.project.people import list_answers
from unveil.project.records_at_risk import records_documents, records_path
from unveil.project.rulings_in_force import parse_flag_name
from unveil.project.seeds import confidential_folder
from unveil.project.store import load_parts, load_run, results_sha256
from unveil.records.report import ExclusionText, Parts, ReportContents, ScenarioText
from unveil.records.run import Run
from unveil.view.disclosure import scenario as describe_scenario
from unveil.view.pages.report import custodian_page
from unveil.view.summary import summary_page

# What does a report of a run show? The run, its records, and what people said and decided.


GONE = "no longer in the project, so no reason is on record"
"""Why something was left out that the project does not name any more."""


def gather_report(project: ProjectFile, n: int | None = None) -> tuple[ReportContents, Parts]:
    """All about a run (the last where none is named), judged by the project as it is now."""
    run = load_run(project.folder, n)
    parts = load_parts(project.folder, run)
    judgement = assess_stored_run(project, run, parts)
    sha256 = results_sha256(project.folder, run.number)
    made = ReportContents(
        title=project.title,
        run=run,
        results_sha256=sha256,
        judgement=judgement,
        summary=summarise(project, run, parts, judgement, run_hash=sha256),
        decision=read_last_decisions(project.folder).get(run.number),
        factors=list_answers(project),
        scenarios=tuple(_scenarios(project, run, parts)),
        exclusions=tuple(_exclusions(project, run)),
        history=build_history(project),
        records_file=records_file(project.folder, run.number),
    )
    return made, parts


def records_file(folder: Path, number: int) -> str | None:
    """The records at risk of a run, below the folder of the project; None where none are kept."""
    place = records_path(folder, number)
    return place.relative_to(folder).as_posix() if place.is_file() else None


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
            sentence=describe_scenario(keys),
        )


def _exclusions(project: ProjectFile, run: Run) -> Iterator[ExclusionText]:
    """What the run left out, with the reasons that the project gives; then what was added since."""
    had = exclusions_in_force(run)
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
            flag = parse_flag_name(ruling.finding)
            whole = two_way_name(flag.target)
            yield ExclusionText(
                scenario=flag.scenario,
                rule=whole if flag.exclusion is None else flag.exclusion.text,
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


@dataclass(frozen=True)
class ReportFiles:
    """Where a report is, and what was written with it."""

    report: Path
    run: int
    records: tuple[Path, ...] = ()


def write_report(
    project: ProjectFile,
    n: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    records: bool = False,
    is_summary: bool = False,
) -> ReportFiles:
    """Write the report of a run (the last where none is named), for its owner alone.

    Parameters
    ----------
    out
        A new file for it; otherwise confidential/report_0001.html in the project.
    records
        Write the records at risk too, as CSV and as a page, into the folder confidential.
    is_summary
        Write page 1 alone: the summary to sign, confidential/summary_0001.html.

    Raises
    ------
    WriteError
        If `out` is there already, or something cannot be written.
    """
    complete_log(project.folder)
    contents, parts = gather_report(project, n)
    number = contents.run.number
    home = _home(project, number, "summary" if is_summary else "report")
    place = Path(out) if out is not None else home
    listed = _write_records(project, contents) if records else ()
    shown = replace(contents, records_file=_beside(project, contents, listed, place))
    page = summary_page(shown.summary) if is_summary else custodian_page(shown, parts, made=now())
    content = page.encode()
    if out is not None:
        write_private(place, content)
    else:
        _write_private(project, place, content)
    append(
        project.folder,
        event="report",
        subject=str(number),
        project_sha256=project_sha256(project),
        file_sha256=hash_bytes(content),
    )
    return ReportFiles(place, number, listed)


def _home(project: ProjectFile, number: int, name: str) -> Path:
    return project.folder / "confidential" / f"{name}_{number:04d}.html"


def _write_records(project: ProjectFile, contents: ReportContents) -> tuple[Path, ...]:
    made = records_documents(project, contents)
    home = project.folder / "confidential"
    for name, content in made.items():
        _write_private(project, home / name, content)
    return tuple(home / name for name in made)


def _write_private(project: ProjectFile, place: Path, content: bytes) -> None:
    confidential_folder(project.folder)
    try:
        replace_file(place, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"The file {place.name!r} cannot be written to the folder confidential:"
            f" {fault.strerror}. Allow writing to it, or name a file with --out."
        ) from None


def _beside(
    project: ProjectFile, contents: ReportContents, listed: tuple[Path, ...], place: Path
) -> str | None:
    """The records at risk as the report names them: without a folder where they lie beside it."""
    known = listed[0] if listed else _existing_report(project, contents)
    if known is None:
        return None
    is_beside = known.parent.resolve() == place.parent.resolve()
    return known.name if is_beside else f"{known.parent.name}/{known.name}"


def _existing_report(project: ProjectFile, contents: ReportContents) -> Path | None:
    """What an earlier command wrote: the page if it is there, else the file of the run."""
    if contents.records_file is None:
        return None
    file = project.folder / contents.records_file
    return shown if (shown := file.with_suffix(".html")).is_file() else file
