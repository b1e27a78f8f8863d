"""One data set by itself: read, aligned, banded and encoded, as every measure opens its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.codes import CodedColumn
from unveil.measure.roles.person import choose_people
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.study.band_spec import parse_bands
from unveil.study.open_scenario import check_other_columns, open_sides
from unveil.study.people import NONE, People, check_person
from unveil.study.roles import Roles, names, parse_roles
from unveil.study.scenario import CountedScenario, Progress


@dataclass(frozen=True)
class OneTable:
    """Keys as codes, other columns as they were read, and what was noticed on the way."""

    file: str
    place: str  # what a sentence calls it
    keys: tuple[CodedColumn, ...]
    others: Mapping[str, pl.Series]
    bands: tuple[BandedColumn, ...]
    notes: tuple[Coercion, ...]
    people: People | None = None  # whose row each is; None: every row is taken for a person
    engine: CountedScenario | None = None  # who counts the keys, where rows are kept elsewhere

    @property
    def key_names(self) -> tuple[str, ...]:
        """What an intruder would know."""
        return tuple(column.name for column in self.keys)

    @property
    def notes_on_keys(self) -> tuple[Coercion, ...]:
        """What was noticed, but for what concerns one of the other columns alone."""
        return tuple(note for note in self.notes if note.column not in self.others)

    @property
    def n_records(self) -> int:
        """How many records it has."""
        return self.keys[0].sides.n_rows


def open_table(
    data: Any,
    *,
    keys: str | Iterable[str],
    others: Sequence[str] = (),
    bands: Mapping[str, Any] | None,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    person: str | None = None,
    progress: Progress,
    by_counts: bool = False,
) -> OneTable:
    """Open one data set by its keys; `others` are read and aligned, but not encoded.

    `person` is the column that says whose row it is. What is asked `by_counts` of the keys alone
    may be asked of an engine that keeps the rows.
    """
    key_names = names(keys, "Keys")
    parse_roles(key_names, ())
    wanted = (*key_names, *others)
    cut = parse_bands(bands, special_codes)
    check_other_columns(cut, Roles(key_names, ()))
    check_person(person, wanted)
    given = () if person in (None, NONE) else (person,)
    sides = {"data": data}
    is_counted = by_counts and not others and not given
    files = open_sides(sides, (*wanted, *given), missing_values, progress, by_counts=is_counted)
    encoded = files.encode(key_names, cut, progress, also=others)
    aside = files.align(others)
    return OneTable(
        files[0].source,
        files[0].place,
        encoded.columns,
        {name: aside[name].sides[0] for name in others},
        encoded.bands,
        encoded.coercions,
        choose_people(files, person) if given else None,
        None if files.study.has_rows else files.study.count(encoded.columns, (), progress),
    )
