"""Which columns does the intruder know, and which would they learn?

Keys are what the intruder knows about a person; targets are what they might learn. Both must stand
in the original and in every copy, and no column can be both in one scenario.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unveil.arguments import absent_sentence, check_faults, is_like_data
from unveil.errors import RolesError, hint_at, list_names
from unveil.io.table import Table
from unveil.records.disclosure import Coercion


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


def parse_roles(keys: str | Iterable[str], targets: str | Iterable[str] | None) -> Roles | None:
    """The roles a user spelt out, before any data is read; None where targets are left open."""
    key_names = names(keys, "Keys")
    if not key_names:
        raise RolesError("No keys are given. Name the columns an intruder would know.")
    if targets is None:
        return None
    target_names = names(targets, "Targets")
    _check_overlap(key_names, target_names)
    return Roles(key_names, target_names)


def roles(
    tables: Sequence[Table], keys: str | Iterable[str], targets: str | Iterable[str] | None
) -> Roles:
    """Check the roles against the data; targets left open are all other columns in common."""
    spelt = parse_roles(keys, targets)
    if spelt is not None:
        _check_absent(tables, spelt.columns)
        return spelt
    key_names = names(keys, "Keys")
    _check_absent(tables, key_names)
    common = set.intersection(*(set(table.frame.columns) for table in tables))
    open_targets = [c for c in tables[0].frame.columns if c in common and c not in key_names]
    return Roles(key_names, tuple(open_targets), not_compared_notes(tables, common))


def _check_overlap(keys: Sequence[str], targets: Sequence[str]) -> None:
    both = [name for name in keys if name in targets]
    if both:
        raise RolesError(
            f"{list_names(repr(name) for name in both)} cannot be key and target of the same"
            " scenario: what the intruder knows already cannot be disclosed. Remove it from one of"
            " the two."
        )


def _check_absent(tables: Sequence[Table], wanted: Sequence[str]) -> None:
    faults = []
    for name in wanted:
        without = [table for table in tables if name not in table.frame.columns]
        if len(without) == len(tables):
            faults.append(_absent_everywhere(name, tables[0].frame.columns))
        else:
            faults += [absent_sentence(table.place, name, table.frame.columns) for table in without]
    check_faults(faults, RolesError)


def _absent_everywhere(name: str, columns: Sequence[str]) -> str:
    if is_like_data(columns):
        return absent_sentence("Each of the files", name, columns)
    return (
        f"None of the files has a column {name!r}.{hint_at(name, columns)}"
        f" The columns of the original are: {list_names(columns)}."
    )


def not_compared_notes(tables: Sequence[Table], common: set[str]) -> tuple[Coercion, ...]:
    """Columns that some file lacks."""
    return tuple(
        Coercion(
            side=table.side,
            column=name,
            kind="not_compared",
            sentence=f"Column {name!r} is not in every file and was excluded.",
        )
        for table in tables
        for name in table.frame.columns
        if name not in common
    )
