"""`unveil disclosure`: what would these copies give away about this original?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from unveil.cli.chart_file import chart_option, write_chart
from unveil.cli.options import (
    exclude_option,
    key_and_target_options,
    output_options,
    reading_options,
    two_numbers,
    words_option,
)
from unveil.cli.progress import progress_bar
from unveil.cli.records import refuse_records, write_records
from unveil.cli.screen import screen
from unveil.cli.shown import put_out, refuse_both, refuse_lacking
from unveil.judge.limits import is_shut, judged, parse_limits
from unveil.measure.disclosure import disclosure as measure_disclosure
from unveil.measure.result import DisclosureResult
from unveil.records.disclosure import Disclosure
from unveil.records.limits import Verdict
from unveil.report import sentences
from unveil.report.documents import disclosure_csv, json_document
from unveil.writing import all_or_none

ABOVE_LIMIT = 3


@click.command(short_help="What synthetic files would give away about an original.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@key_and_target_options
@exclude_option
@reading_options
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="MEASURE=PERCENT",
    help="End with exit code 3 when a figure is above this: DiSCO=10. May be repeated.",
)
@click.option(
    "--one-way",
    metavar="50,90",
    callback=two_numbers,
    help="Flag a target level above so many findings and percent of them. Default: 50,90.",
)
@click.option(
    "--two-way",
    metavar="4,80",
    callback=two_numbers,
    help="Flag target with key levels above so many findings and percent. Default: 4,80.",
)
@click.option(
    "--checks-by",
    metavar="COLUMN",
    help="Run these checks within each level of a column of the original, such as region.",
)
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CONFIDENTIAL: write who is at risk, and why, to this CSV file.",
)
@chart_option
@words_option
@output_options
def disclosure(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    limits: tuple[str, ...],
    one_way: tuple[float, float] | None,
    two_way: tuple[float, float] | None,
    records: Path | None,
    chart: Path | None,
    words: int,
    as_json: bool,
    as_csv: bool,
    **settings: Any,
) -> int:
    """Measure what the SYNTHETIC files would give away about the people in ORIGINAL.

    Files are SPSS, Stata, SAS, Excel, Parquet or CSV, in any mixture. KEYS are the columns an
    intruder would know about a person; each TARGET is a column they might learn.

    \b
    Example:
      unveil disclosure survey.csv synthetic.csv --keys sex,age,region --limit DiSCO=10
      unveil disclosure survey.csv copy1.csv copy2.csv -k sex,age -t income --json > figures.json
      unveil disclosure survey.csv synthetic.csv -k sex,age --exclude missing-targets --bands age=5

    Exit codes: 0 within limits, 1 a fault of unveil, 2 wrong use or bad input, 3 a limit is
    exceeded.
    """
    refuse_both(as_json=as_json, as_csv=as_csv)
    refuse_lacking(
        (original, synthetic),
        keys,
        "the original file and at least one synthetic file",
        "disclosure survey.csv synthetic.csv",
    )
    wanted = parse_limits(limits)
    if records is not None:
        refuse_records(records)
    thresholds = {"one_way": one_way, "two_way": two_way}
    settings |= {name: pair for name, pair in thresholds.items() if pair is not None}
    result = measured(original, list(synthetic), keys=keys, targets=targets or None, **settings)
    verdicts = judged(result.record, wanted)
    shown = drawn(result.record, verdicts, words=words, as_json=as_json, as_csv=as_csv)
    with all_or_none() as written:  # only once nothing else can go wrong
        written.extend(write_chart(chart, result.record))
        if records is not None:
            click.echo(f"unveil: {write_records(result, records)}", err=True)
    put_out(shown, Console())
    return ABOVE_LIMIT if is_shut(verdicts) else 0


def measured(original: Any, synthetic: Any, **settings: Any) -> DisclosureResult:
    """Measure with a progress bar on standard error."""
    with progress_bar(Console(stderr=True)) as bar:
        return measure_disclosure(original, synthetic, **settings, progress=bar)


def drawn(
    record: Disclosure, verdicts: Sequence[Verdict], *, words: int, as_json: bool, as_csv: bool
) -> Any:
    """The record in the form asked for, ready to be printed."""
    if not as_json and not as_csv:
        return screen(record, verdicts, words=words, width=Console().width)
    for alarm in sentences.alarms(record):
        click.echo(f"unveil: STOP: {alarm}", err=True)
    return json_document(record, verdicts) if as_json else disclosure_csv(record)
