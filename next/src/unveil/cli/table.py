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

CALLS = Command("bounds", dict.fromkeys(("sap", "compare_schemes", "plan", "amounts"), always))
OF_TABLE = ("dims", "publish", "margins", "seed")
OF_SAP = ("known", "given", "people")
NOT_OF_AMOUNTS = ("publish", "margins", "seed", *OF_SAP, "schemes", "below")


def run(
    original: str, show: tuple[str, ...], out: tuple[Path, ...], is_json: bool,
    limit: tuple[str, ...], below: int | None, **asked: Any,
) -> int:  # fmt: skip
    """Measure what published tables disclose: of counts, of sums, or of a whole publication."""
    limits, names = parse_limits(limit), split_names(show)
    for shown in names:
        check_name(shown, sorted(CALLS.known), "There is no table or chart")
    calls, subject = _subject(original, below, asked)
    check_limits_of(calls, limits)
    if isinstance(subject, PublishedTable | Study):
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
    is_plan = original.lower().endswith(".toml")
    said = [name for name in (*OF_TABLE, "schemes", *OF_SAP) if asked[name]]
    if is_plan and said:
        raise InputError(f"A plan says itself what --{said[0]} says. Write it in the file.")
    if not asked["of"] and asked["rule"]:
        raise InputError("A rule is of sums. Name the column that is summed (--amount).")
    if asked["of"]:
        if below is not None or set(said) - {"dims"}:
            raise InputError(f"--{[*said, 'below'][-1]} is of counts, and not of sums (--amount).")
        if not said and not is_plan:
            raise InputError("Name what sums are by (--dims region,industry), or give a plan.")
        asked["tables"] = (original,) if is_plan else asked["dims"]
        return [unveil.amounts], _study(original, asked, is_plan=is_plan)
    if is_plan:
        return [unveil.plan], original
    table = table_of(original, asked)
    if below is not None:
        table = table.suppressed(below=below)
    if asked.get("schemes"):
        return [unveil.compare_schemes], table
    if table.counts is None:
        return [unveil.bounds], table
    return [unveil.bounds, unveil.sap], table


def _study(original: str, asked: dict[str, Any], *, is_plan: bool = False) -> Study:
    """The records of a file, or of a plan."""
    if is_plan:
        from unveil.tables.plan_file import PlanFile

        return PlanFile.read(Path(original)).study()
    return Study(original, **parse_settings(Study.__init__, {"columns": asked["columns"]}))


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
    try:
        names = open_file(original, "original").frame.columns if dims else []
    except InputError:
        names = []  # laid out as no records are
    if dims and set(dims) <= set(names) and not has_counts(names):
        return PublishedTable.count(_study(original, asked), dims, **settings)
    return PublishedTable.read(original, dims, **settings)


def table_command() -> click.Command:
    below = click.Option(
        ["--below"], type=int, metavar="N",
        help="Hide counts below it, and what protects them; of a plan: what must not be told.",
    )  # fmt: skip
    amount = click.Option(
        ["--amount", "of"], metavar="COLUMN", help=help_texts(unveil.amounts)["of"]
    )
    return click.Command(
        "table", callback=run, help=f"{summary_of(run)}\n\n{EXIT_CODES}",
        params=[
            click.Argument(["original"], metavar="FILE"),
            *options_of(PublishedTable.__init__, OF_TABLE, help_texts(PublishedTable)),
            *options_of(unveil.sap, OF_SAP, help_texts(unveil.sap)),
            *options_of(unveil.compare_schemes, ["schemes"], help_texts(unveil.compare_schemes)),
            below, amount, *options_of(unveil.amounts, ["rule"], help_texts(unveil.amounts)),
            *options_of(Study.__init__, ["columns"], help_texts(Study)),
            SHOW, OUT, JSON, LIMIT,
        ],
    )  # fmt: skip
