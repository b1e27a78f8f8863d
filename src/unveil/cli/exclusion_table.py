"""`unveil exclusion-table`: disclosure under the usual exclusions, side by side."""

from typing import Any

import click

from unveil.cli.options import (
    option,
    output_options,
    parse_two_numbers,
    takes_scenario,
)
from unveil.cli.output_files import CommandResult, chart_option, prints_result
from unveil.measure.disclosure.exclusion_table import ORIGINAL_SIDE
from unveil.measure.disclosure.exclusion_table import exclusion_table as measure_table


@click.command("exclusion-table")
@takes_scenario("exclusion-table survey.csv synthetic.csv")
@option(
    "--level levels",
    "A level that is common knowledge. Default: those that one-way checks flag.",
    "TARGET=LEVEL",
    multiple=True,
)
@option("--measure -m", f"What to table: {', '.join(ORIGINAL_SIDE)}.", "MEASURE", default="DiSCO")
@option(
    "--max-denominator",
    "The limit of the last two columns, on the original's counts.",
    "N",
    default="1",
)
@option(
    "--one-way",
    "When a level is flagged: above so many disclosures and percent of them. Default: 50,90.",
    "50,90",
    parse=parse_two_numbers,
)
@prints_result(chart_option, output_options)
def exclusion_table(
    *,
    files: tuple[Any, Any],
    levels: tuple[str, ...],
    one_way: tuple[float, float] | None,
    **settings: Any,
) -> CommandResult:
    """Measure SYNTHETIC against ORIGINAL under five sets of exclusions (Raab 2024, Table 2).

    No exclusions; levels that are common knowledge; these and missing values; all of these and
    groups of more than one person; only groups of more than one person.

    \b
    Example:
      unveil exclusion-table survey.csv synthetic.csv --keys sex,age,region
    """
    if one_way is not None:
        settings["one_way"] = one_way
    record = measure_table(*files, levels=levels or None, **settings).record
    return CommandResult(record, record.rows)
