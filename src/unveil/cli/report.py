"""`unveil report`: a run as one self-contained page, ready to sign and print."""

import webbrowser
from pathlib import Path

import click

from unveil.cli.options import file_option, option, same_project
from unveil.cli.output_files import check_targets
from unveil.project.read_project import read_project
from unveil.project.write_report import ReportFiles, write_report
from unveil.view.format import lines


@click.command()
@same_project
@option("--run number", "Which run. Default: the last.", "N", type=int)
@file_option(
    "--out",
    "The file to write. Default: confidential/report_0001.html in the project.",
    "FILE.html",
)
@option(
    "--records",
    "Also list the records at risk, with reasons, in separate files.",
    is_flag=True,
)
@option("--summary is_summary", "Write only page 1, the summary to sign.", is_flag=True)
@option("--open is_opened", "Open the page in the browser.", is_flag=True)
def report(
    *,
    project: str | None,
    number: int | None,
    out: Path | None,
    records: bool,
    is_summary: bool,
    is_opened: bool,
) -> None:
    """Write the report of a run of PROJECT (a folder or its project.toml; default: this folder).

    One file without scripts and without anything from outside. It is drawn from the original:
    it stays with the custodian, and only its owner may read it. A later report of the same run
    takes its place; a file that --out names is never overwritten.

    \b
    Example:
      unveil report --open
      unveil report myproject --run 2 --records
      unveil report --summary
    """
    check_targets({"--out": out})
    written = write_report(
        read_project(project), number, out=out, records=records, is_summary=is_summary
    )
    _say(written)
    if is_opened:
        webbrowser.open(written.report.resolve().as_uri())


def _say(written: ReportFiles) -> None:
    click.echo(
        f"unveil: run {written.run:,} written to {lines(str(written.report))}. It is confidential.",
        err=True,
    )
    for path in written.records:
        click.echo(
            f"unveil: CONFIDENTIAL: records at risk written to {lines(str(path))}. Keep it where"
            " the original is kept.",
            err=True,
        )
