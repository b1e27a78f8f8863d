"""`unveil decide`: release, or refuse to? A named person decides about the last run."""

import click

from unveil.cli.options import by_option, json_option, option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import Decide
from unveil.project.people import list_answers
from unveil.project.read_project import read_project
from unveil.view.blocks import Sentence
from unveil.view.output import print_record
from unveil.view.project import decision_blocks


@click.command()
@option("--release", "Release the synthetic data.", is_flag=True)
@option("--refuse", "Refuse the release.", is_flag=True)
@option("--note", "The reasons, kept with the decision.", "TEXT")
@option(
    "--despite",
    "Why the data are released despite an alert. One for each alert.",
    "ID=REASON",
    multiple=True,
)
@by_option
@project_option
@json_option
def decide(
    *,
    release: bool,
    refuse: bool,
    note: str | None,
    despite: tuple[str, ...],
    by: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Record a decision on the last run, together with the evidence behind it.

    A release needs a run of the current files and settings, a ruling on every flag, answers to the
    five context questions and no open alert (or --despite ID=REASON for each). Once there is a run,
    you can always refuse, even if its results were altered.

    \b
    Example:
      unveil decide --release --by "B. Smith, data protection" --note "..."
      unveil decide --release --despite "near-copies=..." --by "B. Smith, officer" --note "..."
      unveil decide --refuse --by "B. Smith, data protection" --note "..."

    Exit codes: 0 decided, 2 wrong use, 3 an alert stands against a release or the evidence was
    changed, 4 a decision or sign-off is outstanding.
    """
    if release == refuse:
        raise SettingsError("State the decision: --release or --refuse, one of the two.")
    file = read_project(project, needs_files=False)
    action = Decide(release=release, by=by or "", note=note or "", despite=despite)
    decision = action.do(file)
    change = "unveil protect" if file.steps else "change the data or the settings"
    after = "unveil pack --public release.zip" if release else f"{change}, then unveil run"
    next_line = Sentence(f"Next: {after}", "dim")
    blocks = (*decision_blocks(decision, list_answers(file)), next_line)
    print_record(decision, blocks, as_json=as_json)
