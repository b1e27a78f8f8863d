"""Who changed what, and when? One line for each change, chained by hashes.

Every line holds the SHA-256 of the line before it, so that a line that is changed, removed or put
elsewhere breaks the chain. The last hash is kept a second time, in `confidential/log_head.json`:
lines removed at the end show as well. Nothing here proves who it was: a person who may write to
the folder and recomputes everything can forge it all. Keep the last hash elsewhere where that
matters.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from unveil.atomic import replace_file
from unveil.errors import InternalError, ReadError, WriteError
from unveil.records.base import Record
from unveil.records.judgement import LogLine

# How do several commands write one log? Each alone, line by line, and never over a line.


LOG = "log.jsonl"


@contextmanager
def open_log(folder: Path) -> Iterator[BinaryIO]:
    """The log, open for this process alone; another one that writes is waited for."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(folder / LOG, flags, 0o600), "r+b") as file:
            _lock(file)
            yield file
    except OSError as fault:
        raise WriteError(
            f"The log of the project cannot be written: {fault.strerror}. Check the disk, and who"
            f" may write {LOG}."
        ) from None


def _lock(file: BinaryIO) -> None:
    """Wait for the file; it is let go of when it is closed, also by the end of the process."""
    if sys.platform == "win32":  # pragma: no cover
        import msvcrt

        file.seek(1 << 40)  # beyond all lines: who reads them is not kept from it
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX)


def repair_log(file: BinaryIO) -> bytes:
    """What the log holds, without the torn end that a stopped command left."""
    file.seek(0)
    content = file.read()
    if content and not content.endswith(b"\n"):
        whole = content.rfind(b"\n") + 1
        if decode_line(content[whole:]) is not None:  # only its end of line is lacking
            file.write(b"\n")
            return content + b"\n"
        file.truncate(whole)
        return content[:whole]
    return content


def repair_end(folder: Path) -> None:
    """Take away the torn end of the log, where no command is writing it just now."""
    with open_log(folder) as file:
        repair_log(file)


def read_content(folder: Path) -> bytes:
    """All that the log holds; nothing where there is none yet."""
    try:
        return (folder / LOG).read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as fault:
        raise ReadError(
            f"The log of the project cannot be read: {fault.strerror}. Check who may read {LOG}."
        ) from None


def read_raw_lines(folder: Path) -> list[bytes]:
    """The whole lines of the log as they stand on the disk."""
    return read_content(folder).split(b"\n")[:-1]


def is_torn(folder: Path) -> bool:
    """Whether the log ends within a line: a command was stopped while it wrote."""
    content = read_content(folder)
    return bool(content) and not content.endswith(b"\n")


def encode_line(line: LogLine) -> bytes:
    """One line as it is written."""
    return msgspec.json.encode(line)


def decode_line(raw: bytes) -> LogLine | None:
    """The line that some bytes are; None where they are none."""
    try:
        return LogLine.from_json(raw)
    except ReadError:
        return None


def parse_lines(content: bytes) -> list[LogLine]:
    """The lines of a log that are lines."""
    found = (decode_line(raw) for raw in content.split(b"\n")[:-1])
    return [line for line in found if line is not None]


HEAD = "confidential/log_head.json"
ORIGIN = "0" * 64
"""What the first line follows."""

UNCHANGING = ("run", "decision", "report", "records", "pack")
"""Events that leave the project file as it is."""

MOST_AT_ONCE = 2
"""Lines that one command writes at most: what was edited by hand before it, and its own."""

_LONGEST = 200


class LogHead(Record, frozen=True, kw_only=True):
    """The last line of a log, kept apart from it."""

    n: int
    hash: str


def append(
    folder: Path,
    *,
    event: str,
    by: str | None = None,
    subject: str | None = None,
    project_sha256: str | None = None,
    file_sha256: str | None = None,
    project_before: str | None = None,
) -> LogLine:
    """Write one line; one more before it where the project file was edited by hand in between.

    Parameters
    ----------
    folder
        Of the project.
    event, by, subject
        What was done, by whom, to which column, scenario, measure or run: no free text, no level.
    project_sha256
        Of the project file as it is now.
    file_sha256
        Of the results of a run, or of a decision.
    project_before
        Of the project file before this very change; needed where the event changes the file.

    Raises
    ------
    WriteError
        If the log cannot be written.
    """
    with open_log(folder) as file:
        return append_to(
            file,
            folder,
            before=project_sha256 if event in UNCHANGING else project_before,
            event=event,
            by=by,
            subject=subject,
            project_sha256=project_sha256,
            file_sha256=file_sha256,
        )


def append_to(file: BinaryIO, folder: Path, *, before: str | None, **fields: Any) -> LogLine:
    """Write a line to a log that is held already."""
    known = parse_lines(repair_log(file))
    n, previous = _end(folder, known)
    made = []
    if _is_edited(known, before, fields["event"]):
        made.append(_line(n, previous, event="edited", project_sha256=before))
        n, previous = made[0].n, made[0].hash
    made.append(_line(n, previous, **fields))
    file.write(b"".join(encode_line(line) + b"\n" for line in made))
    file.flush()
    os.fsync(file.fileno())
    _keep_head(folder, made[-1])
    return made[-1]


def read_log(folder: Path) -> tuple[LogLine, ...]:
    """All lines; a last one that was being written when the machine stopped is left out."""
    lines = [decode_line(raw) for raw in read_raw_lines(folder)]
    for number, line in enumerate(lines, start=1):
        if line is None:
            raise ReadError(
                f"Line {number} of {LOG} cannot be read: it was changed. unveil log --verify lists"
                " every change."
            )
    return tuple(line for line in lines if line is not None)


def log_head(folder: Path) -> str:
    """The hash of the last line; where there is none, what the first would follow."""
    return _end(folder, parse_lines(read_content(folder)))[1]


def hash_line(line: LogLine) -> str:
    """SHA-256 over all of a line but its own hash."""
    return hashlib.sha256(encode_line(msgspec.structs.replace(line, hash=""))).hexdigest()


def read_head(folder: Path) -> LogHead | None:
    """The last line as it is kept apart from the log; None where it is not."""
    try:
        return LogHead.from_json((folder / HEAD).read_bytes())
    except (OSError, ReadError):
        return None


def keep_first_head(folder: Path, lines: Sequence[LogLine]) -> None:
    """Keep the head that the very first command was stopped before; a later one is not made up."""
    if 0 < len(lines) <= MOST_AT_ONCE and read_head(folder) is None:
        _keep_head(folder, lines[-1])


def load_project(lines: Sequence[LogLine]) -> str | None:
    """The hash of the project file as the log last saw it.

    A run tells of the file as it was when the run began; what was said meanwhile is later.
    """
    seen = [line for line in lines if line.project_sha256 is not None]
    changed = [line for line in seen if line.event not in UNCHANGING]
    return (changed or seen)[-1].project_sha256 if seen else None


def number_in(subject: str | None) -> int | None:
    """The number of the run or decision that a line is about."""
    found = re.match(r"\d+", subject or "", re.ASCII)
    return int(found[0]) if found else None


def _is_edited(lines: Sequence[LogLine], before: str | None, event: str) -> bool:
    known = load_project(lines)
    if before is None or known is None or before == known:
        return False
    return event not in UNCHANGING or all(line.project_sha256 != before for line in lines)


def _line(n: int, previous: str, **fields: Any) -> LogLine:
    texts = {name: _on_one_line(fields.get(name)) for name in ("by", "subject")}
    hashes = {name: fields.get(name) for name in ("project_sha256", "file_sha256")}
    line = LogLine(
        n=n + 1, at=now(), event=fields["event"], previous=previous, hash="", **texts, **hashes
    )
    made = msgspec.structs.replace(line, hash=hash_line(line))
    if decode_line(encode_line(made)) != made:
        raise InternalError(f"The log has no event {fields['event']!r}.")
    return made


def now() -> str:
    """The time as records and the log write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _on_one_line(text: str | None) -> str | None:
    """Names of columns and of people may be anything; a line of the log may not."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text or "")
    return shown[:_LONGEST] or None


def _end(folder: Path, lines: Sequence[LogLine]) -> tuple[int, str]:
    """Number and hash of the line that the next one follows.

    Where the head that is kept apart is not in the log, lines were removed: the next line follows
    that head all the same, so that the gap stays to be seen.
    """
    kept = read_head(folder)
    if kept is not None and all(line.hash != kept.hash for line in lines):
        return kept.n, kept.hash
    return (lines[-1].n, lines[-1].hash) if lines else (0, ORIGIN)


def _keep_head(folder: Path, line: LogLine) -> None:
    place = folder / HEAD
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(place, LogHead(n=line.n, hash=line.hash).to_json().encode(), mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"The head of the log cannot be kept in {HEAD!r}: {fault.strerror}. Check the disk, and"
            " who may write there."
        ) from None
