"""`unveil replicate`: do the published results still come out when computed on the copy?"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.cli.options import (
    by_column_option,
    file_option,
    missing_option,
    option,
    output_options,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.measure.utility.replicate import replicate as measure_replicate
from unveil.models.intervals import SYNTHESES
from unveil.records.replication import Replication
from unveil.view import replication as words
from unveil.view.charts.intervals import overlap
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, new_table
from unveil.view.output import check_both, print_table
from unveil.view.pages.replication import replication_page

LONGEST_LABEL = 32
SPARE = ("counts", "std. diff.", "difference")


@click.command(short_help="Whether published results still come out on the copy.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@file_option(
    "--findings -f list_file", "The results to replicate, each as [[finding]].", "FILE.toml"
)
@option("--level", "Of the confidence intervals.", type=float, default=0.95)
@option(
    "--synthesis", f"How the copies were made: {', '.join(SYNTHESES)}.", "KIND", default="simple"
)
@by_column_option(
    "--special-codes",
    "Numbers that stand for no answer: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@output_options
@file_option("--page", "Write a page to a file.", "FILE.html")
@file_option("--chart", "Write the picture: .svg, .png or .pdf.", "FILE")
def replicate(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    list_file: Path | None,
    as_json: bool,
    as_csv: bool,
    page: Path | None,
    chart: Path | None,
    **settings: Any,
) -> None:
    """Compute the results declared in FILE.toml on ORIGINAL and SYNTHETIC, and compare them.

    \b
    Example:
      unveil replicate original.csv synthetic.csv --findings results.toml --page findings.html
    """
    check_both(as_json=as_json, as_csv=as_csv)
    _check(original, synthetic, list_file, (page, chart))
    with progress_bar(Console(stderr=True)) as bar:
        result = measure_replicate(original, list(synthetic), list_file, **settings, progress=bar)
    record = result.record
    _write(record, page, chart)
    if as_json or as_csv or (page is None and chart is None):
        print_table(record, record.rows, lambda: _screen(record), as_json=as_json, as_csv=as_csv)


def _check(
    original: str | None,
    synthetic: Sequence[str],
    list_file: Path | None,
    out: tuple[Path | None, Path | None],
) -> None:
    """Refuse, before anything is read, what could not be done in the end."""
    if not original or not synthetic:
        raise ReadError(
            "Name the original file and at least one synthetic file: unveil replicate original.csv"
            " synthetic.csv --findings results.toml."
        )
    if list_file is None:
        raise SettingsError("Say which results are to be replicated: --findings results.toml.")
    check_targets({"--page": out[0], "--chart": out[1]})


def _write(record: Replication, page: Path | None, chart: Path | None) -> None:
    write_targets({page: lambda: replication_page(record), chart: lambda: overlap(record)})


def _screen(record: Replication) -> Group:
    said = [*words.sentences(record), *words.lost(record)]
    return Group(
        Text(),
        Text("Whether published results still come out on the copy", style="bold"),
        Text(words.sizes(record)),
        Text(),
        *(Padding(Text(sentence), (0, 0, 0, 1)) for sentence in said),
        Text(),
        *_tables(record),
        *notes(record.coercions),
    )


def _tables(record: Replication) -> Iterator[RenderableType]:
    for group in words.groups(record):
        yield _table(group)
        yield Text()


def _table(group: words.ResultTable) -> Table:
    def make_table(shown: Sequence[str]) -> Table:
        table = new_table(group.title)
        table.add_column(group.head, overflow="fold", max_width=LONGEST_LABEL)
        for head in shown:
            table.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
        for label, row in zip(group.labels, group.rows, strict=True):
            named = zip(group.heads, group.cells(row), strict=True)
            table.add_row(Text(label), *(Text(cell) for head, cell in named if head in shown))
        return table

    spare = [head for head in SPARE if head in group.heads]
    return fit_width(make_table, group.heads, spare, Console().width)
