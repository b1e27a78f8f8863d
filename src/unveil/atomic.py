"""How does a file get onto a disk, whole or not at all, and over nothing that was there?"""

import errno
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from unveil.errors import WriteError, list_names, quote_text

# How do several files get into a folder, all of them whole or none at all?
#
# Each is written beside its final place under a name of its own, readable by its owner alone, and
# renamed only when all are finished. What is left unfinished is removed, whatever happened.


OWNER_ONLY = 0o600

_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_NO_LESS = 1 << 20  # bytes: with fewer left, a file that broke off broke off for want of them


class FilePlacement:
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
                f"Two files would be called {list_names(twice)}. Nothing was written. Give the"
                " files different names, or write them one at a time."
            )
        present = [path for path in paths if os.path.lexists(path)]
        if present and not self._overwrite:
            raise WriteError(
                f"The folder {quote_text(str(present[0].parent))} already holds"
                f" {list_names(path.name for path in present)}. Nothing was written. Name another"
                " place, or move the old files away first."
            )
        folders = [path.name for path in present if path.is_dir()]
        if folders:
            raise WriteError(f"{list_names(folders)} is a folder. Name a file.")

    def start(self, path: Path) -> Path:
        """An empty file beside the final place, for its owner alone, to be written to."""
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(unfinished, flags, OWNER_ONLY))
        except OSError as fault:
            raise WriteError(_unwritable_sentence(path, fault)) from None
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
                raise WriteError(_unwritable_sentence(path, fault)) from None
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


def _unwritable_sentence(path: Path, fault: OSError) -> str:
    if is_full(path.parent, fault):
        return (
            f"The file {quote_text(str(path))} cannot be written: the disk is full. Nothing was"
            " written. Make room, or name a folder on another disk."
        )
    return (
        f"The file {quote_text(str(path))} cannot be written: {fault.strerror}. Name a file in "
        "a folder"
        " in which you may create files."
    )


_UNFINISHED = re.compile(r"\..+\.(\d+)-([0-9a-f]{8})\.tmp")
_MARK = secrets.token_hex(4)  # of this process: numbers of processes come again
_WRITING_AT_MOST = 600  # seconds


def write_new(
    folder: str | os.PathLike[str], contents: Mapping[str, bytes], *, mode: int = 0o666
) -> tuple[Path, ...]:
    """Write files that are not there yet, and give their paths; create the folder if need be.

    Raises
    ------
    WriteError
        If one of the files is there already (then none is written), or the folder cannot be used.
    """
    place = Path(folder)
    present = [name for name in contents if os.path.lexists(place / name)]
    if present:
        raise WriteError(
            f"The folder {str(place)!r} already holds {list_names(present)}. Nothing was written. "
            "Name another folder, or move the old files away first."
        )
    try:
        with write_all_or_none() as written:
            place.mkdir(parents=True, exist_ok=True)
            for name, content in contents.items():
                written.append(replace_file(place / name, content, mode=mode))
    except OSError as fault:
        raise WriteError(
            f"The files cannot be written to {str(place)!r}: {fault.strerror}. "
            "Name a folder in which you may create files."
        ) from fault
    return tuple(written)


@contextmanager
def write_all_or_none() -> Iterator[list[Path]]:
    """The files written so far, to be told here; where anything fails, none of them is left."""
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def check_present(path: Path) -> None:
    """Refuse to write over a file that is there."""
    if os.path.lexists(path):
        raise WriteError(
            f"The file {str(path)!r} is there already. Nothing was written. Name another file, or"
            " move the old one away first."
        )


def write_private(path: Path, content: bytes, *, mode: int = OWNER_ONLY) -> None:
    """Write a file that is not there yet and that, unless said otherwise, its owner alone reads."""
    check_present(path)
    try:
        replace_file(path, content, mode=mode)
    except OSError as fault:
        raise WriteError(
            f"The file {str(path)!r} cannot be written: {fault.strerror}. Name a file in a folder"
            " in which you may create files."
        ) from fault


def is_left_behind(path: Path) -> bool:
    """Whether a file is half of one that `replace_file` was writing when its process died."""
    found = _UNFINISHED.fullmatch(path.name)
    if found is None or found[2] == _MARK or not path.is_file():
        return False
    if int(found[1]) == os.getpid():
        return True
    if sys.platform == "win32":  # where asking for a process would end it
        return time.time() - path.stat().st_mtime > _WRITING_AT_MOST
    try:
        os.kill(int(found[1]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


@contextmanager
def write_beside(path: Path, *, mode: int = 0o666) -> Iterator[Path]:
    """An empty file to be written in the block; at its end it is put in place in one step."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{_MARK}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        os.close(os.open(unfinished, flags, mode))
        yield unfinished
        _to_disk(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Put a file in place in one step, so that nobody ever meets half of it."""
    with write_beside(path, mode=mode) as unfinished, unfinished.open("r+b") as file:
        file.write(content)
    return path
