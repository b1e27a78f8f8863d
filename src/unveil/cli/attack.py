"""`unveil attack`: what do simulated attacks find in a copy, beyond general knowledge?"""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from unveil.cli.attack_options import document_options, setting_options, which_options
from unveil.cli.attack_run import Asked, attacked
from unveil.cli.attack_screen import attack_screen
from unveil.cli.confidential_files import refuse_targets, write_targets
from unveil.cli.options import output_options
from unveil.cli.progress import progress_bar
from unveil.cli.shown import put_out, refuse_both
from unveil.count.streams import drawn_seed
from unveil.errors import ReadError
from unveil.records.attack_run import AttackRun
from unveil.report.attacks_page import attacks_page
from unveil.report.charts.attacks import attacks_chart
from unveil.report.documents import csv_document, json_document

GUESSING = ("tolerance", "absolute", "groups")
SHARED = ("level", "person", "categorical", "special_codes", "missing_values")


@click.command(short_help="What simulated attacks find in a copy, beyond general knowledge.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@which_options
@setting_options
@output_options
@document_options
def attack(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    words: int,
    as_json: bool,
    as_csv: bool,
    chart: Path | None,
    page: Path | None,
    **settings: Any,
) -> None:
    """Attack SYNTHETIC as an intruder would, and see what of ORIGINAL it gives away.

    Three attacks: descriptions that fit one person alone (singling out), parts of a record brought
    together (linkability), and secrets guessed (inference); beside them, whether it can be told who
    was in the original (membership). What succeeds with people whose records were not used, the
    control, is general knowledge; R is what is left.

    \b
    Example:
      unveil attack train.csv synthetic.csv --control control.csv --all
      unveil attack train.csv synthetic.csv --control control.csv --inference --secrets income
    """
    refuse_both(as_json=as_json, as_csv=as_csv)
    _refuse(original, synthetic, chart=chart, page=page)
    seed = drawn_seed(settings.pop("seed"))
    guessing = {name: settings.pop(name) for name in GUESSING}
    shared = {name: settings.pop(name) for name in SHARED}
    secrets = settings.pop("secrets")
    asked = Asked(
        original=original or "",
        **settings,
        guessing={**guessing, "secrets": secrets or None},
        shared={**shared, "seed": seed},
    )
    with progress_bar(Console(stderr=True)) as bar:
        run = attacked(asked, synthetic, bar)
    _write(run, chart=chart, page=page)
    if as_json:
        put_out(json_document(run), Console())
    elif as_csv:
        put_out(_csv(run), Console())
    elif chart is None and page is None:
        put_out(attack_screen(run, most=words), Console())


def _refuse(
    original: str | None, synthetic: tuple[str, ...], *, chart: Path | None, page: Path | None
) -> None:
    """Refuse, before anything is read, what could not be done in the end."""
    if not original or not synthetic:
        raise ReadError(
            "Name the original file and at least one synthetic file: unveil attack original.csv"
            " synthetic.csv --control control.csv."
        )
    refuse_targets({"--chart": chart, "--page": page})


def _write(run: AttackRun, *, chart: Path | None, page: Path | None) -> None:
    drawers = {chart: lambda: attacks_chart(run.copies), page: lambda: attacks_page(run)}
    write_targets({path: draw for path, draw in drawers.items() if path is not None})


def _csv(run: AttackRun) -> str:
    """One row for each attack; where membership alone was tried, one for each threshold."""
    rows = [
        {"copy": copy.copy, **row.flat(), "k": record.k, "warnings": " ".join(row.warnings)}
        for copy in run.copies
        for record in copy.attacks
        for row in record.rows
    ]
    members = [
        {"copy": copy.copy, **row.flat()}
        for copy in run.copies
        if copy.membership is not None
        for row in copy.membership.rows
    ]
    if rows and members:
        click.echo("unveil: membership is not among the rows: see --json.", err=True)
    return csv_document(rows or members)
