"""A synthetic file as a Parquet file that carries its codebook in its key-value metadata."""

from pathlib import Path

from unveil.errors import list_names
from unveil.io.outgoing import OutgoingTable
from unveil.io.read_parquet import CODEBOOK
from unveil.io.write_checks import letters_in, value_faults

NOTICE = "unveil.notice"
"""The key under which a Parquet file carries its label: that it is fake, where it is."""


def parquet_faults(outgoing: OutgoingTable) -> list[str]:
    """Why the synthetic file cannot be a Parquet file, a sentence each."""
    return [*value_faults(outgoing.frame.get_columns(), "Parquet")]


def write_parquet(outgoing: OutgoingTable, path: Path) -> tuple[str, ...]:
    """Write the file, and tell what only unveil would understand."""
    told = {CODEBOOK: outgoing.codebook.to_json(indent=0)}
    if outgoing.codebook.file_label:
        told[NOTICE] = outgoing.codebook.file_label
    with path.open("rb+") as file:
        outgoing.frame.write_parquet(file, metadata=told)
    lettered = [column.name for column in outgoing.frame.get_columns() if letters_in(column)]
    if not lettered:
        return ()
    return (
        f"Missing values of {list_names(map(repr, lettered))} that have letters are kept as Stata's"
        " numbers for them, above 8.9e307. Make them missing before you compute with them.",
    )
