"""Files that are written whole or not at all, and texts that a spreadsheet does not execute."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unveil.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside it to write to, which takes its place when all went well."""
    new = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield new
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as fault:
        raise InputError(
            f"{str(path)!r} cannot be written ({fault.strerror or 'is the disk full?'})."
        ) from None
    finally:
        new.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Written whole or not at all."""
    with replacing(path) as new, new.open("xb") as file:
        file.write(content)


def guard(text: str) -> str:
    """Text that a spreadsheet would take for a formula, with an apostrophe; numbers stay."""
    is_number = re.fullmatch(r"[+-]?\d+(\.\d+)?", text)
    return "'" + text if text[:1] in "=+-@\t\r" and text and not is_number else text
