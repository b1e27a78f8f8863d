"""`unveil limits`: which limits are in force, from where, and who accepts them?"""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

import click

from unveil.arguments import check_faults
from unveil.assessment.context import RULES
from unveil.assessment.limits import limits_of, preset
from unveil.cli.options import by_option, json_option, option, project_option
from unveil.errors import SettingsError, quote_text
from unveil.project.actions import AcceptLimits
from unveil.project.assess_stored_run import explain_unaccepted
from unveil.project.edit_project import next_step, propose_limits
from unveil.project.model import ProjectFile
from unveil.project.read_project import read_project
from unveil.records.judgement import Audience, Limit
from unveil.records.limits import limits_fault
from unveil.view.blocks import Block, Sentence
from unveil.view.format import visible
from unveil.view.output import print_output
from unveil.view.project import limit_table
from unveil.view.render_documents import json_text

AUDIENCES: tuple[Audience, ...] = get_args(Audience)
_NUMBERS = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*,\s*(\d+\.?\d*|\.\d+)\s*", re.ASCII)
Changes = dict[str, tuple[float, float] | None]


def parse_changes(option: click.Parameter, given: tuple[str, ...]) -> Changes:
    """Limits as people type them: DiSCO=5,10; DiSCO=off takes one off. All faults are told."""
    found: Changes = {}
    faults = []
    for text in given:
        try:
            name, pair = _change(text)
        except SettingsError as fault:
            faults.append(str(fault))
            continue
        if name in found:
            faults.append(f"{name} is given two limits. Give it one.")
        found[name] = pair
    check_faults(faults)
    return found


def _change(text: str) -> tuple[str, tuple[float, float] | None]:
    name, equals, numbers = (part.strip() for part in text.partition("="))
    pair = _NUMBERS.fullmatch(numbers)
    if not equals or (pair is None and numbers != "off"):
        raise SettingsError(
            f"--set {quote_text(text)} cannot be read. Write a measure, =, and two numbers, review"
            " above and limit: DiSCO=5,10; or DiSCO=off."
        )
    values = None if pair is None else (float(pair[1]), float(pair[2]))
    if (wrong := limits_fault(name, *(values or (0, 0)))) is not None:
        raise SettingsError(wrong)
    return name, values


preset_option = option(
    "--preset", "Start from the limits of this audience.", type=click.Choice(AUDIENCES)
)
set_option = option(
    "--set changes",
    "Change a limit: DiSCO=5,10; or remove it: DiSCO=off. May be repeated.",
    "MEASURE=REVIEW,LIMIT",
    multiple=True,
    parse=parse_changes,
)


@click.command()
@preset_option
@set_option
@option("--accept", "Accept the limits and record them in project.toml; needs --by.", is_flag=True)
@by_option
@project_option
@json_option
def limits(
    *,
    preset: Audience | None,
    changes: Changes,
    accept: bool,
    by: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Show the limits in force and the presets to start from; accept them by name.

    Without accepted limits there is no verdict. --preset or --set alone shows the limits and writes
    nothing.

    \b
    Example:
      unveil limits
      unveil limits --preset registered --accept --by "B. Smith, data protection"
      unveil limits --set DiSCO=5,10 --set R=off --accept --by "B. Smith, data protection"
    """
    file = read_project(project, needs_files=False)
    if by is not None and not accept:
        raise SettingsError("--by names who accepts the limits. Add --accept.")
    if accept:
        file = AcceptLimits(by=by or "", preset=preset, changes=changes).do(file)
    values = file.limits.values
    if (preset or changes) and not accept:
        values = propose_limits(file, preset=preset, changes=changes)
    found = limits_of(values)
    is_proposal = not accept and bool(preset or changes)
    if as_json:
        print_output(_document(file, found, is_proposal=is_proposal))
    else:
        is_looking = not (accept or is_proposal)
        blocks = [*_blocks(file, found, is_proposal=is_proposal, is_looking=is_looking)]
        if not is_proposal and not is_looking:
            blocks.append(Sentence(f"Next: {visible(next_step(file))}", "dim"))
        print_output(blocks)


def _document(file: ProjectFile, found: Sequence[Limit], *, is_proposal: bool) -> str:
    accepted = file.limits.accepted_by
    document = {
        "accepted_by": None if is_proposal else accepted,
        "accepted_on": None if is_proposal or accepted is None else file.limits.on,
        "limits": [limit.to_dict() for limit in found],
        "presets": {
            one: [limit.to_dict() for limit in preset(one, declared=None)] for one in AUDIENCES
        },
    }
    return json_text(document)


def _blocks(
    file: ProjectFile, found: Sequence[Limit], *, is_proposal: bool, is_looking: bool
) -> Iterator[Block]:
    """The limits; what one could start from only where nothing was asked for."""
    yield Sentence(_head(file, found, is_proposal=is_proposal), "lead")
    yield limit_table("Limits", found)
    for audience in AUDIENCES if is_looking else ():
        yield Sentence(RULES[audience], "lead")
        yield limit_table(f"Preset {audience}", preset(audience, declared=None))


def _head(file: ProjectFile, found: Sequence[Limit], *, is_proposal: bool) -> str:
    accepted = file.limits.accepted_by
    if is_proposal:
        return 'Nothing was written. To accept these: add --accept --by "Name, role".'
    if not found:
        return "No limits are set, so there is no verdict. Start from a preset below."
    if (why := explain_unaccepted(file)) is not None:
        return (
            f"Not in force: {visible(why)}. To accept these: unveil limits --accept --by"
            ' "Name, role".'
        )
    if accepted is None:
        return (
            "These limits are proposed in project.toml and not yet accepted: unveil limits"
            ' --accept --by "Name, role".'
        )
    on = f" on {file.limits.on}" if file.limits.on else ""
    return f"Accepted by {visible(accepted)}{on}."
