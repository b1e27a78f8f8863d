"""Which columns has every file? Nothing can be measured on a column that a copy lacks."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from unveil.errors import RolesError
from unveil.measure.roles.person import find_person
from unveil.read.files import hold
from unveil.read.held import Held
from unveil.records.suggestion import RoleRow, Suggestion

_REASON = "is not in every copy, so nothing can be measured on it."


def shared_columns(
    original: Held, others: Iterable[str | os.PathLike[str]], missing: Sequence[str]
) -> tuple[Held, tuple[str, ...]]:
    """The original with the columns that all other files have too, and those that some lack.

    A column that says whose row it is stays: figures count people by it.
    """
    columns = original.whole.frame.columns
    shared = set(columns)
    for file in others:
        other = hold(Path(os.fsdecode(file)), side="synthetic", missing_values=missing)
        shared &= set(other.whole.frame.columns)
    person = find_person(original.whole)
    if person is not None and shared:
        shared.add(person.column)  # whose row it is need not be said in the synthetic data
    lacking = tuple(name for name in columns if name not in shared)
    if not lacking:
        return original, ()
    if not shared:
        raise RolesError(
            "The original and its copies have no column in common. Check that they are of the same"
            " data, and that the first line of each names its columns."
        )
    kept = [name for name in columns if name in shared]
    return replace(original, whole=original.table(side="data", columns=kept)), lacking


def with_ignored(roles: Suggestion, lacking: Sequence[str]) -> Suggestion:
    """The same roles, and of columns that some file lacks that they are left alone."""
    rows = tuple(
        RoleRow(
            column=name,
            role="ignore",
            grade=None,
            topic=None,
            source="values",
            reason=_REASON,
            n_distinct=None,
            n_alone=None,
            n_gained=None,
            function_of=(),
        )
        for name in lacking
    )
    return msgspec.structs.replace(roles, rows=(*roles.rows, *rows))
