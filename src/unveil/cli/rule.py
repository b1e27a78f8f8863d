"""`unveil rule`: a named person's ruling on flags: common knowledge, or residual risk."""

from collections.abc import Iterator, Sequence

import click
from rich.console import Group, RenderableType
from rich.text import Text

from unveil.assessment.context import may_rule_together, rule_of
from unveil.assessment.outstanding import rule_command, rule_together_command
from unveil.cli.options import by_option, indent_lines, json_option, option, project_option
from unveil.errors import SettingsError
from unveil.project.edit_project import ProjectEdit, list_flags_now, next_step
from unveil.project.read_people import read_rulings_file
from unveil.project.read_project import read_project
from unveil.records.judgement import Audience, FlagRuling
from unveil.view.format import format_count, truncate, visible
from unveil.view.output import print_output
from unveil.view.project import finding_lines
from unveil.view.render_documents import json_text

MOST_PAIRS = 3
"""So many pairs are told in full where all of a target may be ruled on at once."""


@click.command()
@click.argument("findings", nargs=-1, metavar="[FLAG]...")
@option("--target", "Rule on all flags of this target variable.", "TARGET")
@option("--value", "With --target: only the flags of this value.", "VALUE")
@option("--common-knowledge", "It is common knowledge: exclude it.", is_flag=True)
@option("--keep", "It is a residual risk: keep counting it.", is_flag=True)
@option("--reason", "The reason, kept with the ruling.", "TEXT")
@click.option(
    "--file",
    "rulings",
    metavar="FILE",
    help="Rulings of a TOML file, [[ruling]] with finding, accept and reason: all or none.",
)
@option("--instead", "Replace an earlier ruling on the same flag.", is_flag=True)
@by_option
@project_option
@json_option
def rule(
    *,
    findings: tuple[str, ...],
    target: str | None,
    value: str | None,
    common_knowledge: bool,
    keep: bool,
    reason: str | None,
    rulings: str | None,
    instead: bool,
    by: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Record a ruling on flags of the last run: common knowledge, or residual risk.

    Without FLAG or --target, list the outstanding flags. --target rules on all flags of a variable;
    for an open audience each two-way flag needs a ruling of its own. Common knowledge is excluded
    from the next run on. Several rulings are written together or not at all.

    \b
    Example:
      unveil rule
      unveil rule --target workab --common-knowledge --reason "..." --by "A. Jones, analyst"
      unveil rule "neighbour/workab=NO" --common-knowledge --reason "..." --by "A. Jones, analyst"
      unveil rule "neighbour/marital=SINGLE@age=16" --keep --reason "..." --by "A. Jones, analyst"
      unveil rule --file rulings.toml --by "A. Jones, analyst"
    """
    file = read_project(project, needs_files=False)
    if target is None and value is not None:
        raise SettingsError("--value is a value of a target. Name the target: --target.")
    if target is not None and (findings or rulings is not None):
        raise SettingsError("--target rules on all flags of a target. Give no FLAG and no --file.")
    named = (target,) if target is not None else findings
    given = _gather_rulings(named, rulings, reason, common_knowledge=common_knowledge, keep=keep)
    if not given:
        if instead:
            raise SettingsError(_NAME)
        found = list_flags_now(file)
        shown = _document(found) if as_json else _render_flags(found, file.context.audience)
        print_output(shown)
        return
    with ProjectEdit(file, by) as edit:
        if target is not None:
            ids = edit.rule_target(
                target, accept=common_knowledge, reason=reason, value=value, instead=instead
            )
            given = [(id_, common_knowledge, reason) for id_ in ids]
        else:
            for finding, accept, why in given:
                edit.rule(finding, accept=accept, reason=why, instead=instead)
    found = list_flags_now(edit.project)
    if as_json:
        print_output(_document(found))
        return
    told = [_confirm(finding, accept=accept) for finding, accept, _ in given]
    told.append(_outstanding(found, given))
    told.append(f"Next: {visible(next_step(edit.project))}")
    print_output(Group(*map(Text, told)))


_NAME = "Name the flag, or all of a target: unveil rule --target TARGET ..."


def _outstanding(found: Sequence[FlagRuling], given: Sequence[tuple[str, bool, str | None]]) -> str:
    """How many rulings were recorded, what is left, and from when on they count."""
    left = [one.target for one in found if one.state == "open"]
    flags = "no flags outstanding"
    if left:
        of = format_count(len(set(left)), "variable")
        flags = f"{format_count(len(left), 'flag')} on {of} outstanding"
    after = " Excluded from the next run on." if any(accept for _, accept, _ in given) else ""
    return f"{format_count(len(given), 'ruling')} recorded; {flags}.{after}"


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
                "A file of rulings has flags, rulings and reasons. Give nothing else beside it."
            )
        return [*read_rulings_file(rulings)]
    if not findings:
        if is_said:
            raise SettingsError(_NAME)
        return []
    if common_knowledge == keep:
        raise SettingsError("State the ruling: --common-knowledge or --keep, one of the two.")
    return [(finding, common_knowledge, reason) for finding in findings]


def _confirm(finding: str, *, accept: bool) -> str:
    return f"{visible(finding)}: {'common knowledge' if accept else 'residual risk'}."


def _document(found: Sequence[FlagRuling]) -> str:
    document = {"findings": [one.to_dict() for one in found]}
    return json_text(document)


def _render_flags(found: Sequence[FlagRuling], audience: Audience | None) -> Group:
    still = [one for one in found if one.state == "open"]
    head = f"Flags to rule on: {len(still):,} of {len(found):,}"
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
