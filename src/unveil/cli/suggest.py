"""`unveil suggest`: which role might each column have, and what would an intruder know?"""

from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from unveil.cli.options import (
    by_column_option,
    json_option,
    keys_option,
    missing_option,
    option,
)
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.measure.roles.suggest import suggest as suggested
from unveil.records.suggestion import Suggestion
from unveil.view import suggestion as shown
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import longest_name, new_table
from unveil.view.output import print_output
from unveil.view.render_documents import json_document
from unveil.view.suggestion_toml import escape_letter


@click.command(short_help="Which columns may be keys, targets or identifiers, and why.")
@click.argument("file", required=False)
@keys_option
@by_column_option(
    "--special-codes",
    "Codes that stand for no answer: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@option("--toml as_toml", "Print the tables of a project file.", is_flag=True)
@json_option
def suggest(
    *, file: str | None, keys: tuple[str, ...], as_toml: bool, as_json: bool, **reading: Any
) -> None:
    """Propose a role for every column of FILE, with reasons, and what an intruder may know.

    Names and labels are looked up in a list of words of nine languages, and people who would be
    unique are counted. Nothing is changed and nothing is sent anywhere.

    \b
    Example:
      unveil suggest survey.sav
      unveil suggest survey.csv --missing NA --toml > roles.toml
    """
    if as_toml and as_json:
        raise SettingsError("--toml and --json cannot be printed together. Choose one.")
    if not file:
        raise ReadError("Name the file: unveil suggest survey.csv.")
    with progress_bar(Console(stderr=True)) as bar:
        result = suggested(file, keys=keys or None, **reading, progress=bar)
    if as_toml:
        console = Console()
        print_output(encodable(result.to_toml().rstrip("\n"), console.encoding), console)
    elif as_json:
        print_output(json_document(result.record))
    else:
        print_output(Group(*_screen(result.record)))


def encodable(toml: str, encoding: str) -> str:
    """The same tables for a console that lacks some letters: as TOML escapes them."""
    try:
        toml.encode(encoding)
    except UnicodeEncodeError:
        return "".join(letter if letter.isascii() else escape_letter(letter) for letter in toml)
    return toml


def _screen(record: Suggestion) -> Iterator[RenderableType]:
    yield Text()
    yield Text("What each column may be, and what an intruder may know", style="bold")
    if (line := shown.key_line(record)) is not None:
        yield Text(line, style="bold")
    for sentence in shown.sentences(record):
        yield Text(sentence)
    yield Text()
    if record.steps:
        yield _steps(record)
        yield Text()
    yield _roles(record)
    yield Text()
    yield from notes(record.coercions)


def _steps(record: Suggestion) -> RenderableType:
    table = new_table("Unique people, key by key")
    table.add_column(shown.STEP_HEADS[0], overflow="fold", min_width=longest_name(record.keys))
    for head in shown.STEP_HEADS[1:]:
        table.add_column(head, justify="right", no_wrap=True)
    for row in shown.step_rows(record):
        table.add_row(*map(Text, row))
    return table


def _roles(record: Suggestion) -> RenderableType:
    table = new_table("Proposed roles")
    names = [row.column for row in record.rows]
    for head in shown.ROLE_HEADS:
        is_name = head == shown.ROLE_HEADS[0]
        table.add_column(
            head,
            overflow="fold",
            min_width=longest_name(names) if is_name else None,
            ratio=1 if head == shown.ROLE_HEADS[-1] else None,
        )
    for row in shown.rows_in_order(record):
        table.add_row(*map(Text, shown.role_cells(row)))
    return table
