"""`unveil answer`: the five questions about the context, answered by named people."""

import click

from unveil.assessment.context import QUESTIONS, parse_factor
from unveil.assessment.outstanding import BY
from unveil.cli.options import by_option, json_option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import AnswerQuestion
from unveil.project.edit_project import next_step
from unveil.project.people import list_answers
from unveil.project.read_project import read_project
from unveil.view.blocks import Sentence
from unveil.view.format import visible
from unveil.view.output import print_output
from unveil.view.project import answer_blocks
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

    A new answer replaces an earlier one; the log records the change and who made it.

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
        parse_factor(factor)
        file = AnswerQuestion(factor=factor, answer=text or "", by=by or "").do(file)
    found = list_answers(file)
    if as_json:
        document = {"factors": [one.to_dict() for one in found]}
        print_output(json_text(document))
    else:
        why = {str(name): one.why for name, one in QUESTIONS.items()}
        blocks = [*answer_blocks(found, why)]
        asked = next((str(one.name) for one in found if not one.answer), None)
        if factor is None and asked is not None:
            blocks.append(Sentence(f'Next: unveil answer {asked} "..." {BY}', "dim"))
        elif factor is not None:
            blocks.append(Sentence(f"Next: {visible(next_step(file))}", "dim"))
        print_output(blocks)
