"""`--chart`: the picture of what a command found, in a file only its owner may read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from unveil.cli.confidential_files import refuse_targets, write_targets
from unveil.errors import SettingsError
from unveil.records.base import Record
from unveil.records.view import charts

Command = Callable[..., Any]
EXAMPLE = "--chart picture.svg"


def chart_option(command: Command) -> Command:
    """--chart: refused before anything is read where it could not be written."""
    return click.option(
        "--chart",
        type=click.Path(path_type=Path),
        metavar="FILE.svg",
        callback=_fit_to_write,
        help="Write the picture.",
    )(command)


def _fit_to_write(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    if path is not None and path.suffix.lower() != ".svg":
        raise SettingsError(f"--chart is written as SVG. Name a file that ends in .svg: {EXAMPLE}.")
    refuse_targets({option.opts[0]: path})
    return path


def write_chart(path: Path | None, record: Record) -> list[Path]:
    """Draw the first chart of a record, write it where it was asked for, and say where that is."""
    if path is None:
        return []
    draw = next(iter(charts(record).values()))
    write_targets({path: lambda: draw(record).svg()})
    return [path]
