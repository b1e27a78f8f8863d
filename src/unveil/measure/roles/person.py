"""Are the rows of a file people? Which column says whose row it is?

A column named as the number of a person (docs/suggest.md), whose values repeat. Where people have
several rows, whoever takes rows for people splits a person in two and counts them twice.
"""

import polars as pl

from unveil.arguments import quote_value
from unveil.count.kinds import FEWEST
from unveil.errors import RolesError
from unveil.io.table import Table
from unveil.measure.roles.vocabulary import is_person_number
from unveil.records.person import PersonColumn
from unveil.study.people import NONE, People, read_people
from unveil.study.study import OpenFiles

MOST_ROWS = 50
"""Rows of a person, on average, up to which a number that may be anybody's is that of people."""


def find_person(table: Table) -> PersonColumn | None:
    """The column that numbers people, where its values repeat; None where rows may be people.

    A word for a person goes before a mere number, then the fewest people, then the order of the
    file.
    """
    found = []
    for name in table.frame.columns:
        variable = table.variables.get(name)
        named = is_person_number(name, None if variable is None else variable.label)
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


_FEWEST_LATER = 20  # rows with one before them


def find_time(table: Table, person: str) -> str | None:
    """The column by which the rows of a person follow one another; None where none is found.

    A date, in every row, that no person has twice; the earliest of several. Else a whole number
    that rises from row to row of every person, as a wave does; that of fewest values.
    """
    frame = table.frame.filter(table.frame[person].is_not_null())
    whose = frame[person].rank("dense")
    if frame.height - whose.n_unique() < _FEWEST_LATER:
        return None
    found = []
    for place, (name, dtype) in enumerate(table.frame.schema.items()):
        is_date = dtype in (pl.Date, pl.Datetime)
        if name == person or not (is_date or dtype.is_integer()) or frame[name].null_count():
            continue
        rows = pl.DataFrame({"who": whose, "at": frame[name].to_physical().cast(pl.Float64)})
        rises = rows.select((pl.col("at").diff().over("who") > 0).fill_null(value=True).all())
        if rows.is_unique().all() if is_date else rises.item():
            mean = float(rows["at"].mean()) if is_date else 0.0  # type: ignore[arg-type]
            found.append((not is_date, mean, rows["at"].n_unique(), place, name))
    return min(found)[-1] if found else None


def choose_people(files: OpenFiles, person: str | None) -> People | None:
    """The people of the first file, by the column named or found; None where rows are people."""
    table = files[0]
    if person is None:
        found = find_person(table)
        return None if found is None else read_people(files, found.column)
    if not isinstance(person, str):
        raise RolesError(f"person is {quote_value(person)}. Give the name of a column, or 'none'.")
    if person == NONE and NONE not in table.frame.columns:
        return None
    return read_people(files, person)


def _can_name(table: Table, name: str) -> bool:
    """Whether a column holds text or whole numbers, as numbers of people are."""
    values = table.frame[name]
    if values.dtype.is_float():
        return bool((values.drop_nulls() % 1 == 0).all())
    return values.dtype.is_integer() or isinstance(
        values.dtype, pl.String | pl.Categorical | pl.Enum
    )
