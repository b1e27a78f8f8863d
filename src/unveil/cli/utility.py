"""`unveil utility`: how much of the original's story does the copy still tell?"""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from unveil.cli.options import (
    file_option,
    json_option,
    missing_option,
    names_option,
    option,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import Report, progress_bar
from unveil.cli.synthesise import numbers_by_column
from unveil.errors import ReadError, SettingsError, quote_text
from unveil.measure.utility.compare import compare
from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.projection import projection
from unveil.measure.utility.tstr import tstr
from unveil.measure.utility.utility import SAMPLE
from unveil.measure.utility.utility import utility as told_apart
from unveil.records.comparison import Cloud
from unveil.records.utility import Projection
from unveil.study.study import Study
from unveil.view.charts.chart import Chart
from unveil.view.charts.grids import pair_map
from unveil.view.output import print_output
from unveil.view.pages.utility import UtilityFigures, utility_page
from unveil.view.utility_screen import document, screen, table_lines

EXAMPLE = "unveil utility original.csv synthetic.csv"


def parse_ways(context: click.Context, option: click.Parameter, given: str) -> tuple[int, ...]:
    """How many variables the tables have: some of 1, 2 and 3."""
    found = [part.strip() for part in given.split(",")]
    if not set(found) <= {"1", "2", "3"}:
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write some of 1, 2 and 3 "
            "with commas"
            " between them: 1,2."
        )
    return tuple(sorted({int(part) for part in found}))


def parse_interactions(
    context: click.Context, option: click.Parameter, given: str | None
) -> bool | int:
    """Interactions of the logistic model: how many variables a term joins at most."""
    if given is None:
        return False
    if not given.isdecimal():
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write how many variables a "
            "term may"
            " join: 2."
        )
    return int(given)


def parse_sample(context: click.Context, option: click.Parameter, given: str) -> int | None:
    """How many records of the largest file a model compares; None for all."""
    if given == "all":
        return None
    if not given.isdecimal():
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write a number of records, or"
            " all."
        )
    return int(given)


@click.command(short_help="How much of the original's story a copy still tells.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@names_option("--columns", "The columns to compare. Default: all that every file has.")
@names_option("--categories", "Columns of numbers that are only names.")
@option(
    "--model",
    "What tells the files apart: cart (a tree) or logit (a logistic model).",
    "MODEL",
    default="cart",
)
@option(
    "--interactions",
    "Of logit: how many variables a term may join. Default: 1.",
    "N",
    callback=parse_interactions,
)
@option(
    "--permutations",
    "Of cart: how many permuted labels show what chance does.",
    "N",
    type=int,
    default=50,
)
@option(
    "--sample",
    "How many records of the largest file the model compares, or all.",
    "N",
    default=str(SAMPLE),
    callback=parse_sample,
)
@option(
    "--special-codes --special",
    "Numbers that stand for no answer: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
    multiple=True,
    callback=numbers_by_column,
)
@missing_option
@option(
    "--ways",
    "Tables of so many variables are compared: 1,2,3.",
    "NUMBERS",
    default="2",
    callback=parse_ways,
)
@option(
    "--worst",
    "Of how many of the worst tables to show the cells.",
    "N",
    type=click.IntRange(min=0),
    default=5,
)
@option("--compare is_compared", "Show also what goes together.", is_flag=True)
@option("--projection is_projected", "Show also the two main axes.", is_flag=True)
@option("--tstr outcome", "Train on synthetic, test on real: this column.", "OUTCOME")
@option("--control", "For --tstr: people who were not used.", "FILE")
@option("--seed", "The same seed gives the same figures.", "N", type=int)
@json_option
@file_option("--csv csv_file", "Write every table with all its measures to a file.", "FILE.csv")
@file_option("--page", "Write a page to a file.", "FILE.html")
@file_option("--chart", "Write the heat map of all pairs: .svg, .png or .pdf.", "FILE")
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
    """Measure how near the SYNTHETIC copies come to ORIGINAL: by a model, by tables, by column.

    \b
    Example:
      unveil utility original.csv synthetic.csv --special-codes income=-8
      unveil utility original.csv synthetic.csv --model logit --ways 1,2 --page utility.html
      unveil utility train.csv synthetic.csv --tstr income --control control.csv
    """
    if not original or not synthetic:
        raise ReadError(f"Name the original file and at least one synthetic file: {EXAMPLE}.")
    _check(asked, chart)
    is_projected = asked["is_projected"]
    check_targets({"--csv": csv_file, "--page": page, "--chart": chart})
    with progress_bar(Console(stderr=True)) as bar:
        asked |= {"worst": worst, "is_page": page is not None}
        missing = asked["missing_values"]
        study = Study.open(
            original, synthetic, asked["control"], missing_values=missing, progress=bar
        )
        found = _measure_utility(study, asked, bar)
    write_targets(
        {
            csv_file: lambda: table_lines(found),
            page: lambda: utility_page(found),
            chart: lambda: _chart(found),
        }
    )
    console = Console()
    parts = {"is_compared": is_compared, "is_projected": is_projected}
    print_output(
        document(found, **parts) if as_json else screen(found, console.width, **parts), console
    )


def _check(asked: dict[str, Any], chart: Path | None) -> None:
    if asked["control"] is not None and asked["outcome"] is None:
        raise SettingsError(
            "--control is for --tstr. Name the outcome to predict, or leave it out."
        )
    if chart is not None and 2 not in asked["ways"]:
        raise SettingsError("--chart draws all pairs of columns: let --ways have a 2.")


def _measure_utility(study: Study, asked: dict[str, Any], bar: Report) -> UtilityFigures:
    """Everything that is asked for, each with the same columns read in the same way."""
    reading: dict[str, Any] = {
        "special_codes": asked["special_codes"] or None,
        "categories": asked["categories"],
        "progress": bar,
    }
    same = {**reading, "columns": asked["columns"] or None}
    by_ways = tuple(
        pair_tables(study, ways=ways, n_worst=asked["worst"], **same) for ways in asked["ways"]
    )
    apart = told_apart(
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
        apart.record,
        tuple(one.record for one in by_ways),
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
