"""`unveil uniques`: who is alone with their keys, with how few, and would a match be right?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from unveil.atomic import write_all_or_none
from unveil.cli.options import (
    file_option,
    json_option,
    keys_option,
    option,
    person_option,
    reading_options,
)
from unveil.cli.output_files import (
    chart_option,
    check_records,
    unique_records,
    values_of,
    write_chart,
    write_documents,
)
from unveil.cli.progress import progress_bar
from unveil.errors import SettingsError
from unveil.measure.one_table import open_table
from unveil.measure.uniques.match_risk import match_risk_of, parse_risk_settings
from unveil.measure.uniques.suda import parse_suda_settings, suda_of
from unveil.records.uniques import MatchRisk, Suda
from unveil.view import match_risk as of_risk
from unveil.view import uniques as of_uniques
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import longest_name, new_table
from unveil.view.format import lines
from unveil.view.output import check_both, check_lacking, print_output
from unveil.view.render_documents import csv_document, json_text

MATCH_RULES = {"exclude": "wildcard", "category": "category"}


@click.command(short_help="Who is alone with their keys, and with how few of them.")
@click.argument("file", required=False)
@keys_option
@option(
    "--max-msu",
    "Search for sets of at most so many keys. Default: all; needed beyond 16 keys.",
    "N",
    type=int,
)
@option(
    "--dis-fraction",
    "The share of the population that is in the data.",
    "SHARE",
    type=float,
    default=0.01,
)
@option(
    "--scores",
    "How a set of s of K keys is weighed: (K-s)!, or (2^(K-s)-1)/C(K,s).",
    type=click.Choice(["original", "normalised"]),
    default="original",
)
@option(
    "--missing-rule",
    "A missing key makes nobody unique and matches anything, or is a level of its own.",
    type=click.Choice(list(MATCH_RULES)),
    default="exclude",
)
@option("--weights", "For how many people of the population a record stands.", "COLUMN")
@option("--sensitive", "Add l-diversity: what could be learnt.", "COLUMN")
@option(
    "--alpha",
    "What a record counts that matches another but lacks a key.",
    "SHARE",
    type=float,
    default=1.0,
)
@option("--recursive-c", "The c of recursive (c, l)-diversity.", "C", type=float, default=2)
@person_option
@reading_options
@file_option("--records", "CONFIDENTIAL: write who is alone, and with what, to this CSV file.")
@file_option(
    "--values", "CONFIDENTIAL: write which values of the keys make people unique to this CSV file."
)
@chart_option
@option("--csv as_csv", "Print one row per key as CSV.", is_flag=True)
@json_option
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
    """Find who is alone with their keys in FILE, with how few of them, and what that risks.

    SUDA searches for the smallest sets of keys with which somebody is alone; DIS estimates whether
    a single match would be right. Beside them: k-anonymity, individual risk, l-diversity.

    \b
    Example:
      unveil uniques survey.csv --keys sex,age,region,job
      unveil uniques survey.csv -k sex,age,region --weights w --sensitive illness --bands age=5
    """
    check_both(as_json=as_json, as_csv=as_csv)
    check_lacking((file,), keys, "the file", "uniques survey.csv")
    if records is not None and records == values:
        raise SettingsError("--records and --values name the same file. Give each its own.")
    for path in (records, values):
        if path is not None:
            check_records(path)
    asked = parse_suda_settings(
        len(keys), max_msu=max_msu, dis_fraction=dis_fraction, scores=scores, missing=missing_rule
    )
    of_matches = parse_risk_settings(
        keys,
        weights=weights,
        sensitive=sensitive,
        missing=MATCH_RULES[missing_rule],
        alpha=alpha,
        recursive_c=recursive_c,
    )
    with progress_bar(Console(stderr=True)) as bar:
        table = open_table(file, keys=keys, others=of_matches.others, **reading, progress=bar)
        alone = suda_of(table, asked, bar)
        risk = match_risk_of(table, of_matches, bar)
    shown = _render_uniques(alone.record, risk.record, as_json=as_json, as_csv=as_csv)
    documents = []  # all made before one is written
    if records is not None:
        documents.append((records, *unique_records(alone, risk, records)))
    if values is not None:
        documents.append((values, *values_of(alone, values)))
    with write_all_or_none() as written:
        written.extend(write_chart(chart, alone.record))
        for sentence in write_documents(documents):
            click.echo(f"unveil: {lines(sentence)}", err=True)
    print_output(shown)


def _render_uniques(alone: Suda, risk: MatchRisk, *, as_json: bool, as_csv: bool) -> Any:
    if as_json:
        document = {**alone.to_dict(), "match_risk": risk.to_dict()}
        return json_text(document)
    if as_csv:
        return csv_document([row.to_dict() for row in alone.contributions])
    return _screen(alone, risk)


def _screen(alone: Suda, risk: MatchRisk) -> Group:
    return Group(
        Text(),
        Text("Who is alone with their keys, and with how few of them", style="bold"),
        *(Text(sentence) for _, sentence in of_uniques.suda_sentences(alone)),
        Text(),
        *_key_table(alone),
        *_table(
            "With how few keys people are alone", of_uniques.SIZE_HEADS, of_uniques.size_rows(alone)
        ),
        Text("Who could be found by a match", style="bold"),
        *(Text(sentence) for _, sentence in of_risk.risk_sentences(risk)),
        Text(),
        *_table("Who breaks k-anonymity", of_risk.ANONYMITY_HEADS, of_risk.anonymity_rows(risk)),
        *_table(
            "How varied the sensitive value is",
            of_risk.DIVERSITY_HEADS,
            of_risk.diversity_rows(risk),
        ),
        *notes(risk.coercions),
    )


def _key_table(alone: Suda) -> Iterator[RenderableType]:
    rows = [of_uniques.key_cells(row) for row in of_uniques.contributions_in_order(alone)]
    yield from _table("Which keys make people unique", of_uniques.KEY_HEADS, rows, alone.keys)


def _table(
    title: str, heads: tuple[str, ...], rows: Any, names: tuple[str, ...] = ()
) -> Iterator[RenderableType]:
    """A table whose first column is what the row is about; nothing where there are no rows."""
    if not rows:
        return
    table: Table = new_table(title)
    table.add_column(heads[0], overflow="fold", min_width=longest_name(names))
    for head in heads[1:]:
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    yield Text()
