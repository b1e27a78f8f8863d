"""How anything gets onto standard output: a picture on a terminal, plain lines elsewhere."""

from collections.abc import Callable, Sequence
from typing import Any

import click
from rich.console import Console, RenderableType

from unveil.errors import WriteError
from unveil.records.base import Record
from unveil.view.render_documents import csv_document, json_document
from unveil.view.render_rich import render_rich
from unveil.view.show import as_blocks


def print_table(
    record: Record,
    rows: Sequence[Record],
    screen: Callable[[], RenderableType] | None = None,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print a record of rows in the form asked for; on a screen its blocks, if nothing else."""
    screen = screen or (lambda: render_rich(as_blocks(record)))
    if as_json:
        print_output(json_document(record))
    else:
        print_output(csv_document([row.flat() for row in rows]) if as_csv else screen())


def print_output(shown: Any, console: Console | None = None) -> None:
    """Print a document (text) or something to look at; a full disk is a sentence."""
    console = console or Console()
    try:
        if isinstance(shown, str):
            click.echo(shown)
        elif console.is_terminal:
            console.print(shown)
        else:
            click.echo(_plain(shown, console))
    except BrokenPipeError:
        raise
    except OSError:
        raise WriteError(
            "The output could not be written. Check the disk, or where the output is sent to."
        ) from None


def _plain(shown: RenderableType, console: Console) -> str:
    with console.capture() as printed:
        console.print(shown)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())
