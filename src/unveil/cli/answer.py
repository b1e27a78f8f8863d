"""`unveil answer`: the five questions about the context, answered by named people."""

from collections.abc import Iterator, Sequence

import click
from rich.console import Group, RenderableType
from rich.text import Text

from unveil.assessment.context import QUESTIONS
from unveil.cli.options import by_option, indent_lines, json_option, project_option
from unveil.errors import SettingsError
from unveil.project.edit_project import answer as answer_factor
from unveil.project.people import list_answers
from unveil.project.read_project import read_project
from unveil.records.report import ContextAnswer
from unveil.view.format import visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_text


@click.command()
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
        raise SettingsError(
            'Name the question: unveil answer release_context "..." --by "Name, role".'
        )
    if factor is not None:
        file = answer_factor(file, factor, answer=text, by=by)
    found = list_answers(file)
    if as_json:
        document = {"factors": [one.to_dict() for one in found]}
        print_output(json_text(document))
    else:
        print_output(_screen(found))


def _screen(found: Sequence[ContextAnswer]) -> Group:
    n = sum(one.answer is not None for one in found)
    head = f"Context questions: {n} of {len(found)} answered"
    return Group(Text(), Text(head, style="bold"), *_lines(found))


def _lines(found: Sequence[ContextAnswer]) -> Iterator[RenderableType]:
    for one in found:
        yield Text(f"{'●' if one.answer else '○'} {one.name}: {one.question}")
        if one.answer is None:
            yield from indent_lines([QUESTIONS[one.name].why])
            continue
        on = f" on {one.on}" if one.on else ""
        yield from indent_lines([f"{visible(one.answer)} ({visible(one.by or '')}{on})"])
