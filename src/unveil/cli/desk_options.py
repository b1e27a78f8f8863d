"""Options that the commands of the desk share, and tables as all of them draw them."""

from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.cli.options import Command
from unveil.cli.tables import new_table


def project_option(command: Command) -> Command:
    """--project: where the project is."""
    return click.option(
        "--project",
        metavar="FOLDER",
        help="The project: its folder, or its file. Default: this folder.",
    )(command)


def by_option(command: Command) -> Command:
    """--by: who says so."""
    return click.option(
        "--by", metavar="NAME", help='Who says so: "Name, role". Kept with what is said.'
    )(command)


def json_option(command: Command) -> Command:
    """--json: one document on standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def drawn_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1
) -> Iterator[RenderableType]:
    """A table whose first columns are text and whose others are figures; nothing without rows."""
    if not rows:
        return
    table: Table = new_table(title)
    for place, head in enumerate(heads):
        is_text = place < left or place == len(heads) - 1
        table.add_column(head, overflow="fold", justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    yield Text()


def indented(lines: Any) -> Iterator[RenderableType]:
    """Lines below what they belong to."""
    for line in lines:
        yield Padding(Text(line), (0, 0, 0, 2))
