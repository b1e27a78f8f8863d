"""`unveil keysets`: is an intruder who knows fewer things, or uses fewer, worse?"""

from typing import Any

import click

from unveil.assessment.limits import parse_limits
from unveil.cli.options import (
    exclude_option,
    option,
    output_options,
    takes_scenario,
)
from unveil.cli.output_files import CommandResult, chart_option, prints_result
from unveil.measure.disclosure.key_sets import key_sets


@click.command()
@takes_scenario("keysets original.csv synthetic.csv")
@option(
    "--at-most",
    "Maximum number of keys in a subset. Default: all; 4 if there are more than ten.",
    "N",
    type=int,
)
@exclude_option
@option(
    "--limit limits",
    "Exit code 3 if a subset of the keys exceeds this beyond chance: DiSCO=10 or repU=5. May be"
    " repeated.",
    "MEASURE=PERCENT",
    multiple=True,
)
@option("--seed", "Seed of the expected values.", "NUMBER", type=int, default=1)
@prints_result(chart_option, output_options)
def keysets(*, files: tuple[Any, Any], limits: tuple[str, ...], **settings: Any) -> CommandResult:
    """Measure DiSCO and repU on every set of the keys, beside what is expected.

    More keys can lower DiSCO: fewer people are matched. A limit describes an intruder who knows at
    most these keys, so it is held against every set of them.

    \b
    Example:
      unveil keysets original.csv synthetic.csv --keys sex,age,region,job --limit DiSCO=10

    Exit codes: 0 within limits or for review, 2 wrong use or bad input, 3 a set is above its limit
    and beyond what chance over all sets gives.
    """
    record = key_sets(*files, limits=parse_limits(limits), **settings).record
    return CommandResult(record, record.figures, exit_code=record.exit_code)
