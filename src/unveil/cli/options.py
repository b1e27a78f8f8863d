"""Options that several commands share, and how their text is read."""

import re
from collections.abc import Callable
from typing import Any

import click

from unveil.errors import RolesError

Command = Callable[..., Any]

_NAME = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^",]*?))\s*(?P<comma>,|\Z)')


def column_names(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Column names with commas between them; a name that holds a comma stands in double quotes."""
    what = option.opts[0]
    names = tuple(name for text in given for name in _split(text, what))
    if not all(names):
        raise RolesError(
            f"{what} holds an empty name. Write the names with one comma between them, such as"
            f" {what} sex,age,region."
        )
    return names


def _split(text: str, what: str) -> tuple[str, ...]:
    names, place, is_more = [], 0, True
    while is_more:
        found = _NAME.match(text, place)
        if found is None:
            raise RolesError(
                f"{what} cannot be read: a name in double quotes must end with one, before a comma."
            )
        quoted = found["quoted"]
        names.append(found["plain"] if quoted is None else quoted.replace('""', '"'))
        place, is_more = found.end(), found["comma"] == ","
    return tuple(names)


def output_options(command: Command) -> Command:
    """--json and --csv: one document on standard output and nothing else."""
    command = click.option(
        "--csv", "as_csv", is_flag=True, help="Print one row per target and copy as CSV."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)
