"""`unveil demo`: the main job, on an embedded example, in a few seconds."""

import shlex
import webbrowser
from pathlib import Path

import click
from rich.console import Console

from unveil.cli.disclosure import Form, measure_and_assess, render_charts
from unveil.cli.gate_options import GateOptions
from unveil.cli.options import option
from unveil.cli.progress import run_bar
from unveil.errors import SettingsError
from unveil.view.format import lines
from unveil.view.output import print_output


@click.command(short_help="The main job, on an embedded example.")
@option(
    "--files",
    "Also write the example as two CSV files into this folder, to try the other commands.",
    type=click.Path(file_okay=False, path_type=Path),
)
@option(
    "--project",
    "Also begin a project in this folder, with the two files, a run and its report.",
    type=click.Path(file_okay=False, path_type=Path),
)
@option("--open is_opened", "Open the report in the browser.", is_flag=True)
def demo(files: Path | None, project: Path | None, is_opened: bool) -> None:
    """Measure the embedded example: an artificial survey and one synthetic copy of it.

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
        raise SettingsError("--project writes the files too. Leave --files out.")
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic, write_csv

    paths = ("ORIGINAL", "SYNTHETIC") if files is None else map(str, write_csv(files))
    settings = {"keys": KEYS, "targets": TARGETS}
    result, assessment = measure_and_assess(
        survey(), [survey_synthetic()], {}, GateOptions(), settings
    )
    shown = render_charts(result.record, (), assessment, Form())
    print_output(shown)
    if project is not None:
        _make_demo_project(project, is_opened=is_opened)
        return
    command = shlex.join(["unveil", "disclosure", *paths, "--keys", ",".join(KEYS)])
    click.echo(f"Next, {'your own' if files is None else 'these'} files:  {command}")


def _make_demo_project(folder: Path, *, is_opened: bool) -> None:
    """A project on the example, measured and reported; what it asks of people is left to them."""
    from unveil.examples import KEYS, write_csv
    from unveil.project.project import Project

    original, copy = write_csv(folder)
    with run_bar(Console(stderr=True)) as bar:
        project = Project.create(original, folder=folder, synthetic=[copy], keys=KEYS)
        project.run(progress=bar)
        written = project.report().report
    click.echo(f"A project is in {lines(str(folder))}, its report in {lines(str(written))}.")
    click.echo(f"Next:  cd {shlex.quote(lines(str(folder)))}  and  unveil run")
    if is_opened:
        webbrowser.open(written.resolve().as_uri())
