"""A synthetic file as a Parquet file that carries its codebook in its key-value metadata."""

from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from unveil.errors import list_names
from unveil.io.numbers import letters_in
from unveil.io.outgoing import OutgoingTable
from unveil.io.read_parquet import CODEBOOK
from unveil.io.write_checks import value_faults

NOTICE = "unveil.notice"
"""The key under which a Parquet file carries its label: that it is fake, where it is."""


def parquet_faults(outgoing: OutgoingTable) -> list[str]:
    """Why the synthetic file cannot be a Parquet file, a sentence each."""
    return [*value_faults(outgoing.frame.get_columns(), "Parquet")]


def write_parquet(outgoing: OutgoingTable, path: Path) -> tuple[str, ...]:
    """Write the file, and tell what only unveil would understand."""
    with path.open("rb+") as file:
        outgoing.frame.write_parquet(file, metadata=_declarations(outgoing))
    return _letter_notes({column.name for column in outgoing.frame if letters_in(column)})


def sink_parquet(batches: Iterator[OutgoingTable], path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Write tables that follow one another as one file: its rows, its columns, and what to tell."""
    first = next(batches)
    n_rows, lettered = 0, set[str]()
    faults: list[BaseException] = []

    def give(*_asked: object) -> Iterator[pl.DataFrame]:
        nonlocal n_rows
        try:
            for outgoing in chain([first], batches):
                n_rows += outgoing.frame.height
                lettered.update(column.name for column in outgoing.frame if letters_in(column))
                yield outgoing.frame.cast(first.frame.schema)
        except BaseException as fault:  # which polars would turn into one of its own
            faults.append(fault)
            raise

    lazy = register_io_source(give, schema=first.frame.schema)
    try:
        lazy.sink_parquet(path, metadata=_declarations(first), engine="streaming")
    except Exception:
        if faults:
            raise faults[0] from None
        raise
    return n_rows, first.frame.width, _letter_notes(lettered)


def _declarations(outgoing: OutgoingTable) -> dict[str, str]:
    """What the file says about itself."""
    told = {CODEBOOK: outgoing.codebook.to_json(indent=0)}
    if outgoing.codebook.file_label:
        told[NOTICE] = outgoing.codebook.file_label
    return told


def _letter_notes(lettered: Collection[str]) -> tuple[str, ...]:
    if not lettered:
        return ()
    return (
        f"Missing values of {list_names(map(repr, sorted(lettered)))} that have letters are kept as"
        " Stata's numbers for them, above 8.9e307. Make them missing before you compute with them.",
    )
