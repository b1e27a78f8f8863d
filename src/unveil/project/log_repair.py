"""What did a stopped command leave unsaid in the log? The next command that logs says it.

A command that is stopped may leave a line that is not whole, the first line without its head, or a
run or a decision that is in place without its line. Each is mended only where nothing else can have
come in between; whatever looks otherwise is for `unveil log --verify` to tell.
"""

from collections.abc import Sequence
from pathlib import Path

from unveil.errors import LockedError, ReadError, TamperedError
from unveil.project import log
from unveil.project.fingerprint import hash_bytes
from unveil.project.lock import lock_project
from unveil.project.log import is_torn, parse_lines, read_content, repair_end
from unveil.project.store import list_runs, load_run, results_sha256
from unveil.records.judgement import Decision, LogLine
from unveil.records.run import Run

DECISIONS = "decisions"


def complete_log(folder: Path) -> None:
    """Say what a stopped command left unsaid; a command that is still at work says it itself."""
    if is_torn(folder):
        repair_end(folder)
    lines = parse_lines(read_content(folder))
    log.keep_first_head(folder, lines)
    if find_stopped_run(folder, lines) is None and find_stopped_decision(folder, lines) is None:
        return
    try:
        with lock_project(folder, "repairing the log"):
            _log_stopped_run(folder)
            _log_stopped_decision(folder)
    except LockedError:
        return


def log_run(folder: Path, run: Run) -> None:
    """Write the line of a run."""
    log.append(
        folder,
        event="run",
        by=run.by,
        subject=str(run.number),
        project_sha256=run.project_sha256,
        file_sha256=results_sha256(folder, run.number),
    )


def log_decision(folder: Path, decision: Decision, content: bytes) -> None:
    """Write the line of a decision, whose file has this content."""
    word = "release" if decision.release else "refuse"
    log.append(
        folder,
        event="decision",
        by=decision.by,
        subject=f"{decision.number} run {decision.run} {word}",
        project_sha256=decision.project_sha256,
        file_sha256=hash_bytes(content),
    )


def find_stopped_run(folder: Path, lines: Sequence[LogLine]) -> Run | None:
    """The last run, where its command was stopped between its rename and its line.

    It began on this very log: a folder that was put there otherwise is none.
    """
    number = max(list_runs(folder), default=0)
    if not number or number in _numbers(lines, "run") or not _is_whole(folder, lines):
        return None
    try:
        run = load_run(folder, number)
    except (ReadError, TamperedError):
        return None
    return run if run.log_head in (log.ORIGIN, *(line.hash for line in lines)) else None


def find_stopped_decision(folder: Path, lines: Sequence[LogLine]) -> tuple[Decision, bytes] | None:
    """The last decision, where its command was stopped before its line, and its file.

    Nothing was logged since it was made, and it is about a run as it was logged.
    """
    number = max(list_decision_numbers(folder), default=0)
    if not number or number in _numbers(lines, "decision") or not _is_whole(folder, lines):
        return None
    try:
        content = decision_file(folder, number).read_bytes()
        decision = Decision.from_json(content)
    except (OSError, ReadError):
        return None
    end = lines[-1].hash if lines else log.ORIGIN
    runs = {log.number_in(one.subject): one.file_sha256 for one in lines if one.event == "run"}
    fits = decision.number == number and decision.log_head == end
    return (
        (decision, content) if fits and runs.get(decision.run) == decision.results_sha256 else None
    )


def list_decision_numbers(folder: Path) -> list[int]:
    """The numbers of the decisions that are kept, in order."""
    place = folder / DECISIONS
    names = [one.stem for one in place.glob("*.json")] if place.is_dir() else []
    known = (int(name) for name in names if name.isascii() and name.isdigit())
    return sorted(n for n in known if decision_file(folder, n).exists())


def decision_file(folder: Path, number: int) -> Path:
    """Where one decision is kept."""
    return folder / DECISIONS / f"{number:04d}.json"


def _log_stopped_run(folder: Path) -> None:
    run = find_stopped_run(folder, parse_lines(read_content(folder)))
    if run is not None:
        log_run(folder, run)


def _log_stopped_decision(folder: Path) -> None:
    found = find_stopped_decision(folder, parse_lines(read_content(folder)))
    if found is not None:
        log_decision(folder, *found)


def _is_whole(folder: Path, lines: Sequence[LogLine]) -> bool:
    """Whether no line that once was there is gone: then a missing one was never written."""
    kept = log.read_head(folder)
    return kept is None or any(line.hash == kept.hash for line in lines)


def _numbers(lines: Sequence[LogLine], event: str) -> set[int | None]:
    return {log.number_in(line.subject) for line in lines if line.event == event}
