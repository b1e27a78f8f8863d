"""Is the copy released? A named person decides, and what they saw is kept with the decision.

A release needs a run of the files and settings as they are now, nothing left to be said, and no
limit exceeded, unless the person says why it is released all the same. Once there is a run, to
refuse is always possible, also where the run is not as it was written. Nothing is ever
overwritten: a second decision gets a number of its own, and the last rules.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from unveil.errors import (
    AboveLimitError,
    InputError,
    ReadError,
    RulingNeededError,
    SettingsError,
    TamperedError,
    UnveilError,
    WriteError,
)
from unveil.records.judgement import Decision, Judgement
from unveil.records.run import Run
from unveil.release.hashing import project_sha256
from unveil.release.healing import decision_file, decision_numbers, heal_log, log_decision
from unveil.release.judging import judgement_of
from unveil.release.lock import locked
from unveil.release.log import log_head, number_in, read_log
from unveil.release.model import ProjectFile
from unveil.release.people import named, reason_given, same_person
from unveil.release.store import load_parts, load_run, results_sha256, runs_of
from unveil.release.verifying import standing_against
from unveil.writing import replace_file

MOST_TOLD = 3
"""So many open findings are told; the others are counted."""


_DONE = ("run", "exclude", "ruling")
"""Events of the log that bar a person from deciding, where four eyes are asked for."""


About = tuple[int, Judgement | None, tuple[str, ...]]
"""The run that is decided on, what it means, and what is to be remarked."""


def decide(
    project: ProjectFile,
    *,
    release: bool,
    by: str | None,
    note: str | None,
    despite: str | None = None,
) -> Decision:
    """Decide about the last run, and keep the decision.

    Parameters
    ----------
    release
        Whether the copy is released; False refuses it.
    by, note
        Who decides, and on what considerations.
    despite
        Why it is released although a limit is exceeded.

    Raises
    ------
    RulingNeededError
        If something is left to be said, files or settings changed since the run, or a second
        person has to decide (exit code 4).
    AboveLimitError
        If a limit is exceeded and nobody says why it is released all the same (exit code 3).
    TamperedError
        If the log, the run or decisions are not as they were written (exit code 3); what is wrong
        with other runs is kept among the warnings of the decision.
    """
    who, said = named(by), reason_given(note, "--note")
    why = None if despite is None else reason_given(despite, "--despite")
    with locked(project.folder, "a decision"):
        heal_log(project.folder)
        _refuse_despite(why, release=release)
        number, judgement, warnings = _released(project, who, why) if release else _refused(project)
        decision = Decision(
            number=_next_number(project.folder),
            release=release,
            by=who,
            on=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            note=said,
            despite=why,
            run=number,
            results_sha256=results_sha256(project.folder, number),
            project_sha256=project_sha256(project),
            log_head=log_head(project.folder),
            judgement=judgement,
            warnings=warnings,
        )
        _keep(project, decision)
    return decision


def _evidence(project: ProjectFile) -> tuple[Run, Judgement]:
    """The last run and what it means; refused where it is not as it was written."""
    run = load_run(project.folder)
    return run, judgement_of(project, run, load_parts(project.folder, run))


def _released(project: ProjectFile, by: str, despite: str | None) -> About:
    """What a release is about, where nothing stands against it."""
    run, judgement = _evidence(project)
    return run.number, judgement, _refuse_release(project, run, judgement, by, despite)


def _refused(project: ProjectFile) -> About:
    """What a refusal is about: of a run that was changed only its number, and what was."""
    try:
        run, judgement = _evidence(project)
    except TamperedError as fault:
        return runs_of(project.folder)[-1], None, (str(fault),)
    return run.number, judgement, ()


def decisions_of(folder: Path) -> tuple[Decision, ...]:
    """Every decision, from the first on."""
    return tuple(_read(decision_file(folder, n)) for n in decision_numbers(folder))


def hindrances(project: ProjectFile, run: Run, judgement: Judgement, by: str) -> list[str]:
    """What a person has to see to before this person could release, in sentences."""
    return [
        *(f"{one} Measure again: unveil run." for one in judgement.stale),
        *_unsaid(judgement),
        *_second_pair(project, run, by),
    ]


def _unsaid(judgement: Judgement) -> Iterator[str]:
    """What is still to be said; of many findings the first, and how many more there are."""
    findings = [one for one in judgement.missing if one.kind == "finding"]
    told = findings[:MOST_TOLD]
    for one in judgement.missing:
        if one.kind != "finding" or one in told:
            yield f"{one.sentence} {one.fix}"
        if told and one == told[-1] and len(findings) > MOST_TOLD:
            yield f"{len(findings) - MOST_TOLD:,} more open findings. unveil rule lists them."


def _refuse_despite(despite: str | None, *, release: bool) -> None:
    if despite is not None and not release:
        raise SettingsError(
            "--despite says why something is released: it does not go with --refuse."
        )


def _refuse_idle(judgement: Judgement, despite: str | None) -> None:
    if despite is not None and not judgement.n_above and not judgement.n_not_measured:
        raise SettingsError("--despite is not needed: no limit is exceeded. Leave it out.")


def _refuse_release(
    project: ProjectFile, run: Run, judgement: Judgement, by: str, despite: str | None
) -> tuple[str, ...]:
    """Everything that stands against a release, told together; else what is to be remarked."""
    _refuse_idle(judgement, despite)
    faults, remarks = standing_against(project.folder, run.number)
    if faults:
        raise TamperedError(
            f"Not released: {faults[0].sentence} {faults[0].fix or ''} {len(faults)} such, see"
            " unveil log --verify."
        )
    found = hindrances(project, run, judgement, by)
    is_above = bool(judgement.n_above or judgement.n_not_measured) and despite is None
    if is_above:
        found.insert(
            0,
            f"{judgement.headline} Lower the risk; or say why it is released all the same:"
            ' --despite "...".',
        )
    if found:
        told = "\n".join(f"- {one}" for one in found)
        kind: type[UnveilError] = (
            AboveLimitError if is_above and not judgement.stale else RulingNeededError
        )
        raise kind(f"Not released. First:\n{told}")
    return (*_released_before(project.folder, run.number), *remarks)


def _released_before(folder: Path, run: int) -> Iterator[str]:
    """That the last decision about the same run released it already."""
    about = [one for one in decisions_of(folder) if one.run == run]
    if about and about[-1].release:
        yield (
            f"Run {run} was released already, by {about[-1].by} on {about[-1].on[:10]} (decision"
            f" {about[-1].number})."
        )


def _second_pair(project: ProjectFile, run: Run, by: str) -> Iterator[str]:
    """Why this person may not release: four eyes, where the project asks for them.

    Who is named in the file counts, and who is named in the log: a line of the file that was
    replaced since, or a run made again by somebody else, frees nobody.
    """
    if not project.context.four_eyes:
        return
    told: dict[str, list[str | None]] = {
        "ran it": [run.by],
        "wrote an exclusion": [one.by for one in project.excludes],
        "wrote a ruling": [one.by for one in project.rulings],
    }
    lines = read_log(project.folder)
    for (what, people), event in zip(told.items(), _DONE, strict=True):
        people += [line.by for line in lines if line.event == event]
        if any(one is not None and same_person(one, by) for one in people):
            yield (
                f"A second person has to decide (four_eyes): {by} {what}. Ask somebody else to"
                " decide."
            )


def _next_number(folder: Path) -> int:
    """One more than any decision that is there, or once was logged."""
    logged = (number_in(line.subject) for line in read_log(folder) if line.event == "decision")
    return max([0, *decision_numbers(folder), *(n for n in logged if n is not None)]) + 1


def _keep(project: ProjectFile, decision: Decision) -> None:
    content = decision.to_json().encode()
    place = decision_file(project.folder, decision.number)
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(place, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"The decision cannot be kept: {fault.strerror}. Nothing was decided. Check the disk."
        ) from None
    log_decision(project.folder, decision, content)


def _read(place: Path) -> Decision:
    try:
        return Decision.from_json(place.read_bytes())
    except (OSError, InputError):
        raise ReadError(
            f"The decision {place.name!r} cannot be read: it was changed. unveil log --verify tells"
            " what else was."
        ) from None
