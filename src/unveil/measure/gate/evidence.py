"""What do the checks of a release count? All files are coded together once, then asked.

Per synthetic file and for all of them pooled: whole records that reappear, people tied to their own
values, near-copies, values of single holders, identifiers, and columns that no one asked about.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import msgspec
import numpy as np

from unveil.arrays import Ints
from unveil.io.table import Table
from unveil.measure.gate.beside_table import find_beside
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, link_column
from unveil.measure.gate.copied_columns import (
    find_computed_columns,
    find_copied_identifiers,
    find_single_holder,
    is_running,
)
from unveil.measure.gate.extra_columns import find_extra_columns
from unveil.measure.gate.linked_people import (
    TiedSearch,
    control_own,
    find_tied_groups,
    own_value_record,
)
from unveil.measure.gate.links import LinkRows, LinkView, expected_share
from unveil.measure.gate.near_copies import choose_alone, choose_numbers, find_near_copies
from unveil.measure.gate.recoded_columns import ScenarioKeys, find_codings, make_coding_rows
from unveil.measure.gate.row_order import find_row_order
from unveil.measure.roles.person import choose_people
from unveil.models.intervals import wilson
from unveil.records.alerts import (
    CodingRow,
    CopiedColumn,
    GateEvidence,
    NearCopies,
    NotTested,
    OwnValue,
    ReappearingPeople,
    SingleHolder,
    TiedGroup,
    WholeRecords,
)
from unveil.records.base import Copy
from unveil.records.person import PersonColumn
from unveil.study.people import People
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import OpenFiles

FAST = ("whole records", "values of single holders", "identifiers", "columns", "codings")
SLOW = ("own values", "near-copies", "groups")


@dataclass(frozen=True, eq=False)
class Files:
    """The files of a release: original, synthetic, control sample."""

    opened: OpenFiles  # the original first and the control sample last

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        return self.opened.tables

    @property
    def original(self) -> Table:
        """The original, as it was read."""
        return self.opened[0]

    @property
    def synthetic(self) -> tuple[Table, ...]:
        """The synthetic files."""
        return tuple(table for table in self.opened if table.side.startswith("synthetic"))

    @property
    def control(self) -> Table | None:
        """People whose records were not used; None where there is no such file."""
        return self.opened[-1] if self.opened[-1].side == "control" else None

    def list_values(self, place: int, name: str) -> set[object]:
        """The different values of a column of one file."""
        return set(self.tables[place].frame[name].unique())


@dataclass(frozen=True)
class DeclaredRoles:
    """What people said about columns: identifiers, and columns that a scenario compares."""

    identifiers: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()  # keys and targets
    others: tuple[str, ...] = ()  # columns with another role: weights, columns to be ignored
    scenarios: tuple[ScenarioKeys, ...] = ()  # to be measured under the mappings that are proposed
    person: str | None = None  # whose row it is; "none" where rows are people; None: to be found


def gather_evidence(
    files: Files, roles: DeclaredRoles, *, in_full: bool = True, progress: Progress = no_progress
) -> GateEvidence:
    """Count everything that the gate looks at; `in_full` is with the checks that take longer."""
    held = _people_with_rows(files, roles.person)
    people = None if held is None else held.record
    of_row = None
    if held is not None and roles.person is not None:
        of_row = held.of_row.astype(np.int64)
    columns = _columns(files, progress)
    every = list(range(1, len(files.synthetic) + 1))
    asked: dict[Copy, list[int]] = {number: [number] for number in every}
    if len(every) > 1:
        asked["pooled"] = every
    parts = [
        _gather_copy(
            files,
            roles,
            columns,
            sides,
            copy=copy,
            of_row=of_row,
            in_full=in_full,
            progress=progress,
        )
        for copy, sides in asked.items()
    ]
    rows: dict[str, Any] = {
        field.name: tuple(row for part in parts for row in getattr(part, field.name))
        for field in fields(_EvidencePart)
    }
    return GateEvidence(
        files=tuple(table.source for table in files.tables),
        n_original=files.original.frame.height,
        n_synthetic=tuple(table.frame.height for table in files.synthetic),
        n_control=None if files.control is None else files.control.frame.height,
        compared=tuple(columns),
        checks=(*FAST, *(SLOW if in_full else ())),
        **rows,
        beside=tuple(
            one
            for copy in every
            for one in (
                *find_beside(files.tables, copy, files.list_values),
                *find_row_order(_columns_of(files, columns, copy), copy),
            )
        ),
        undeclared=people if roles.person is None else None,
        person=people if roles.person is not None else None,
        not_tested=tuple(_list_not_tested(files, roles, columns, people, in_full=in_full)),
    )


def _columns(files: Files, progress: Progress) -> dict[str, LinkColumn]:
    """Every column that the original and some synthetic file have, coded over all files."""
    theirs = {name for table in files.synthetic for name in table.frame.columns}
    names = [name for name in files.original.frame.columns if name in theirs]
    made = {}
    for done, name in enumerate(names):
        progress(f"coding {name}", done, len(names))
        made[name] = link_column(name, files.opened)
    return made


def _columns_of(files: Files, columns: dict[str, LinkColumn], copy: int) -> Iterator[LinkColumn]:
    """The columns that a synthetic file has."""
    there = files.synthetic[copy - 1].frame.columns
    return (column for name, column in columns.items() if name in there)


@dataclass(frozen=True)
class _EvidencePart:
    whole: tuple[WholeRecords, ...] = ()
    own: tuple[OwnValue, ...] = ()
    near: tuple[NearCopies, ...] = ()
    single: tuple[SingleHolder, ...] = ()
    copied: tuple[CopiedColumn, ...] = ()
    groups: tuple[TiedGroup, ...] = ()
    codings: tuple[CodingRow, ...] = ()


def _gather_copy(
    files: Files,
    roles: DeclaredRoles,
    columns: dict[str, LinkColumn],
    sides: Sequence[int],
    *,
    copy: Copy,
    of_row: Ints | None,
    in_full: bool,
    progress: Progress,
) -> _EvidencePart:
    """All counts of one synthetic file, or of all of them pooled."""
    tables = [files.synthetic[side - 1] for side in sides]
    here = [
        column
        for name, column in columns.items()
        if all(name in table.frame.columns for table in tables)
    ]
    linking = [column for column in here if not has_record_numbers(column, sides)]
    if not linking:
        return _EvidencePart(copied=_find_copied(files, roles, here, sides, copy))
    rows = LinkRows.of(linking, [ORIGINAL], sides)
    control = None
    if files.control is not None:
        known = [one for one in linking if one.name in files.control.frame.columns]
        control = LinkRows.of(known, [ORIGINAL, len(files.tables) - 1], sides) if known else None
    progress("whole records", 0, 1)
    whole = _whole(rows, control, copy, files.original.frame.height)
    if of_row is not None:
        whole = _whole_of_people(rows, whole, of_row)
    search = TiedSearch(rows)
    looks = _best_links(search, progress) if in_full else {}
    slow = _EvidencePart()
    if in_full:
        keys = [one.keys for one in roles.scenarios]
        whole = msgspec.structs.replace(whole, least_own=search.least_own())
        slow = _slow(search, looks, control, sides, keys=keys, copy=copy, progress=progress)
    if copy == "pooled":
        return replace(slow, whole=(whole,))
    (side,) = sides
    asked = [
        one
        for one in linking
        if one.name not in roles.identifiers and (not roles.compared or one.name in roles.compared)
    ]
    found = find_codings(asked, side, search, looks, progress)
    held = [
        row
        for column in here
        if (row := find_single_holder(column, side, copy, of_row)) is not None
    ]
    computed = find_computed_columns(files.original, tables[0], here, held)
    return replace(
        slow,
        whole=(whole,),
        single=(*held, *(computed if in_full else ())),
        copied=_find_copied(files, roles, here, sides, copy),
        codings=tuple(
            make_coding_rows(columns, found, compared=roles.compared, scenarios=roles.scenarios)
        ),
    )


def _find_copied(
    files: Files, roles: DeclaredRoles, here: Sequence[LinkColumn], sides: Sequence[int], copy: Copy
) -> tuple[CopiedColumn, ...]:
    """Identifiers of one file, and columns that the original does not have; of a pool, none."""
    if copy == "pooled":
        return ()
    known = (*roles.compared, *roles.others)
    original = files.opened.select(0)
    found = find_copied_identifiers(
        original, here, sides[0], copy, declared=roles.identifiers, known=known
    )
    return (*found, *find_extra_columns(files.opened.select(0, sides[0]), copy))


def has_record_numbers(column: LinkColumn, sides: Sequence[int]) -> bool:
    """Whether the column numbers the records on both sides, with numbers of their own."""
    return is_running(column, ORIGINAL) and all(
        is_running(column, side) and not (column.counts[side] * column.counts[ORIGINAL]).any()
        for side in sides
    )


def _whole(rows: LinkRows, control: LinkRows | None, copy: Copy, n_original: int) -> WholeRecords:
    n_unique, n_reappearing, expected = rows.count_reappearing(tuple(rows.columns))
    found = WholeRecords(
        copy=copy,
        n_columns=len(rows.columns),
        n_unique=n_unique,
        n_reappearing=n_reappearing,
        n_people=n_original,
        expected=expected,
    )
    if control is None:
        return found
    _, is_back = control.reappearing(tuple(control.columns))
    mine, theirs = is_back[:n_original], is_back[n_original:]
    share = float(theirs.mean()) if len(theirs) else 0.0
    excess = lower_difference(float(mine.mean()), len(mine), share, len(theirs))
    return msgspec.structs.replace(found, control_share=share, excess=excess)


def _whole_of_people(rows: LinkRows, by_row: WholeRecords, of_row: Ints) -> WholeRecords:
    """The same with equal rows of a person taken for one: they do not hide each other."""
    codes, is_there, holders = rows.reappearing_of_people(tuple(rows.columns), of_row)
    is_alone = holders == 1
    is_back = (is_alone & is_there)[codes]
    n_records = len(next(iter(rows.records.values())))
    return msgspec.structs.replace(
        by_row,
        n_unique=int(is_alone.sum()),
        n_reappearing=int((is_alone & is_there).sum()),
        n_people=int(holders.sum()),
        expected=expected_share(holders, n_records) * int(is_alone.sum()),
        people=ReappearingPeople(
            n_people=int(of_row.max()) + 1,
            n_reappearing=len(np.unique(of_row[is_back])),
            n_rows=int(is_back.sum()),
        ),
    )


def _best_links(search: TiedSearch, progress: Progress) -> dict[str, LinkView]:
    """For every column the linking columns that tie most people to it, where some are tied."""
    looks = {}
    for done, name in enumerate(search.names):
        progress(f"people tied to their own {name}", done, len(search.names))
        look = search.best(name)
        if look is not None:
            looks[name] = look
    return looks


def _slow(
    search: TiedSearch,
    looks: dict[str, LinkView],
    control: LinkRows | None,
    sides: Sequence[int],
    *,
    keys: Sequence[Sequence[str]],
    copy: Copy,
    progress: Progress,
) -> _EvidencePart:
    """The checks that take longer: own values, groups, near-copies."""
    rows = search.rows
    own = tuple(_add_control(look, control, rows.n_people, copy) for look in looks.values())
    progress("groups", 0, 1)
    groups = tuple(find_tied_groups(search, looks, copy, keys))
    progress("near-copies", 0, 1)
    linking = list(rows.columns.values())
    numbers = choose_numbers(linking) or choose_alone(linking)
    near = tuple(find_near_copies(numbers, sides, copy)) if numbers else ()
    return _EvidencePart(own=own, near=near, groups=groups)


def _add_control(look: LinkView, control: LinkRows | None, n_original: int, copy: Copy) -> OwnValue:
    found = own_value_record(copy, look)
    if control is None or not {look.column, *look.by} <= set(control.columns):
        return found
    mine, n_mine, theirs, n_theirs = control_own(control, n_original, look.column, look.by)
    if not n_theirs:
        return found
    excess = lower_difference(mine, n_mine, theirs, n_theirs) * n_mine
    return msgspec.structs.replace(found, control_own=theirs, excess=excess)


def lower_difference(p: float, n: float, q: float, m: float) -> float:
    """The lower 95 % limit of p - q, shares of n and of m: Newcombe (1998), method 10."""
    low = wilson(p * n, n, 0.95).interval[0] if n > 0 else 0.0
    high = wilson(q * m, m, 0.95).interval[1] if m > 0 else 1.0
    return p - q - float(np.sqrt((p - low) ** 2 + (high - q) ** 2))


def _list_not_tested(
    files: Files,
    roles: DeclaredRoles,
    columns: Collection[str],
    people: PersonColumn | None,
    *,
    in_full: bool,
) -> Iterator[NotTested]:
    if files.control is None:
        yield NotTested(
            what="control",
            sentence=(
                "No control sample was given, so no attack was compared with people whose records"
                " were not used."
            ),
        )
    if not in_full:
        yield NotTested(
            what="check",
            sentence=(
                "People tied to their own values, near-copies and groups were not looked for."
            ),
        )
    if not columns:
        yield NotTested(
            what="columns",
            sentence=(
                "The files have no column in common: records could not be compared, and nothing"
                " shows that they are protected."
            ),
        )
    if people is not None and roles.person is not None:
        yield NotTested(
            what="person",
            columns=(people.column,),
            sentence=(
                f"{people.counts}. Of the checks of the files, those of whole records and of values"
                " that one person has count people, the others rows."
            ),
        )
    asked = {*roles.compared, *roles.identifiers, *roles.others, roles.person}
    alone = tuple(name for name in columns if name not in asked) if roles.compared else ()
    if alone:
        yield NotTested(
            what="columns",
            columns=alone,
            sentence="in no scenario: what an intruder could learn of them was not measured.",
        )


def _people_with_rows(files: Files, person: str | None) -> People | None:
    """The column that is declared, or else found, where people have several rows by it."""
    people = choose_people(files.opened, person)
    if people is None or people.record.n_people == people.record.n_rows:
        return None
    return people
