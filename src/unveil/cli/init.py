"""`unveil init`: a project file for a data set, with everything in it proposed and explained."""

import shlex
from collections.abc import Iterator
from typing import Any, get_args

import click

from unveil.cli.options import (
    by_column_option,
    json_option,
    keys_option,
    missing_option,
    names_option,
    option,
)
from unveil.cli.output_files import CommandResult, prints_result
from unveil.errors import ReadError, list_names
from unveil.project.proposals import TEMPLATES
from unveil.project.propose import PRESETS, write_project
from unveil.records.judgement import Audience
from unveil.records.suggestion import ProjectProposal, ProposedScenario, Role
from unveil.view.blocks import Block, Heading, Items, Sentence, notes, sentences, table
from unveil.view.format import and_list, people, percent, truncate, visible

EXAMPLE = "unveil init survey.sav"
_NO_KEYS = (
    "No column name or label suggests what others know, so no keys are proposed. Name them in the"
    " file, or start again with --keys."
)
_HEADS = ("role", "meaning", "columns")
_ROLES: tuple[tuple[Role, str], ...] = (
    ("key", "may be known"),
    ("target", "may be disclosed"),
    ("identifier", "identifies people: drop it"),
    ("person", "identifies the person: drop it"),
    ("weight", "people a record represents"),
    ("ignore", "not used"),
)


@click.command()
@click.argument("data", required=False)
@option("--folder", "Folder of the project. Default: this folder.", "FOLDER")
@option("--synthetic", "A synthetic file. May be repeated.", "FILE", multiple=True)
@option("--control", "The control sample.", "FILE")
@keys_option
@option(
    "--audience",
    "Audience of the release.",
    type=click.Choice(get_args(Audience)),
    default="registered",
)
@names_option(
    "--template templates", f"Templates of intruders: {', '.join(TEMPLATES)}. Default: neighbour."
)
@names_option("--owner", "Columns of one data owner (template co-owner): income,tax.")
@option(
    "--preset",
    "low-fidelity: columns drawn by themselves, and four checks before the pack.",
    type=click.Choice(PRESETS),
)
@option("--title", "Name of the project.", "TEXT")
@option("--by", 'Who runs it: "Name, role".', "NAME")
@by_column_option(
    "--special-codes",
    "Codes that stand for missing values: income=-8,-9. May be repeated.",
    "COLUMN=CODES",
)
@missing_option
@prints_result(json_option)
def init(
    *,
    data: str | None,
    folder: str | None,
    keys: tuple[str, ...],
    templates: tuple[str, ...],
    **settings: Any,
) -> CommandResult:
    """Write a project.toml for DATA: roles, scenarios, limits and recodings, each with a reason.

    Everything is a proposal; nothing is decided. An existing project.toml is never overwritten.

    \b
    Example:
      unveil init survey.sav
      unveil init survey.csv --synthetic fake.csv --audience open --template neighbour,colleague
    """
    if not data:
        raise ReadError(f"Name the file of the original: {EXAMPLE}.")
    several = templates or ("neighbour",)
    _, record = write_project(data, folder, keys=keys or None, templates=several, **settings)
    n_copies = len(settings["synthetic"])
    return CommandResult(record, blocks=_blocks(record, folder, n_copies=n_copies))


def _blocks(record: ProjectProposal, folder: str | None, *, n_copies: int) -> Iterator[Block]:
    yield Heading(f"Project for {truncate(record.roles.files[0])}: {_size(record)}")
    yield Sentence(
        f"{visible(record.file or '')} is written. Everything in it is a proposal with a reason:"
        " change what does not fit your setting.",
        "lead",
    )
    found = ((role, what, record.roles.list_columns(role)) for role, what in _ROLES)
    rows = [(role, what, ", ".join(map(truncate, names))) for role, what, names in found if names]
    yield table("Proposed roles", _HEADS, rows, text=_HEADS)
    for scenario in record.scenarios:
        yield Heading(f"Scenario {scenario.name}", 4)
        yield from sentences((scenario.sentence, _keys(record, scenario)))
    yield Heading("Settings", 4)
    yield from sentences(_settings(record))
    yield from notes(record.roles.coercions)
    yield Heading("Next", 4)
    yield Items(tuple(_next(folder, n_copies=n_copies)), is_numbered=True)


def _keys(record: ProjectProposal, scenario: ProposedScenario) -> str:
    if not scenario.keys:
        return _NO_KEYS
    unique = ""
    if scenario.n_unique is not None:
        is_person = record.roles.person is None
        of = people(record.n_records) if is_person else f"{record.n_records:,} rows"
        share = percent(100 * scenario.n_unique / record.n_records)
        unique = f" Unique on them: {scenario.n_unique:,} of {of} ({share})."
    return f"Keys: {and_list(scenario.keys)}.{unique}"


def _size(record: ProjectProposal) -> str:
    person = record.roles.person
    if person is None:
        return people(record.n_records)
    return f"{person.n_rows:,} rows of {people(person.n_people)}"


def _settings(record: ProjectProposal) -> Iterator[str]:
    for reason in dict.fromkeys(one.reason for one in record.special_codes):
        codes = [
            f"{truncate(one.column)} {', '.join(f'{code:g}' for code in one.codes)}"
            for one in record.special_codes
            if one.reason == reason
        ]
        yield f"Special codes: {list_names(codes)} ({reason})."
    if record.radii:
        radii = list_names([f"{truncate(one.column)} {one.radius:g}" for one in record.radii])
        yield f"Radii for GTCAP: {radii}."
    if record.time is not None:
        yield f"Rows of a person follow one another by {truncate(record.time)}: synthesised so."
    if record.smooth:
        smooth = list_names([truncate(one.column) for one in record.smooth])
        yield f"Smoothed in the synthesis, because most values are one person's: {smooth}."
    if n := len(record.codings.rows):
        are = "recoding is" if n == 1 else "recodings are"
        yield f"{n} {are} in the file as comments, for unveil protect."
    yield f"Limits for the audience {record.audience} are proposed, and not yet accepted."


def _next(folder: str | None, *, n_copies: int) -> Iterator[str]:
    yield "Check keys, targets and audience in the file."
    if folder:
        yield f"Go to the project: cd {shlex.quote(folder)}"
    if not n_copies:
        yield "Synthesise, or name your synthetic file in the project: unveil synthesise"
    yield 'Accept or change the limits: unveil limits --accept --by "Name, role"'
    yield "Compute all measures: unveil run"
