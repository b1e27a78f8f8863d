"""What does a Parquet file hold? Its types are its own; nothing is guessed."""

import base64
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl

from unveil.errors import ReadError
from unveil.io.memory import check_cells
from unveil.io.parquet_dictionaries import DAMAGED, dictionary_pages
from unveil.io.table import HeldBeside, choose, has_pattern, note_beside
from unveil.io.wire import ParsedFile, ReadRequest
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

CODEBOOK = "unveil.codebook"
"""The key under which a Parquet file carries its codebook, as JSON."""
_KNOWN = (CODEBOOK, "ARROW:schema", "pandas", "org.apache.spark.sql.parquet.row.metadata")
"""What programs write of the types of columns."""
_FEW_BYTES = 200
"""Metadata of so few bytes name a version or a program."""
_PRINTED = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{3,}")


def parse(question: ReadRequest) -> ParsedFile:
    """The table a Parquet file holds; only the columns asked for, in that order."""
    path = Path(os.fsdecode(question.path))
    # One file, by its very name: no patterns, no partitions hidden in the folders' names.
    lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    wanted = choose(lazy.collect_schema().names(), question.columns, question.place)
    n_rows = int(lazy.select(pl.len()).collect().item())
    check_cells(n_rows * len(wanted), [question.name])
    frame = (lazy if has_pattern(wanted) else lazy.select(wanted)).collect()[wanted]
    if frame.is_empty():
        raise ReadError(
            f"{question.place} has columns but no rows. Check that its export was finished."
        )
    notes = notes_beside(path, question.side)
    if not question.side.startswith("synthetic"):
        return ParsedFile(frame, codebook_in(path, wanted), notes)
    listed, unread = unused_values(path, lambda name: frame[name] if name in wanted else None)
    notes += tuple(note_beside(question.side, sentence) for sentence in unread)
    return ParsedFile(frame, codebook_in(path, wanted), notes, (*metadata_beside(path), *listed))


def notes_beside(path: Path, side: str) -> tuple[Coercion, ...]:
    """What a synthetic file holds beside its table: metadata that no program needs to read it."""
    if not side.startswith("synthetic"):
        return ()
    found = pl.read_parquet_metadata(path)
    sizes = [len(key) + len(value) for key, value in found.items() if key not in _KNOWN]
    if sum(sizes) <= _FEW_BYTES:
        return ()
    entries = "entry" if len(sizes) == 1 else "entries"
    sentence = f"It has {len(sizes):,} {entries} of metadata ({sum(sizes):,} bytes)."
    return (note_beside(side, sentence),)


def metadata_beside(path: Path) -> tuple[HeldBeside, ...]:
    """All that a file says about itself, but for its codebook; what is encoded is read."""
    said: list[str] = []
    for key, value in pl.read_parquet_metadata(path).items():
        if key == "ARROW:schema":
            said += printed_runs(base64.b64decode(value))
        elif key != CODEBOOK:
            said.append(f"{key} {value}")
    return (HeldBeside("metadata", tuple(said)),) if said else ()


def printed_runs(raw: bytes) -> list[str]:
    """What of some bytes is text."""
    return _PRINTED.findall(raw.decode("utf-8", "replace"))


def unused_values(
    path: Path, column: Callable[[str], pl.Series | None]
) -> tuple[list[HeldBeside], list[str]]:
    """Values that columns list and no record has, and a sentence where they cannot be read."""
    listed: dict[str, set[str]] = {}
    unread: dict[str, int] = {}
    n_held: dict[str, int] = {}
    try:
        for page in dictionary_pages(path):
            held = column(page.column)
            if held is None:
                continue
            if page.column not in n_held:
                n_held[page.column] = _count_listed(held)
            if page.n_values <= n_held[page.column]:
                continue
            texts = page.texts()
            if texts is None:
                unread[page.column] = page.n_values - n_held[page.column]
            else:
                listed.setdefault(page.column, set()).update(texts)
    except (*DAMAGED, OSError, zlib.error):
        return [], ["It is written in a way that does not show what its columns list."]
    found = [
        HeldBeside("values", tuple(sorted(texts - _texts_of(column(name)))), name)
        for name, texts in listed.items()
    ]
    return found, [
        f"Column {name!r} lists {n:,} {'value' if n == 1 else 'values'} that no record has,"
        " packed in a way that is not read here."
        for name, n in unread.items()
    ]


def _count_listed(column: pl.Series) -> int:
    """Values that a column is known to list: those of its records, or of its type."""
    if isinstance(column.dtype, pl.Enum):
        return len(column.dtype.categories)
    return column.drop_nulls().n_unique()


def _texts_of(column: pl.Series | None) -> set[object]:
    return set() if column is None else set(column.cast(pl.String).unique())


def codebook_in(path: Path, wanted: list[str]) -> Codebook | None:
    """What the file declares about the columns that were read, where it declares anything."""
    declared = pl.read_parquet_metadata(path).get(CODEBOOK)
    if declared is None:
        return None
    try:
        book = msgspec.json.decode(declared, type=Codebook)
    except msgspec.MsgspecError:  # another person's, or of another version
        return None
    names = set(wanted)
    kept = tuple(variable for variable in book.variables if variable.name in names)
    return msgspec.structs.replace(book, variables=kept)
