"""How anything gets onto standard output: a picture on a terminal, plain lines elsewhere."""

import os
import sys
from collections.abc import Iterable
from typing import Any

import click

from unveil.errors import WriteError
from unveil.records.base import Record
from unveil.view.blocks import Block
from unveil.view.render_documents import csv_document, json_document
from unveil.view.render_rich import Drawn, print_rich, render_rich
from unveil.view.show import as_blocks


def print_record(
    record: Record,
    blocks: Iterable[Block] | None = None,
    *,
    rows: Iterable[Record | dict[str, Any]] = (),
    as_json: bool,
    as_csv: bool = False,
) -> None:
    """Print a record in the form asked for; on a screen its blocks, if nothing else."""
    if as_json:
        print_output(json_document(record))
    elif as_csv:
        print_output(csv_document([one.flat() if isinstance(one, Record) else one for one in rows]))
    else:
        print_output(as_blocks(record) if blocks is None else blocks)


def print_output(shown: str | Drawn | Iterable[Block]) -> None:
    """Print a document (text) or blocks to look at; a full disk is a sentence.

    A reader who has seen enough changes neither what is done nor the exit code.

    A command that writes files draws its blocks before it does: where it cannot, no file is left.
    """
    drawn = shown if isinstance(shown, str | Drawn) else render_rich(shown)
    try:
        text = drawn if isinstance(drawn, str) else print_rich(drawn)
        if text is not None:
            click.echo(text)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the program ends
    except OSError:
        raise WriteError(
            "The output could not be written. Check the disk, or where the output is sent to."
        ) from None
