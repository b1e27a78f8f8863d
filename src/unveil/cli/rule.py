"""`unveil rule`: is a finding common knowledge, or kept as a risk? A named person says so."""

from collections.abc import Iterator, Sequence

import click
from rich.console import Group, RenderableType
from rich.text import Text

from unveil.assessment.context import may_rule_together, rule_of
from unveil.assessment.outstanding import rule_command, rule_together_command
from unveil.cli.options import (
    by_option,
    indent_lines,
    json_option,
    option,
    project_option,
)
from unveil.errors import SettingsError
from unveil.project.edit_project import ProjectEdit, list_flags_now
from unveil.project.read_people import read_rulings_file
from unveil.project.read_project import read_project
from unveil.records.judgement import Audience, FlagRuling
from unveil.view.format import truncate, visible
from unveil.view.output import print_output
from unveil.view.project import finding_lines
from unveil.view.render_documents import json_text

MOST_PAIRS = 3
"""So many pairs are told in full where all of a target may be ruled on at once."""


@click.command(short_help="Say of a finding that it is common knowledge, or that it is kept.")
@click.argument("findings", nargs=-1, metavar="[FINDING]...")
@option("--common-knowledge", "Anybody would guess it: leave it out.", is_flag=True)
@option("--keep", "It is a risk, and stays counted.", is_flag=True)
@option("--reason", "Why; kept with the ruling.", "TEXT")
@click.option(
    "--file",
    "rulings",
    metavar="FILE",
    help="Rulings of a TOML file, [[ruling]] with finding, accept and reason: all or none.",
)
@option("--instead", "Replace an earlier ruling on the same finding.", is_flag=True)
@by_option
@project_option
@json_option
def rule(
    *,
    findings: tuple[str, ...],
    common_knowledge: bool,
    keep: bool,
    reason: str | None,
    rulings: str | None,
    instead: bool,
    by: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Rule on FINDING of the last run; without FINDING, list those that are open.

    What is common knowledge is left out from the next run on. For audiences closed and registered
    all pairs of one target may be ruled on at once: "neighbour/marital two-way". Several rulings,
    of several FINDINGs or of a file, are written together or not at all.

    \b
    Example:
      unveil rule
      unveil rule "neighbour/workab=NO" --common-knowledge --reason "..." --by "A. Jones, analyst"
      unveil rule "neighbour/marital=SINGLE@age=16" --keep --reason "..." --by "A. Jones, analyst"
      unveil rule --file rulings.toml --by "A. Jones, analyst"
    """
    file = read_project(project, needs_files=False)
    given = _gather_rulings(findings, rulings, reason, common_knowledge=common_knowledge, keep=keep)
    if not given:
        if instead:
            raise SettingsError(_NAME)
        found = list_flags_now(file)
        shown = _document(found) if as_json else _render_flags(found, file.context.audience)
        print_output(shown)
        return
    with ProjectEdit(file, by) as edit:
        for finding, accept, why in given:
            edit.rule(finding, accept=accept, reason=why, instead=instead)
    found = list_flags_now(edit.project)
    if as_json:
        print_output(_document(found))
        return
    *others, last = [_confirm(finding, accept=accept) for finding, accept, _ in given]
    left = sum(one.state == "open" for one in found)
    after = " It is left out from the next run on: unveil run." if given[-1][1] else ""
    print_output(Group(*map(Text, others), Text(f"{last}{after} Still open: {left:,}.")))


_NAME = 'Name the finding: unveil rule "neighbour/workab=NO" ...'


def _gather_rulings(
    findings: tuple[str, ...],
    rulings: str | None,
    reason: str | None,
    *,
    common_knowledge: bool,
    keep: bool,
) -> list[tuple[str, bool, str | None]]:
    """What is ruled on, what is said of it, and why: of a file, or alike for all findings named."""
    is_said = common_knowledge or keep or reason
    if rulings is not None:
        if findings or is_said:
            raise SettingsError(
                "A file of rulings says findings, rulings and reasons. Leave the others out."
            )
        return [*read_rulings_file(rulings)]
    if not findings:
        if is_said:
            raise SettingsError(_NAME)
        return []
    if common_knowledge == keep:
        raise SettingsError("Say what it is: --common-knowledge or --keep, one of the two.")
    return [(finding, common_knowledge, reason) for finding in findings]


def _confirm(finding: str, *, accept: bool) -> str:
    return f"{visible(finding)}: {'common knowledge' if accept else 'kept as a risk'}."


def _document(found: Sequence[FlagRuling]) -> str:
    document = {"findings": [one.to_dict() for one in found]}
    return json_text(document)


def _render_flags(found: Sequence[FlagRuling], audience: Audience | None) -> Group:
    still = [one for one in found if one.state == "open"]
    head = f"Findings to rule on: {len(still):,} of {len(found):,}"
    groups: dict[tuple[str, str], list[FlagRuling]] = {}
    for one in still:
        groups.setdefault((one.scenario, one.target), []).append(one)
    together = may_rule_together(audience)
    return Group(
        Text(),
        Text(head, style="bold"),
        Text(rule_of(audience)),
        Text(),
        *(line for one in groups.values() for line in _render_target(one, together=together)),
    )


def _render_target(still: Sequence[FlagRuling], *, together: bool) -> Iterator[RenderableType]:
    """The findings about one target, all of them; in short what may be ruled on at once."""
    pairs = [one for one in still if one.kind == "two_way"]
    n_told = min(len(pairs), MOST_PAIRS) if together else len(pairs)
    for one in [*(one for one in still if one.kind == "one_way"), *pairs[:n_told]]:
        first, *others = finding_lines(one)
        yield Text(f"▲ {first}")
        yield from indent_lines(others)
        yield from indent_lines([f"{visible(rule_command(one))}"])
    if pairs[n_told:]:
        yield Text(
            f"{len(pairs) - n_told:,} more pairs of {truncate(pairs[0].target)}, ruled on alike:"
        )
        yield from indent_lines(f"▲ {visible(one.id)}" for one in pairs[n_told:])
    if together and len(pairs) > 1:
        yield from indent_lines(
            [f"All {len(pairs):,} pairs at once: {visible(rule_together_command(pairs[0]))}"]
        )
    yield Text()
