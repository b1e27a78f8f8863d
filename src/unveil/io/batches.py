"""A Parquet or text file some rows at a time, where memory cannot hold all of it.

Types of a Parquet file are its own. Entries of a text file come as text, for what a column holds is
known only when all of it was seen. A damaged place is found when its rows are read, and refused in
one sentence.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from unveil.errors import ReadError
from unveil.io.csv_dialect import Dialect, detect_dialect, find_encoding
from unveil.io.file_checks import guard
from unveil.io.memory import open_file
from unveil.io.parsers import damaged_sentence
from unveil.io.read_csv import check_records, name_columns, read_records, type_columns
from unveil.io.read_parquet import codebook_in
from unveil.io.sources import KINDS, TEXT, CachedFile
from unveil.io.table import Table, choose, has_pattern, place_of
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion
from unveil.seeding import sample_rows

BATCH = 1 << 19
"""Rows read at a time, where nobody says how many."""


@dataclass(frozen=True, eq=False)
class BatchedFile:
    """A file that is read some rows at a time: its columns and its rows are known before."""

    path: Path
    side: str
    place: str
    columns: tuple[str, ...]
    n_rows: int
    codebook: Codebook | None = None
    dialect: Dialect | None = None  # of a text file
    notes: tuple[Coercion, ...] = ()

    def read(self, columns: Sequence[str], size: int = BATCH) -> Iterator[pl.DataFrame]:
        """These columns, so many rows at a time."""
        wanted = choose(self.columns, columns, self.place)
        if self.dialect is None:
            yield from self._read_parquet(wanted, size)
            return
        with open_file(self.path, self.place) as file:
            kept: list[pl.DataFrame] = []
            for records in read_records(file, self.dialect, self.columns, wanted, self.place):
                kept.append(records)
                if sum(map(len, kept)) >= size:
                    yield pl.concat(kept)
                    kept = []
            if kept:
                yield pl.concat(kept)

    def _read_parquet(self, wanted: list[str], size: int) -> Iterator[pl.DataFrame]:
        lazy = pl.scan_parquet(self.path, glob=False, hive_partitioning=False)
        lazy = lazy if has_pattern(wanted) else lazy.select(wanted)
        for start in range(0, self.n_rows, size):
            try:
                frame = lazy.slice(start, size).collect()[wanted]
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
                raise ReadError(damaged_sentence("parquet", self.place)) from None
            yield frame

    def sample(self, n_rows: int, seed: int, missing_values: Sequence[str] = ()) -> CachedFile:
        """So many rows drawn at random without replacement, to be given in place of the file."""
        chosen = sample_rows(np.arange(self.n_rows), n_rows, seed, "sample of the original")
        parts, start = [], 0
        for frame in self.read(self.columns):
            first, last = np.searchsorted(chosen, (start, start + frame.height))
            parts.append(frame[chosen[first:last] - start])
            start += frame.height
        frame, notes = pl.concat(parts), list(self.notes)
        if self.dialect is not None:
            frame, more = type_columns(frame, self.dialect, self.side, missing_values)
            notes += more
        table = Table(self.side, self.place, frame, self.path.name, tuple(notes), self.codebook)
        return CachedFile(self.path, table, tuple(missing_values))


def is_batched(source: Any) -> bool:
    """Whether a source is the path of a file that can be read some rows at a time."""
    if not isinstance(source, str | os.PathLike):
        return False
    ending = Path(os.fsdecode(source)).suffix.lower()
    return ending in TEXT or KINDS.get(ending) == "parquet"


def open_batches(source: str | os.PathLike[str], side: str) -> BatchedFile:
    """A file to be read some rows at a time, or a refusal."""
    path = Path(os.fsdecode(source))
    place = place_of(side, path.name)
    if not is_batched(path):
        raise ReadError(
            f"{place} cannot be read in batches: only Parquet, .csv, .tsv and .txt files can."
            " Write it as Parquet first: unveil convert."
        )
    return (
        _open_text(path, side, place)
        if path.suffix.lower() in TEXT
        else _open_parquet(path, side, place)
    )


def _open_parquet(path: Path, side: str, place: str) -> BatchedFile:
    guard(path, "parquet", place, is_read_whole=False)
    try:
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        names = choose(lazy.collect_schema().names(), None, place)
        n_rows = int(lazy.select(pl.len()).collect().item())
        codebook = codebook_in(path, names)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise ReadError(damaged_sentence("parquet", place)) from None
    _check_rows(n_rows, place)
    return BatchedFile(path, side, place, tuple(names), n_rows, codebook)


def _open_text(path: Path, side: str, place: str) -> BatchedFile:
    guard(path, "text", place)
    with open_file(path, place) as file:
        if find_encoding(file) != "utf-8":
            raise ReadError(
                f"{place} is not plain UTF-8, which a file read in batches must be. Save it as"
                " UTF-8 without a mark at its start, or as Parquet."
            )
        text, dialect = detect_dialect(file, place)
        names, notes = name_columns(text, dialect, side, place)
        choose(names, None, place)
        shape = check_records(text, dialect, len(names), place)
    n_rows = shape.n_lines - shape.blank.size
    _check_rows(n_rows, place)
    told = (*dialect.notes(side), *shape.notes(side), *notes)
    return BatchedFile(path, side, place, tuple(names), n_rows, None, dialect, told)


def _check_rows(n_rows: int, place: str) -> None:
    if not n_rows:
        raise ReadError(f"{place} has columns but no rows. Check that its export was finished.")
