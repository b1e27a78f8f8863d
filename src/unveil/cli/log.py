"""`unveil log`: who changed what and when, and is it all as it was written?"""

import click
from rich.console import Group
from rich.text import Text

from unveil.cli.options import json_option, option, project_option, render_table
from unveil.project.log import read_log
from unveil.project.read_project import find_project
from unveil.project.verify import verify_project
from unveil.view import project as project_view
from unveil.view.output import print_output
from unveil.view.render_documents import json_document, json_text

NOT_AS_WRITTEN = 3


@click.command()
@option("--verify", "Check every line, run and decision.", is_flag=True)
@project_option
@json_option
def log(*, verify: bool, project: str | None, as_json: bool) -> int:
    """Show every change of a project, from the first on; with --verify check all of it.

    Each line holds the hash of the one before, of the project file, and of the run or decision that
    it tells of. It holds no value of the data, no reason and no note.

    \b
    Example:
      unveil log
      unveil log --verify

    Exit codes of --verify: 0 all is as it was written, 3 something is not.
    """
    folder = find_project(project).parent
    if verify:
        check = verify_project(folder)
        shown = Group(Text(), *(Text(line) for line in project_view.check_lines(check)))
        print_output(json_document(check) if as_json else shown)
        return NOT_AS_WRITTEN if check.faults else 0
    lines = read_log(folder)
    if as_json:
        document = {"lines": [line.to_dict() for line in lines]}
        print_output(json_text(document))
    else:
        rows = project_view.log_rows(lines)
        print_output(Group(Text(), *render_table("Log", project_view.LOG_HEADS, rows, left=5)))
    return 0
