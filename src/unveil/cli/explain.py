"""`unveil explain`: why does a target stand where it stands, and what can be done about it?"""

from collections.abc import Iterator

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from unveil.cli.options import indent_lines, json_option, option, project_option, render_table
from unveil.errors import RolesError
from unveil.project.explain import explain_target
from unveil.project.judge_run import judge_run
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run
from unveil.records.judgement import ExplainedFlag, Explanation, LimitCheck
from unveil.view import project
from unveil.view.format import and_list, lines, truncate
from unveil.view.output import print_output
from unveil.view.render_documents import json_document

MOST = 5
"""So many findings of one target are told in a scenario; all of them with --json."""


@click.command()
@click.argument("target", required=False)
@option("--scenario", "Only in this scenario. Default: in all of them.", "NAME")
@project_option
@json_option
def explain(
    *, target: str | None, scenario: str | None, project: str | None, as_json: bool
) -> None:
    """Explain what the last run found about TARGET.

    The sentence, the figures step by step, the levels that may be common knowledge, and for each
    the exclusion to try or to paste and the command that rules on it.

    \b
    Example:
      unveil explain workab
      unveil explain marital --scenario neighbour --json
    """
    if not target:
        raise RolesError("Name the target: unveil explain workab.")
    file = read_project(project, needs_files=False)
    run = load_run(file.folder)
    parts = load_parts(file.folder, run)
    judgement = judge_run(file, run, parts)
    found = explain_target(file, run, parts, judgement, target, scenario=scenario)
    print_output(json_document(found) if as_json else _screen(found))


def _screen(found: Explanation) -> Group:
    return Group(
        Text(),
        Text(f"{truncate(found.target)} in run {found.run}", style="bold"),
        *(Text(f"▲ {lines(one)}") for one in found.stale),
        Text(),
        *_scenarios(found),
        *render_table(
            "Figures and limits",
            project.FIGURE_HEADS,
            project.figure_rows(_rows_with_limit(found)),
            left=3,
        ),
        *indent_lines(project.unmeasured_lines(found.figures)),
    )


def _rows_with_limit(found: Explanation) -> list[LimitCheck]:
    return [row for row in found.figures if row.limit is not None]


def _scenarios(found: Explanation) -> Iterator[RenderableType]:
    for place, one in enumerate(found.scenarios):
        title = f"{truncate(one.scenario)}: an intruder who knows {and_list(one.keys)}"
        yield Text(title, style="bold underline")
        yield from indent_lines(one.sentences)
        yield Text()
        yield from render_table(
            "Step by step", project.LADDER_HEADS, project.ladder_rows(found, place), left=3
        )
        yield from _render_flags(one.findings)


def _render_flags(flags: tuple[ExplainedFlag, ...]) -> Iterator[RenderableType]:
    if not flags:
        return
    n_open = sum(one.finding.state == "open" for one in flags)
    head = f"Flags that may be common knowledge: {len(flags):,}, outstanding {n_open:,}"
    yield Text(head, style="bold underline")
    for one in flags[:MOST]:
        first, *others = project.finding_lines(one.finding)
        yield Text(f"▲ {first}")
        yield from indent_lines(others)
        for command in project.command_lines(one):
            yield Padding(Text(command, "dim"), (0, 0, 0, 4))
    if len(flags) > MOST:
        yield Text(f" ... and {len(flags) - MOST:,} more: all of them with --json", "dim")
    yield Text()
    yield Text("To exclude the first, add to project.toml:", style="bold")
    yield from indent_lines(lines(flags[0].toml).split("\n"))
    yield Text()
