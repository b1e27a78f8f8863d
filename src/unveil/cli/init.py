"""`unveil init`: a project file for a data set, with everything in it proposed and explained."""

import shlex
from collections.abc import Iterator
from typing import Any, get_args

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from unveil.cli.options import (
    by_column_option,
    json_option,
    keys_option,
    missing_option,
    names_option,
    option,
)
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, list_names
from unveil.project.proposals import TEMPLATES
from unveil.project.propose import write_project
from unveil.records.judgement import Audience
from unveil.records.suggestion import ProjectProposal, ProposedScenario
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import longest_name, new_table
from unveil.view.format import and_list, people, truncate, visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_document

EXAMPLE = "unveil init survey.sav"
_NO_KEYS = (
    "No column speaks of what others know, so no keys are proposed. Name them in the file, or begin"
    " again with --keys."
)
_ROLES = (
    ("key", "may be known"),
    ("target", "may be learnt"),
    ("identifier", "points at people: drop it"),
    ("person", "says whose row it is: drop it"),
    ("weight", "says how many people a record stands for"),
    ("ignore", "left aside"),
)


@click.command(short_help="Begin a project: roles, scenarios and limits, proposed with reasons.")
@click.argument("data", required=False)
@option("--folder", "Where the project goes. Default: here.", "FOLDER")
@option("--synthetic", "A copy. May be repeated.", "FILE", multiple=True)
@option("--control", "People who were not used to make the copies.", "FILE")
@keys_option
@option(
    "--audience",
    "Who will get the copy.",
    type=click.Choice(get_args(Audience)),
    default="registered",
)
@names_option(
    "--template templates", f"Which intruders: {', '.join(TEMPLATES)}. Default: neighbour."
)
@names_option("--owner", "Columns of one data owner, for the template co-owner: income,tax.")
@option("--title", "What the project is called.", "TEXT")
@option("--by", 'Who runs it: "Name, role".', "NAME")
@by_column_option(
    "--special-codes",
    "Codes that stand for no answer: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@json_option
def init(
    *,
    data: str | None,
    folder: str | None,
    keys: tuple[str, ...],
    templates: tuple[str, ...],
    as_json: bool,
    **settings: Any,
) -> None:
    """Write a project.toml for DATA: who may know what, which limits hold, why.

    Nothing is asked, and nothing is decided: the file says what is proposed and for what reason.
    A project.toml that is there is never written over.

    \b
    Example:
      unveil init survey.sav
      unveil init survey.csv --synthetic copy.csv --audience open --template neighbour,colleague
    """
    if not data:
        raise ReadError(f"Name the file of the original: {EXAMPLE}.")
    with progress_bar(Console(stderr=True)) as bar:
        _, record = write_project(
            data,
            folder,
            keys=keys or None,
            templates=templates or ("neighbour",),
            **settings,
            progress=bar,
        )
    if as_json:
        print_output(json_document(record))
    else:
        n_copies = len(settings["synthetic"])
        print_output(Group(*_screen(record, folder, n_copies=n_copies)))


def _screen(
    record: ProjectProposal, folder: str | None, *, n_copies: int
) -> Iterator[RenderableType]:
    yield Text()
    yield Text(f"A project for {truncate(record.roles.files[0])}: {_whom(record)}", style="bold")
    yield Text(
        f"{visible(record.file or '')} is written. All in it is proposed, with reasons: change what"
        " does not fit your setting."
    )
    yield Text()
    yield _roles(record)
    yield Text()
    for scenario in record.scenarios:
        yield from _scenario(record, scenario)
    yield from _besides(record)
    yield Text()
    yield from notes(record.roles.coercions)
    yield Text("Next", style="bold")
    yield Text("1. Read the file; change keys, targets and audience where they do not fit.")
    for place, (command, what) in enumerate(_next(folder, n_copies=n_copies), start=2):
        yield Text(f"{place}. {what}")
        yield Text(f"   {command}", no_wrap=True, overflow="ignore")


def _roles(record: ProjectProposal) -> RenderableType:
    table = new_table("Proposed roles")
    table.add_column("role", no_wrap=True)
    table.add_column("", min_width=longest_name(["left aside"]))
    table.add_column("columns", overflow="fold", ratio=1)
    for role, what in _ROLES:
        found = record.roles.list_columns(role)  # type: ignore[arg-type]
        if found:
            table.add_row(role, what, Text(", ".join(map(truncate, found))))
    return table


def _scenario(record: ProjectProposal, scenario: ProposedScenario) -> Iterator[RenderableType]:
    yield Text(f"Scenario {scenario.name}", style="bold")
    yield Text(scenario.sentence)
    if not scenario.keys:
        yield Text(
            "No column speaks of what others know, so no keys are proposed: name them in the"
        )
        yield Text("file, or begin again with --keys.")
    else:
        keys = and_list([truncate(key) for key in scenario.keys])
        alone = ""
        if scenario.n_unique is not None:
            of = people(record.n_records)
            of = of if record.roles.person is None else f"{record.n_records:,} rows"
            alone = f" With these {scenario.n_unique:,} of {of} are alone."
        yield Text(f"Keys: {keys}.{alone}")
    yield Text()


def _whom(record: ProjectProposal) -> str:
    person = record.roles.person
    if person is None:
        return people(record.n_records)
    return f"{person.n_rows:,} rows of {people(person.n_people)}"


def _besides(record: ProjectProposal) -> Iterator[RenderableType]:
    for reason in dict.fromkeys(one.reason for one in record.special_codes):
        told = [
            f"{truncate(one.column)} {', '.join(f'{code:g}' for code in one.codes)}"
            for one in record.special_codes
            if one.reason == reason
        ]
        yield Text(f"Special codes: {list_names(told)} ({reason}).")
    if record.radii:
        radii = list_names([f"{truncate(one.column)} {one.radius:g}" for one in record.radii])
        yield Text(f"Radii for GTCAP: {radii}.")
    n_codings = len(record.codings.rows)
    if n_codings:
        what = "coding is" if n_codings == 1 else "codings are"
        yield Text(f"{n_codings} {what} in the file as comments, for unveil protect.")
    yield Text(f"Limits for audience {record.audience} are set, and not accepted yet.")


def _next(folder: str | None, *, n_copies: int) -> Iterator[tuple[str, str]]:
    if folder:
        yield f"cd {shlex.quote(folder)}", "Go to the project."
    if not n_copies:
        yield "unveil synthesise", "Make a copy, or name yours under synthetic."
    yield 'unveil limits --accept --by "Name, role"', "Accept the limits, or set your own."
    yield "unveil run", "Measure everything."
