"""`unveil compare`: runs of a project side by side."""

import click
from rich.console import Console

from unveil.cli.options import json_option, option
from unveil.errors import SettingsError
from unveil.project.history import compare_runs
from unveil.project.read_project import read_project
from unveil.view.compare_screen import csv_rows, screen
from unveil.view.output import check_both, print_output
from unveil.view.render_documents import csv_document, json_document


@click.command(short_help="Runs of a project side by side: settings, risk and utility.")
@click.argument("numbers", nargs=-1, metavar="RUN RUN...")
@option("--project", "A project.toml or its folder. Default: here.", "PROJECT")
@json_option
@option("--csv as_csv", "Print every figure as CSV.", is_flag=True)
def compare(*, numbers: tuple[str, ...], project: str | None, as_json: bool, as_csv: bool) -> None:
    """Show what changed between runs: in settings, in what is given away, in utility.

    \b
    Example:
      unveil compare 1 2 3
    """
    check_both(as_json=as_json, as_csv=as_csv)
    found = compare_runs(
        read_project(project, needs_files=False), [_number(text) for text in numbers]
    )
    console = Console()
    if as_json:
        print_output(json_document(found), console)
    elif as_csv:
        print_output(csv_document(csv_rows(found)), console)
    else:
        print_output(screen(found, console.width), console)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise SettingsError(f"{text!r} is no number of a run. Write numbers: unveil compare 1 2.")
    return int(text)
