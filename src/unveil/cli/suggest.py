"""`unveil suggest`: which role might each column have, and what would an intruder know?"""

import sys
from typing import Any

import click

from unveil.cli.options import by_column_option, json_option, keys_option, missing_option, option
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.measure.roles.suggest import suggest as suggest_roles
from unveil.view.output import print_output, print_record
from unveil.view.suggestion_toml import escape_letter


@click.command()
@click.argument("file", required=False)
@keys_option
@by_column_option(
    "--special-codes",
    "Codes that stand for missing values: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@option("--toml as_toml", "Print the result as tables of a project file.", is_flag=True)
@json_option
def suggest(
    *, file: str | None, keys: tuple[str, ...], as_toml: bool, as_json: bool, **reading: Any
) -> None:
    """Propose a role for every column of FILE, with reasons, and what an intruder may know.

    Names and labels are compared with a list of words in nine languages, and people who would be
    unique are counted. Nothing is changed, and nothing leaves this machine.

    \b
    Example:
      unveil suggest survey.sav
      unveil suggest survey.csv --missing NA --toml > roles.toml
    """
    if as_toml and as_json:
        raise SettingsError("--toml and --json cannot be printed together. Choose one.")
    if not file:
        raise ReadError("Name the file: unveil suggest survey.csv.")
    with progress_bar() as bar:
        result = suggest_roles(file, keys=keys or None, **reading, progress=bar)
    if as_toml:
        print_output(
            escape_for_console(result.to_toml().rstrip("\n"), sys.stdout.encoding or "utf-8")
        )
    else:
        print_record(result.record, as_json=as_json)


def escape_for_console(toml: str, encoding: str) -> str:
    """The same tables for a console that lacks some letters: as TOML escapes them."""
    try:
        toml.encode(encoding)
    except UnicodeEncodeError:
        return "".join(letter if letter.isascii() else escape_letter(letter) for letter in toml)
    return toml
