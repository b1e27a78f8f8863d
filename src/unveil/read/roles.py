"""Which columns does the intruder know, and which would they learn?

Keys are what the intruder knows about a person; targets are what they might learn. Both must stand
in the original and in every copy, and no column can be both in one scenario.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unveil.errors import RolesError, listed, nearest
from unveil.read.table import Table
from unveil.records.disclosure import Coercion

_NUMBER_OR_DATE = re.compile(r"\s*-?\d+([.,]\d+)?\s*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


@dataclass(frozen=True)
class Roles:
    """The keys and targets of one scenario, and the columns that were left aside."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    notes: tuple[Coercion, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column the scenario compares, keys first."""
        return self.keys + self.targets


def names(given: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Column names as given, one or several; a name given twice is refused."""
    if not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        raise RolesError(f"{what} must be column names, as text; given is {type(given).__name__}.")
    chosen = (given,) if isinstance(given, str) else tuple(given)
    for name in chosen:
        if not isinstance(name, str):
            raise RolesError(f"{what} must be column names, as text; one is {type(name).__name__}.")
        if chosen.count(name) > 1:
            raise RolesError(
                f"Column {name!r} is given twice among the {what.lower()}. Name it once."
            )
    return chosen


def declared(keys: str | Iterable[str], targets: str | Iterable[str] | None) -> Roles | None:
    """The roles a user spelt out, before any data is read; None where targets are left open."""
    key_names = names(keys, "Keys")
    if not key_names:
        raise RolesError("No keys are given. Name the columns an intruder would know.")
    if targets is None:
        return None
    target_names = names(targets, "Targets")
    _refuse_overlap(key_names, target_names)
    return Roles(key_names, target_names)


def roles(
    tables: Sequence[Table], keys: str | Iterable[str], targets: str | Iterable[str] | None
) -> Roles:
    """Check the roles against the data; targets left open are all other columns in common."""
    spelt = declared(keys, targets)
    if spelt is not None:
        _refuse_absent(tables, spelt.columns)
        return spelt
    key_names = names(keys, "Keys")
    _refuse_absent(tables, key_names)
    common = set.intersection(*(set(table.frame.columns) for table in tables))
    open_targets = [c for c in tables[0].frame.columns if c in common and c not in key_names]
    return Roles(key_names, tuple(open_targets), _left_aside(tables, common))


def _refuse_overlap(keys: Sequence[str], targets: Sequence[str]) -> None:
    both = [name for name in keys if name in targets]
    if both:
        raise RolesError(
            f"{listed(repr(name) for name in both)} cannot be key and target of the same scenario:"
            " what the intruder knows already cannot be disclosed. Take it out of one of the two."
        )


def _refuse_absent(tables: Sequence[Table], wanted: Sequence[str]) -> None:
    faults = []
    for name in wanted:
        without = [table for table in tables if name not in table.frame.columns]
        if len(without) == len(tables):
            faults.append(_absent_everywhere(name, tables[0].frame.columns))
        else:
            faults += [absent(table.place, name, table.frame.columns) for table in without]
    if faults:
        raise RolesError("\n".join(faults))


def absent(place: str, name: str, columns: Sequence[str]) -> str:
    """The sentence for a column that is not there."""
    if looks_like_data(columns):
        return (
            f"{place} has no column {name!r}. Its first line looks like a record, not like names of"
            " columns: put a line with the names above it."
        )
    return (
        f"{place} has no column {name!r}.{nearest(name, columns)}"
        f" Its columns are: {listed(columns)}."
    )


def looks_like_data(columns: Sequence[str]) -> bool:
    """Whether the names of columns may be a person's record, in a file without a header."""
    return any(_NUMBER_OR_DATE.fullmatch(name) for name in columns)


def _absent_everywhere(name: str, columns: Sequence[str]) -> str:
    if looks_like_data(columns):
        return absent("Each of the files", name, columns)
    return (
        f"None of the files has a column {name!r}.{nearest(name, columns)}"
        f" The columns of the original are: {listed(columns)}."
    )


def _left_aside(tables: Sequence[Table], common: set[str]) -> tuple[Coercion, ...]:
    return tuple(
        Coercion(
            side=table.side,
            column=name,
            kind="not_compared",
            sentence=f"Column {name!r} is not in every file and was left out.",
        )
        for table in tables
        for name in table.frame.columns
        if name not in common
    )
