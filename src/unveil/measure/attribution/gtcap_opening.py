"""From what a user gives to columns that can be compared: read and align, each once.

As `unveil.measure.opening`, but a key with a radius need share no value with the copy, and nothing
is counted by whole key combinations, of which a numeric key has one for almost every record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unveil.count.codes import Column
from unveil.count.meeting import doubtful_levels, refuse_disjoint
from unveil.count.scenario import Progress, encode_all
from unveil.errors import RolesError, SettingsError
from unveil.measure.attribution.buckets import Columns, columns_of
from unveil.measure.attribution.gtcap_problem import Problem
from unveil.measure.attribution.gtcap_settings import Settings, refuse_other_radii
from unveil.measure.attribution.windows import Axis, axis_of
from unveil.measure.opening import read_all
from unveil.measure.opening import refuse_other_columns as refuse_other_bands
from unveil.read.align import align
from unveil.read.banding import Bands
from unveil.read.bands import band
from unveil.read.roles import Roles, declared, names, roles
from unveil.read.table import Table
from unveil.records.bands import Banded
from unveil.records.disclosure import Coercion

MANY_LEVELS = 20
"""A column with more numbers than this, and no radius, was meant to have one."""


@dataclass(frozen=True)
class Opened:
    """The problem, the files behind it, and what was noticed and changed on the way."""

    problem: Problem
    roles: Roles
    files: tuple[str, ...]
    bands: tuple[Banded, ...]
    notes: tuple[Coercion, ...]


def opened(
    sides: Mapping[str, Any],
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    settings: Settings,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> Opened:
    """Read, align and band what the user gave, and sort the columns by their kind."""
    spelt = _spelt(keys, target)
    tables = read_all(sides, spelt.columns, missing_values, None, progress)
    chosen = roles(tables, spelt.keys, spelt.targets)
    refuse_other_radii(settings.radii, chosen.columns)
    refuse_other_bands(settings.bands, chosen)
    aligned, banded = band(align(tables, chosen.columns), _without_radii(settings))
    columns = encode_all(aligned, chosen.columns, progress)
    plain = [column for column in columns if column.name not in settings.radii]
    _refuse_without_a_radius(plain)
    wide = [column for column in columns if column.name in settings.radii]
    refuse_disjoint(_that_must_meet(columns, chosen.keys, settings), tables)
    axes = {
        column.name: axis_of(
            column,
            settings.radii[column.name],
            (*settings.bands.special_codes.get(column.name, ()), *column.special_codes),
        )
        for column in wide
    }
    n_rows = columns[0].sides.n_rows
    of_role = [_of(names_, n_rows, plain, axes) for names_ in (chosen.keys, chosen.targets)]
    notes = (
        *chosen.notes,
        *aligned.coercions,
        *doubtful_levels(plain, tables),
        *_far_apart(wide, axes, tables),
    )
    return Opened(
        Problem(columns[0].sides, *of_role),
        chosen,
        tuple(table.source for table in tables),
        banded,
        notes,
    )


def _spelt(keys: str | Iterable[str], target: str | Iterable[str]) -> Roles:
    target_names = () if target is None else names(target, "Targets")
    spelt = declared(names(keys, "Keys"), target_names)
    if spelt is None or not spelt.targets:
        raise RolesError("No target is given. Name the column an intruder would learn.")
    return spelt


def _without_radii(settings: Settings) -> Bands:
    """The special codes of columns with a radius stand apart there, and need no bands."""
    codes = settings.bands.special_codes
    left = {name: apart for name, apart in codes.items() if name not in settings.radii}
    return replace(settings.bands, special_codes=left)


def _that_must_meet(
    columns: Sequence[Column], keys: Sequence[str], settings: Settings
) -> list[Column]:
    """Keys compared level by level; and those with a radius of which one side has nothing."""
    return [
        column
        for column in columns
        if column.name in keys
        and (column.name not in settings.radii or _is_empty_on_one_side(column))
    ]


def _is_empty_on_one_side(column: Column) -> bool:
    return column.has_missing and not column.counts[:, :-1].any(axis=1).all()


def _of(
    chosen: Sequence[str], n_rows: int, plain: Sequence[Column], axes: Mapping[str, Axis]
) -> Columns:
    return columns_of(
        n_rows,
        [column for column in plain if column.name in chosen],
        [axes[name] for name in chosen if name in axes],
    )


def _far_apart(
    wide: Sequence[Column], axes: Mapping[str, Axis], tables: Sequence[Table]
) -> Iterator[Coercion]:
    """Columns of which no value in a copy is near any in the original."""
    for column in wide:
        axis = axes[column.name]
        for side, table in enumerate(tables[1:], start=1):
            if not axis.n_near(column.sides.slices[0], column.sides.slices[side]):
                yield _note(
                    column.name,
                    table.side,
                    "no_near_value",
                    "has no value within the radius of any in the original. Is it in the same"
                    " unit?",
                )


def _refuse_without_a_radius(plain: Sequence[Column]) -> None:
    """Refuse many numbers that only equal ones would match: nobody would seem to be near."""
    faults = [
        f"Column {column.name!r} holds {column.n_levels:,} different numbers and has no radius."
        f" Give it one, such as {{{column.name!r}: 5}}, or 0 where only equal numbers are to match."
        for column in plain
        if column.levels.dtype.is_numeric() and column.n_levels > MANY_LEVELS
    ]
    if faults:
        raise SettingsError("\n".join(faults))


def _note(name: str, side: str, kind: str, rest: str) -> Coercion:
    return Coercion(side=side, column=name, kind=kind, sentence=f"Column {name!r} {rest}")
