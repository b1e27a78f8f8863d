"""`unveil plan`: what many published tables disclose together, and which of them do it."""

from typing import Any

import click

from unveil.cli.options import option, output_options
from unveil.cli.output_files import CommandResult, prints_result
from unveil.errors import ReadError, SettingsError, quote_text
from unveil.measure.tables.plan.plan import Plan
from unveil.view.publication_plan import plan_blocks

SECONDS = 300.0


@click.command()
@click.argument("file", required=False)
@option(
    "--threshold",
    "Counts from 1 to one below it are small. Default: the plan's, or 5.",
    "N",
    type=int,
)
@option("--width", "Bounds at most so far apart are nearly a recovery.", "N", type=int, default=1)
@option(
    "--limit limits",
    "Exit code 3 where more counts are recovered, or where that is not settled: recovered=0 or"
    " near=10. May be repeated.",
    "MEASURE=N",
    multiple=True,
)
@option("--seconds", "Stop after this many seconds.", "S", type=float, default=SECONDS)
@prints_result(output_options)
def plan(*, file: str | None, limits: tuple[str, ...], **asked: Any) -> CommandResult:
    """Find what the tables of a publication plan disclose together.

    FILE is a plan in TOML: the tables, their filters and schemes, made from microdata or read from
    files of published values. Suppressed counts and small differences between tables that can be
    worked out are listed, each with the tables that disclose it and cannot be omitted.

    \b
    Examples:
      unveil plan plan.toml --limit recovered=0
      unveil plan plan.toml --seconds 60 --json

    Exit codes: 0 within limits, 2 wrong use or bad input, 3 a limit is exceeded or cannot be shown
    to hold.
    """
    if not file:
        raise ReadError("Name the plan: unveil plan plan.toml --limit recovered=0.")
    parsed = _parse_limits(limits)
    record = Plan.from_file(file).disclosed(limits=parsed, **asked).record
    blocks = plan_blocks(record, has_rows=True)
    return CommandResult(record, record.rows, blocks, record.exit_code)


def _parse_limits(given: tuple[str, ...]) -> dict[str, int]:
    limits: dict[str, int] = {}
    for text in given:
        measure, _, number = (part.strip() for part in text.partition("="))
        if not number.isdecimal() or measure in limits:
            raise SettingsError(
                f"{quote_text(text)} is not a limit. Write each once, as recovered=0 or near=10."
            )
        limits[measure] = int(number)
    return limits
