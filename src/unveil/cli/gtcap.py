"""`unveil gtcap`: attribute disclosure for statistical uniques, with numeric tolerance."""

from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    check_lacking,
    csv_option,
    files_arguments,
    json_option,
    keys_option,
    option,
    reading_options,
    target_option,
)
from unveil.cli.output_files import CommandResult, chart_option, prints_result
from unveil.errors import RolesError
from unveil.measure.cap.gtcap import gtcap as measure_gtcap
from unveil.measure.cap.gtcap_prepare import COEFFICIENTS, UNIQUE_RULES


@click.command()
@files_arguments
@keys_option
@target_option
@by_column_option(
    "--radius -r radii",
    "Compare numbers by distance: age=5. Other columns must be the same. May be repeated.",
    "COLUMN=RADIUS",
)
@option(
    "--unique-rule",
    f"Who is a statistical unique: {', '.join(UNIQUE_RULES)}.",
    "RULE",
    default="all_keys",
)
@option(
    "--coefficient",
    f"How near on several numbers at once: {', '.join(COEFFICIENTS)}.",
    "KIND",
    default="mean",
)
@reading_options
@prints_result(chart_option, csv_option("Print one row per copy as CSV."), json_option)
def gtcap(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    target: tuple[str, ...],
    **settings: Any,
) -> CommandResult:
    """Score what SYNTHETIC discloses about the statistical uniques of ORIGINAL (GTCAP).

    0 is the baseline (a guess from the marginal distribution), 1 the original itself. Numbers
    count by how close they are, within the radius you give.

    \b
    Example:
      unveil gtcap original.csv synthetic.csv --keys sex,age,job --target ill --radius age=5
    """
    check_lacking("gtcap original.csv synthetic.csv", keys, original, synthetic)
    if not target:
        raise RolesError("Name the target variable: --target ill.")
    record = measure_gtcap(original, list(synthetic), keys=keys, target=target, **settings).record
    return CommandResult(record, record.copies)
