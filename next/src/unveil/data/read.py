"""Any file or frame as a polars frame."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from unveil.data.columns import is_number
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
    path: Path | None = None

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
    return OpenFile(frame, role, version, copy, path.name, digest, path)


def _from_frame(source: Any, role: str) -> pl.DataFrame:
    try:
        frame: pl.DataFrame = nw.from_native(source, eager_only=True).to_polars()
    except TypeError:
        raise InputError(
            f"{role!r} takes a path or a data frame, not {type(source).__name__!r}."
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
    except InputError:
        raise
    except PermissionError:
        raise InputError(f"{str(path)!r} may not be read. Ask who keeps it.") from None
    except Exception as fault:  # every reader has errors of its own; their texts may hold values
        raise InputError(
            f"{str(path)!r} cannot be read ({type(fault).__name__}). Is it empty, damaged, or not"
            " what its name says?"
        ) from None
    return frame


def _read_csv(path: Path) -> pl.DataFrame:
    """Everything as text, then as numbers or truth values what holds nothing else."""
    names = pl.read_csv(path, has_header=False, n_rows=1, infer_schema=False).row(0)
    if len(set(names)) < len(names) or any(is_number(name or "0") for name in names):
        raise InputError(
            f"The first line of {str(path)!r} is no list of names, or has one twice. Each column"
            " needs a name of its own."
        )
    frame = pl.read_csv(path, infer_schema=False)
    return frame.with_columns(_typed(column) for column in frame)


def _typed(texts: pl.Series) -> pl.Series:
    """Numbers, where all are; codes such as 01 stay text."""
    known = texts.drop_nulls()
    if known.is_empty() or known.str.contains(r"^[+-]?0\d").any():
        return texts
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts


READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": _read_csv,
    ".parquet": pl.read_parquet,
}
