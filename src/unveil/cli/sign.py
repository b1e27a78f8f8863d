"""`unveil sign`: limits and answers of one person, recorded together or not at all."""

import click

from unveil.cli.limits import Changes, preset_option, set_option
from unveil.cli.options import by_option, option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import Sign
from unveil.project.edit_project import next_step
from unveil.project.read_project import read_project
from unveil.view.format import format_count, visible
from unveil.view.output import print_output


def parse_answers(option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Answers as people type them: intruder_knowledge=Neighbours know sex and age."""
    found = dict(one.partition("=")[::2] for one in given)
    if len(found) < len(given) or not all(found.values()):
        raise SettingsError(
            "--answer is a question, = and its answer, each question once:"
            " intruder_knowledge=Neighbours know sex and age."
        )
    return found


@click.command()
@preset_option
@set_option
@option("--accept", "Accept the limits.", is_flag=True)
@option(
    "--answer answers",
    "Answer a context question. May be repeated.",
    "FACTOR=TEXT",
    multiple=True,
    parse=parse_answers,
)
@by_option
@project_option
def sign(
    *,
    preset: str | None,
    changes: Changes,
    accept: bool,
    answers: dict[str, str],
    by: str | None,
    project: str | None,
) -> None:
    """Accept limits and answer context questions in one step: all of it is written, or nothing.

    The same as unveil limits --accept and unveil answer, by one person, as one line of the log.

    \b
    Example:
      unveil sign --preset registered --accept --by "B. Smith, data protection" \\
        --answer "intruder_knowledge=Neighbours know sex and age"
    """
    if (preset or changes) and not accept:
        raise SettingsError("--preset and --set change limits. Add --accept.")
    if not accept and not answers:
        raise SettingsError("Nothing is said. Accept limits (--accept), or answer (--answer).")
    action = Sign(is_accepting=accept, preset=preset, changes=changes, answers=answers, by=by or "")
    file = action.do(read_project(project, needs_files=False))
    limits = "Limits accepted; " if accept else ""
    told = f"{limits}{format_count(len(answers), 'answer')} recorded."
    print_output(f"{told}\nNext: {visible(next_step(file))}")
