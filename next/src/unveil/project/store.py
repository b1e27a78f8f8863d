"""Files that survive a kill: written whole or not at all, by one writer; acts in a chained log."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import filelock
import msgspec

from unveil.data.files import replace_file
from unveil.errors import InputError

DIGITS = 16  # of a hash in the name of a file


@contextmanager
def only_one(path: Path, what: str, seconds: float = 0) -> Iterator[None]:
    """Hold a lock; it is free again when its holder ends, however it ends."""
    try:
        with filelock.FileLock(path, timeout=seconds):
            yield
    except filelock.Timeout:
        raise InputError(f"{what} is under way in this project. Wait until it has ended.") from None
    except OSError:
        raise InputError(f"{str(path.parent)!r} cannot be written to. Ask who keeps it.") from None


def sha256(content: bytes | Path) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    try:
        with content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise InputError(f"There is no file {str(content)!r} that can be read.") from None


def short_hash(value: Any) -> str:
    """The first digits of the hash of plain data."""
    return sha256(msgspec.json.encode(value, order="sorted"))[:DIGITS]


class Log:
    """What was done, by whom: JSON lines, each with the hash of the line before.

    A file that an act wrote is named with its hash. It is written beside its place, then the line,
    then it is moved: a process may end at any moment, and either both are there or none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "log.jsonl"

    def lines(self) -> list[bytes]:
        """The lines that were written to their end."""
        text = self.path.read_bytes() if self.path.exists() else b""
        return text[: text.rfind(b"\n") + 1].splitlines()

    def acts(self) -> list[dict[str, Any]]:
        """The lines up to the first that makes no sense."""
        acts = []
        for line in self.lines():
            try:
                acts.append({"act": "", "by": "", "on": "", **json.loads(line)})
            except (ValueError, TypeError):
                break
        return acts

    def add(self, act: str, by: str, name: str = "", content: bytes = b"", **facts: Any) -> None:
        """One line, with the file that the act writes; the caller holds the lock."""
        self.settle()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line: dict[str, Any] = {"on": now, "by": by, "act": act, **facts}
        if name:
            replace_file(self._pending(name), content)
            line |= {"file": name, "sha256": sha256(content)}
        line["before"] = self.head
        with self.path.open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False, default=str).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.settle()

    def settle(self) -> None:
        """End what a process that was killed had begun: a cut line goes, the last file moves."""
        text = self.path.read_bytes() if self.path.exists() else b""
        if text and not text.endswith(b"\n"):
            replace_file(self.path, text[: text.rfind(b"\n") + 1])
        for act in self.acts()[-1:]:
            name = str(act.get("file", ""))
            if not re.fullmatch(r"(runs|decisions)/\d+\.json", name):
                return
            pending = self._pending(name)
            if pending.is_file() and sha256(pending) == act.get("sha256"):
                pending.replace(self.folder / name)

    def _pending(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        return path.with_name(f".{path.name}.new")

    @property
    def head(self) -> str:
        """The hash of the last line: on a signed page it fixes all lines before."""
        return sha256(self.lines()[-1])[:DIGITS] if self.lines() else ""

    def fault(self) -> str:
        """The first line that does not fit, or file that is not as it was written; else nothing."""
        before, named = "", dict[str, str]()
        for number, line in enumerate(self.lines(), start=1):
            try:
                act = json.loads(line)
                fits = act["before"] == before
            except (ValueError, KeyError, TypeError):
                fits = False
            if not fits:
                return f"Line {number} of log.jsonl does not fit the line before it."
            before = sha256(line)[:DIGITS]
            named |= {act["file"]: act["sha256"]} if "file" in act else {}
        for name, digest in named.items():
            path = self.folder / name
            path = path if path.is_file() else self._pending(name)
            if not path.is_file() or sha256(path) != digest:
                return f"{name} is not as the log says it was written."
        kept = (
            path
            for folder in ("runs", "decisions")
            for path in (self.folder / folder).glob("*.json")
        )
        unknown = [path for path in kept if path.relative_to(self.folder).as_posix() not in named]
        return (
            f"{unknown[0].name} in {unknown[0].parent.name} is not in the log." if unknown else ""
        )
