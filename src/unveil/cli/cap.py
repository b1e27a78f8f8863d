"""`unveil cap`: how often is a guess among the matching synthetic records correct?"""

from typing import Any

import click
import polars as pl

from unveil.cli.options import (
    check_lacking,
    files_arguments,
    group_by_method,
    keys_option,
    method_option,
    option,
    output_options,
    parse_name_sets,
    reading_options,
    takes_engine,
    target_option,
    tolerance_option,
    weights_option,
)
from unveil.cli.output_files import CommandResult, chart_option, prints_result
from unveil.errors import RolesError
from unveil.io.sources import read_table
from unveil.measure.cap.cap_table import cap_table

SCENARIOS = ("full", "uniques", "special")


@click.command()
@takes_engine
@files_arguments
@keys_option
@option(
    "--key-set key_sets",
    "Another set of keys to compare with. May be repeated.",
    "NAMES",
    multiple=True,
    parse=parse_name_sets,
)
@target_option
@method_option
@option(
    "--scenario scenarios",
    "Everyone, uniques, or special uniques. Default: full and uniques.",
    multiple=True,
    type=click.Choice(SCENARIOS),
)
@option(
    "--mask",
    "Also score the people marked true in this column of ORIGINAL.",
    "COLUMN",
)
@option(
    "--baseline",
    "Baseline: a share, or a table of the target. Default: its distribution.",
    "SHARE|FILE",
)
@tolerance_option
@weights_option
@option(
    "--tau",
    "TCAP: minimum share of the most common target value among records with the same keys.",
    "SHARE",
    type=float,
    default=1.0,
)
@option("--gcap", "Also guess from the nearest keys (GCAP).", is_flag=True)
@reading_options
@prints_result(chart_option, output_options)
def cap(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    key_sets: tuple[tuple[str, ...], ...],
    target: tuple[str, ...],
    methods: dict[str, list[str]],
    scenarios: tuple[str, ...],
    mask: str | None,
    tolerance: dict[str, Any],
    tau: float,
    **settings: Any,
) -> CommandResult:
    """Measure how often guesses from SYNTHETIC about people in ORIGINAL are correct.

    The intruder draws among the synthetic records with a person's KEYS and takes the TARGET shown
    there. Several copies are pooled, one more at a time, as in Taub et al. (2018).

    \b
    Example:
      unveil cap survey.csv synthetic.csv --keys sex,age,region --target income
      unveil cap survey.csv copy1.csv copy2.csv copy3.csv -k sex,age -t income --tolerance income=50
      unveil cap survey.csv --method CART=c1.csv,c2.csv --method parametric=p1.csv,p2.csv \\
        --key-set sex,age,region --key-set sex,age -t job --scenario full --scenario special
    """
    every_key_set = [*([keys] if keys else []), *key_sets]
    copies = group_by_method(synthetic, methods)
    check_lacking(
        "cap survey.csv synthetic.csv --target income",
        every_key_set,
        original,
        copies,
    )
    if not target:
        raise RolesError("Name the target variable: --target income.")
    chosen = list(scenarios or ("full", "uniques"))
    record = cap_table(
        original,
        copies,
        key_sets=every_key_set,
        target=target,
        scenarios=[*chosen, *(["mask"] if mask else [])],
        mask=None if mask is None else _truth_values(original, mask),
        tolerance=tolerance or None,
        tau=None if tolerance else tau,
        **settings,
    ).record
    return CommandResult(record, [_flat(row.to_dict()) for row in record.rows])


def _truth_values(original: Any, column: str) -> pl.Series:
    """A column of the original that says who is scored; 1 and 0 are true and false."""
    values = read_table(original, side="original", columns=[column]).frame[column]
    if values.dtype.is_integer() and values.is_in([0, 1]).all():
        return values.cast(pl.Boolean)
    return values


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its lists of names as one text each."""
    return {
        field: ", ".join(value) if isinstance(value, list | tuple) else value
        for field, value in row.items()
    }
