"""`unveil gtcap`: what does a copy give away about people who stand out, numbers included?"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.cli.options import (
    by_column_option,
    json_option,
    keys_option,
    option,
    reading_options,
    target_option,
)
from unveil.cli.output_files import chart_option, write_chart
from unveil.cli.progress import progress_bar
from unveil.errors import RolesError
from unveil.measure.cap.gtcap import gtcap as measure_gtcap
from unveil.measure.cap.gtcap_settings import COEFFICIENTS, UNIQUE_RULES
from unveil.records.cap import Gtcap
from unveil.view import gtcap as words
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, new_table
from unveil.view.render_rich import check_both, check_lacking, print_table

BAR = 40


@click.command(short_help="What is given away about people who stand out, numbers included.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@keys_option
@target_option
@by_column_option(
    "--radius -r radii",
    "Compare numbers by distance: age=5. Other columns must be the same. May be repeated.",
    "COLUMN=RADIUS",
)
@option(
    "--unique-rule",
    f"Who is a statistical unique: {', '.join(UNIQUE_RULES)}.",
    "RULE",
    default="all_keys",
)
@option(
    "--coefficient",
    f"How near on several numbers at once: {', '.join(COEFFICIENTS)}.",
    "KIND",
    default="mean",
)
@reading_options
@chart_option
@option("--csv as_csv", "Print one row per copy as CSV.", is_flag=True)
@json_option
def gtcap(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    target: tuple[str, ...],
    chart: Path | None,
    as_json: bool,
    as_csv: bool,
    **settings: Any,
) -> None:
    """Score what SYNTHETIC gives away about the statistical uniques of ORIGINAL (GTCAP).

    0 is a guess by frequencies, 1 what the original itself gives away. Numbers count by how near
    they are, within the radius that you give for them.

    \b
    Example:
      unveil gtcap original.csv synthetic.csv --keys sex,age,job --target ill --radius age=5
    """
    check_both(as_json=as_json, as_csv=as_csv)
    check_lacking(
        (original, synthetic),
        keys,
        "the original file and at least one synthetic file",
        "gtcap original.csv synthetic.csv",
    )
    if not target:
        raise RolesError("Say what an intruder would learn about a person: --target ill.")
    with progress_bar(Console(stderr=True)) as bar:
        result = measure_gtcap(
            original, list(synthetic), keys=keys, target=target, **settings, progress=bar
        )
    record = result.record
    write_chart(chart, record)
    print_table(record, record.copies, lambda: _screen(record), as_json=as_json, as_csv=as_csv)


def _screen(record: Gtcap) -> Group:
    return Group(
        Text(),
        Text("What the copy gives away about people who stand out (GTCAP)", style="bold"),
        Text(words.sizes(record)),
        Text(),
        *(Padding(Text(sentence), (0, 0, 0, 1)) for sentence in words.sentences(record)),
        Text(),
        *_figures(record),
        *notes(record.coercions),
    )


def _figures(record: Gtcap) -> Iterator[RenderableType]:
    if not record.n_unique:
        return
    yield _render_copies(record)
    yield Text()
    if record.mean is not None:
        yield _histogram(record)
        yield Text()


def _render_copies(record: Gtcap) -> Table:
    def make_table(shown: Sequence[str]) -> Table:
        table = new_table("Over all statistical uniques")
        for head in shown:
            justify: Literal["left", "right"] = "left" if head == "copy" else "right"
            table.add_column(head.replace(" ", "\n"), justify=justify, no_wrap=True)
        for row in record.copies:
            cells = zip(words.HEADS, words.cells(row), strict=True)
            table.add_row(*(Text(cell) for head, cell in cells if head in shown))
        return table

    return fit_width(make_table, words.HEADS, words.HEADS[3:], Console().width)


def _histogram(record: Gtcap) -> Table:
    """How many statistical uniques have which score."""
    table = new_table("Normalised scores: 0 is guessing, 1 is the original")
    table.show_header = False
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    most = max(row.n for row in record.histogram)
    for row in record.histogram:
        bar = "█" * -(-row.n * BAR // most)
        table.add_row(Text(words.ends(row)), Text(f"{row.n:,}"), Text(bar))
    return table
