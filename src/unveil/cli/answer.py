"""`unveil answer`: the five questions about the context, answered by named people."""

import json
from collections.abc import Iterator, Sequence

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from unveil.cli.desk_options import by_option, indented, json_option, project_option
from unveil.cli.shown import put_out
from unveil.errors import SettingsError
from unveil.judge.factors import QUESTIONS
from unveil.records.dossier import Factor
from unveil.release.context import factors_of
from unveil.release.project_file import read_project
from unveil.release.ruling import answer as answer_factor
from unveil.report.words import visible


@click.command(short_help="Answer the five questions about the context of a release.")
@click.argument("factor", required=False)
@click.argument("text", required=False)
@by_option
@project_option
@json_option
def answer(
    *,
    factor: str | None,
    text: str | None,
    by: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Answer FACTOR, one of Raab's five, with TEXT; without them, list all five.

    An answer takes the place of an earlier one; the log keeps that it was changed, and by whom.

    \b
    Example:
      unveil answer
      unveil answer intruder_knowledge "Neighbours know sex and age" --by "A. Jones, analyst"
    """
    file = read_project(project, needs_files=False)
    if factor is None and by is not None:
        raise SettingsError('Name the question: unveil answer release_context "..." --by ...')
    if factor is not None:
        answer_factor(file, factor, answer=text, by=by)
        file = read_project(project, needs_files=False)
    found = factors_of(file)
    if as_json:
        document = {"factors": [one.to_dict() for one in found]}
        put_out(json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False), Console())
    else:
        put_out(_screen(found), Console())


def _screen(found: Sequence[Factor]) -> Group:
    n = sum(one.answer is not None for one in found)
    head = f"The five questions about the context: {n} of {len(found)} answered"
    return Group(Text(), Text(head, style="bold"), *_lines(found))


def _lines(found: Sequence[Factor]) -> Iterator[RenderableType]:
    for one in found:
        yield Text(f"{'●' if one.answer else '○'} {one.name}: {one.question}")
        if one.answer is None:
            yield from indented([QUESTIONS[one.name].why])
            continue
        on = f" on {one.on}" if one.on else ""
        yield from indented([f"{visible(one.answer)} ({visible(one.by or '')}{on})"])
