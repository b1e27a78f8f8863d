"""How anything gets onto standard output: a picture on a terminal, plain lines elsewhere."""

from typing import Any

import click
from rich.console import Console, RenderableType

from unveil.errors import SettingsError, WriteError


def refuse_both(*, as_json: bool, as_csv: bool) -> None:
    """One document at a time."""
    if as_json and as_csv:
        raise SettingsError("--json and --csv cannot be printed together. Choose one.")


def put_out(shown: Any, console: Console) -> None:
    """Print a document (text) or something to look at; a full disk is a sentence."""
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
