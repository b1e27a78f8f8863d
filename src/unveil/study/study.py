"""From what a user gives to a counted scenario: read, align, count, each once.

Every measure that compares copies with an original by keys and targets opens in this way, so that
all of them read alike, refuse alike, and can share one count.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from unveil.arguments import absent_sentence, is_list, quote_value
from unveil.count.codes import CodedColumn
from unveil.count.overlap import check_disjoint, doubtful_levels
from unveil.errors import InputError, ReadError, RolesError, SettingsError, list_names, nearest
from unveil.io.sources import hold, read_table
from unveil.io.table import Table
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.study.align import align
from unveil.study.band_spec import Bands
from unveil.study.bands import band
from unveil.study.people import PeopleOfFiles, check_person, people_of_files
from unveil.study.roles import Roles, names, parse_roles, roles
from unveil.study.scenario import CountedScenario, Progress, count, encode_aligned, encode_all

NO_BANDS = Bands((), {})


@dataclass(frozen=True)
class Study:
    """A counted scenario, the files behind it, and what was noticed and changed on the way."""

    scenario: CountedScenario
    files: tuple[str, ...]
    notes: tuple[Coercion, ...]
    bands: tuple[BandedColumn, ...] = ()
    segment: CodedColumn | None = None
    people: PeopleOfFiles | None = None


def sides_of(synthetic: Any, **originals: Any) -> dict[str, Any]:
    """What the user gave, by the name of its side: the original (or its parts), then the copies."""
    copies = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    if not copies:
        raise ReadError("No synthetic copy is given. Name at least one file or frame.")
    numbered = {f"synthetic {number}": copy for number, copy in enumerate(copies, start=1)}
    named = numbered if len(copies) > 1 else {"synthetic": copies[0]}
    return {**originals, **named}


def open_study(
    sides: Mapping[str, Any],
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None,
    missing_values: str | Sequence[str],
    bands: Bands = NO_BANDS,
    segment: str | None = None,
    person: str | None = None,
    progress: Progress,
) -> Study:
    """Read, align, band and count what the user gave; `segment` is of the first side only.

    `person` is the column that says whose row it is: it is compared with nothing.
    """
    key_names = names(keys, "Keys")
    target_names = None if targets is None else names(targets, "Targets")
    spelt = parse_roles(key_names, target_names)
    check_person(person, (*key_names, *(target_names or ())))
    # A copy need not say whose rows are whose: with a person, whole files are read.
    wanted = None if spelt is None or person is not None else spelt.columns
    tables = read_all(sides, wanted, missing_values, segment, progress)
    people = people_of_files(tables, person)
    if people is not None:
        tables = [without_column(table, people.original.record.column) for table in tables]
    chosen = roles(tables, key_names, target_names)
    if segment is not None and segment not in tables[0].frame.columns:
        raise RolesError(absent_sentence(tables[0].place, segment, tables[0].frame.columns))
    check_other_columns(bands, chosen)
    aligned, banded = band(align(tables, chosen.columns), bands)
    columns = encode_all(aligned, chosen.columns, progress)
    key_columns, target_columns = columns[: len(chosen.keys)], columns[len(chosen.keys) :]
    check_disjoint(key_columns, tables)
    scenario = count(key_columns, target_columns, progress)
    notes = (*chosen.notes, *aligned.coercions, *doubtful_levels(columns, tables))
    return Study(
        scenario,
        tuple(table.source for table in tables),
        notes,
        banded,
        _segment(segment, columns, tables[0]),
        people,
    )


def without_column(table: Table, name: str) -> Table:
    """The table without one of its columns, if it has it."""
    kept = [column for column in table.frame.get_columns() if column.name != name]
    return replace(table, frame=pl.DataFrame(kept))


def check_other_columns(bands: Bands, chosen: Roles) -> None:
    """Refuse bands of a column that is neither key nor target."""
    faults = [
        f"Bands or special codes are given for {name!r}, which is neither key nor target."
        f"{nearest(name, chosen.columns)} Keys and targets are: {list_names(chosen.columns)}."
        for name in bands.columns
        if name not in chosen.columns
    ]
    if faults:
        raise RolesError("\n".join(faults))


def _segment(
    name: str | None, columns: Sequence[CodedColumn], original: Table
) -> CodedColumn | None:
    """The column within whose levels checks are run, as it is compared or as it is read."""
    if name is None:
        return None
    for column in columns:
        if column.name == name:
            return column
    return encode_aligned(align([original], [name]), name)


def read_all(
    sides: Mapping[str, Any],
    columns: Sequence[str] | None,
    missing_values: str | Sequence[str],
    segment: str | None,
    progress: Progress,
) -> list[Table]:
    """Read every side; all faults are told together."""
    missing = _parse_missing(missing_values)

    def read(place: int, side: str, source: Any) -> Table:
        wanted = columns
        if columns is not None and segment is not None and place == 0:
            wanted = tuple(dict.fromkeys((*columns, segment)))
        return read_table(source, side=side, columns=wanted, missing_values=missing)

    return _read_sides(sides, read, progress)


def hold_all(
    sides: Mapping[str, Any], missing_values: str | Sequence[str], progress: Progress
) -> dict[str, Any]:
    """Every side with files read whole, to be given wherever a path is taken; all faults told."""
    missing = _parse_missing(missing_values)

    def held(place: int, side: str, source: Any) -> Any:
        if not isinstance(source, str | os.PathLike):
            return source
        return hold(Path(os.fsdecode(source)), side=side, missing_values=missing)

    return dict(zip(sides, _read_sides(sides, held, progress), strict=True))


def _parse_missing(given: str | Sequence[str]) -> tuple[str, ...]:
    missing = (given,) if isinstance(given, str) else given
    if not is_list(missing) or not all(isinstance(entry, str) for entry in missing):
        raise SettingsError('missing_values must be texts, such as ["NA", "-9"].')
    return tuple(missing)


def _read_sides(
    sides: Mapping[str, Any], read: Callable[[int, str, Any], Any], progress: Progress
) -> list[Any]:
    """What is read of each side; the faults of all of them together."""
    if not callable(progress):
        raise SettingsError(
            f"progress is {quote_value(progress)}, which cannot be called. Give a function of "
            "what is"
            " being done, how many steps are done, and how many there are."
        )
    found, faults = [], []
    for done, (side, source) in enumerate(sides.items()):
        progress(f"reading the {side} data", done, len(sides))
        try:
            found.append(read(done, side, source))
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise type(faults[0])("\n".join(_fault_sentences(faults, list(sides))))
    return found


def _fault_sentences(faults: Sequence[InputError], sides: Sequence[str]) -> list[str]:
    """What to say of several files; once where all of them lack the same columns."""
    said = [str(fault) for fault in faults]
    lacking = {re.sub(r"(?m)^.*? has no column", "has no column", text) for text in said}
    if len(said) == len(sides) > 1 and len(lacking) == 1 and isinstance(faults[0], RolesError):
        return [said[0], "The same is true of every other file."]
    return said
