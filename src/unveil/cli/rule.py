"""`unveil rule`: a named person's ruling on flags: common knowledge, or residual risk."""

from collections.abc import Iterator, Sequence

import click

from unveil.assessment.context import can_rule_together, rule_of
from unveil.assessment.outstanding import rule_command, rule_together_command
from unveil.cli.options import by_option, json_option, option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import RuleOnFlags
from unveil.project.edit_project import ProjectEdit, list_flags_now, list_groups_now, next_step
from unveil.project.read_people import read_rulings_file
from unveil.project.read_project import read_project
from unveil.records.judgement import Audience, FlagRuling
from unveil.records.summary import RulingGroup
from unveil.view.blocks import Block
from unveil.view.format import format_count, visible
from unveil.view.output import print_output
from unveil.view.project import outstanding_blocks
from unveil.view.render_documents import json_text


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
    for an open audience each two-way flag needs a ruling of its own. A value with the name of a key
    (workab=YES@age) is ruled on at all levels of the key that explain it. Common knowledge is
    excluded from the next run on. Several rulings are written together or not at all.

    \b
    Example:
      unveil rule
      unveil rule --target workab --common-knowledge --reason "..." --by "A. Jones, analyst"
      unveil rule "neighbour/workab=NO" --common-knowledge --reason "..." --by "A. Jones, analyst"
      unveil rule "neighbour/marital=SINGLE@age" --keep --reason "..." --by "A. Jones, analyst"
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
        groups = list_groups_now(file, found)
        blocks = _blocks(found, groups, file.context.audience)
        print_output(_document(found, groups) if as_json else blocks)
        return
    if target is None and rulings is None:
        action = RuleOnFlags(
            findings=findings,
            accept=common_knowledge,
            reason=reason or "",
            by=by or "",
            instead=instead,
        )
        file = action.do(file)
    else:
        with ProjectEdit(file, by) as edit:
            if target is not None:
                ids = edit.rule_target(
                    target, accept=common_knowledge, reason=reason, value=value, instead=instead
                )
                given = [(id_, common_knowledge, reason) for id_ in ids]
            else:
                for finding, accept, why in given:
                    edit.rule(finding, accept=accept, reason=why, instead=instead)
        file = edit.project
    found = list_flags_now(file)
    if as_json:
        print_output(_document(found, list_groups_now(file, found)))
        return
    told = [_confirm(finding, accept=accept) for finding, accept, _ in given]
    told.append(_outstanding(found, given))
    told.append(f"Next: {visible(next_step(file))}")
    print_output("\n".join(told))


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


def _document(found: Sequence[FlagRuling], groups: Sequence[RulingGroup]) -> str:
    flags, alike = [one.to_dict() for one in found], [one.to_dict() for one in groups]
    return json_text({"findings": flags, "groups": alike})


def _blocks(
    found: Sequence[FlagRuling], groups: Sequence[RulingGroup], audience: Audience | None
) -> Iterator[Block]:
    may = can_rule_together(audience)
    ids = [*(one.id for one in found), *(one.id for one in groups if may)]
    commands = {id_: rule_command(id_) for id_ in ids}
    together = {one.id: rule_together_command(one) for one in found} if may else {}
    return outstanding_blocks(found, rule_of(audience), commands, together, groups)
