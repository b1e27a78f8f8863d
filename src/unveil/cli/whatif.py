"""`unveil whatif`: what would change if something were common knowledge?"""

from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    by_option,
    exclude_option,
    json_option,
    option,
    project_option,
)
from unveil.cli.output_files import CommandResult, prints_result
from unveil.project.read_project import read_project
from unveil.project.whatif import whatif as try_out


@click.command()
@exclude_option
@by_column_option(
    "--bands",
    "Put numbers into bands in all files: age=5 or age=0,18,65. May be repeated.",
    "COLUMN=BANDS",
)
@option("--scenario", "Only this scenario. Default: all.", "NAME")
@option("--keep", "Record the exclusion in project.toml; needs --reason and --by.", is_flag=True)
@option("--reason", "Why it is common knowledge; kept with the exclusion.", "TEXT")
@by_option
@project_option
@prints_result(json_option)
def whatif(*, project: str | None, **asked: Any) -> CommandResult:
    """Show the figures before and after another exclusion, or with a number in bands.

    Nothing is saved without --keep. This is no gate: the exit code is 0 whatever the figures.

    \b
    Example:
      unveil whatif --exclude workab=NO
      unveil whatif -x workab=NO -x missing-targets --scenario neighbour
      unveil whatif --bands age=20,40,65
      unveil whatif -x workab=NO --keep --reason "89 % have it" --by "A. Jones, analyst"
    """
    return CommandResult(try_out(read_project(project), **asked))
