"""Is the copy released? A named person decides, and what they saw is kept with the decision.

A release needs a run of the files and settings as they are now, nothing left to be said, and no
open alert, unless the person says of each why it is released all the same. Once there is a run, to
refuse is always possible, also where the run is not as it was written. Nothing is ever
overwritten: a second decision gets a number of its own, and the last rules.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unveil.assessment.assess_release import check_acceptances, is_barred, unacceptable_reason
from unveil.assessment.outstanding import shell_quote
from unveil.atomic import replace_file
from unveil.errors import (
    AboveLimitError,
    InputError,
    ReadError,
    RulingNeededError,
    SettingsError,
    TamperedError,
    UnveilError,
    WriteError,
    list_names,
    quote_text,
)
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.edit_project import today
from unveil.project.fingerprint import forget_hashes, project_sha256
from unveil.project.lock import lock_project
from unveil.project.log import log_head, now, number_in, read_log
from unveil.project.log_repair import (
    complete_log,
    decision_file,
    list_decision_numbers,
    log_decision,
)
from unveil.project.model import ProjectFile
from unveil.project.people import check_name, is_same_person, parse_reason
from unveil.project.store import list_runs, load_parts, load_run, results_sha256
from unveil.project.verify import release_obstacles
from unveil.records.alerts import Acceptance, Alert
from unveil.records.judgement import Decision, Judgement
from unveil.records.run import Run
from unveil.view.alerts import is_open

# Why is something released although alerts stand against it? One reason for each, by its id.


Despite = Mapping[str, str] | Sequence[str]
"""Reasons by the id of an alert, or texts such as "near-copies=why"."""

MOST_ALERTS = 5
"""So many alerts are told in full; the others by their ids."""


def read_despite(given: Despite, judgement: Judgement) -> dict[str, str]:
    """A reason for each alert that is named; one that is not there, or not open, is refused."""
    known = [one.id for one in judgement.alerts]
    pairs = given.items() if isinstance(given, Mapping) else [_pair(one, known) for one in given]
    found: dict[str, str] = {}
    for alert, reason in pairs:
        if alert in found:
            raise SettingsError(f"--despite names {alert} twice. Give it one reason.")
        found[alert] = parse_reason(
            reason, "--despite", f"State why the data are released despite {alert}", f"{alert}=..."
        )
    still = [one.id for one in judgement.alerts if is_open(one)]
    for alert in found:
        if alert in known and alert not in still:
            raise SettingsError(
                f"--despite is not needed for {alert}: it does not block the release, or was"
                " accepted. Omit it."
            )
    check_acceptances(found, judgement.alerts, None)
    return found


def _pair(text: str, known: Sequence[str]) -> tuple[str, str]:
    """The id and the reason in a text; an id may have an equals sign in it."""
    mine = [id_ for id_ in known if text.startswith(f"{id_}=")]
    if mine:
        id_ = max(mine, key=len)
        return id_, text[len(id_) + 1 :]
    alert, equals, reason = text.partition("=")
    if not equals or not alert:
        raise SettingsError(
            f"--despite {quote_text(text)} names no alert. Write its id, =, and why:"
            ' --despite "near-copies=...".'
        )
    return alert, reason


def alerts_against(judgement: Judgement, despite: Mapping[str, str]) -> list[Alert]:
    """The alerts that stand against a release: without a reason, or with one that nobody can give.

    What nobody can accept for an open audience stands whatever is said of it.
    """
    return [
        one
        for one in judgement.alerts
        if is_open(one) and (one.id not in despite or is_barred(one, judgement.audience))
    ]


def alert_sentences(alerts: Sequence[Alert], judgement: Judgement) -> Iterator[str]:
    """Each alert, and what can be done about it; of many the last by their ids."""
    for one in alerts[:MOST_ALERTS]:
        never = f" {unacceptable_reason(one)}" if is_barred(one, judgement.audience) else ""
        yield f"{one.id}: {one.sentence}{never}"
    if left := alerts[MOST_ALERTS:]:
        yield f"{len(left):,} more alerts: {list_names((one.id for one in left), most=40)}."
    if any(not is_barred(one, judgement.audience) for one in alerts):
        yield (
            "Lower the risk, or state for each alert why the data are released despite it:"
            f" --despite {shell_quote(alerts[0].id + '=...')}."
        )


MOST_TOLD = 3
"""So many open findings are told; the others are counted."""


_DONE = ("run", "exclude", "ruling", "exception")
"""Events of the log that bar a person from deciding, where four eyes are asked for."""


@dataclass(frozen=True)
class _DecisionContext:
    """The run that is decided on, what it means, what is to be remarked, and what is overruled."""

    run: int
    judgement: Judgement | None
    warnings: tuple[str, ...] = ()
    despite: Mapping[str, str] = field(default_factory=dict)


def decide(
    project: ProjectFile,
    *,
    release: bool,
    by: str | None,
    note: str | None,
    despite: Despite = (),
) -> Decision:
    """Decide about the last run, and keep the decision.

    Parameters
    ----------
    release
        Whether the copy is released; False refuses it.
    by, note
        Who decides, and on what considerations.
    despite
        Of each alert that stands against the release, why it is released all the same: by its id,
        or as texts ``"real-records=why"``.

    Raises
    ------
    RulingNeededError
        If something is left to be said, files or settings changed since the run, an alert asks a
        person to decide, or a second person has to (exit code 4).
    AboveLimitError
        If an alert stands against a release and nobody says why it is released all the same, or
        nobody can (exit code 3).
    TamperedError
        If the log, the run or decisions are not as they were written (exit code 3); what is wrong
        with other runs is kept among the warnings of the decision.
    """
    who, said = check_name(by), parse_reason(note, "--note")
    with lock_project(project.folder, "a decision"):
        complete_log(project.folder)
        forget_hashes()  # no decision is signed on a hash that was remembered
        if despite and not release:
            raise SettingsError("--despite states why data are released. Omit it with --refuse.")
        about = _about_release(project, who, despite) if release else _about_refusal(project)
        judgement = about.judgement
        digest = None if judgement is None else judgement.files_sha256
        decision = Decision(
            number=_next_number(project.folder),
            release=release,
            by=who,
            on=now(),
            note=said,
            despite=tuple(
                Acceptance(alert=alert, reason=why, by=who, on=today(), files_sha256=digest)
                for alert, why in about.despite.items()
            ),
            run=about.run,
            results_sha256=results_sha256(project.folder, about.run),
            project_sha256=project_sha256(project),
            log_head=log_head(project.folder),
            judgement=judgement,
            warnings=about.warnings,
        )
        _keep(project, decision)
    return decision


def _evidence(project: ProjectFile) -> tuple[Run, Judgement]:
    """The last run and what it means; refused where it is not as it was written."""
    run = load_run(project.folder)
    return run, assess_stored_run(project, run, load_parts(project.folder, run))


def _about_release(project: ProjectFile, by: str, given: Despite) -> _DecisionContext:
    """What a release is about, where nothing stands against it."""
    run, judgement = _evidence(project)
    despite = read_despite(given, judgement)
    remarks = _check_release(project, run, judgement, by, despite)
    return _DecisionContext(run.number, judgement, remarks, despite)


def _about_refusal(project: ProjectFile) -> _DecisionContext:
    """What a refusal is about: of a run that was changed only its number, and what was."""
    try:
        run, judgement = _evidence(project)
    except TamperedError as fault:
        return _DecisionContext(list_runs(project.folder)[-1], None, (str(fault),))
    return _DecisionContext(run.number, judgement)


def load_decisions(folder: Path) -> tuple[Decision, ...]:
    """Every decision, from the first on."""
    return tuple(_read(decision_file(folder, n)) for n in list_decision_numbers(folder))


def list_hindrances(project: ProjectFile, run: Run, judgement: Judgement, by: str) -> list[str]:
    """What a person has to see to before this person could release, in sentences."""
    return [
        *(f"{one} Measure again: unveil run." for one in judgement.stale),
        *_outstanding_sentences(judgement),
        *_four_eyes_faults(project, run, by),
    ]


def _outstanding_sentences(judgement: Judgement) -> Iterator[str]:
    """What is still to be said; of many findings the first, and how many more there are."""
    findings = [one for one in judgement.missing if one.kind == "finding"]
    told = findings[:MOST_TOLD]
    for one in judgement.missing:
        if one.kind != "finding" or one in told:
            yield f"{one.sentence} {one.fix}"
        if told and one == told[-1] and len(findings) > MOST_TOLD:
            yield f"{len(findings) - MOST_TOLD:,} more open flags. unveil rule lists them."


def _check_release(
    project: ProjectFile,
    run: Run,
    judgement: Judgement,
    by: str,
    despite: Mapping[str, str],
) -> tuple[str, ...]:
    """Everything that stands against a release, told together; else what is to be remarked."""
    faults, remarks = release_obstacles(project.folder, run.number)
    if faults:
        raise TamperedError(
            f"Not released: {faults[0].sentence} {faults[0].fix or ''} {len(faults)} such, see"
            " unveil log --verify."
        )
    against = alerts_against(judgement, despite)
    is_above = any(one.status == "block" for one in against)
    found = [
        *alert_sentences(against, judgement),
        *list_hindrances(project, run, judgement, by),
    ]
    if found:
        told = "\n".join(f"- {one}" for one in found)
        kind: type[UnveilError] = (
            AboveLimitError if is_above and not judgement.stale else RulingNeededError
        )
        raise kind(f"Not released. First:\n{told}")
    return (*_warn_of_release(project.folder, run.number), *remarks)


def _warn_of_release(folder: Path, run: int) -> Iterator[str]:
    """That the last decision about the same run released it already."""
    about = [one for one in load_decisions(folder) if one.run == run]
    if about and about[-1].release:
        yield (
            f"Run {run} was released already, by {about[-1].by} on {about[-1].on[:10]} (decision"
            f" {about[-1].number})."
        )


def _four_eyes_faults(project: ProjectFile, run: Run, by: str) -> Iterator[str]:
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
        "accepted an alert": [one.by for one in project.exceptions],
    }
    lines = read_log(project.folder)
    for (what, people), event in zip(told.items(), _DONE, strict=True):
        people += [line.by for line in lines if line.event == event]
        if any(one is not None and is_same_person(one, by) for one in people):
            yield (
                f"A second person must decide (four_eyes): {by} {what}. Another person must decide."
            )


def _next_number(folder: Path) -> int:
    """One more than any decision that is there, or once was logged."""
    logged = (number_in(line.subject) for line in read_log(folder) if line.event == "decision")
    return max([0, *list_decision_numbers(folder), *(n for n in logged if n is not None)]) + 1


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
            f"The decision {place.name!r} cannot be read: it was changed. unveil log --verify"
            " lists every change."
        ) from None
