"""Are log, runs and decisions as they were written? Everything that is not is told.

The log is followed line by line; every run and decision is held against the line that tells of it,
and every file of a run against the hash in its results.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from unveil.errors import ReadError
from unveil.project.fingerprint import file_sha256, forget_hashes, hash_bytes
from unveil.project.log import (
    HEAD,
    LOG,
    MOST_AT_ONCE,
    ORIGIN,
    decode_line,
    encode_line,
    hash_line,
    is_torn,
    load_project,
    number_in,
    read_head,
    read_raw_lines,
)
from unveil.project.log_repair import DECISIONS, find_stopped_decision, find_stopped_run
from unveil.project.sources import resolve_path
from unveil.project.store import PARTS, RESULTS, RUNS
from unveil.records.base import Record
from unveil.records.judgement import Decision, LogCheck, LogFault, LogLine
from unveil.records.run import InputFile, Run

# Are the files still those that were released? What changed since a decision is told, no fault.


def changes_since_release(
    folder: Path, decision: Decision, files: Iterable[InputFile]
) -> Iterator[str]:
    """The files that are no longer those of the run that a decision released, in sentences."""
    for file in files:
        try:
            _, now = file_sha256(resolve_path(folder, file.path))
        except ReadError:
            now = None
        if now != file.sha256:
            what = "is missing or cannot be read" if now is None else "was changed"
            yield (
                f"The file {file.path!r} {what} since decision {decision.number} released run"
                f" {decision.run}: the decision is about the file as it was."
            )


def decision_lines(folder: Path, run: Run, decisions: Iterable[Decision]) -> Iterator[str]:
    """What a person who sees a run has to know of decisions: about it, or about one before it."""
    known = list(decisions)
    about = [one for one in known if one.run == run.number]
    if about:
        yield f"Run {run.number} was {_word(about[-1])} (decision {about[-1].number})."
        if about[-1].release:
            yield from changes_since_release(folder, about[-1], run.files)
    elif known and known[-1].release:
        last = known[-1]
        yield (
            f"Run {last.run} was {_word(last)} (decision {last.number}). This is a later run, and"
            " no decision is about it."
        )


def _word(decision: Decision) -> str:
    word = "released" if decision.release else "refused"
    return f"{word} by {decision.by} on {decision.on[:10]}"


RecordT = TypeVar("RecordT", bound=Record)
PROJECT = "project.toml"
RESTORE = "Restore it from a backup."
ASIDE = "Restore it from a backup; if there is none, measure again: the next run does not use it."
AWAY = "Move it away."
OVER = (
    "Restore the log from a backup; if there is none, no decision can rely on it: start a new"
    " project in another folder."
)


def verify_project(folder: Path) -> LogCheck:
    """Every line, run and decision of a project, and what is not as it was written."""
    forget_hashes()
    return _verify(folder)


def _verify(folder: Path) -> LogCheck:
    check = _Check(folder)
    check.follow_lines()
    check.check_runs()
    check.check_decisions()
    check.check_released()
    return LogCheck(
        n_lines=len(check.raw),
        n_runs=len(check.runs),
        n_decisions=check.n_decisions,
        head=check.lines[-1].hash if check.lines else ORIGIN,
        faults=tuple(check.faults),
        is_edited=check.is_edited,
        since_release=tuple(check.since_release),
    )


def release_obstacles(folder: Path, run: int) -> tuple[tuple[LogFault, ...], tuple[str, ...]]:
    """What hinders a release of one run, and what is to be told but is about other runs alone."""
    faults = _verify(folder).faults
    hindering = tuple(fault for fault in faults if fault.run in (None, run))
    others = tuple(fault.sentence for fault in faults if fault not in hindering)
    return hindering, others


@dataclass
class _Check:
    """What was found so far."""

    folder: Path
    raw: list[bytes] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)
    faults: list[LogFault] = field(default_factory=list)
    runs: dict[int, Run] = field(default_factory=dict)
    results: dict[int, str] = field(default_factory=dict)
    decisions: dict[int, Decision] = field(default_factory=dict)
    since_release: list[str] = field(default_factory=list)
    n_decisions: int = 0

    def tell(
        self,
        sentence: str,
        fix: str,
        *,
        line: int | None = None,
        file: str | None = None,
        run: int | None = None,
    ) -> None:
        self.faults.append(LogFault(line=line, file=file, sentence=sentence, run=run, fix=fix))

    @property
    def is_edited(self) -> bool:
        """Whether the project file is another than the last line saw; that is no fault."""
        known = load_project(self.lines)
        content = _content(self.folder / PROJECT)
        return known is not None and content is not None and hash_bytes(content) != known

    def follow_lines(self) -> None:
        """Each line by itself, and after the one before it."""
        self.raw = read_raw_lines(self.folder)
        previous, n = ORIGIN, 0
        for place, raw in enumerate(self.raw, start=1):
            line = decode_line(raw)
            if line is None:
                self.tell(f"Line {place} is not a log entry: it was changed.", OVER, line=place)
                previous, n = "", n + 1
                continue
            self._follow(place, raw, line, previous, n)
            self.lines.append(line)
            previous, n = line.hash, line.n
        self._check_end()

    def _follow(self, place: int, raw: bytes, line: LogLine, previous: str, n: int) -> None:
        if hash_line(line) != line.hash or encode_line(line) != raw:
            self.tell(f"Line {place} was changed: its hash differs.", OVER, line=place)
        if previous and line.previous != previous:
            gap = " Lines are missing before it." if line.n > n + 1 else ""
            self.tell(f"Line {place} does not follow the line before it.{gap}", OVER, line=place)
        elif line.n != n + 1:
            self.tell(f"Line {place} has the number {line.n}, not {n + 1}.", OVER, line=place)

    def _check_end(self) -> None:
        if is_torn(self.folder):
            self.tell(
                "The last line is incomplete: a command was stopped while writing, or its end was"
                " removed.",
                "The next command that logs removes it: unveil run.",
                line=len(self.raw) + 1,
            )
        kept = read_head(self.folder)
        if kept is None:
            if self.raw:
                self.tell(
                    "The head of the log is missing, so lines removed at the end would not be"
                    " noticed.",
                    "Restore it from a backup; the next command that logs keeps a new one.",
                    file=HEAD,
                )
        elif all(line.hash != kept.hash for line in self.lines):
            self.tell(
                f"The log once had a line {kept.n} that is missing now: lines were removed at the"
                " end, or changed.",
                OVER,
                file=LOG,
            )
        elif self.lines[-1].n - kept.n > MOST_AT_ONCE:
            self.tell(
                f"The head of the log is that of line {kept.n}, but the log ends with line"
                f" {self.lines[-1].n}: it was replaced by an older one.",
                "Restore it from a backup; the next command that logs keeps a new one.",
                file=HEAD,
            )

    def check_runs(self) -> None:
        """Every run folder against the line that tells of it, and the other way round."""
        for number, place, line in self._match("run", RUNS, ""):
            self._check_run(number, place, line)
        self._check_seed()

    def _match(
        self, event: Literal["run", "decision"], folder: str, ending: str
    ) -> Iterator[tuple[int, Path, LogLine | None]]:
        """What a folder holds, with the line that tells of it; what is alien or gone is told."""
        told = self._lines_of(event)
        for place in _inside(self.folder / folder):
            number, file = _number(place), f"{folder}/{place.name}"
            is_run = place.is_dir() and not place.is_symlink()
            if number is None or not (place.suffix == ending if ending else is_run):
                self.tell(
                    f"{file} is not a {event} of this project: it was added.", AWAY, file=file
                )
            else:
                yield number, place, told.pop(number, None)
        for number, line in told.items():
            what = f"{event.capitalize()} {number} is in the log but its"
            self.tell(
                f"{what} {'file' if ending else 'folder'} is missing.",
                RESTORE,
                line=line.n,
                file=f"{folder}/{number:04d}{ending}",
                run=None if ending else number,
            )

    def _tell_unlogged(
        self, what: str, file: str, *, is_stopped: bool, run: int | None = None
    ) -> None:
        """That no line tells of something: its command was stopped, or it was added."""
        if is_stopped:
            self.tell(
                f"{what} is complete, but its command was stopped before it was logged.",
                "The next command that logs writes it: unveil run.",
                file=file,
                run=run,
            )
        else:
            self.tell(f"{what} is not in the log: it was added.", AWAY, file=file, run=run)

    def _check_run(self, number: int, place: Path, line: LogLine | None) -> None:
        file = f"{RUNS}/{place.name}"
        content = _content(place / RESULTS)
        if line is None:
            stopped = find_stopped_run(self.folder, self.lines)
            is_stopped = stopped is not None and stopped.number == number
            self._tell_unlogged(f"Run {number}", file, is_stopped=is_stopped, run=number)
        if content is None:
            self.tell(
                f"Run {number} has no {RESULTS}.", ASIDE, file=f"{file}/{RESULTS}", run=number
            )
            return
        self.results[number] = hash_bytes(content)
        if line is not None and line.file_sha256 != self.results[number]:
            self.tell(
                f"The results of run {number} were changed after it was logged.",
                "Restore them from a backup; if there is none, measure everything again: unveil"
                " run --again.",
                line=line.n,
                file=f"{file}/{RESULTS}",
                run=number,
            )
        run = _record(Run, content)
        if run is None:
            what = f"The results of run {number} cannot be read."
            self.tell(what, ASIDE, file=f"{file}/{RESULTS}", run=number)
            return
        self.runs[number] = run
        self._check_files(run, place)
        self._check_head(f"Run {number}", run.log_head, line, file, run=number)

    def _check_files(self, run: Run, place: Path) -> None:
        known = {part.file: part.sha256 for part in run.parts if part.file is not None}
        there = {one.relative_to(place).as_posix(): one for one in sorted(place.rglob("*"))}
        for name, one in there.items():
            if name not in (RESULTS, PARTS, *known):
                self.tell(
                    f"Run {run.number} holds a {'folder' if one.is_dir() else 'file'} that it did"
                    " not write.",
                    AWAY,
                    file=f"{RUNS}/{place.name}/{name}",
                    run=run.number,
                )
            elif one.is_symlink():
                self.tell(
                    f"A file of run {run.number} was replaced by a link to another.",
                    RESTORE,
                    file=f"{RUNS}/{place.name}/{name}",
                    run=run.number,
                )
        for name, expected in known.items():
            content = _content(place / name)
            if content is None or hash_bytes(content) != expected:
                what = "is gone" if content is None else "was changed"
                self.tell(
                    f"A part of run {run.number} {what}.",
                    ASIDE,
                    file=f"{RUNS}/{place.name}/{name}",
                    run=run.number,
                )

    def _check_seed(self) -> None:
        """The seed belongs to the last run: a new seed takes the place of an old one."""
        if not self.runs:
            return
        run = self.runs[max(self.runs)]
        if run.seed_file is None or run.seed_sha256 is None:
            return
        content = _content(self.folder / run.seed_file)
        if content is None:
            self.tell(
                f"The seed of run {run.number} is missing.",
                "Restore it from a backup, or draw a new one: unveil run.",
                file=run.seed_file,
                run=run.number,
            )
        elif hash_bytes(content) != run.seed_sha256:
            self.tell(
                f"The seed is not the one of run {run.number}: it was changed, or a run with"
                " another seed was not finished.",
                "Restore it from a backup, or measure with the seed that is there: unveil run.",
                file=run.seed_file,
                run=run.number,
            )

    def check_decisions(self) -> None:
        """Every decision against the line that tells of it, and the other way round."""
        for number, place, line in self._match("decision", DECISIONS, ".json"):
            self.n_decisions += 1
            self._check_decision(number, place, line)

    def _check_decision(self, number: int, place: Path, line: LogLine | None) -> None:
        file = f"{DECISIONS}/{place.name}"
        content = _content(place) or b""
        if line is None:
            stopped = find_stopped_decision(self.folder, self.lines)
            is_stopped = stopped is not None and stopped[0].number == number
            self._tell_unlogged(f"Decision {number}", file, is_stopped=is_stopped)
        elif line.file_sha256 != hash_bytes(content):
            what = f"Decision {number} was changed after it was logged."
            self.tell(what, RESTORE, line=line.n, file=file)
        decision = _record(Decision, content)
        if decision is None:
            self.tell(f"Decision {number} cannot be read.", RESTORE, file=file)
            return
        self.decisions[number] = decision
        if self.results.get(decision.run) != decision.results_sha256:
            self.tell(
                f"Decision {number} was made on results of run {decision.run} that have changed"
                " since.",
                ASIDE,
                file=file,
                run=decision.run,
            )
        self._check_head(f"Decision {number}", decision.log_head, line, file)

    def check_released(self) -> None:
        """Whether the files are still those that the last decision released."""
        last = self.decisions.get(max(self.decisions, default=0))
        if last is not None and last.release and last.run in self.runs:
            self.since_release += changes_since_release(
                self.folder, last, self.runs[last.run].files
            )

    def _check_head(
        self, what: str, head: str, line: LogLine | None, file: str, run: int | None = None
    ) -> None:
        """What was the last line when it began must stand before its own line."""
        before = [one.hash for one in self.lines if line is None or one.n < line.n]
        if head not in (ORIGIN, *before):
            what = f"{what} began after a line that is missing from the log."
            self.tell(what, OVER, file=file, run=run)

    def _lines_of(self, event: str) -> dict[int, LogLine]:
        found = ((number_in(line.subject), line) for line in self.lines if line.event == event)
        return {number: line for number, line in found if number is not None}


def _inside(folder: Path) -> Iterator[Path]:
    """What a folder of ours holds, but for what is only there while something is under way."""
    if folder.is_dir():
        yield from (one for one in sorted(folder.iterdir()) if not one.name.startswith("."))


def _number(place: Path) -> int | None:
    """The number in a name, if it is written as we write it."""
    text = place.stem
    number = int(text) if text.isascii() and text.isdigit() else None
    return number if number is not None and f"{number:04d}" == text else None


def _content(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except OSError:
        return None


def _record(kind: type[RecordT], content: bytes) -> RecordT | None:
    try:
        return kind.from_json(content)
    except ReadError:
        return None
