"""`unveil demo`: the main job, on an embedded example, in a few seconds."""

import shlex
from pathlib import Path

import click
from rich.console import Console

from unveil.cli.disclosure import drawn, measured
from unveil.cli.shown import put_out


@click.command(short_help="The main job, on an embedded example.")
@click.option(
    "--files",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write the example as two CSV files into this folder, to try the other commands.",
)
def demo(files: Path | None) -> None:
    """Measure the embedded example: an artificial survey and one synthetic copy of it.

    The survey's 5,000 people are invented. An intruder is assumed to know a person's sex, age,
    region and kind of settlement.

    \b
    Example:
      unveil demo --files example
    """
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic, write_csv

    paths = ("ORIGINAL", "SYNTHETIC") if files is None else map(str, write_csv(files))
    result = measured(survey(), survey_synthetic(), keys=KEYS, targets=TARGETS)
    shown = drawn(result.record, (), words=len(TARGETS), as_json=False, as_csv=False)
    put_out(shown, Console())
    command = shlex.join(["unveil", "disclosure", *paths, "--keys", ",".join(KEYS)])
    click.echo(f"Next, {'your own' if files is None else 'these'} files:  {command}")
