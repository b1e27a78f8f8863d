"""`unveil report`: a run as one self-contained page, ready to sign and print."""

import webbrowser
from pathlib import Path

import click

from unveil.cli.options import by_option, file_option, option, same_project
from unveil.cli.output_files import check_targets
from unveil.errors import SettingsError
from unveil.project.read_project import read_project
from unveil.project.records_at_risk import open_records
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
@option(
    "--only-records",
    "Only the records at risk of the last run; --by is kept in the log.",
    is_flag=True,
)
@by_option
@option("--summary is_summary", "Write only page 1, the summary to sign.", is_flag=True)
@option("--open is_opened", "Open the page in the browser.", is_flag=True)
def report(
    *,
    project: str | None,
    number: int | None,
    out: Path | None,
    records: bool,
    only_records: bool,
    by: str | None,
    is_summary: bool,
    is_opened: bool,
) -> None:
    """Write the report of a run of PROJECT (a folder or its project.toml; default: this folder).

    The report is one file without scripts or external content. It contains figures from the
    original, so it stays with the custodian; only its owner may read it. A later report of the same
    run replaces it; a file named with --out is never overwritten.

    \b
    Example:
      unveil report --open
      unveil report myproject --run 2 --records
      unveil report --summary
    """
    if only_records:
        _tell_records(open_records(read_project(project), by=by))
        return
    if by is not None:
        raise SettingsError("--by names who looks at the records at risk. Add --only-records.")
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
        _tell_records(path)


def _tell_records(path: Path) -> None:
    click.echo(
        f"unveil: CONFIDENTIAL: records at risk written to {lines(str(path))}. Keep it where"
        " the original is kept.",
        err=True,
    )
