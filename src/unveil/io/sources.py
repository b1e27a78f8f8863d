"""What is this source: a file, by its ending, or a frame? Each goes to its own reader."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import polars as pl
import polars.selectors as cs

from unveil.errors import ReadError, list_names
from unveil.io.dictionary import apply_dictionary, apply_dictionary_beside, parse_dictionary
from unveil.io.file_checks import guard
from unveil.io.isolated import read_apart
from unveil.io.memory import check_memory
from unveil.io.read_csv import read_csv
from unveil.io.read_frames import read_frame
from unveil.io.table import FRAME, Table, choose, place_of
from unveil.io.text_types import apply_types
from unveil.io.wire import ReadRequest
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

# A file that was read once and is asked for again: by other columns, as another side.
#
# What is given is what reading the file anew would give, notes and their order among it, so that a
# measure finds the same whether it reads for itself or is handed the table.


_AS_IN_THE_FILE = ("column_name", "unnamed_column")
"""Notes that stand in the order of the file; all others in the order of the columns asked for."""


@dataclass(frozen=True, eq=False)
class CachedFile:
    """A whole file as it was read, before any dictionary was put beside it."""

    path: Path
    whole: Table
    missing_values: tuple[str, ...]
    dictionary: Codebook | None = None
    types: Mapping[str, str] = field(default_factory=dict)  # what columns are to be read as
    is_changed: bool = False  # whether the table is no longer what the file says

    engine: ClassVar[str | None] = None  # who keeps its rows, where they are not here

    def can_serve(self, columns: Sequence[str] | None, missing_values: Sequence[str]) -> bool:
        """Whether the whole tells what reading these columns alone would."""
        return self.is_changed or (
            tuple(missing_values) == self.missing_values
            and (columns is None or not any(map(self._is_of_all_columns, self.whole.notes)))
        )

    def table(self, *, side: str, columns: Sequence[str] | None) -> Table:
        """These columns, as a side of a comparison."""
        is_named = self.whole.source != FRAME
        place = place_of(side, self.whole.source if is_named else None)
        wanted = choose(self.whole.frame.columns, columns, place)
        notes = [
            msgspec.structs.replace(note, side=side)
            for note in self.whole.notes
            if note.column is None or note.column in wanted
        ]
        return replace(
            self.whole,
            side=side,
            place=place,
            frame=self.whole.frame[wanted],
            notes=tuple(_order_notes(notes, wanted)),
            codebook=_select_codebook(self.whole.codebook, wanted),
        )

    def _is_of_all_columns(self, note: Coercion) -> bool:
        """Whether a note, or what it tells of, hangs on which columns are read together."""
        is_portable = self.path.suffix.lower() == ".por" and note.kind == "missing"
        return note.column is None and (note.kind == "decimal_comma" or is_portable)


def _select_codebook(book: Codebook | None, wanted: list[str]) -> Codebook | None:
    if book is None:
        return None
    known = {variable.name: variable for variable in book.variables}
    kept = tuple(known[name] for name in wanted if name in known)
    return msgspec.structs.replace(book, variables=kept)


def _order_notes(notes: list[Coercion], wanted: list[str]) -> list[Coercion]:
    place = {name: position for position, name in enumerate(wanted)}
    movable = [i for i, note in enumerate(notes) if _is_movable(note)]
    moved = sorted(movable, key=lambda i: place[str(notes[i].column)])
    made: dict[int, Any] = dict(enumerate(notes))
    for to, origin in zip(movable, moved, strict=True):
        made[to] = notes[origin]
    return [made[i] for i in range(len(notes))]


def _is_movable(note: Coercion) -> bool:
    return note.column is not None and note.kind not in _AS_IN_THE_FILE


TEXT = (".csv", ".tsv", ".txt")
PACKED = tuple(f"{ending}.gz" for ending in TEXT)
KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "portable",
    ".dta": "stata",
    ".sas7bdat": "sas",
    ".xpt": "transport",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".rds": "rds",
}
"""The kind of file by its ending, where it is not text."""

_SHEET = re.compile(r"(.+?\.xls[xm])#(.+)", re.IGNORECASE | re.DOTALL)
_IN_PARTS = ("parquet", "spss", "portable", "stata", "sas", "transport")


def read_table(
    source: Any,
    *,
    side: str,
    columns: Sequence[str] | None = None,
    missing_values: Sequence[str] = (),
    sheet: str | None = None,
    dictionary: Any = None,
) -> Table:
    """One side of a comparison, from a path or a frame.

    Only `columns` are read, in that order, where they are given. Entries equal to one of
    `missing_values` are missing: as text, and in columns of numbers by their value. Of a workbook
    the first sheet is read, or the one called `sheet`, or the one named behind the path
    (survey.xlsx#2020). What columns and codes mean is taken from
    `dictionary` (a path or a codebook), from the file itself, or from a dictionary beside it.
    """
    if isinstance(source, CachedFile):
        return _again(source, side, columns, missing_values)
    table = _read(source, side, columns, missing_values, sheet)
    if dictionary is not None:
        table = apply_dictionary(table, dictionary)
    elif isinstance(source, str | os.PathLike) and table.codebook is None:
        table = apply_dictionary_beside(table, Path(os.fsdecode(source)))
    return note_missing(table, missing_values)


def hold(
    path: Path,
    *,
    side: str,
    missing_values: Sequence[str] = (),
    dictionary: Any = None,
    types: Mapping[str, str] | None = None,
) -> CachedFile:
    """A file read whole, to be given wherever a path is taken; it is not read again.

    A `dictionary` is used where the file declares nothing itself and it names a column of it.
    `types` says what columns are to be read as: integer, number, text or date.
    """
    missing, wanted = tuple(missing_values), dict(types or {})
    table = apply_types(_read_whole(path, side, missing), wanted)
    known = None if dictionary is None else parse_dictionary(dictionary)
    fits = known is not None and any(one.name in table.frame.columns for one in known.variables)
    declared = known if fits and table.codebook is None else None
    return CachedFile(path, table, missing, declared, wanted)


_KEPT: ContextVar[dict[Any, CachedFile] | None] = ContextVar("kept", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Within it a file that is held twice is read once; nobody else may change it meanwhile."""
    before = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(before)


def _read_whole(path: Path, side: str, missing: tuple[str, ...]) -> Table:
    kept = _KEPT.get()
    if kept is None:
        return _read(path, side, None, missing, None)
    name = path.resolve(), missing
    if name not in kept:
        kept[name] = CachedFile(path, _read(path, side, None, missing, None), missing)
    return kept[name].table(side=side, columns=None)


def _again(
    held: CachedFile, side: str, columns: Sequence[str] | None, missing_values: Sequence[str]
) -> Table:
    if not held.can_serve(columns, missing_values):
        table = _read(held.path, side, columns, missing_values, None)
        table = apply_types(table, held.types)
    else:
        table = held.table(side=side, columns=columns)
    known = held.dictionary
    if held.is_changed:
        return table
    if known is not None and any(one.name in table.frame.columns for one in known.variables):
        table = apply_dictionary(table, known)
    elif table.codebook is None:
        table = apply_dictionary_beside(table, held.path)
    return note_missing(table, missing_values)


def _read(
    source: Any,
    side: str,
    columns: Sequence[str] | None,
    missing_values: Sequence[str],
    sheet: str | None,
) -> Table:
    if not isinstance(source, str | os.PathLike):
        return with_missing(read_frame(source, side=side, columns=columns), missing_values)
    path = Path(os.fsdecode(source))
    if sheet is None:
        path, sheet = split_sheet(path)
    name = path.name.lower()
    if name.endswith((*TEXT, *PACKED)):
        guard(path, "gzip" if name.endswith(".gz") else "text", place_of(side, path.name))
        check_memory([path], None if columns is None else len(columns))
        table = read_csv(path, side=side, columns=columns, missing_values=missing_values)
        return with_missing(table, missing_values)  # again by value: numbers are numbers now
    if path.suffix.lower() in KINDS:
        check_memory([path])
        return with_missing(read_apart_file(path, side, columns, sheet), missing_values)
    raise ReadError(_unknown_ending(path, place_of(side, path.name)))


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """A workbook and the sheet named behind it: survey.xlsx#2020, unless a file is called that."""
    named = _SHEET.fullmatch(path.name)
    if named is None or is_there(path):
        return path, None
    return path.with_name(named[1]), named[2]


def read_apart_file(
    path: Path,
    side: str,
    columns: Sequence[str] | None,
    sheet: str | None,
    *,
    cells: bool = False,
) -> Table:
    """The table of a file that is not text; with `cells`, all of a sheet as text."""
    kind, place = KINDS[path.suffix.lower()], place_of(side, path.name)
    is_read_whole = columns is None or kind not in _IN_PARTS
    question = ReadRequest(
        kind=kind,
        path=os.fsencode(path.absolute()),
        name=path.name.encode(errors="replace").decode(),
        place=place.encode(errors="backslashreplace").decode(),
        side=side,
        columns=None if columns is None else tuple(columns),
        sheet=sheet,
        cells=cells,
        n_bytes=guard(path, kind, place, is_read_whole=is_read_whole),
    )
    parsed = read_apart(question)
    return Table(
        side=side,
        place=place,
        frame=parsed.frame,
        source=path.name,
        notes=parsed.notes,
        codebook=parsed.codebook,
        beside=parsed.beside,
    )


def note_missing(table: Table, missing_values: Sequence[str]) -> Table:
    """The table with what the user declared missing among its notes."""
    if not missing_values:
        return table
    declared = list_names(repr(token) for token in missing_values)
    note = Coercion(
        side=table.side,
        column=None,
        kind="missing_values",
        sentence=f"Entries {declared} are treated as missing, as requested.",
    )
    return replace(table, notes=(*table.notes, note))


def _unknown_ending(path: Path, place: str) -> str:
    if is_there(path) and path.is_dir():
        return f"{place} is a folder, not a file. Give the path of one file in it."
    if path.suffix.lower() == ".xls":
        return f"{place} is an old Excel workbook (.xls). Save it as .xlsx or CSV in Excel."
    ending = f"the ending {path.suffix!r}" if path.suffix else "no ending"
    is_column = not path.suffix and not is_there(path)
    hint = " If it is a column, join the names with commas, without blanks." if is_column else ""
    return (
        f"{place} has {ending}; unveil reads files that end in "
        f"{', '.join(_known_endings()[:-1])} or "
        f"{_known_endings()[-1]}. Save it as CSV or Parquet.{hint}"
    )


def _known_endings() -> list[str]:
    return [*TEXT, ".csv.gz", *(ending for ending in KINDS if ending != ".xlsm")]


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def with_missing(table: Table, missing_values: Sequence[str]) -> Table:
    """The table without these entries: what a text file's reader does before typing."""
    if not missing_values:
        return table
    numbers = pl.Series(missing_values, dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
    texts = cs.string() | cs.categorical() | cs.enum()
    frame = table.frame.with_columns(
        pl.when(~texts.cast(pl.String).is_in(list(missing_values))).then(texts),
        pl.when(~cs.numeric().cast(pl.Float64).is_in(numbers.to_list())).then(cs.numeric()),
    )
    return replace(table, frame=frame)
