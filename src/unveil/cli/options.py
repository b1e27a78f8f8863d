"""Options that several commands share, and how their text is read."""

import csv
from collections.abc import Callable
from typing import Any

import click

from unveil.errors import RolesError

Command = Callable[..., Any]


class Names(click.ParamType[Any]):
    """Column names with commas between them; a name that holds a comma stands in double quotes."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split at the commas outside quotes."""
        if isinstance(value, tuple):
            return value
        names = tuple(part.strip() for part in _split(value))
        if not all(names):
            what = param.opts[0] if param else "the list"
            raise RolesError(
                f"{what} holds an empty name. Write the names with one comma between them, such as"
                f" {what} sex,age,region."
            )
        return names


def _split(text: str) -> list[str]:
    rows = list(csv.reader([text], skipinitialspace=True))
    return rows[0] if rows else [""]


def output_options(command: Command) -> Command:
    """--json and --csv: one document on standard output and nothing else."""
    command = click.option(
        "--csv", "as_csv", is_flag=True, help="Print one row per target and copy as CSV."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)
