"""Are the rows of a file people? Which column says whose row it is?

A column named as the number of a person (docs/suggest.md), whose values repeat. Where people have
several rows, whoever takes rows for people splits a person in two and counts them twice.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.count.codes import encode
from unveil.count.packing import Ids, pack
from unveil.errors import RolesError
from unveil.measure.roles.asked import kind_unread
from unveil.measure.roles.looking import FEWEST
from unveil.measure.roles.naming import numbers_people
from unveil.read.align import align
from unveil.read.given import shown
from unveil.read.roles import absent
from unveil.read.table import Table
from unveil.records.person import PersonColumn

NONE = "none"
"""What is given in place of a column where every row is a person."""

MOST_ROWS = 50
"""Rows of a person, on average, up to which a number that may be anybody's is that of people."""


@dataclass(frozen=True)
class People:
    """Whose row each row is, as numbers in the order of the file, and the column that says so."""

    record: PersonColumn
    of_row: Ids


def find_person(table: Table) -> PersonColumn | None:
    """The column that numbers people, where its values repeat; None where rows may be people.

    A word for a person goes before a mere number, then the fewest people, then the order of the
    file.
    """
    found = []
    for name in table.frame.columns:
        variable = table.variables.get(name)
        named = numbers_people(name, None if variable is None else variable.label)
        if named is None or not _can_name(table, name):
            continue
        values = table.frame[name]
        n_named = values.drop_nulls().n_unique()
        n_people = n_named + values.null_count()
        is_near = named == "person" or len(values) <= MOST_ROWS * n_people
        if n_named >= FEWEST and n_people < len(values) and is_near:
            record = PersonColumn(column=name, n_rows=len(values), n_people=n_people)
            found.append(((named != "person", n_people), record))
    return min(found, key=lambda one: one[0])[1] if found else None


def choose_people(table: Table, person: str | None) -> People | None:
    """The people of the column named, or else found; None where rows are people."""
    if person is None:
        found = find_person(table)
        return None if found is None else read_people(table, found.column)
    if not isinstance(person, str):
        raise RolesError(f"person is {shown(person)}. Give the name of a column, or 'none'.")
    if person == NONE and NONE not in table.frame.columns:
        return None
    return read_people(table, person)


def read_people(table: Table, person: str) -> People:
    """The person of each row; a row without a value is a person of its own."""
    if person not in table.frame.columns:
        raise RolesError(absent(table.place, person, table.frame.columns))
    if (kind := kind_unread(table, person)) is not None:
        raise RolesError(f"Column {person!r} holds {kind}, and cannot say whose row it is.")
    column = encode(person, align([table], [person]).columns[person])
    own = np.zeros(table.frame.height, np.int64)
    missing = table.frame[person].is_null().to_numpy()
    own[missing] = np.arange(1, int(missing.sum()) + 1)
    packed, _ = pack(
        [(column.codes, column.n_levels), (own, int(own.max(initial=0)) + 1)], len(own)
    )
    _, first, of_row = np.unique(packed, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return People(PersonColumn(column=person, n_rows=len(own), n_people=len(first)), rank[of_row])


def _can_name(table: Table, name: str) -> bool:
    """Whether a column holds text or whole numbers, as numbers of people are."""
    values = table.frame[name]
    if values.dtype.is_float():
        return bool((values.drop_nulls() % 1 == 0).all())
    return values.dtype.is_integer() or isinstance(
        values.dtype, pl.String | pl.Categorical | pl.Enum
    )
