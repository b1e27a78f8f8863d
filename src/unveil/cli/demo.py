"""`unveil demo`: the main job, on an embedded example, in a few seconds."""

import shlex
import webbrowser
from pathlib import Path

import click
from msgspec.structs import replace

from unveil.assessment.summarise import summarise_disclosure
from unveil.cli.disclosure import measure_and_assess
from unveil.cli.gate_options import GateOptions
from unveil.cli.options import more_options, option
from unveil.cli.progress import progress_bar
from unveil.errors import SettingsError
from unveil.view.alerts import alert_blocks
from unveil.view.blocks import Block, Sentence
from unveil.view.format import lines
from unveil.view.output import print_output
from unveil.view.run import summary_screen

MORE = "More: --words, --flags, --details"


@click.command()
@option(
    "--files",
    "Also write the example as two CSV files into this folder, to try the other commands.",
    type=click.Path(file_okay=False, path_type=Path),
)
@option(
    "--project",
    "Also start a project in this folder, with the two files, a run and its report.",
    type=click.Path(file_okay=False, path_type=Path),
)
@option("--open is_opened", "Open the report in the browser.", is_flag=True)
@more_options
def demo(
    *,
    files: Path | None,
    project: Path | None,
    is_opened: bool,
    words: bool,
    flags: bool,
    details: bool,
) -> None:
    """Assess the embedded example: an artificial survey and synthetic data made from it.

    The survey's 5,000 people are invented. An intruder is assumed to know a person's sex, age,
    region and kind of settlement.

    \b
    Example:
      unveil demo --files example
      unveil demo --project example --open
    """
    if is_opened and project is None:
        raise SettingsError("--open shows the report of a project. Name its folder: --project.")
    if files is not None and project is not None:
        raise SettingsError("--project writes the files too. Omit --files.")
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic, write_csv

    paths = ("ORIGINAL", "SYNTHETIC") if files is None else map(str, write_csv(files))
    settings = {"keys": KEYS, "targets": TARGETS}
    example = (survey(), [survey_synthetic()])
    result, assessment = measure_and_assess(example, {}, GateOptions(), settings, has_parts=True)
    made = summarise_disclosure(result.record, assessment=assessment)
    summary = replace(made, title="the embedded example")
    closing: list[Block] = []
    if project is None:
        command = shlex.join(["unveil", "assess", *paths, "--keys", ",".join(KEYS)])
        closing = [Sentence(f"Next: {command}", "dim"), Sentence(MORE, "dim")]
    blocks = summary_screen(summary, result.record, closing, words=words, flags=flags)
    more = alert_blocks(assessment.alerts, assessment.not_tested) if details else ()
    print_output([*blocks, *more])
    if project is not None:
        _make_demo_project(project, is_opened=is_opened)


def _make_demo_project(folder: Path, *, is_opened: bool) -> None:
    """A project on the example, measured and reported; what it asks of people is left to them."""
    from unveil.examples import KEYS, write_csv
    from unveil.io.sources import read_once
    from unveil.project.project import Project

    original, copy = write_csv(folder)
    with read_once(), progress_bar(in_percent=True) as bar:
        project = Project.create(original, folder=folder, synthetic=[copy], keys=KEYS)
        project.run(progress=bar)
        written = project.report().report
    click.echo(f"Project: {lines(str(folder))}   Report: {lines(str(written))}")
    click.echo(f"Next:  cd {shlex.quote(lines(str(folder)))}  and  unveil run")
    if is_opened:
        webbrowser.open(written.resolve().as_uri())
