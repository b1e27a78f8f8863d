"""What is this machine like: folders, terminal? Its names are never asked for."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from unveil.records.examination import Folder


def folders() -> tuple[Folder, ...]:
    """The folder unveil was started in, and the one for temporary files."""
    return _folder("current", os.curdir), _folder("temporary", _temporary())


def terminal_width() -> int:
    """How many characters a line has."""
    return shutil.get_terminal_size().columns


def _temporary() -> str | None:
    try:
        return tempfile.gettempdir()
    except OSError:  # none that could be written to
        return None


def _folder(which: Literal["current", "temporary"], path: str | None) -> Folder:
    if path is None:
        return Folder(which=which, writable=False, free=None)
    return Folder(which=which, writable=_can_write(path), free=_free(path))


def _can_write(path: str) -> bool:
    """Whether a file can really be made there; permissions alone do not say."""
    try:
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"unveil")
    except OSError:
        return False
    return True


def _free(path: str) -> int | None:
    try:
        return shutil.disk_usage(Path(path)).free
    except OSError:
        return None
