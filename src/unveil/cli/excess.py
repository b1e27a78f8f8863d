"""`unveil excess`: are people given away because their own record was used?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from unveil.cli.options import (
    exclude_option,
    key_and_target_options,
    output_options,
    person_option,
    reading_options,
    words_option,
)
from unveil.cli.output_files import chart_option, write_chart
from unveil.cli.progress import progress_bar
from unveil.measure.disclosure.excess import MEASURES
from unveil.measure.disclosure.excess import excess as measure_excess
from unveil.records.disclosure import Excess
from unveil.view import flags
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import longest_name, new_table
from unveil.view.format import truncate
from unveil.view.output import check_both, check_lacking, print_table


@click.command(short_help="Whether people are given away because their own record was used.")
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
@chart_option
@words_option
@output_options
def excess(
    *,
    train: str | None,
    control: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    chart: Path | None,
    words: int,
    as_json: bool,
    as_csv: bool,
    **settings: Any,
) -> None:
    """Compare what SYNTHETIC gives away about TRAIN, which it was made from, and about CONTROL.

    CONTROL holds people of the same kind whose records were not used. What the copy gives away
    about them is general knowledge; R says how much more it gives away about the others.

    \b
    Example:
      unveil excess train.csv control.csv synthetic.csv --keys sex,age,region
      unveil excess train.csv control.csv synthetic.csv -k sex,age -t job --exclude job=NONE
    """
    check_both(as_json=as_json, as_csv=as_csv)
    check_lacking(
        (train, control, synthetic),
        keys,
        "the train file, the control file and at least one synthetic file",
        "excess train.csv control.csv synthetic.csv",
    )
    with progress_bar(Console(stderr=True)) as bar:
        result = measure_excess(
            train,
            control,
            list(synthetic),
            keys=keys,
            targets=targets or None,
            **settings,
            progress=bar,
        )
    record = result.record
    write_chart(chart, record)
    print_table(record, record.rows, lambda: _screen(record, words), as_json=as_json, as_csv=as_csv)


def _screen(record: Excess, words: int) -> Group:
    return Group(
        Text(),
        Text("Are people given away because their own record was used?", style="bold"),
        Text(flags.excess_sizes(record)),
        Text(),
        _figures(record),
        Text(),
        *_render_sentences(record, words),
        *notes(record.coercions),
    )


def _figures(record: Excess) -> Table:
    table = new_table("Train against control")
    table.add_column("target", overflow="fold", min_width=longest_name(record.targets))
    table.add_column("measure", no_wrap=True)
    for head in flags.EXCESS_HEADS[: None if record.exclude else 3]:
        table.add_column(head, justify="right", max_width=8)
    for row in flags.headline_excess(record):
        cells = flags.excess_cells(record, row)
        table.add_row(Text(truncate(row.target)), Text(row.measure, "dim"), *map(Text, cells))
    return table


def _render_sentences(record: Excess, most: int) -> Iterator[RenderableType]:
    """The rows with the largest R in words."""
    rows = sorted(flags.headline_excess(record), key=lambda row: -(row.R or 0))
    if not most:
        return
    table = new_table("In words, the largest R first")
    table.show_header = False
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for row in rows[:most]:
        sentence = flags.excess_sentence(record, row)
        table.add_row(Text(truncate(row.target)), Text(row.measure, "dim"), Text(sentence))
    yield table
    yield Text()
    if len(rows) > most:
        yield Text(f"In words for {len(rows) - most} more: --words {len(rows)}", style="dim")
        yield Text()
