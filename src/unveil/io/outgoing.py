"""What is about to be written: a frame, what its columns mean, and what sentences call it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import polars as pl

from unveil.errors import SettingsError, quote_text
from unveil.io.code_meanings import kind_of, variable_of
from unveil.records.codebook import Codebook, Kind, Variable

TEXTS = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class OutgoingTable:
    """A table on its way to a file; every column has its variable, declared or not."""

    place: str
    frame: pl.DataFrame
    codebook: Codebook
    fake: bool = False

    def columns(self) -> Iterator[tuple[pl.Series, Variable]]:
        """Each column with its variable, in the order of the frame."""
        known = {variable.name: variable for variable in self.codebook.variables}
        for column in self.frame.get_columns():
            yield column, known.get(column.name) or variable_of(column)


def find_kind(dtype: pl.DataType) -> Kind:
    """What a column of this type holds to those who write it: they know no exact decimals."""
    return "unknown" if dtype.is_decimal() else kind_of(dtype)


# How does fake data say that it is fake, wherever it is opened?
#
# By the name of its file, by the label in the file, by a note where the format has notes, and, on
# request, by a column that says so in every row.


PREFIX = "FAKE_"
MARK = "FAKE"
LABEL = "FAKE: synthetic data, no real people"
NOTE = "FAKE: synthetic data, no real people. Explore here, confirm on the real data."
"""One line of at most 80 bytes: SPSS has no longer ones."""
PARTLY_LABEL = "FAKE in part: rows of real people, some columns replaced"
PARTLY_NOTE = "FAKE in part: rows of real people, some columns replaced. Confidential."


def marked_path(path: Path) -> Path:
    """The path with a name that begins with FAKE_."""
    return path if path.name.startswith(PREFIX) else path.with_name(f"{PREFIX}{path.name}")


def mark_copy(
    outgoing: OutgoingTable, *, marker: str | None, partly: bool = False
) -> OutgoingTable:
    """The synthetic file with its label, its note and, where asked for, its marker column.

    Label and notes of the original are excluded: they tell of a file of real people. Synthetic data
    that are synthetic only in part must not say that no one in it is real.
    """
    label, note = (PARTLY_LABEL, PARTLY_NOTE) if partly else (LABEL, NOTE)
    labelled = msgspec.structs.replace(outgoing.codebook, file_label=label, notes=(note,))
    made = replace(outgoing, codebook=labelled, fake=True)
    return made if marker is None else _with_column(made, marker)


def _with_column(outgoing: OutgoingTable, marker: str) -> OutgoingTable:
    column = pl.Series(marker, [MARK]).new_from_index(0, outgoing.frame.height)
    if marker not in outgoing.frame.columns:
        return replace(outgoing, frame=pl.DataFrame({marker: column, **outgoing.frame.to_dict()}))
    present = outgoing.frame[marker]
    if present.dtype != pl.String or not (present.alias("") == MARK).fill_null(value=False).all():
        raise SettingsError(
            f"{outgoing.place} has a column {quote_text(marker)} already. Choose another name "
            "for the"
            " marker column."
        )
    return outgoing
