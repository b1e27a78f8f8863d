"""`unveil explore`: which synthesis setting discloses least for its utility?"""

from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    check_lacking,
    csv_option,
    file_option,
    json_option,
    key_and_target_options,
    missing_option,
    names_option,
    option,
    parse_amounts,
    parse_methods_by_name,
    parse_names,
    parse_numbers_by_column,
    parse_reasons,
    parse_two_numbers,
    parse_whole_numbers,
    person_option,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import progress_bar
from unveil.project.explore.explore import HEAD, ExplorationResult, flat
from unveil.project.explore.explore import explore as measure_settings
from unveil.project.explore.settings import METHODS, MIN_LEAF
from unveil.view.exploration import exploration_page, risk_utility
from unveil.view.format import lines
from unveil.view.output import print_record

INTERRUPTED = 130


@click.command()
@click.argument("original", required=False)
@key_and_target_options
@option(
    "--methods",
    f"Methods of synthesis: {', '.join(METHODS)}; none, to compare --files alone.",
    "NAMES",
    multiple=True,
    default=("cart,parametric",),
    parse=parse_names,
)
@option(
    "--min-leaf",
    "Trees: minimum number of records in a leaf.",
    "NUMBERS",
    default=",".join(map(str, MIN_LEAF)),
    parse=parse_whole_numbers,
)
@option(
    "--filter/--no-filter is_filtered",
    "Also try each setting with the distance filter on the keys.",
)
@option(
    "--noise add_noise",
    "Also try each setting with noise: income=100. May be repeated.",
    "COLUMN=SD",
    multiple=True,
    parse=parse_amounts,
)
@option(
    "--files",
    "Files made with other tools, under a name: synthpop=s1.csv,s2.csv. May be repeated.",
    "NAME=FILES",
    multiple=True,
    parse=parse_methods_by_name,
)
@option("--copies -m", "Number of copies of each setting.", type=int, default=3)
@option(
    "--control",
    "Share of people in the control sample, to measure R; 0 for no R.",
    "SHARE",
    type=float,
    default=0.2,
)
@option(
    "--recognition",
    "Also test membership of so many people, in so many worlds: 50,200.",
    "PEOPLE,WORLDS",
    parse=parse_two_numbers,
)
@option(
    "--risk", "Risk of the frontier: DiSCO, DiSCO_max, repU, R or AUC.", "MEASURE", default="DiSCO"
)
@option(
    "--utility", "Utility of the frontier: S_pMSE, S_pMSE_max or pMSE.", "MEASURE", default="S_pMSE"
)
@by_column_option("--bands", "Bands for the risk measures: age=5. May be repeated.", "COLUMN=BANDS")
@option(
    "--special-codes",
    "Numbers that stand for missing values: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
    multiple=True,
    parse=parse_numbers_by_column,
)
@names_option("--drop", "Columns to exclude, such as identifiers and free text.")
@option(
    "--real-values",
    "Use an identifier or free text, for a stated reason.",
    "COLUMN=REASON",
    multiple=True,
    parse=parse_reasons,
)
@person_option
@option(
    "--time", "With --person: the column by which a person's rows follow one another.", "COLUMN"
)
@missing_option
@option("--seed", "The same seed gives the same figures.", "N", type=int)
@file_option(
    "--folder", "CONFIDENTIAL: keep finished settings here, and continue from them.", "FOLDER"
)
@json_option
@csv_option("Print one row for each setting as CSV.")
@file_option("--page", "Write a self-contained page.", "FILE.html")
@file_option("--chart", "Write the map: .svg, .png or .pdf.", "FILE")
def explore(
    *,
    original: str | None,
    keys: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    page: Path | None,
    chart: Path | None,
    **asked: Any,
) -> None:
    """Synthesise ORIGINAL with several settings; measure the disclosure risk and utility of each.

    No synthetic data are written. With --folder the work can be stopped at any moment; the same
    command, or one with more settings, continues from there.

    \b
    Example:
      unveil explore survey.csv --keys sex,age,region --min-leaf 5,20,50 --folder tried
      unveil explore survey.csv -k sex,age,region -t income,health --methods cart,catall,ipf \\
        --filter --page map.html
      unveil explore survey.csv -k sex,age,region --files synthpop=s1.csv,s2.csv \\
        --files swapped=swapped.csv --chart map.svg
    """
    check_lacking("explore survey.csv", keys, original, names="the original file")
    check_targets({"--page": page, "--chart": chart})
    result = _explore(original, keys, asked)
    record = result.record
    write_targets({page: lambda: exploration_page(record), chart: lambda: risk_utility(record)})
    rows = [flat(row, record) for row in record.rows]
    print_record(record, rows=rows, as_json=as_json, as_csv=as_csv)


def _explore(
    original: str | None, keys: tuple[str, ...], asked: dict[str, Any]
) -> ExplorationResult:
    folder: Path | None = asked["folder"]
    settings = {
        **asked,
        "targets": asked["targets"] or None,
        "filter": asked.pop("is_filtered"),
        "files": asked["files"] or None,
        "bands": asked["bands"] or None,
    }
    if (tested := asked["recognition"]) is not None:
        settings["recognition"] = dict(zip(("people", "worlds"), map(int, tested), strict=True))
    settings.pop("is_filtered", None)
    try:
        with progress_bar() as bar:
            return measure_settings(original, keys=keys, **settings, progress=bar)
    except KeyboardInterrupt:
        if folder is None or not (folder / HEAD).exists():
            raise
        n_done = len(list(folder.glob("setting_*.json")))
        click.echo(
            f"unveil: Stopped. {n_done} {'setting is' if n_done == 1 else 'settings are'} kept in"
            f" {lines(str(folder))!r}; the same command continues from there.",
            err=True,
        )
        raise click.exceptions.Exit(INTERRUPTED) from None
