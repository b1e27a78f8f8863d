"""How do several files get into a folder, all of them whole or none at all?

Each is written beside its final place under a name of its own, readable by its owner alone, and
renamed only when all are finished. What is left unfinished is removed, whatever happened.
"""

import errno
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from unveil.errors import WriteError, listed, quoted

OWNER_ONLY = 0o600

_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_NO_LESS = 1 << 20  # bytes: with fewer left, a file that broke off broke off for want of them


class Placing:
    """Files on their way to their places; nothing is in place before `publish`."""

    def __init__(self, *, overwrite: bool = False) -> None:
        self._overwrite = overwrite
        self._unfinished: dict[Path, Path] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for unfinished in self._unfinished.values():
            unfinished.unlink(missing_ok=True)

    def claim(self, *paths: Path) -> None:
        """Refuse, before anything is computed, places that are taken or cannot be written to."""
        twice = sorted({path.name for path in paths if paths.count(path) > 1})
        if twice:
            raise WriteError(
                f"Two files would be called {listed(twice)}. Nothing was written. Give the copies"
                " names that differ, or write them one at a time."
            )
        present = [path for path in paths if os.path.lexists(path)]
        if present and not self._overwrite:
            raise WriteError(
                f"The folder {quoted(str(present[0].parent))} already holds"
                f" {listed(path.name for path in present)}. Nothing was written. Name another"
                " place, or move the old files away first."
            )
        folders = [path.name for path in present if path.is_dir()]
        if folders:
            raise WriteError(f"{listed(folders)} is a folder. Name a file.")

    def start(self, path: Path) -> Path:
        """An empty file beside the final place, for its owner alone, to be written to."""
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(unfinished, flags, OWNER_ONLY))
        except OSError as fault:
            raise WriteError(_refused(path, fault)) from None
        self._unfinished[path] = unfinished
        return unfinished

    def publish(self) -> None:
        """Put everything that was started in place, or nothing."""
        placed: list[Path] = []
        present = {path for path in self._unfinished if os.path.lexists(path)}
        path = next(iter(self._unfinished), Path())
        try:
            for unfinished in self._unfinished.values():
                _to_disk(unfinished)
            if not self._overwrite:
                self.claim(*self._unfinished)  # again, now that the work is done
            for path, unfinished in self._unfinished.items():
                unfinished.replace(path)
                placed.append(path)
        except BaseException as fault:
            for done in placed:
                if done not in present:
                    done.unlink(missing_ok=True)
            if isinstance(fault, OSError):
                raise WriteError(_refused(path, fault)) from None
            raise
        self._unfinished.clear()


def is_full(folder: Path, fault: OSError | None = None) -> bool:
    """Whether a file could not be written for want of room, by the fault or by what is left."""
    if fault is not None and fault.errno is not None:  # polars raises some without
        return fault.errno in _NO_ROOM
    try:
        return shutil.disk_usage(folder).free < _NO_LESS
    except OSError:
        return False


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _refused(path: Path, fault: OSError) -> str:
    if is_full(path.parent, fault):
        return (
            f"The file {quoted(str(path))} cannot be written: the disk is full. Nothing was"
            " written. Make room, or name a folder on another disk."
        )
    return (
        f"The file {quoted(str(path))} cannot be written: {fault.strerror}. Name a file in a folder"
        " in which you may create files."
    )
