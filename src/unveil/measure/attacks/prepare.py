"""From what a user gives to columns that can be attacked: read and align, each once.

The sides are stacked as original, copy, control: the same level has the same code on all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import absent_sentence
from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, add_declarations
from unveil.count.overlap import doubtful_levels
from unveil.count.packing import Ids, Sides, number, pack
from unveil.errors import AlignError, RolesError, SettingsError, hint_at, list_names
from unveil.io.table import Table
from unveil.measure.roles.person import choose_people
from unveil.models.neighbours.coding import PersonSequences, sequences_of
from unveil.models.neighbours.distances import GowerAxis
from unveil.records.disclosure import Coercion
from unveil.records.person import PersonColumn
from unveil.study.band_spec import Bands, parse_bands
from unveil.study.people import NONE, People, check_person, people_of_rows
from unveil.study.roles import Roles, names, roles
from unveil.study.scenario import Progress
from unveil.study.study import OpenFiles, open_files

ORIGINAL, SYNTHETIC, CONTROL = 0, 1, 2
COUNTING_ROWS = "Attacks count rows, not people."
COUNTING_PEOPLE = "Each person is one attack, whose success is the mean over their rows."
MOST_PLACES = 12
"""Rows of a person that an intruder knows at most: the first, in the order of time."""


@dataclass(frozen=True, eq=False)
class Sequences:
    """People of all sides, stacked as their rows are: an intruder knows all rows of a person.

    The first rows of two people are compared, the second, and so on; a row that one of them has
    and the other has not differs in every column.
    """

    sides: Sides  # people, not rows
    of_row: Ints  # the person of each stacked row
    place: Ints  # which of their rows it is, from 0

    @classmethod
    def of(cls, files: Sequence[PersonSequences]) -> "Sequences":
        """The people of the files, one after another."""
        sides = Sides(tuple(one.n_people for one in files))
        before = [some.start for some in sides.slices]
        whose = [one.of_row + start for one, start in zip(files, before, strict=True)]
        return cls(sides, np.concatenate(whose), np.concatenate([one.place for one in files]))

    @cached_property
    def row_at(self) -> Ints:
        """People by places: which stacked row it is; -1 where a person has no such row."""
        known = np.flatnonzero(self.place < MOST_PLACES)
        found = np.full((self.sides.n_rows, int(self.place[known].max(initial=0)) + 1), -1)
        found[self.of_row[known], self.place[known]] = known
        return found

    def side_by_side(self, axes: Sequence[GowerAxis]) -> tuple[GowerAxis, ...]:
        """Each axis once for every place, over people; no row is a level of its own."""
        return tuple(_axis_at(axis, rows) for axis in axes for rows in self.row_at.T)


def _axis_at(axis: GowerAxis, rows: Ints) -> GowerAxis:
    none = axis.n_levels
    codes = np.where(rows >= 0, axis.codes[rows], none).astype(np.min_scalar_type(none))
    made = replace(axis, codes=codes, n_levels=none + 1)
    if axis.places is None or axis.apart is None:
        return made
    apart = np.append(axis.apart.astype(np.int64), axis.apart.max(initial=0) + 1)
    return replace(
        made,
        places=np.append(axis.places, 0.0),
        apart=apart.astype(np.min_scalar_type(none + 1)),
    )


@dataclass(frozen=True)
class AttackData:
    """The compared columns of original, copy and control, and what was noticed on the way.

    `special_codes` of a column are what its file declares and what the user gave.
    """

    columns: tuple[CodedColumn, ...]
    files: tuple[str, ...]
    notes: tuple[Coercion, ...]
    person: PersonColumn | None = None  # of the original; None: rows are attacked
    people: Mapping[int, Ids] = field(default_factory=dict)  # by side, whose row each row is
    sequences: Sequences | None = None  # people with all their rows are compared, not rows

    @property
    def has_control(self) -> bool:
        """Whether there are people who were not used."""
        return len(self.columns[0].sides.rows) > CONTROL

    @property
    def n_original(self) -> int:
        """Records of the original."""
        return self.columns[0].sides.rows[ORIGINAL]

    @property
    def n_synthetic(self) -> int:
        """Records of the synthetic file."""
        return self.columns[0].sides.rows[SYNTHETIC]

    @property
    def n_control(self) -> int | None:
        """Records of the control; None without one."""
        return self.columns[0].sides.rows[CONTROL] if self.has_control else None

    def n_attackable(self, side: int) -> int:
        """How many can be attacked on a side: people, or records where rows are people."""
        if side in self.people:
            return int(self.people[side].max(initial=-1)) + 1
        return self.columns[0].sides.rows[side]

    def slice_of(self, side: int) -> slice:
        """Where a side stands in the stacked codes."""
        return self.columns[0].sides.slices[side]

    @property
    def intruders(self) -> "tuple[AttackData, ...]":
        """Who attacks: one who knows all rows of a person may use one row only, and so does."""
        return (self,) if self.sequences is None else (self, replace(self, sequences=None))

    @property
    def compared_sides(self) -> Sides:
        """Sides of what is compared: records, or people with all their rows."""
        return self.columns[0].sides if self.sequences is None else self.sequences.sides

    @property
    def nearest(self) -> str:
        """How the attack finds its guess."""
        return "nearest records" if self.sequences is None else "nearest people"

    def compared(self, rows: Ints) -> Ints:
        """What is compared of these stacked rows: themselves, or the people they are of."""
        return rows if self.sequences is None else self.sequences.of_row[rows]

    def along(self, axes: Sequence[GowerAxis]) -> tuple[GowerAxis, ...]:
        """What records, or people with all their rows, are compared along."""
        return tuple(axes) if self.sequences is None else self.sequences.side_by_side(axes)

    def column(self, name: str) -> CodedColumn:
        """One of the compared columns."""
        return next(column for column in self.columns if column.name == name)

    @cached_property
    def row_ids(self) -> Ids:
        """For each stacked record the number of its values in all compared columns."""
        digits = [(column.codes, column.n_levels) for column in self.columns]
        return number(*pack(digits, self.columns[0].sides.n_rows))[0]

    @cached_property
    def n_shared(self) -> int | None:
        """Control records that stand in the original with all their values; None without any."""
        if not self.has_control:
            return None
        control, original = (self.row_ids[self.slice_of(side)] for side in (CONTROL, ORIGINAL))
        return int(np.isin(control, original).sum())

    def shared_warnings(self) -> tuple[str, ...]:
        """What to say of people who are in the control and in the original."""
        if not self.n_shared:
            return ()
        share = self.n_shared / (self.n_control or 1)
        return (
            "Control records that equal an original record in every compared column:"
            f" {self.n_shared:,} ({100 * share:.1f} %). If these are the same people, the control"
            " sample is invalid, and R is too low.",
        )


def prepare_attack(
    original: Any,
    synthetic: Any,
    control: Any,
    *,
    columns: Iterable[str] | None = None,
    named: Sequence[str] = (),
    without: str | Iterable[str] = (),
    person: str | None = None,
    time: str | None = None,
    counting: str = "",
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> AttackData:
    """Read, align and encode, in the order of the original's columns.

    `columns` None is every column that all files have, but for those `without` names; all files
    must have those `named`. `person` says whose row it is and is compared with nothing; with `time`
    people are compared with all their rows. `counting` is how the attack counts, as a sentence.
    """
    given = {"original": original, "synthetic": _one_copy(synthetic)}
    if control is not None:
        given["control"] = control
    apart = parse_bands(None, special_codes)
    wanted = None if columns is None else names(columns, "Columns")
    if wanted is not None and not wanted:
        raise RolesError("No columns are given. Name those to compare, or omit columns.")
    check_person(person, (*(wanted or ()), *named))
    is_named = person not in (None, NONE)
    tables = open_files(given, None if is_named else wanted, missing_values, progress)
    people = choose_people(tables, person)
    sequences, told = _read_sequences(tables, person if is_named else None, time)
    of_people = _note_people(tables, people, (told or counting) if is_named else COUNTING_ROWS)
    whose = {}
    if person is not None and people is not None:
        sides = (ORIGINAL, *range(CONTROL, len(tables)))
        whose = {side: people_of_rows(tables, person, side) for side in sides}
        tables = tables.without_column(person)
    chosen = _in_common(tables, named) if wanted is None else roles(tables, wanted, ())
    left_out = names(without, "Columns to omit")
    check_asked_for(left_out, (*(wanted or ()), *named))
    if wanted is None:
        _check_absent(left_out, tables[0])
    compared = [
        name for name in tables[0].frame.columns if name in chosen.columns and name not in left_out
    ]
    if not compared:
        raise RolesError("Every column is excluded, so there is nothing to compare. Keep some.")
    _check_other_codes(apart, compared)
    encoded = tables.encode(compared, progress=progress)
    made = tuple(_with_codes(column, apart) for column in encoded.columns)
    return AttackData(
        made,
        tuple(table.source for table in tables),
        (
            *chosen.notes,
            *encoded.coercions,
            *doubtful_levels([one for one in made if not one.is_scaled], tables),
            *of_people,
        ),
        None if not whose or people is None else people.record,
        whose,
        sequences,
    )


def _read_sequences(
    tables: OpenFiles, person: str | None, time: str | None
) -> tuple[Sequences | None, str]:
    """People with their rows in order, where time says so and all files have it; and a sentence."""
    if time is None:
        return None, ""
    if person is None:
        raise RolesError("time is given without person. Name the column that says whose row it is.")
    tables[ORIGINAL].check_columns([person, time])
    for table in tables[1:]:
        if lacking := [name for name in (person, time) if name not in table.frame.columns]:
            return None, (
                f"{table.place} has no column {list_names(map(repr, lacking))}, so people cannot be"
                f" compared with all their rows. {COUNTING_PEOPLE}"
            )
    made = Sequences.of(sequences_of(tables, person, time))
    n_over = len(np.unique(made.of_row[made.place >= MOST_PLACES]))
    over = f" Of {n_over:,} people with more rows the first {MOST_PLACES} are used."
    return made, (
        "The intruder knows all rows of a person and compares people with all their rows, in the"
        f" order of {time!r}, or row by row: what succeeds better is shown.{over if n_over else ''}"
    )


def _note_people(
    tables: Sequence[Table], people: People | None, counting: str
) -> tuple[Coercion, ...]:
    """How people with several rows are counted, and who is on both sides of a control."""
    if people is None or people.record.n_people == people.record.n_rows:
        return ()
    person = people.record
    said = f"{person.column!r} {person.counts}. {counting}"
    control = tables[CONTROL].frame if len(tables) > CONTROL else None
    if control is not None and person.column in control.columns:
        theirs = control[person.column].drop_nulls().unique().cast(pl.String)
        own = tables[ORIGINAL].frame[person.column].drop_nulls().unique().cast(pl.String)
        if n_both := len(set(theirs) & set(own)):
            said += (
                f" {n_both:,} of {len(theirs):,} people of the control sample are in the original"
                " too, so it is not a control sample: split the file by person (unveil split)."
            )
    return (Coercion(side="original", column=person.column, kind="person", sentence=said),)


def _one_copy(synthetic: Any) -> Any:
    if not isinstance(synthetic, list | tuple):
        return synthetic
    if len(synthetic) != 1:
        raise SettingsError(
            f"{len(synthetic):,} copies are given, but an attack uses one file at a time. Name one"
            " file or frame."
        )
    return synthetic[0]


def _in_common(tables: Sequence[Table], named: Sequence[str]) -> Roles:
    """Every column that all tables have, with a note of those that were excluded."""
    if named:
        return roles(tables, named, None)
    common = set.intersection(*(set(table.frame.columns) for table in tables))
    first = next((name for name in tables[0].frame.columns if name in common), None)
    if first is None:
        raise RolesError(
            "The files have no column in common, so there is nothing to compare. Give the columns"
            " the same names in every file."
        )
    return roles(tables, (first,), None)


def check_asked_for(left_out: Sequence[str], asked: Sequence[str]) -> None:
    """Refuse to exclude what is asked for."""
    both = [name for name in left_out if name in asked]
    if both:
        raise RolesError(
            f"{list_names(repr(name) for name in both)} cannot be both requested and excluded."
            " Remove it from one of the two."
        )


def _check_absent(left_out: Sequence[str], original: Table) -> None:
    for name in left_out:
        if name not in original.frame.columns:
            raise RolesError(absent_sentence(original.place, name, original.frame.columns))


def with_special_codes(
    columns: Sequence[CodedColumn], special_codes: Mapping[str, Any] | None
) -> list[CodedColumn]:
    """The compared columns with the special codes that the user gave, or a refusal."""
    apart = parse_bands(None, special_codes)
    _check_other_codes(apart, [column.name for column in columns])
    return [_with_codes(column, apart) for column in columns]


def _check_other_codes(apart: Bands, columns: Sequence[str]) -> None:
    for name in apart.special_codes:
        if name not in columns:
            raise RolesError(
                f"Special codes are given for {name!r}, which is not compared."
                f"{hint_at(name, columns)} The columns are: {list_names(columns)}."
            )


def _with_codes(column: CodedColumn, apart: Bands) -> CodedColumn:
    """The column with the special codes that the user gave beside those that the files declare."""
    codes = apart.special_codes.get(column.name, ())
    if not codes:
        return column
    if column.levels.drop_nulls().len() and not column.levels.dtype.is_numeric():
        raise AlignError(
            f"Special codes are given for column {column.name!r}, which holds no numbers. Omit"
            " them."
        )
    return add_declarations(column, codes)


def check_other_columns(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Refuse settings of columns that are not compared."""
    for name in given:
        if name not in known:
            raise RolesError(
                f"{what} names {name!r}, which is not compared.{hint_at(str(name), known)} The"
                f" columns are: {list_names(known)}."
            )
