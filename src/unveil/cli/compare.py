"""`unveil compare`: runs of a project side by side."""

import click

from unveil.cli.options import csv_option, json_option, project_option
from unveil.errors import SettingsError
from unveil.project.history import compare_runs
from unveil.project.read_project import read_project
from unveil.view.output import print_record
from unveil.view.run_comparison import csv_rows


@click.command()
@click.argument("numbers", nargs=-1, metavar="RUN RUN...")
@project_option
@json_option
@csv_option("Print every figure as CSV.")
def compare(*, numbers: tuple[str, ...], project: str | None, as_json: bool, as_csv: bool) -> None:
    """Show what changed between runs: settings, disclosure risk and utility.

    \b
    Example:
      unveil compare 1 2 3
    """
    found = compare_runs(
        read_project(project, needs_files=False), [_number(text) for text in numbers]
    )
    print_record(found, rows=csv_rows(found), as_json=as_json, as_csv=as_csv)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise SettingsError(f"{text!r} is not a run number. Write numbers: unveil compare 1 2.")
    return int(text)
