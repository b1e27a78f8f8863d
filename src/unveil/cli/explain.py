"""`unveil explain`: why does a target stand where it stands, and what can be done about it?"""

import click

from unveil.cli.options import json_option, option, project_option
from unveil.errors import RolesError
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.explain import explain_target
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run
from unveil.view.blocks import Heading
from unveil.view.disclosure_blocks import value_blocks
from unveil.view.format import copy_name, truncate
from unveil.view.output import print_output
from unveil.view.render_documents import json_document
from unveil.view.show import as_blocks


@click.command()
@click.argument("target", required=False)
@option("--scenario", "Only this scenario. Default: all.", "NAME")
@option("--values", "Also every value that is shown: for how many people, correctly.", is_flag=True)
@project_option
@json_option
def explain(
    *, target: str | None, scenario: str | None, values: bool, project: str | None, as_json: bool
) -> None:
    """Explain what the last run found about TARGET.

    Prints the result in a sentence, the figures step by step, and the values that may be common
    knowledge, each with the exclusion to try and the command that rules on it.

    \b
    Example:
      unveil explain workab
      unveil explain workab --values
      unveil explain marital --scenario neighbour --json
    """
    if not target:
        raise RolesError("Name the target: unveil explain workab.")
    file = read_project(project, needs_files=False)
    run = load_run(file.folder)
    parts = load_parts(file.folder, run)
    judgement = assess_stored_run(file, run, parts)
    found = explain_target(run, parts, judgement, target, scenario=scenario)
    if as_json:
        print_output(json_document(found))
        return
    blocks = [*as_blocks(found)]
    for one in found.scenarios if values else ():
        (part,) = [record for _, record in parts.of("disclosure", one.scenario)]
        for copy in [row.copy for row in part.identity if row.copy != "mean"]:
            blocks.append(Heading(f"{truncate(one.scenario)}, {copy_name(copy)}", 4))
            blocks += value_blocks(part, target, copy)
    print_output(blocks)
