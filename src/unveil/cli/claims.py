"""`unveil claims`: what do the synthetic data add to what other people's records teach?"""

from typing import Any

import click

from unveil.cli.options import (
    exclude_option,
    option,
    output_options,
    takes_scenario,
)
from unveil.cli.output_files import CommandResult, prints_result
from unveil.measure.disclosure.claim_parts import CERTAINTY
from unveil.measure.disclosure.claims import claims as measure_claims
from unveil.measure.disclosure.pattern import AT_LEAST


@click.command()
@takes_scenario("claims original.csv synthetic.csv")
@option("--control", "Control sample: people whose records were not used.", "FILE")
@option(
    "--public",
    "A table that is published already: age+marital. May be repeated.",
    "COLUMN+COLUMN",
    multiple=True,
)
@option(
    "--certainty",
    "A table explains a value from this share of people on.",
    "SHARE",
    type=float,
    default=CERTAINTY,
)
@option(
    "--at-least",
    "Values and groups of fewer people teach nothing.",
    "PEOPLE",
    type=int,
    default=AT_LEAST,
)
@exclude_option
@option("--seed", "Seed of the expected values.", "NUMBER", type=int, default=1)
@prints_result(output_options)
def claims(*, files: tuple[Any, Any], **settings: Any) -> CommandResult:
    """Score what the synthetic data state about people against what other people teach.

    For every rule by which an intruder could state a value: people claimed, correct, correct at
    random, expected from other people's records, and what the synthetic data add, with its 95 %
    interval; and what explains the values that are disclosed correctly.

    \b
    Example:
      unveil claims original.csv synthetic.csv --keys sex,age,region --targets income
      unveil claims train.csv synthetic.csv --control control.csv -k sex,age --public age+marital
    """
    record = measure_claims(*files, **settings).record
    return CommandResult(record, record.rows)
