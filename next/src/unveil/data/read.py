"""Any file or frame, with its codebook, and where it is from."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import msgspec
import narwhals as nw
import polars as pl

from unveil.arguments import File, Missing, checked
from unveil.data.codebook import CODEBOOK, COLUMNS, Codebook, Data, Variable, read_codebook
from unveil.data.reading import Reading
from unveil.errors import InputError, list_names

ROLES = {"original": "the original", "control": "the control sample", "published": "published"}


class How(NamedTuple):
    """How files are read, as far as it is said."""

    missing: tuple[str, ...] = ()
    reading: Reading = Reading()


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a study, read."""

    data: Data
    role: str
    version: str
    copy: int
    name: str
    sha256: str
    source: Any
    how: How

    @property
    def frame(self) -> pl.DataFrame:
        return self.data.frame

    @property
    def columns(self) -> Sequence[str]:
        return self.frame.columns

    @property
    def size(self) -> int:
        """How many records it has."""
        return len(self.frame)

    @property
    def path(self) -> Path | None:
        """Where it is, if it is a file."""
        return place_of(self.source)[0] if isinstance(self.source, str | Path) else None

    @property
    def label(self) -> str:
        """How messages call it."""
        of_version = f" of {self.version}" if self.version else ""
        return ROLES.get(self.role, f"synthetic file {self.copy}{of_version}")


@checked
def read(file: File, *, missing: Missing = (), codebook: File | None = None) -> Data:
    """Read a file with its labels and missing codes.

    Parameters
    ----------
    file
        CSV, Excel, Parquet, SPSS, Stata, SAS, or a data frame.
    missing
        Texts that stand for a missing value, such as NA.
    codebook
        A table of column, code and label, in the place of the file's own.
    """
    data = read_data(file, "file", How(tuple(missing)))
    if codebook is None:
        return data
    return Data(data.frame, {**data.codebook, **open_codebook(codebook)}, data.notes)


def open_codebook(file: Any) -> Codebook:
    """The codebook that a table holds."""
    return read_codebook(read_data(file, "codebook", How()).frame)


def open_file(
    source: Any, role: str, version: str = "", copy: int = 1, how: How | None = None,
    reader: Callable[[Any, str, How], Data] | None = None,
) -> OpenFile:  # fmt: skip
    """The records of a file or frame, and where they are from."""
    how = how or How()
    if isinstance(source, OpenFile):
        if source.path is None or source.how == how:
            return source
        source = source.source
    data, name, digest = (reader or read_data)(source, role, how), "a data frame", ""
    if isinstance(source, str | Path):
        path, _ = place_of(source)
        name = path.name
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return OpenFile(data, role, version, copy, name, digest, source, how)


def read_data(source: Any, role: str, how: How) -> Data:
    """The records of a file or frame, with its codebook."""
    if isinstance(source, Data):
        return source
    is_path = isinstance(source, str | Path)
    return from_path(source, how, READERS) if is_path else Data(_from_frame(source, role))


def _from_frame(source: Any, role: str) -> pl.DataFrame:
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        raise InputError(
            f"{role!r} takes a path or a data frame, not {type(source).__name__!r}."
        ) from None
    try:
        own = frame.clone() if frame.implementation.is_pandas() else frame  # others do not change
        return own.to_polars()
    except Exception as fault:  # of any library that narwhals reads
        odd = list_names(_odd_columns(source))
        raise InputError(
            f"The frame for {role!r} cannot be read ({type(fault).__name__}; columns: {odd}). Give"
            " each column a name of its own and values of one type."
        ) from None


def _odd_columns(frame: Any) -> Iterator[str]:
    """The columns that cannot be read by themselves."""
    for name in dict.fromkeys(frame.columns):
        try:
            nw.from_native(frame[[name]], eager_only=True).to_polars()
        except Exception:  # whatever its library says
            yield str(name)


def place_of(source: str | Path) -> tuple[Path, str]:
    """The path of a file, and a sheet of it: book.xlsx#sheet."""
    name, mark, sheet = str(source).rpartition("#")
    is_sheet = mark and Path(name).suffix.lower() in BOOKS and not Path(source).exists()
    return (Path(name), sheet) if is_sheet else (Path(source), "")


def from_path(source: str | Path, how: How, readers: Mapping[str, "Reader"]) -> Data:
    """What the reader of such files makes of one."""
    path, sheet = place_of(source)
    ending = "".join(path.suffixes[-2:] if path.suffix.lower() == ".gz" else path.suffixes[-1:])
    if path.is_symlink():
        raise InputError(f"{str(source)!r} is a link. Name the file itself.")
    if not path.is_file():
        raise InputError(f"There is no file {str(source)!r}.")
    if (reader := readers.get(ending.lower())) is None:
        from unveil.data.labelled import ELSEWHERE

        instead = ELSEWHERE.get(ending.lower(), f"give one of these: {' '.join(readers)}")
        raise InputError(f"{str(source)!r} is of a type that is not read: {instead}.")
    try:
        return reader(path, sheet, how)
    except InputError:
        raise
    except PermissionError:
        raise InputError(f"{str(source)!r} may not be read. Ask who keeps it.") from None
    except (Exception, pl.exceptions.PanicException) as fault:  # their texts may hold values
        raise InputError(
            f"{str(source)!r} cannot be read ({type(fault).__name__}). Is it empty, damaged, or not"
            " what its name says?"
        ) from None


Reader = Callable[[Path, str, How], Data]
TEXTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
BOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
BYTES_AN_ENTRY = 4  # of a column in memory, at least about
LABELLED = (".sav", ".dta", ".sas7bdat", ".xpt")


def _read_text(path: Path, _: str, how: How) -> Data:
    from unveil.data.text import read_text

    data = read_text(path, how.reading, how.missing)
    name = path.name.removesuffix(".gz").rpartition(".")[0]
    beside = path.with_name(f"{name}_{CODEBOOK}.csv")
    if how.reading.codebook or not beside.is_file():
        return data
    table = read_text(beside, Reading(), ()).frame
    if not {*COLUMNS} <= {*table.columns}:
        return Data(data.frame, {}, (*data.notes, f"{beside.name} is no codebook."))
    notes = (*data.notes, f"Its labels are those of {beside.name}.")
    return Data(data.frame, read_codebook(table), notes)


def _read_book(path: Path, sheet: str, how: How) -> Data:
    from unveil.data.excel import read_excel

    return read_excel(path, sheet, how.missing)


def _read_labelled(path: Path, _: str, __: How) -> Data:
    from unveil.data.labelled import read_labelled

    return read_labelled(path)


def _read_parquet(path: Path, _: str, how: How) -> Data:
    from unveil.data.text import BOMB, TIMES

    data = read_parquet_codebook(path, "", how)
    with _unheard():
        whole = pl.scan_parquet(path, glob=False)
        n = whole.select(pl.len()).collect().item() * len(whole.collect_schema())
        if n * BYTES_AN_ENTRY > max(BOMB, TIMES * path.stat().st_size):
            raise InputError(
                f"{str(path)!r} is over {TIMES} times as large when unpacked. Ask for it as CSV."
            )
        frame = pl.read_parquet(path, glob=False)
    return Data(frame, data.codebook)


def read_parquet_codebook(path: Path, _: str, __: How) -> Data:
    """A Parquet file without its records."""
    codebook: dict[str, Variable] = {}
    with _unheard(), path.open("rb") as file:
        text = pl.read_parquet_metadata(file).get(CODEBOOK, "{}")
    with suppress(msgspec.MsgspecError):  # of others, who have something else by this name
        codebook = msgspec.json.decode(text, type=dict[str, Variable])
    return Data(pl.DataFrame(), codebook)


_ERRORS = Lock()


@contextmanager
def _unheard() -> Iterator[None]:
    """Threads that give up on a damaged file print how; nobody is to read that."""
    with _ERRORS, open(os.devnull, "wb") as nowhere:
        printed = os.dup(2)
        try:
            os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            os.dup2(printed, 2)
            os.close(printed)


READERS: dict[str, Reader] = {
    **dict.fromkeys(TEXTS, _read_text),
    ".parquet": _read_parquet,
    **dict.fromkeys(BOOKS, _read_book),
    **dict.fromkeys(LABELLED, _read_labelled),
}


def merge_codebooks(files: Sequence[OpenFile], given: Codebook) -> dict[str, Variable]:
    """One codebook of all files; the one that is given has the last word."""
    merged: dict[str, Variable] = {}
    for file in files:
        for name, variable in file.data.codebook.items():
            known = merged.setdefault(name, variable)
            both = known.labels.keys() & variable.labels.keys()
            if name not in given and any(known.labels[c] != variable.labels[c] for c in both):
                raise InputError(
                    f"Codes of {name!r} have other labels in {file.label} than in other files, and"
                    " their records would be mixed up. Say what they mean (codebook)."
                )
            merged[name] = known.beside(variable)
    return merged | dict(given)
