"""How many people, not rows, does a figure count, where people have several rows?

A person counts as soon as one of their rows does. With their keys a person is alone where nobody
else has a row with these keys, however many rows of their own have them: rows of one person hide
nobody.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from unveil.count.exclusions import Exclusions
from unveil.count.packing import Ids, Whole
from unveil.count.profile import Mask
from unveil.count.scenario import Scenario
from unveil.errors import RolesError
from unveil.measure.attribute import disco
from unveil.measure.figures import groups
from unveil.measure.roles.person import NONE, People, read_people
from unveil.read.table import Table
from unveil.records.copies import Copy
from unveil.records.disclosure import Coercion, PeopleFigures, PeopleRow
from unveil.records.person import PeopleByKeys, PersonColumn


@dataclass(frozen=True)
class PeopleOfFiles:
    """Whose row each row of the original and of each copy is."""

    original: People
    copies: tuple[Ids, ...]  # every row its own, where a copy has no such column

    def of_control(self) -> "PeopleOfFiles":
        """The first of the others in the place of the original."""
        ids = self.copies[0]
        column = self.original.record.column
        record = PersonColumn(column=column, n_rows=len(ids), n_people=len(np.unique(ids)))
        return PeopleOfFiles(People(record, ids), self.copies[1:])

    def without_control(self) -> "PeopleOfFiles":
        """The original beside all others but the first."""
        return PeopleOfFiles(self.original, self.copies[1:])


def people_of_rows(table: Table, person: str) -> Ids:
    """Whose row each row of a file is; every row its own, where it has no such column."""
    if person in table.frame.columns:
        return read_people(table, person).of_row
    return np.arange(table.frame.height, dtype=np.int32)


def people_of_files(tables: Sequence[Table], person: str | None) -> PeopleOfFiles | None:
    """The people of all files, the original's first; None where no column is named."""
    if person is None or (person == NONE and NONE not in tables[0].frame.columns):
        return None
    copies = tuple(people_of_rows(table, person) for table in tables[1:])
    return PeopleOfFiles(read_people(tables[0], person), copies)


def refuse_person(person: str | None, columns: Sequence[str]) -> None:
    """Refuse a column of people that is compared, too."""
    if person in columns:
        raise RolesError(
            f"Column {person!r} says whose row it is, so it cannot be a key or a target. Take it"
            " out of the keys and targets."
        )


def people_figures(people: PeopleOfFiles, exclusions: Exclusions) -> PeopleFigures:
    """Every figure that counts people with some property, counted by person."""
    rows = list(_rows(people, exclusions))
    copies = [row for row in rows if isinstance(row.copy, int)]
    means = []
    for target, measure in dict.fromkeys((row.target, row.measure) for row in rows):
        alike = [row for row in copies if (row.target, row.measure) == (target, measure)]
        means.append(
            PeopleRow(
                target=target,
                copy="mean",
                measure=measure,
                n_people=fmean(row.n_people for row in alike),
                percent=fmean(row.percent for row in alike),
            )
        )
    several = len(people.copies) > 1
    return PeopleFigures(person=people.original.record, rows=(*rows, *(means if several else ())))


def _rows(people: PeopleOfFiles, exclusions: Exclusions) -> Iterator[PeopleRow]:
    scenario = exclusions.scenario
    for copy, copies in groups(scenario).items():
        for measure, is_counted in _identity(people, exclusions, copies).items():
            yield _row(people.original, is_counted, None, copy, measure)
    for place, target in enumerate(scenario.target_names):
        cell_of_row = scenario.cells_of_originals(place)
        for copy, copies in groups(scenario).items():
            looks, kept = scenario.looks(place, copies), ~exclusions.gone(place, copies)
            for measure, counted in disco.COUNTED.items():
                cells = looks.on_cells(counted(looks.profile)) & kept
                yield _row(people.original, cells[cell_of_row], target, copy, measure)


def _identity(
    people: PeopleOfFiles, exclusions: Exclusions, copies: Sequence[int]
) -> dict[str, Mask]:
    """For each measure of identity, the rows of the original that make their person count."""
    scenario = exclusions.scenario
    q = scenario.keys.q[scenario.sides.slices[0]]
    n_there = sum(_people_by_keys(scenario, side, people.copies[side - 1]) for side in copies)
    is_alone = _people_by_keys(scenario, 0, people.original.of_row) == 1
    for hit in exclusions.hit_keys.values():
        is_alone &= ~hit
    found = {
        "UiO": is_alone,
        "UiOiS": is_alone & (n_there > 0),
        "repU": is_alone & (n_there == 1),
    }
    return {measure: of_keys[q] for measure, of_keys in found.items()}


def _people_by_keys(scenario: Scenario, side: int, of_row: Ids) -> Whole:
    """How many people of one side have each key combination."""
    q = scenario.keys.q[scenario.sides.slices[side]]
    return count_people(q, of_row, scenario.keys.n_q)


def count_people(q: Ids, of_row: Ids, n_q: int) -> Whole:
    """How many people have each key combination, by the combination and person of each row."""
    n_people = int(of_row.max(initial=0)) + 1
    once = np.unique(q.astype(np.int64) * n_people + of_row)
    return np.bincount(once // n_people, minlength=n_q)


def people_by_keys(people: People, q: Ids, n_q: int) -> PeopleByKeys:
    """How many people share their keys with how many others."""
    sharing = count_people(q, people.of_row, n_q)[q]
    fewest = np.full(people.record.n_people, sharing.max(initial=0))
    np.minimum.at(fewest, people.of_row, sharing)
    n_unique = int((fewest == 1).sum())
    return PeopleByKeys(
        person=people.record,
        n_unique=n_unique,
        percent=100 * n_unique / people.record.n_people,
        k=int(fewest.min()),
        global_risk=float((1 / fewest).mean()),
    )


def rows_counted(people: People | None, what: str) -> tuple[Coercion, ...]:
    """That some figures count rows, where people have several."""
    if people is None or people.record.n_people == people.record.n_rows:
        return ()
    column = people.record.column
    said = f"{column!r} {people.record.counts}. {what} rows, not people."
    return (Coercion(side="original", column=column, kind="person", sentence=said),)


def _row(
    people: People, is_counted: Mask, target: str | None, copy: Copy, measure: str
) -> PeopleRow:
    n_people = len(np.unique(people.of_row[is_counted]))
    percent = 100 * n_people / people.record.n_people
    return PeopleRow(target=target, copy=copy, measure=measure, n_people=n_people, percent=percent)
