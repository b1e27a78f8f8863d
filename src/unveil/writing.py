"""How does a file get onto a disk, whole or not at all, and over nothing that was there?"""

import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from unveil.errors import WriteError, listed

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
            f"The folder {str(place)!r} already holds {listed(present)}. Nothing was written. "
            "Name another folder, or move the old files away first."
        )
    try:
        with all_or_none() as written:
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
def all_or_none() -> Iterator[list[Path]]:
    """The files written so far, to be told here; where anything fails, none of them is left."""
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def refuse_present(path: Path) -> None:
    """Refuse to write over a file that is there."""
    if os.path.lexists(path):
        raise WriteError(
            f"The file {str(path)!r} is there already. Nothing was written. Name another file, or"
            " move the old one away first."
        )


def write_private(path: Path, content: bytes) -> None:
    """Write a file that is not there yet and that only its owner may read."""
    refuse_present(path)
    try:
        replace_file(path, content, mode=0o600)
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


def replace_file(path: Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Put a file in place in one step, so that nobody ever meets half of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{_MARK}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(unfinished, flags, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path
