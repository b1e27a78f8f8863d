"""`unveil exclusion-table`: what do the usual exclusions leave, side by side?"""

from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from unveil.cli.options import (
    key_and_target_options,
    option,
    output_options,
    parse_two_numbers,
    reading_options,
)
from unveil.cli.output_files import chart_option, write_chart
from unveil.cli.progress import progress_bar
from unveil.measure.disclosure.exclusion_table import ORIGINAL_SIDE
from unveil.measure.disclosure.exclusion_table import exclusion_table as measure_table
from unveil.records.disclosure import ExclusionTable, ExclusionTableRow
from unveil.view import flags
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fits, longest_name, new_table
from unveil.view.format import percent_figure, truncate
from unveil.view.output import check_both, check_lacking, print_table


@click.command("exclusion-table", short_help="What the usual exclusions leave, side by side.")
@click.argument("original", required=False)
@click.argument("synthetic", nargs=-1)
@key_and_target_options
@option(
    "--level levels",
    "A level that is common knowledge. Default: those that one-way checks flag.",
    "TARGET=LEVEL",
    multiple=True,
)
@option("--measure -m", f"What to table: {', '.join(ORIGINAL_SIDE)}.", "MEASURE", default="DiSCO")
@option(
    "--max-denominator",
    "The limit of the last two columns, on the original's counts.",
    "N",
    default="1",
)
@option(
    "--one-way",
    "When a level is flagged: above so many findings and percent of them. Default: 50,90.",
    "50,90",
    callback=parse_two_numbers,
)
@reading_options
@chart_option
@output_options
def exclusion_table(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    levels: tuple[str, ...],
    one_way: tuple[float, float] | None,
    chart: Path | None,
    as_json: bool,
    as_csv: bool,
    **settings: Any,
) -> None:
    """Measure SYNTHETIC against ORIGINAL under five sets of exclusions (Raab 2024, Table 2).

    No exclusions; levels that are common knowledge; these and missing values; these and cells of
    at most one person; cells of at most one person alone.

    \b
    Example:
      unveil exclusion-table survey.csv synthetic.csv --keys sex,age,region
    """
    check_both(as_json=as_json, as_csv=as_csv)
    check_lacking(
        (original, synthetic),
        keys,
        "the original file and at least one synthetic file",
        "exclusion-table survey.csv synthetic.csv",
    )
    if one_way is not None:
        settings["one_way"] = one_way
    with progress_bar(Console(stderr=True)) as bar:
        record = measure_table(
            original,
            list(synthetic),
            keys=keys,
            targets=targets or None,
            levels=levels or None,
            **settings,
            progress=bar,
        ).record
    write_chart(chart, record)
    width = Console().width
    print_table(record, record.rows, lambda: _screen(record, width), as_json=as_json, as_csv=as_csv)


def _screen(record: ExclusionTable, width: int) -> Group:
    across = _across(record)
    columns = new_table("Columns")
    columns.show_header = False
    columns.add_column(justify="right")
    columns.add_column(ratio=1, overflow="fold")
    columns.add_column(ratio=1, overflow="fold")
    for column in record.columns:
        left_out = "; ".join(truncate(text) for text in column.exclude) or "-"
        columns.add_row(Text(str(column.column)), Text(column.title), Text(left_out))
    return Group(
        Text(),
        Text("What is left when common knowledge is left out", style="bold"),
        *map(Text, flags.table_sentences(record)),
        Text(),
        across if fits(across, width) else _down(record),
        Text(),
        columns,
        Text(),
        *notes(record.coercions),
    )


def _across(record: ExclusionTable) -> Table:
    """A row for each target, as in the paper."""
    table = new_table("What the usual exclusions leave")
    table.add_column("target", min_width=longest_name(record.targets), overflow="fold")
    for column in record.columns:
        for side in ("orig", "syn"):
            table.add_column(f"{column.column}\n{side}", justify="right", no_wrap=True)
    for target in record.targets:
        cells = [cell for row in flags.cells_of(record, target) for cell in _cells(row)]
        table.add_row(Text(truncate(target)), *cells)
    return table


def _down(record: ExclusionTable) -> Table:
    """A row for each target and column, where there is no room for all columns side by side."""
    table = new_table("What the usual exclusions leave")
    table.add_column("target", min_width=8, overflow="fold")
    for head in ("column", "orig", "syn"):
        table.add_column(head, justify="right", no_wrap=True)
    for target in record.targets:
        for row in flags.cells_of(record, target):
            shown = truncate(target) if row.column == 0 else ""
            table.add_row(Text(shown), Text(str(row.column)), *_cells(row))
    return table


def _cells(row: ExclusionTableRow) -> tuple[Text, Text]:
    return Text(percent_figure(row.original), "dim"), Text(percent_figure(row.synthetic), "bold")
