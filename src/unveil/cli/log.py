"""`unveil log`: who changed what and when, and is it all as it was written?"""

import json

import click
from rich.console import Console, Group
from rich.text import Text

from unveil.cli.desk_options import drawn_table, json_option, project_option
from unveil.cli.shown import put_out
from unveil.release.log import read_log
from unveil.release.project_file import find_project
from unveil.release.verifying import verified
from unveil.report import desk
from unveil.report.documents import json_document

NOT_AS_WRITTEN = 3


@click.command(short_help="Who changed what and when; whether all is as it was written.")
@click.option("--verify", is_flag=True, help="Check every line, run and decision.")
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
        check = verified(folder)
        shown = Group(Text(), *(Text(line) for line in desk.check_lines(check)))
        put_out(json_document(check) if as_json else shown, Console())
        return NOT_AS_WRITTEN if check.faults else 0
    lines = read_log(folder)
    if as_json:
        document = {"lines": [line.to_dict() for line in lines]}
        put_out(json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False), Console())
    else:
        rows = desk.log_rows(lines)
        put_out(Group(Text(), *drawn_table("Log", desk.LOG_HEADS, rows, left=5)), Console())
    return 0
