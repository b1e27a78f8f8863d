"""`unveil excess`: excess disclosure of training records over a control sample."""

from typing import Any

import click

from unveil.cli.options import (
    check_lacking,
    exclude_option,
    key_and_target_options,
    option,
    output_options,
    person_option,
    reading_options,
    words_option,
)
from unveil.cli.output_files import CommandResult, chart_option, prints_result
from unveil.measure.disclosure.excess import MEASURES
from unveil.measure.disclosure.excess import excess as measure_excess
from unveil.view.flags import excess_blocks


@click.command()
@click.argument("train", required=False)
@click.argument("control", required=False)
@click.argument("synthetic", nargs=-1)
@key_and_target_options
@click.option(
    "--measure",
    "-m",
    multiple=True,
    default=("DiSCO", "DCAP"),
    show_default="DiSCO and DCAP",
    metavar="MEASURE",
    help=f"What to compare: {', '.join(MEASURES)}. May be repeated.",
)
@exclude_option
@person_option
@reading_options
@option("--nearest", "Add R of an intruder who takes the nearest synthetic record.", is_flag=True)
@prints_result(chart_option, words_option, output_options)
def excess(
    *,
    train: str | None,
    control: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    words: bool,
    **settings: Any,
) -> CommandResult:
    """Compare what SYNTHETIC discloses about TRAIN, the training records, and about CONTROL.

    CONTROL holds people of the same population whose records were not used. What is disclosed
    about them is general knowledge; R is the excess for training records.

    \b
    Example:
      unveil excess train.csv control.csv synthetic.csv --keys sex,age,region
      unveil excess train.csv control.csv synthetic.csv -k sex,age -t job --exclude job=NONE
    """
    check_lacking(
        "excess train.csv control.csv synthetic.csv",
        keys,
        train,
        control,
        synthetic,
        names="the training file, the control file and at least one synthetic file",
    )
    record = measure_excess(
        train, control, list(synthetic), keys=keys, targets=targets or None, **settings
    ).record
    return CommandResult(record, record.rows, excess_blocks(record, has_words=words))
