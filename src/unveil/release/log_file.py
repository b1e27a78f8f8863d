"""How do several commands write one log? Each alone, line by line, and never over a line."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from unveil.errors import ReadError, WriteError
from unveil.records.judgement import LogLine

LOG = "log.jsonl"


@contextmanager
def held(folder: Path) -> Iterator[BinaryIO]:
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


def healed(file: BinaryIO) -> bytes:
    """What the log holds, without the torn end that a stopped command left."""
    file.seek(0)
    content = file.read()
    if content and not content.endswith(b"\n"):
        whole = content.rfind(b"\n") + 1
        if decoded(content[whole:]) is not None:  # only its end of line is lacking
            file.write(b"\n")
            return content + b"\n"
        file.truncate(whole)
        return content[:whole]
    return content


def mend_end(folder: Path) -> None:
    """Take away the torn end of the log, where no command is writing it just now."""
    with held(folder) as file:
        healed(file)


def content_of(folder: Path) -> bytes:
    """All that the log holds; nothing where there is none yet."""
    try:
        return (folder / LOG).read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as fault:
        raise ReadError(
            f"The log of the project cannot be read: {fault.strerror}. Check who may read {LOG}."
        ) from None


def raw_lines(folder: Path) -> list[bytes]:
    """The whole lines of the log as they stand on the disk."""
    return content_of(folder).split(b"\n")[:-1]


def is_torn(folder: Path) -> bool:
    """Whether the log ends within a line: a command was stopped while it wrote."""
    content = content_of(folder)
    return bool(content) and not content.endswith(b"\n")


def encoded(line: LogLine) -> bytes:
    """One line as it is written."""
    return msgspec.json.encode(line)


def decoded(raw: bytes) -> LogLine | None:
    """The line that some bytes are; None where they are none."""
    try:
        return LogLine.from_json(raw)
    except ReadError:
        return None


def readable(content: bytes) -> list[LogLine]:
    """The lines of a log that are lines."""
    found = (decoded(raw) for raw in content.split(b"\n")[:-1])
    return [line for line in found if line is not None]
