"""`unveil utility`: how closely do analyses of the synthetic data agree with the original?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    engine_for,
    file_option,
    files_arguments,
    json_option,
    missing_option,
    names_option,
    option,
    parse_numbers_by_column,
    takes_engine,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import Report, progress_bar
from unveil.errors import ReadError, SettingsError, quote_text
from unveil.measure.utility.compare import compare
from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.projection import projection
from unveil.measure.utility.tstr import tstr
from unveil.measure.utility.utility import SAMPLE
from unveil.measure.utility.utility import utility as measure_model
from unveil.records.comparison import Cloud
from unveil.records.utility import PairTables, Projection
from unveil.study.open_scenario import open_in_engine
from unveil.study.study import Study, sides_of
from unveil.view.blocks import Heading
from unveil.view.charts.chart import Chart
from unveil.view.charts.grids import pair_map
from unveil.view.output import print_output
from unveil.view.pages.utility import (
    TITLE,
    UtilityFigures,
    tables_csv,
    utility_blocks,
    utility_document,
    utility_page,
)
from unveil.view.render_documents import json_text
from unveil.view.show import as_blocks

EXAMPLE = "unveil utility original.csv synthetic.csv"


def parse_ways(option: click.Parameter, given: str) -> tuple[int, ...]:
    """How many variables the tables have: some of 1, 2 and 3."""
    found = [part.strip() for part in given.split(",")]
    if not set(found) <= {"1", "2", "3"}:
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write some of 1, 2 and 3 with"
            " commas between them: 1,2."
        )
    return tuple(sorted({int(part) for part in found}))


def parse_interactions(option: click.Parameter, given: str | None) -> bool | int:
    """Interactions of the logistic model: how many variables a term joins at most."""
    if given is None:
        return False
    if not given.isdecimal():
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write the number of variables"
            " in a term: 2."
        )
    return int(given)


def parse_sample(option: click.Parameter, given: str) -> int | None:
    """How many records of the largest file a model compares; None for all."""
    if given == "all":
        return None
    if not given.isdecimal():
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write a number of records, or"
            " all."
        )
    return int(given)


@click.command()
@files_arguments
@names_option("--columns", "Columns to compare. Default: all that every file has.")
@names_option("--categories", "Numeric columns that are codes of categories.")
@option(
    "--model",
    "Model that separates the files: cart (a tree) or logit (logistic regression).",
    "MODEL",
    default="cart",
)
@option(
    "--interactions",
    "logit: maximum number of variables in a term. Default: 1.",
    "N",
    parse=parse_interactions,
)
@option(
    "--permutations",
    "cart: number of permutations of the labels.",
    "N",
    type=int,
    default=50,
)
@option(
    "--sample",
    "Maximum number of records the model compares, or all.",
    "N",
    default=str(SAMPLE),
    parse=parse_sample,
)
@option(
    "--special-codes --special",
    "Numbers that stand for missing values: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
    multiple=True,
    parse=parse_numbers_by_column,
)
@missing_option
@option(
    "--ways",
    "Number of variables in a table: 1,2,3.",
    "NUMBERS",
    default="2",
    parse=parse_ways,
)
@option(
    "--worst",
    "Number of worst tables to show in full.",
    "N",
    type=click.IntRange(min=0),
    default=5,
)
@option("--compare is_compared", "Show associations between columns too.", is_flag=True)
@option("--projection is_projected", "Show two principal components too.", is_flag=True)
@option("--tstr outcome", "Train on synthetic, test on real: this column.", "OUTCOME")
@option("--control", "For --tstr: the control sample.", "FILE")
@option("--seed", "The same seed gives the same figures.", "N", type=int)
@json_option
@file_option("--csv csv_file", "Write all tables with all measures.", "FILE.csv")
@file_option("--page", "Write a self-contained page.", "FILE.html")
@file_option("--chart", "Write the heat map of all pairs: .svg, .png or .pdf.", "FILE")
@takes_engine
def utility(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    as_json: bool,
    csv_file: Path | None,
    page: Path | None,
    chart: Path | None,
    worst: int,
    is_compared: bool,
    **asked: Any,
) -> None:
    """Compare SYNTHETIC with ORIGINAL: by a model, by tables and by column.

    \b
    Example:
      unveil utility original.csv synthetic.csv --special-codes income=-8
      unveil utility original.csv synthetic.csv --model logit --ways 1,2 --page utility.html
      unveil utility train.csv synthetic.csv --tstr income --control control.csv
    """
    if not original or not synthetic:
        raise ReadError(f"Name the original file and at least one synthetic file: {EXAMPLE}.")
    _check(asked, chart)
    check_targets({"--csv": csv_file, "--page": page, "--chart": chart})
    only_here = {"--page": page, "--chart": chart, "--compare": is_compared, "--csv": csv_file}
    only_here |= {"--projection": asked["is_projected"], "--tstr": asked["outcome"]}
    with progress_bar() as bar:
        asked |= {"worst": worst, "is_page": page is not None}
        missing, columns = asked["missing_values"], asked["columns"] or None
        n_columns = None if columns is None else len(columns)
        engine = engine_for([original, *synthetic], n_columns, only_here)
        if engine != "memory":
            sides = sides_of(list(synthetic), original=original)
            kept = open_in_engine(engine, sides, columns, missing, ()).study
            return _print_tables(_measure_tables(kept, asked, bar), as_json=as_json)
        study = Study.open(
            original, synthetic, asked["control"], missing_values=missing, progress=bar
        )
        found = _measure_utility(study, asked, bar)
    write_targets(
        {
            csv_file: lambda: tables_csv(found),
            page: lambda: utility_page(found),
            chart: lambda: _chart(found),
        }
    )
    shown = found if asked["is_projected"] else replace(found, projection=None)
    if as_json:
        print_output(utility_document(shown, has_associations=is_compared))
    else:
        blocks = utility_blocks(shown, has_associations=is_compared)
        print_output([Heading(TITLE), *blocks])


def _check(asked: dict[str, Any], chart: Path | None) -> None:
    if asked["control"] is not None and asked["outcome"] is None:
        raise SettingsError(
            "--control is for --tstr. Name the outcome to predict, or drop --control."
        )
    if chart is not None and 2 not in asked["ways"]:
        raise SettingsError("--chart draws all pairs of columns. Include 2 in --ways.")


def _reading(asked: dict[str, Any], bar: Report) -> dict[str, Any]:
    """How every measure reads the columns."""
    special_codes = asked["special_codes"] or None
    return {"special_codes": special_codes, "categories": asked["categories"], "progress": bar}


def _measure_tables(study: Study, asked: dict[str, Any], bar: Report) -> tuple[PairTables, ...]:
    """The tables of one, two and three variables, by what is asked for."""
    same = {**_reading(asked, bar), "columns": asked["columns"] or None}
    return tuple(
        pair_tables(study, ways=ways, n_worst=asked["worst"], **same).record
        for ways in asked["ways"]
    )


ONLY_TABLES = "Only the tables were compared: models and distributions need the records in memory."


def _print_tables(tables: Sequence[PairTables], *, as_json: bool) -> None:
    """The tables alone, as an engine counts them."""
    click.echo(f"unveil: {ONLY_TABLES}", err=True)
    if as_json:
        print_output(json_text({"tables": [one.to_dict() for one in tables]}))
    else:
        print_output([Heading(TITLE), *(block for one in tables for block in as_blocks(one))])


def _measure_utility(study: Study, asked: dict[str, Any], bar: Report) -> UtilityFigures:
    """Everything that is asked for, with the same columns read in the same way."""
    reading = _reading(asked, bar)
    same = {**reading, "columns": asked["columns"] or None}
    tables = _measure_tables(study, asked, bar)
    model = measure_model(
        study,
        model=asked["model"],
        interactions=asked["interactions"],
        n_permutations=asked["permutations"],
        seed=asked["seed"],
        sample=asked["sample"],
        **same,
    )
    trial = None
    if asked["outcome"] is not None:
        trial = tstr(
            study,
            outcome=asked["outcome"],
            seed=asked["seed"],
            **reading,
        ).record
    return UtilityFigures(
        model.record,
        tables,
        compare(study, **same).record,
        _measure_projection(study, asked, same),
        trial,
    )


def _measure_projection(
    study: Study, asked: dict[str, Any], same: dict[str, Any]
) -> tuple[Projection, Cloud] | None:
    """The main axes, where they are asked for; on a page, where there are any."""
    if not asked["is_projected"] and not asked["is_page"]:
        return None
    try:
        axes = projection(study, **same)
    except SettingsError:
        if asked["is_projected"]:
            raise
        return None
    return axes.record, axes.cloud()


def _chart(found: UtilityFigures) -> Chart:
    assert found.pairs is not None
    return pair_map(found.pairs)
