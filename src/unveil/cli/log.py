"""`unveil log`: who changed what and when, and is it all as it was written?"""

import click

from unveil.cli.options import json_option, option, project_option
from unveil.project.log import read_log
from unveil.project.read_project import find_project
from unveil.project.verify import verify_project
from unveil.view.output import print_output, print_record
from unveil.view.project import log_table
from unveil.view.render_documents import json_text

NOT_AS_WRITTEN = 3


@click.command()
@option("--verify", "Check every line, run and decision.", is_flag=True)
@project_option
@json_option
def log(*, verify: bool, project: str | None, as_json: bool) -> int:
    """Show every change to a project, oldest first; --verify checks the whole log.

    Each line contains the hash of the previous line, of the project file, and of the run or
    decision it records. It contains no data values, reasons or notes.

    \b
    Example:
      unveil log
      unveil log --verify

    Exit codes of --verify: 0 nothing was altered, 3 something was.
    """
    folder = find_project(project).parent
    if verify:
        check = verify_project(folder)
        print_record(check, as_json=as_json)
        return NOT_AS_WRITTEN if check.faults else 0
    lines = read_log(folder)
    if as_json:
        document = {"lines": [line.to_dict() for line in lines]}
        print_output(json_text(document))
    else:
        print_output([log_table(lines)])
    return 0
