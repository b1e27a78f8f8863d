"""Any file or frame as a polars frame."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from unveil.errors import InputError, list_names

ROLES = {"original": "the original", "control": "the control sample", "published": "published"}


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a study, read."""

    frame: pl.DataFrame
    role: str
    version: str
    copy: int
    name: str
    sha256: str

    @property
    def label(self) -> str:
        """How messages call it."""
        of_version = f" of {self.version}" if self.version else ""
        return ROLES.get(self.role, f"synthetic file {self.copy}{of_version}")


def open_file(source: Any, role: str, version: str = "", copy: int = 1) -> OpenFile:
    """The records of a file or frame, and where they are from."""
    if isinstance(source, OpenFile):
        return source
    if not isinstance(source, str | Path):
        return OpenFile(_from_frame(source, role), role, version, copy, "a data frame", "")
    path = Path(source)
    frame = _from_path(source, path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return OpenFile(frame, role, version, copy, path.name, digest)


def _from_frame(source: Any, role: str) -> pl.DataFrame:
    try:
        frame: pl.DataFrame = nw.from_native(source, eager_only=True).to_polars()
    except TypeError:
        raise InputError(
            f"{role!r} takes a path or a data frame, not a {type(source).__name__}."
        ) from None
    except Exception as fault:  # of any library that narwhals reads
        raise InputError(
            f"The frame for {role!r} cannot be read ({type(fault).__name__}). Are its columns"
            " plain, each with a name of its own?"
        ) from None
    return frame


def _from_path(source: str | Path, path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise InputError(f"There is no file {str(source)!r}.")
    if (reader := READERS.get(path.suffix.lower())) is None:
        raise InputError(
            f"{str(path)!r} is of no known type. Give one of these types: {list_names(READERS)}."
        )
    try:
        frame = reader(path)
    except Exception as fault:  # every reader has errors of its own; their texts may hold values
        raise InputError(
            f"{str(path)!r} cannot be read ({type(fault).__name__}). Is it what its name says?"
        ) from None
    return frame


def _read_csv(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema_length=None)


READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": _read_csv,
    ".parquet": pl.read_parquet,
}
