"""`unveil set`: change settings of a project file, all of them at once, by a named person."""

import click

from unveil.cli.options import by_option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import SetSettings
from unveil.project.edit_project import next_step
from unveil.project.people import check_name
from unveil.project.read_project import read_project
from unveil.view.blocks import Sentence
from unveil.view.format import format_count, visible
from unveil.view.output import print_output


@click.command()
@click.argument("settings", nargs=-1, metavar="NAME=VALUE...")
@by_option
@project_option
def set(*, settings: tuple[str, ...], by: str | None, project: str | None) -> None:
    """Change settings of project.toml: roles, keys of a scenario, types, synthesis, pack.

    NAME is written as in the file, a scenario by its own name; VALUE as there, or as plain text.
    Without a value the setting is taken out; NAME+= adds an entry such as a step of protection.
    All changes are checked together and written, or none; comments are kept.

    \b
    Example:
      unveil set context.audience=open --by "A. Jones, analyst"
      unveil set 'scenario.neighbour.keys=["sex", "age"]' data.types.age=integer --by "A. Jones"
      unveil set 'protect.step+={do = "round", column = "age", to = 5}' --by "A. Jones"
    """
    if not settings:
        raise SettingsError("Name a setting and its value: unveil set context.audience=open.")
    changed = SetSettings(settings=settings, by=check_name(by))
    file = changed.do(read_project(project, needs_files=False))
    said = f"{format_count(len(settings), 'setting')} recorded by {visible(changed.by)}."
    shown = (Sentence(said), Sentence(f"Next: {visible(next_step(file))}", "dim"))
    print_output(shown)
