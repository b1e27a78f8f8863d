"""What does a Parquet file hold? Its types are its own; nothing is guessed."""

import os
from pathlib import Path

import msgspec
import polars as pl

from unveil.errors import ReadError
from unveil.io.memory import check_cells
from unveil.io.table import choose, has_pattern
from unveil.io.wire import ParsedFile, ReadRequest
from unveil.records.codebook import Codebook

CODEBOOK = "unveil.codebook"
"""The key under which a Parquet file carries its codebook, as JSON."""


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
    return ParsedFile(frame, codebook_in(path, wanted))


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
