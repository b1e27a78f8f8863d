"""`unveil uniques`: sample uniques, special uniques and match risk of one file."""

from pathlib import Path
from typing import Any

import click

from unveil.atomic import write_all_or_none, write_private
from unveil.cli.options import (
    check_lacking,
    csv_option,
    engine_for,
    file_option,
    json_option,
    keys_option,
    option,
    person_option,
    reading_options,
    takes_engine,
    weights_option,
)
from unveil.cli.output_files import (
    chart_option,
    check_records,
    unique_records,
    values_of,
    write_chart,
)
from unveil.cli.progress import progress_bar
from unveil.measure.one_table import open_table
from unveil.measure.uniques.match_risk import MatchRiskSettings, match_risk_of
from unveil.measure.uniques.suda import SudaSettings, measure_suda
from unveil.records.uniques import MatchRisk, MatchRule, Suda
from unveil.view.format import lines
from unveil.view.output import print_output
from unveil.view.render_documents import csv_document, json_text
from unveil.view.render_rich import render_rich
from unveil.view.show import as_blocks
from unveil.view.uniques import suda_blocks

MATCH_RULES: dict[str, MatchRule] = {"exclude": "wildcard", "category": "category"}


@click.command()
@click.argument("file", required=False)
@keys_option
@option(
    "--max-msu",
    "Maximum number of keys in a set. Default: all; required beyond 16 keys.",
    "N",
    type=int,
)
@option(
    "--dis-fraction",
    "Sampling fraction: sample size / population size.",
    "SHARE",
    type=float,
    default=0.01,
)
@option(
    "--scores",
    "Weight of a set of s of K keys: (K-s)!, or (2^(K-s)-1)/C(K,s).",
    type=click.Choice(["original", "normalised"]),
    default="original",
)
@option(
    "--missing-rule",
    "A missing key matches any value, or is a level of its own.",
    type=click.Choice(list(MATCH_RULES)),
    default="exclude",
)
@weights_option
@option("--sensitive", "Add l-diversity of this column.", "COLUMN")
@option(
    "--alpha",
    "Count of a record that matches another but lacks a key.",
    "SHARE",
    type=float,
    default=1.0,
)
@option("--recursive-c", "The c of recursive (c, l)-diversity.", "C", type=float, default=2)
@person_option
@reading_options
@file_option("--records", "CONFIDENTIAL: write the unique records and keys to this CSV file.")
@file_option(
    "--values", "CONFIDENTIAL: write which values of the keys make people unique to this CSV file."
)
@chart_option
@csv_option("Print one row per key as CSV.")
@json_option
@takes_engine
def uniques(
    *,
    file: str | None,
    keys: tuple[str, ...],
    max_msu: int | None,
    dis_fraction: float,
    scores: Any,
    missing_rule: Any,
    weights: str | None,
    sensitive: str | None,
    alpha: float,
    recursive_c: float,
    records: Path | None,
    values: Path | None,
    chart: Path | None,
    as_json: bool,
    as_csv: bool,
    **reading: Any,
) -> None:
    """Find the people who are unique on their keys in FILE, and how few keys that takes.

    SUDA searches for the smallest sets of keys on which a person is unique; DIS estimates the
    probability that a unique match is correct. Also: k-anonymity, individual risk, l-diversity.

    \b
    Example:
      unveil uniques survey.csv --keys sex,age,region,job
      unveil uniques survey.csv -k sex,age,region --weights w --sensitive illness --bands age=5
    """
    check_lacking("uniques survey.csv", keys, file, names="the file")
    check_records({"--records": records, "--values": values})
    asked = SudaSettings(len(keys), max_msu, dis_fraction, scores, missing_rule)
    of_matches = MatchRiskSettings(
        keys,
        weights=weights,
        sensitive=sensitive,
        missing=MATCH_RULES[missing_rule],
        alpha=alpha,
        recursive_c=recursive_c,
    )
    only_here = {
        **{"--records": records, "--values": values, "--chart": chart, "--csv": as_csv},
        **{"--max-msu": max_msu, "--weights": weights, "--sensitive": sensitive},
        "--person": reading.get("person"),
    }
    with progress_bar() as bar:
        is_elsewhere = engine_for([file], len(keys), only_here) != "memory"
        reading |= {"others": of_matches.others, "progress": bar, "by_counts": is_elsewhere}
        table = open_table(file, keys=keys, **reading)
        if is_elsewhere:
            return _print_risk(match_risk_of(table, of_matches, bar).record, as_json=as_json)
        alone = measure_suda(table, asked, bar)
        risk = match_risk_of(table, of_matches, bar)
    shown = _render_uniques(alone.record, risk.record, as_json=as_json, as_csv=as_csv)
    documents = []  # all made before one is written
    if records is not None:
        documents.append((records, *unique_records(alone, risk, records)))
    if values is not None:
        documents.append((values, *values_of(alone, values)))
    with write_all_or_none() as written:
        written.extend(write_chart(chart, alone.record))
        for path, content, sentence in documents:
            write_private(path, content)
            written.append(path)
            click.echo(f"unveil: {lines(sentence)}", err=True)
    print_output(shown)


NO_SUDA = "Special uniques (SUDA) were not searched for: they need the records in memory."


def _print_risk(risk: MatchRisk, *, as_json: bool) -> None:
    """K-anonymity and individual risk alone, as an engine counts them."""
    click.echo(f"unveil: {NO_SUDA}", err=True)
    print_output(
        json_text({"match_risk": risk.to_dict()}) if as_json else render_rich(as_blocks(risk))
    )


def _render_uniques(alone: Suda, risk: MatchRisk, *, as_json: bool, as_csv: bool) -> Any:
    if as_json:
        document = {**alone.to_dict(), "match_risk": risk.to_dict()}
        return json_text(document)
    if as_csv:
        return csv_document([row.to_dict() for row in alone.contributions])
    return render_rich([*suda_blocks(alone), *as_blocks(risk)])
