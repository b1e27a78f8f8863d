"""One data set by itself: read, aligned, banded and encoded, as every measure opens its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.codes import Column
from unveil.count.scenario import Progress, encode_all
from unveil.measure.opening import read_all, refuse_other_columns
from unveil.measure.people import refuse_person
from unveil.measure.roles.person import NONE, People, choose_people
from unveil.read.align import align
from unveil.read.banding import parse_bands
from unveil.read.bands import band
from unveil.read.roles import Roles, declared, names
from unveil.records.bands import Banded
from unveil.records.disclosure import Coercion


@dataclass(frozen=True)
class OneTable:
    """Keys as codes, other columns as they were read, and what was noticed on the way."""

    file: str
    place: str  # what a sentence calls it
    keys: tuple[Column, ...]
    others: Mapping[str, pl.Series]
    bands: tuple[Banded, ...]
    notes: tuple[Coercion, ...]
    people: People | None = None  # whose row each is; None: every row is taken for a person

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


def opened_alone(
    data: Any,
    *,
    keys: str | Iterable[str],
    others: Sequence[str] = (),
    bands: Mapping[str, Any] | None,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    person: str | None = None,
    progress: Progress,
) -> OneTable:
    """Open one data set by its keys; `others` are read and aligned, but not encoded.

    `person` is the column that says whose row it is.
    """
    key_names = names(keys, "Keys")
    declared(key_names, ())
    wanted = (*key_names, *others)
    cut = parse_bands(bands, special_codes)
    refuse_other_columns(cut, Roles(key_names, ()))
    refuse_person(person, wanted)
    given = () if person in (None, NONE) else (person,)
    (table,) = read_all({"data": data}, (*wanted, *given), missing_values, None, progress)
    aligned, banded = band(align([table], wanted), cut)
    return OneTable(
        table.source,
        table.place,
        encode_all(aligned, key_names, progress),
        {name: aligned.columns[name][0] for name in others},
        banded,
        aligned.coercions,
        choose_people(table, person) if given else None,
    )
