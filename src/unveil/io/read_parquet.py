"""What does a Parquet file hold? Its types are its own; nothing is guessed."""

import os
from pathlib import Path

import msgspec
import polars as pl

from unveil.errors import ReadError
from unveil.io.memory import check_cells
from unveil.io.table import BESIDE, choose, has_pattern
from unveil.io.wire import ParsedFile, ReadRequest
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

CODEBOOK = "unveil.codebook"
"""The key under which a Parquet file carries its codebook, as JSON."""
_KNOWN = (CODEBOOK, "ARROW:schema", "pandas", "org.apache.spark.sql.parquet.row.metadata")
"""What programs write of the types of columns."""
_FEW_BYTES = 200
"""Metadata of so few bytes name a version or a program."""


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
    return ParsedFile(frame, codebook_in(path, wanted), notes_beside(path, question.side))


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
    return (Coercion(side=side, column=None, kind=BESIDE, sentence=sentence),)


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
