"""`unveil disclosure`: what would these copies give away about this original?"""

from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console

from unveil.cli.options import column_names, output_options
from unveil.cli.progress import progress_bar
from unveil.cli.screen import screen
from unveil.errors import ReadError, RolesError, SettingsError, WriteError
from unveil.judge.limits import is_shut, judged, parse_limits
from unveil.measure.disclosure import disclosure as measure_disclosure
from unveil.records.disclosure import Disclosure
from unveil.records.limits import Verdict
from unveil.report import sentences
from unveil.report.documents import csv_document, json_document

ABOVE_LIMIT = 3


@click.command(short_help="What synthetic files would give away about an original.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@click.option(
    "--keys",
    "-k",
    multiple=True,
    metavar="NAMES",
    callback=column_names,
    help="What an intruder knows: sex,age,region.",
)
@click.option(
    "--targets",
    "-t",
    multiple=True,
    metavar="NAMES",
    callback=column_names,
    help="What they might learn, each alone. Default: all other columns.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="MEASURE=PERCENT",
    help="End with exit code 3 when a figure is above this: DiSCO=10. May be repeated.",
)
@click.option(
    "--missing",
    "missing_values",
    multiple=True,
    metavar="TEXT",
    help="An entry that means missing, such as NA or -9. May be repeated.",
)
@click.option(
    "--words",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="For how many targets to say the figures in words.",
)
@output_options
def disclosure(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    limits: tuple[str, ...],
    missing_values: tuple[str, ...],
    words: int,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Measure what the SYNTHETIC files would give away about the people in ORIGINAL.

    Files are CSV, TSV or Parquet. KEYS are the columns an intruder would know about a person;
    each TARGET is a column they might learn.

    \b
    Example:
      unveil disclosure survey.csv synthetic.csv --keys sex,age,region --limit DiSCO=10
      unveil disclosure survey.csv copy1.csv copy2.csv -k sex,age -t income --json > figures.json

    Exit codes: 0 within limits, 1 a fault of unveil, 2 wrong use or bad input, 3 a limit is
    exceeded.
    """
    if as_json and as_csv:
        raise SettingsError("--json and --csv cannot be printed together. Choose one.")
    if original is None or not synthetic:
        raise ReadError(
            "Name the original file and at least one synthetic file: unveil disclosure survey.csv"
            " synthetic.csv --keys sex,age,region."
        )
    if not keys:
        raise RolesError("Say what an intruder would know about a person: --keys sex,age,region.")
    wanted = parse_limits(limits)
    record = measured(original, list(synthetic), keys, targets or None, missing_values)
    verdicts = judged(record, wanted)
    show(record, verdicts, words=words, as_json=as_json, as_csv=as_csv)
    return ABOVE_LIMIT if is_shut(verdicts) else 0


def measured(
    original: Any,
    synthetic: Any,
    keys: tuple[str, ...],
    targets: tuple[str, ...] | None,
    missing_values: tuple[str, ...] = (),
) -> Disclosure:
    """Measure with a progress bar on standard error."""
    with progress_bar(Console(stderr=True)) as bar:
        result = measure_disclosure(
            original,
            synthetic,
            keys=keys,
            targets=targets,
            missing_values=missing_values,
            progress=bar,
        )
    return result.record


def show(
    record: Disclosure, verdicts: Sequence[Verdict], *, words: int, as_json: bool, as_csv: bool
) -> None:
    """Print the record in the form asked for."""
    console = Console()
    shown: Any = screen(record, verdicts, words=words, width=console.width)
    if as_json or as_csv:
        shown = json_document(record, verdicts) if as_json else csv_document(record)
        for alarm in sentences.alarms(record):
            click.echo(f"unveil: STOP: {alarm}", err=True)
    try:
        if as_json or as_csv:
            click.echo(shown)
        elif console.is_terminal:
            console.print(shown)
        else:
            with console.capture() as printed:
                console.print(shown)
            click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
    except BrokenPipeError:
        raise
    except OSError:
        raise WriteError(
            "The output could not be written. Check the disk, or where the output is sent to."
        ) from None
