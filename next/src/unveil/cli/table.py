"""`unveil table`: counts in a file, people's records that are counted, or a plan of many tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.command import (
    EXIT_CODES,
    JSON,
    LIMIT,
    OUT,
    SHOW,
    Command,
    always,
    check_limits_of,
    check_paths,
    finish,
    tell,
)
from unveil.cli.derive import help_texts, options_of, parse_settings, settings_of, summary_of
from unveil.errors import InputError, check_name
from unveil.results import Result, parse_limits
from unveil.study import Study
from unveil.tables.published import PublishedTable

CALLS = Command("bounds", dict.fromkeys(("sap", "compare_schemes", "plan"), always))
OF_TABLE = ("dims", "publish", "margins", "structural", "nested", "seed")
OF_RECORDS = ("columns", "missing")
OF_SAP = ("known", "given", "people", "seconds")


def run(
    original: str, show: tuple[str, ...], out: tuple[Path, ...], is_json: bool,
    limit: tuple[str, ...], below: int | None, **asked: Any,
) -> int:  # fmt: skip
    """Measure what a published table discloses, or all tables of a publication together."""
    limits, names = parse_limits(limit), split_names(show)
    for shown in names:
        check_name(shown, sorted(CALLS.known), "There is no table or chart")
    calls, subject = _subject(original, below, asked)
    check_limits_of(calls, limits)
    if isinstance(subject, PublishedTable):
        check_paths(out, subject)
    with unveil.progress(tell):
        results = [call(subject, **_settings(call, below, asked)) for call in calls]
    read = {file.name for result in results for file in result.files}
    if written := [str(path) for path in out if path.name in read]:
        raise InputError(f"{written[0]!r} is a file that is read. Write to another (--out).")
    return finish(results, names, limits, out, is_json=is_json)


def _subject(
    original: str, below: int | None, asked: dict[str, Any]
) -> tuple[list[Callable[..., Result]], Any]:
    """What is measured, and by which calls."""
    if original.lower().endswith(".toml"):
        ignored = [name for name in (*OF_TABLE, "schemes", *OF_SAP[:3]) if asked.get(name)]
        if ignored:
            raise InputError(f"A plan says itself what --{ignored[0]} says. Write it in the file.")
        return [unveil.plan], original
    table = table_of(original, asked)
    if below is not None:
        table = table.suppressed(below=below)
    if asked.get("schemes"):
        return [unveil.compare_schemes], table
    if table.counts is None:
        return [unveil.bounds], table
    return [unveil.bounds, unveil.sap], table


def _settings(
    call: Callable[..., Result], below: int | None, asked: dict[str, Any]
) -> dict[str, Any]:
    given = {name: value for name, value in asked.items() if value not in (None, ())}
    if call is unveil.plan and below is not None:
        given["below"] = below
    return settings_of(call, given)


def table_of(original: str, asked: dict[str, Any]) -> PublishedTable:
    """The table of a file of counts, or of records whose columns are named by --dims."""
    from unveil.data.read import open_file
    from unveil.tables.reading import has_counts

    settings = parse_settings(PublishedTable.__init__, {n: asked.get(n) for n in OF_TABLE})
    dims = settings.pop("dims", ())
    records = parse_settings(Study.__init__, {name: asked.get(name) for name in OF_RECORDS})
    try:
        names = open_file(original, "original").frame.columns if dims else []
    except InputError:
        names = []  # laid out as no records are
    if dims and set(dims) <= set(names) and not has_counts(names):
        return PublishedTable.count(Study(original, **records), dims, **settings)
    return PublishedTable.read(original, dims, **settings)


def table_command() -> click.Command:
    below = click.Option(
        ["--below"], type=int, metavar="N",
        help="Hide counts below it, and what protects them; of a plan: what must not be told.",
    )  # fmt: skip
    return click.Command(
        "table", callback=run, help=f"{summary_of(run)}\n\n{EXIT_CODES}",
        params=[
            click.Argument(["original"], metavar="FILE"),
            *options_of(PublishedTable.__init__, OF_TABLE, help_texts(PublishedTable)),
            *options_of(unveil.sap, OF_SAP, help_texts(unveil.sap)),
            *options_of(unveil.compare_schemes, ["schemes"], help_texts(unveil.compare_schemes)),
            below, *options_of(Study.__init__, OF_RECORDS, help_texts(Study)),
            SHOW, OUT, JSON, LIMIT,
        ],
    )  # fmt: skip
