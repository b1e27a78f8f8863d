"""Who is at work in a project? One at a time, by a lock of the operating system.

The lock ends with the process that holds it, however it ends; the file says who that is, since
when, and what they do, for the one who finds it held.
"""

import getpass
import json
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unveil.errors import LockedError, WriteError

NAME = ".lock"
_HELD: dict[tuple[str, int], int] = {}  # how often this thread entered, by folder


@contextmanager
def lock_project(folder: Path, doing: str) -> Iterator[None]:
    """Hold the project for a while; entering again inside is allowed.

    Raises
    ------
    LockedError
        If another process (or thread) holds it: who, since when, and what they do.
    """
    mine = (str(folder.resolve()), threading.get_ident())
    if mine in _HELD:
        yield
        return
    place = folder / "runs" / NAME
    file = _take_lock(place, doing, _in_use_sentence)
    _HELD[mine] = 1
    try:
        yield
    finally:
        del _HELD[mine]
        _release_lock(place, file)


@contextmanager
def lock_app(folder: Path, address: str) -> Iterator[None]:
    """Hold a folder for the app in the browser; commands may go on beside it.

    Raises
    ------
    LockedError
        If another app has it open: whose, since when, and at which address.
    """
    place = folder / "confidential" / "app" / "lock"
    for one in (place.parent.parent, place.parent):
        with suppress(OSError):  # what cannot be made is told by the lock
            one.mkdir(mode=0o700)
    file = _take_lock(place, address, _open_sentence)
    try:
        yield
    finally:
        _release_lock(place, file)
        for one in (place.parent, place.parent.parent):
            with suppress(OSError):  # it is kept where anything is in it
                one.rmdir()


def _take_lock(place: Path, doing: str, say: Callable[[Path], str]) -> int:
    """The open, locked file; it is tried again where its last holder just took it away."""
    while True:
        file = _open_lock(place)
        try:
            if not _lock(file):
                raise LockedError(say(place))
            if _is_in_place(file, place):
                _sign(file, place, doing)
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _sign(file: int, place: Path, doing: str) -> None:
    """Write who holds it; where that cannot be written, nothing else could be, and none is left."""
    try:
        os.ftruncate(file, 0)
        os.write(file, json.dumps(_owner(doing)).encode())
    except OSError as fault:
        place.unlink(missing_ok=True)
        raise WriteError(
            f"The folder {str(place.parent)!r} cannot be written to: {fault.strerror}. Nothing was"
            " changed. Make room on the disk, and try again."
        ) from None


def _open_lock(place: Path) -> int:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as fault:
        raise WriteError(
            f"The folder {str(place.parent)!r} cannot be written to: {fault.strerror}. Nothing was"
            " changed. Move the project to a folder in which you may create files."
        ) from None


def _is_in_place(file: int, place: Path) -> bool:
    try:
        there = os.stat(place)
    except FileNotFoundError:
        return False
    mine = os.fstat(file)
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)


def _release_lock(place: Path, file: int) -> None:
    # Taken away before it is released, so that nobody else's file is taken away.
    if sys.platform == "win32":
        os.close(file)
        place.unlink(missing_ok=True)
        return
    place.unlink(missing_ok=True)
    os.close(file)


def _lock(file: int) -> bool:
    """Whether the lock could be had, at once."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # Far behind what is written, which others want to read.
            os.lseek(file, 1 << 30, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as fault:
        raise WriteError(
            f"The project cannot be locked: {fault.strerror}. Two runs at once would mix, so"
            " nothing was done. Copy the project to a local disk."
        ) from None
    return True


def _owner(doing: str) -> dict[str, Any]:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "an unknown user"
    since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "user": user,
        "host": platform.node(),
        "pid": os.getpid(),
        "since": since,
        "doing": doing,
    }


def _in_use_sentence(place: Path) -> str:
    end = "Wait until it is done, and try again."
    try:
        owner = json.loads(place.read_bytes())
        began = datetime.strptime(owner["since"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        who = f"{owner['user']} on {owner['host']} (process {owner['pid']})"
        doing = str(owner["doing"])
    except (OSError, ValueError, KeyError, TypeError):
        return f"The project is in use by another process that has just started. {end}"
    age = _age((datetime.now(UTC) - began).total_seconds())
    return f"The project is in use: {who} has been running {doing} for {age}. {end}"


def _open_sentence(place: Path) -> str:
    """Who has the app open; the address holds no token."""
    try:
        owner = json.loads(place.read_bytes())
        who = f"by {owner['user']} since {owner['since']}: {owner['doing']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "by a process that has just started"
    return f"The app has this folder open already, {who}. Use that one, or end it first."


def _age(seconds: float) -> str:
    for size, one in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            n = int(seconds // size)
            return f"{n:,} {one}{'' if n == 1 else 's'}"
    n = max(int(seconds), 0)
    return f"{n} second{'' if n == 1 else 's'}"
