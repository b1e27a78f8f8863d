"""Can the file be opened at all, and if not, what should its owner do?

Messages of the operating system are never passed on: they differ from system to system.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from unveil.errors import ReadError


@contextmanager
def open_file(path: Path, place: str) -> Iterator[BinaryIO]:
    """The file's bytes; any fault of the disk, then or later, is a `ReadError`."""
    try:
        _refuse_what_is_no_file(path, place)
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise ReadError(_not_found(path, place)) from None
    except PermissionError:
        raise ReadError(
            f"{place} may not be read by this user. Ask its owner for the right to read it, or "
            "read a copy that is yours."
        ) from None
    except OSError:
        raise ReadError(
            f"{place} could not be read from the disk. Check that the disk or network folder is "
            "still there, and try again."
        ) from None


def _refuse_what_is_no_file(path: Path, place: str) -> None:
    if "\0" in str(path) or not path.exists():
        raise ReadError(_not_found(path, place))
    if path.is_dir():
        raise ReadError(f"{place} is a folder, not a file. Give the path of one file in it.")
    if not path.is_file():
        raise ReadError(
            f"{place} is a device or a pipe. Save the data to a file and give its path."
        )
    if path.stat().st_size == 0:
        raise ReadError(f"{place} is empty: it has no bytes. Check that its export was finished.")


def _not_found(path: Path, place: str) -> str:
    return f"{place} was not found: there is no file {str(path)!r}. Check the name and the folder."
