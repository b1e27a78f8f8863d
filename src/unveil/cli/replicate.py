"""`unveil replicate`: do the synthetic data replicate published results?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    file_option,
    files_arguments,
    missing_option,
    option,
    output_options,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.measure.utility.replicate import replicate as measure_replicate
from unveil.models.intervals import SYNTHESES
from unveil.records.replication import Replication
from unveil.view.output import print_record
from unveil.view.replication import overlap, replication_page


@click.command()
@files_arguments
@file_option(
    "--findings -f list_file", "The results to replicate, each as [[finding]].", "FILE.toml"
)
@option(
    "--separate",
    "Report each SYNTHETIC file by itself, such as the stages of protect; combine nothing.",
    is_flag=True,
)
@option("--level", "Confidence level.", type=float, default=0.95)
@option(
    "--synthesis",
    f"How the data were synthesised: {', '.join(SYNTHESES)}.",
    "KIND",
    default="simple",
)
@by_column_option(
    "--special-codes",
    "Numbers that stand for missing values: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@output_options
@file_option("--page", "Write a self-contained page.", "FILE.html")
@file_option("--chart", "Write the chart: .svg, .png or .pdf.", "FILE")
def replicate(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    list_file: Path | None,
    separate: bool,
    as_json: bool,
    as_csv: bool,
    page: Path | None,
    chart: Path | None,
    **settings: Any,
) -> None:
    """Compute the results declared in FILE.toml on ORIGINAL and SYNTHETIC, and compare them.

    \b
    Example:
      unveil replicate original.csv synthetic.csv --findings results.toml --page results.html
      unveil replicate original.csv S1.csv S2.csv S3.csv --separate --findings results.toml
    """
    _check(original, synthetic, list_file, (page, chart))
    stems = [Path(one).stem for one in synthetic]
    if separate and len(set(stems)) < len(stems):
        raise SettingsError("Two synthetic files have one name. Give each its own.")
    files = dict(zip(stems, synthetic, strict=True)) if separate else list(synthetic)
    with progress_bar() as bar:
        result = measure_replicate(original, files, list_file, **settings, progress=bar)
    record = result.record
    _write(record, page, chart)
    if as_json or as_csv or (page is None and chart is None):
        print_record(record, rows=record.rows, as_json=as_json, as_csv=as_csv)


def _check(
    original: str | None,
    synthetic: Sequence[str],
    list_file: Path | None,
    out: tuple[Path | None, Path | None],
) -> None:
    """Refuse, before anything is read, what could not be done in the end."""
    if not original or not synthetic:
        raise ReadError(
            "Name the original file and at least one synthetic file: unveil replicate original.csv"
            " synthetic.csv --findings results.toml."
        )
    if list_file is None:
        raise SettingsError("Name the list of published results: --findings results.toml.")
    check_targets({"--page": out[0], "--chart": out[1]})


def _write(record: Replication, page: Path | None, chart: Path | None) -> None:
    write_targets({page: lambda: replication_page(record), chart: lambda: overlap(record)})
