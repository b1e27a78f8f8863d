"""From what a user gives to a counted scenario: read, align, count, each once.

Every measure that compares copies with an original by keys and targets opens in this way, so that
all of them read alike, refuse alike, and can share one count.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.count.meeting import doubtful_levels, refuse_disjoint
from unveil.count.scenario import Progress, Scenario, count, encode_all
from unveil.errors import InputError, ReadError, RolesError, SettingsError
from unveil.read.align import align
from unveil.read.files import read_table
from unveil.read.roles import declared, names, roles
from unveil.read.table import Table
from unveil.records.disclosure import Coercion


@dataclass(frozen=True)
class Opening:
    """A counted scenario, the files behind it, and what was noticed and changed on the way."""

    scenario: Scenario
    files: tuple[str, ...]
    notes: tuple[Coercion, ...]


def opened(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> Opening:
    """Read, align and count what the user gave."""
    key_names = names(keys, "Keys")
    target_names = None if targets is None else names(targets, "Targets")
    spelt = declared(key_names, target_names)
    wanted = None if spelt is None else spelt.columns
    tables = _read_all(original, synthetic, wanted, missing_values, progress)
    chosen = roles(tables, key_names, target_names)
    aligned = align(tables, chosen.columns)
    columns = encode_all(aligned, chosen.columns, progress)
    key_columns, target_columns = columns[: len(chosen.keys)], columns[len(chosen.keys) :]
    refuse_disjoint(key_columns, tables)
    scenario = count(key_columns, target_columns, progress)
    notes = (*chosen.notes, *aligned.coercions, *doubtful_levels(columns, tables))
    return Opening(scenario, tuple(table.source for table in tables), notes)


def _read_all(
    original: Any,
    synthetic: Any,
    columns: Sequence[str] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> list[Table]:
    copies = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    missing = (missing_values,) if isinstance(missing_values, str) else missing_values
    if not isinstance(missing, Iterable) or not all(isinstance(entry, str) for entry in missing):
        raise SettingsError('missing_values must be texts, such as ["NA", "-9"].')
    if not copies:
        raise ReadError("No synthetic copy is given. Name at least one file or frame.")
    numbered = [f"synthetic {number}" for number in range(1, len(copies) + 1)]
    sides = ["original", *(numbered if len(copies) > 1 else ["synthetic"])]
    tables, faults = [], []
    for done, (side, source) in enumerate(zip(sides, [original, *copies], strict=True)):
        progress(f"reading the {side} data", done, len(sides))
        try:
            tables.append(
                read_table(source, side=side, columns=columns, missing_values=tuple(missing))
            )
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise type(faults[0])("\n".join(_told(faults, sides)))
    return tables


def _told(faults: Sequence[InputError], sides: Sequence[str]) -> list[str]:
    """What to say of several files; once where all of them lack the same columns."""
    said = [str(fault) for fault in faults]
    lacking = {re.sub(r"(?m)^.*? has no column", "has no column", text) for text in said}
    if len(said) == len(sides) > 1 and len(lacking) == 1 and isinstance(faults[0], RolesError):
        return [said[0], "The same is true of every other file."]
    return said
