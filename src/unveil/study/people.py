"""Whose row is each row? The people of a file, where a person has several rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.arguments import absent_sentence
from unveil.arrays import Ints
from unveil.count.packing import Ids, pack
from unveil.errors import RolesError
from unveil.io.table import Table
from unveil.records.person import PersonColumn
from unveil.study.study import OpenFiles


def kind_unread(table: Table, name: str) -> str | None:
    """What a column holds that no measure compares; None where it holds single values."""
    dtype = table.frame.schema[name]
    if isinstance(dtype, pl.Struct):
        return "records"
    if isinstance(dtype, pl.List | pl.Array):
        return "lists"
    if dtype == pl.Binary:
        return "binary data"
    return "Python objects" if dtype == pl.Object else None


NONE = "none"
"""What is given in place of a column where every row is a person."""


@dataclass(frozen=True)
class People:
    """Whose row each row is, as numbers in the order of the file, and the column that says so."""

    record: PersonColumn
    of_row: Ids

    def count(self, rows: Ints) -> int:
        """How many people these rows are of."""
        return int(np.count_nonzero(np.bincount(self.of_row[rows])))


def read_people(files: OpenFiles, person: str, place: int = 0) -> People:
    """The person of each row of one file; a row without a value is a person of its own."""
    table = files[place]
    if person not in table.frame.columns:
        raise RolesError(absent_sentence(table.place, person, table.frame.columns))
    if (kind := kind_unread(table, person)) is not None:
        raise RolesError(
            f"Column {person!r} holds {kind}, and cannot identify the person of a row."
        )
    (column,) = files.select(place).encode([person]).columns
    own = np.zeros(table.frame.height, np.int64)
    missing = column.codes == (column.n_levels - 1 if column.has_missing else -1)
    own[missing] = np.arange(1, int(missing.sum()) + 1)
    packed, _ = pack(
        [(column.codes, column.n_levels), (own, int(own.max(initial=0)) + 1)], len(own)
    )
    _, first, of_row = np.unique(packed, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return People(PersonColumn(column=person, n_rows=len(own), n_people=len(first)), rank[of_row])


@dataclass(frozen=True)
class PeopleOfFiles:
    """Whose row each row of the original and of each copy is."""

    original: People
    copies: tuple[Ids, ...]  # every row its own, where a copy has no such column

    def shift_to_control(self) -> "PeopleOfFiles":
        """The first of the others in the place of the original."""
        ids = self.copies[0]
        column = self.original.record.column
        record = PersonColumn(column=column, n_rows=len(ids), n_people=len(np.unique(ids)))
        return PeopleOfFiles(People(record, ids), self.copies[1:])

    def without_control(self) -> "PeopleOfFiles":
        """The original beside all others but the first."""
        return PeopleOfFiles(self.original, self.copies[1:])


def people_of_rows(files: OpenFiles, person: str, place: int) -> Ids:
    """Whose row each row of a file is; every row its own, where it has no such column."""
    if person in files[place].frame.columns:
        return read_people(files, person, place).of_row
    return np.arange(files[place].frame.height, dtype=np.int32)


def people_of_files(files: OpenFiles, person: str | None) -> PeopleOfFiles | None:
    """The people of all files, the original's first; None where no column is named."""
    if person is None or (person == NONE and NONE not in files[0].frame.columns):
        return None
    original = read_people(files, person)
    copies = tuple(people_of_rows(files, person, place) for place in range(1, len(files)))
    return PeopleOfFiles(original, copies)


def check_person(person: str | None, columns: Sequence[str]) -> None:
    """Refuse a column of people that is compared, too."""
    if person in columns:
        raise RolesError(
            f"Column {person!r} identifies the person of a row, so it cannot be a key or a target."
            " Remove it from the keys and targets."
        )
