"""`unveil run`: measure all that a project declares, and hold it against its limits."""

from typing import Any

import click

from unveil.cli.gate_options import pair_reasons
from unveil.cli.options import (
    json_option,
    more_options,
    names_option,
    option,
    same_project,
    takes_engine,
)
from unveil.cli.progress import progress_bar, progress_option
from unveil.project.actions import AcceptAlert, RunMeasures
from unveil.project.decide import load_decisions
from unveil.project.model import ProjectFile
from unveil.project.read_project import read_project
from unveil.project.records_at_risk import records_path
from unveil.project.run_result import RunResult
from unveil.project.store import list_runs
from unveil.project.verify import decision_lines
from unveil.records.run import Run
from unveil.view.output import print_output
from unveil.view.render_documents import json_text
from unveil.view.run import RunScreen, run_screen

INTERRUPTED = 130


@click.command()
@same_project
@takes_engine
@option("--records", "Write the records at risk to the confidential folder.", is_flag=True)
@option("--again", "Recompute everything; reuse nothing.", is_flag=True)
@option(
    "--accept",
    "Accept an alert for these files, with --reason and --by. May be repeated.",
    "ID",
    multiple=True,
)
@option("--reason", "The reason; one for each --accept.", "TEXT", multiple=True)
@option(
    "--by",
    'Who runs it (default: the analyst of the project) or accepts an alert: "Name, role".',
    "NAME",
)
@option("--seed", "Set the seed of the project.", "N", type=int)
@names_option("--only", "Only these parts: disclosure,gate. Such a run lets nothing pass.")
@progress_option
@more_options
@json_option
def run(
    *,
    project: str | None,
    records: bool,
    accept: tuple[str, ...],
    reason: tuple[str, ...],
    by: str | None,
    progress: str | None,
    words: bool,
    flags: bool,
    details: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Compute what PROJECT (a project.toml, or its folder; else here) declares, and summarise it.

    Unchanged results of earlier runs are reused. A run that is stopped goes on where it was. The
    screen is the page to sign in short; --words, --flags and --details print the rest. Exit code:
    0 within all limits, 3 a limit is exceeded or something in the files stands against a release,
    4 a decision or sign-off is outstanding.

    \b
    Example:
      unveil run
      unveil run myproject --records --by "Name, role"
      unveil run --accept near-copies --reason "..." --by "Name, role"
    """
    reasons = pair_reasons(accept, reason)
    file = read_project(project)
    known = list_runs(file.folder)
    runner = None if accept else by
    action = RunMeasures(by=runner, records=records, **asked)
    made = _run_project(file, action, progress)
    if reasons:
        file = AcceptAlert(reasons=reasons, by=by or "").do(file)
    result = RunResult.of(file, made)
    if as_json:
        print_output(json_text(result.to_dict()))
    else:
        decided = tuple(decision_lines(file.folder, made, load_decisions(file.folder)))
        is_new = made.number not in known
        summary, judgement = result.summary, result.judgement
        shown = RunScreen(made, result.parts, judgement, summary, is_new, decided)
        print_output(run_screen(shown, words=words, flags=flags, details=details))
    if records:
        _tell_records(file, made)
    click.get_current_context().exit(result.exit_code)


def _run_project(file: ProjectFile, action: RunMeasures, progress: str | None) -> Run:
    try:
        with progress_bar(in_percent=True, as_lines=progress == "json") as bar:
            made: Run = action.do(file, bar)
            return made
    except KeyboardInterrupt:
        click.echo(
            "unveil: Stopped. Finished results are kept; continue with unveil run.",
            err=True,
        )
        click.get_current_context().exit(INTERRUPTED)


def _tell_records(file: ProjectFile, made: Run) -> None:
    path = records_path(file.folder, made.number).relative_to(file.folder)
    click.echo(
        f"unveil: CONFIDENTIAL: records at risk written to {path.as_posix()}. Keep them where the"
        " original is kept.",
        err=True,
    )
