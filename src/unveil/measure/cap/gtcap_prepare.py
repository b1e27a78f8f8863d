"""From what a user gives to columns that can be compared: read and align, each once.

As `unveil.study.study`, but a key with a radius need share no value with synthetic data, and
nothing is counted by key combinations, of which a numeric key has one for almost every record.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from unveil.arguments import (
    check_faults,
    check_fields,
    number_in,
    numbers_in,
    parse_choice,
    parse_column_settings,
    quote_value,
)
from unveil.arrays import Ints
from unveil.count.codes import CodedColumn
from unveil.count.overlap import check_disjoint, doubtful_levels
from unveil.count.packing import Sides
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.io.table import Table
from unveil.models.neighbours.radius import LARGEST, Columns, RadiusAxis, axis_of, columns_of
from unveil.records.cap import Coefficient, UniqueRule
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.study.band_spec import Bands
from unveil.study.open_scenario import check_other_columns
from unveil.study.roles import Roles, names, parse_roles, roles
from unveil.study.scenario import Progress
from unveil.study.study import open_files

# What is compared with what: keys and targets, categorical or with a radius, on every side.


@dataclass(frozen=True)
class GtcapProblem:
    """Keys and targets of the original and its copies, stacked."""

    sides: Sides
    keys: Columns
    targets: Columns

    @property
    def original(self) -> slice:
        """The original records."""
        return self.sides.slices[0]

    @property
    def copies(self) -> list[slice]:
        """The records of each copy."""
        return self.sides.slices[1:]

    @property
    def everyone(self) -> Ints:
        """The place of every original record."""
        return np.arange(self.original.stop)


UNIQUE_RULES: tuple[UniqueRule, ...] = get_args(UniqueRule)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)


@dataclass(frozen=True)
class GtcapSettings:
    """How records are compared, and who counts as unique; checked before any data is read."""

    radii: dict[str, float]
    unique_rule: UniqueRule
    coefficient: Coefficient
    bands: Bands

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "radii": lambda _, given: parse_radii(given),
                "unique_rule": partial(parse_choice, choices=UNIQUE_RULES),
                "coefficient": partial(parse_choice, choices=COEFFICIENTS),
            },
        )
        check_faults(
            f"Column {banding.column!r} has bands and a radius. Give one of the two."
            for banding in self.bands.bandings
            if banding.column in self.radii
        )


def parse_radii(given: Any) -> dict[str, float]:
    """The radius of each column that has one."""
    return parse_column_settings("radii", given, _radius, example="{'age': 5}")


def _radius(column: str, radius: Any) -> float:
    number = _number(radius)
    problem = _problem(number)
    if number is None or problem:
        raise SettingsError(
            f"The radius of column {column!r} is {quote_value(radius)}{problem}. Write how far"
            " apart two values may be and still count as near: a number above 0, or 0 for equal"
            " values only."
        )
    return number


def _number(given: Any) -> float | None:
    if isinstance(given, str):
        (number, *more) = numbers_in(given)
        return None if more or isinstance(number, str) else number
    return number_in(given)


def _problem(radius: float | None) -> str:
    """What is wrong with a radius; nothing where it can be used."""
    if radius is None:
        return ", which is not a number"
    if not math.isfinite(radius):
        return ", which is not a finite number"
    if radius < 0:
        return ", below 0"
    is_usable = radius == 0 or 1 / LARGEST <= radius <= LARGEST
    return "" if is_usable else ", beyond what can be computed"


def check_other_radii(radii: Mapping[str, float], columns: Sequence[str]) -> None:
    """Refuse radii of columns that are not compared."""
    faults = [
        f"A radius is given for {name!r}, which is neither key nor target."
        f"{hint_at(name, columns)} Keys and targets are: {list_names(columns)}."
        for name in radii
        if name not in columns
    ]
    check_faults(faults, RolesError)


# The columns, opened and aligned.


MANY_LEVELS = 20
"""A column with more numbers than this, and no radius, was meant to have one."""


@dataclass(frozen=True)
class GtcapData:
    """The problem, the files behind it, and what was noticed and changed on the way."""

    problem: GtcapProblem
    roles: Roles
    files: tuple[str, ...]
    bands: tuple[BandedColumn, ...]
    notes: tuple[Coercion, ...]


def prepare_gtcap(
    sides: Mapping[str, Any],
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    settings: GtcapSettings,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> GtcapData:
    """Read, align and band what the user gave, and sort the columns by their kind."""
    spelt = _spelt(keys, target)
    tables = open_files(sides, spelt.columns, missing_values, progress)
    chosen = roles(tables, spelt.keys, spelt.targets)
    check_other_radii(settings.radii, chosen.columns)
    check_other_columns(settings.bands, chosen)
    encoded = tables.encode(chosen.columns, _without_radii(settings), progress)
    columns = encoded.columns
    plain = [column for column in columns if column.name not in settings.radii]
    _check_without_a_radius(plain)
    wide = [column for column in columns if column.name in settings.radii]
    check_disjoint(_that_must_meet(columns, chosen.keys, settings), tables)
    axes = {
        column.name: axis_of(
            column,
            settings.radii[column.name],
            settings.bands.special_codes.get(column.name, ()),
        )
        for column in wide
    }
    n_rows = columns[0].sides.n_rows
    of_role = [
        _select_columns(names_, n_rows, plain, axes) for names_ in (chosen.keys, chosen.targets)
    ]
    notes = (
        *chosen.notes,
        *encoded.coercions,
        *doubtful_levels(plain, tables),
        *_far_apart(wide, axes, tables),
    )
    return GtcapData(
        GtcapProblem(columns[0].sides, *of_role),
        chosen,
        tuple(table.source for table in tables),
        encoded.bands,
        notes,
    )


def _spelt(keys: str | Iterable[str], target: str | Iterable[str]) -> Roles:
    target_names = () if target is None else names(target, "Targets")
    spelt = parse_roles(names(keys, "Keys"), target_names)
    if spelt is None or not spelt.targets:
        raise RolesError("No target is given. Name the column an intruder would learn.")
    return spelt


def _without_radii(settings: GtcapSettings) -> Bands:
    """The special codes of columns with a radius stand apart there, and need no bands."""
    codes = settings.bands.special_codes
    left = {name: apart for name, apart in codes.items() if name not in settings.radii}
    return replace(settings.bands, special_codes=left)


def _that_must_meet(
    columns: Sequence[CodedColumn], keys: Sequence[str], settings: GtcapSettings
) -> list[CodedColumn]:
    """Keys compared level by level; and those with a radius of which one side has nothing."""
    return [
        column
        for column in columns
        if column.name in keys
        and (column.name not in settings.radii or _is_empty_on_one_side(column))
    ]


def _is_empty_on_one_side(column: CodedColumn) -> bool:
    return column.has_missing and not column.counts[:, :-1].any(axis=1).all()


def _select_columns(
    chosen: Sequence[str], n_rows: int, plain: Sequence[CodedColumn], axes: Mapping[str, RadiusAxis]
) -> Columns:
    return columns_of(
        n_rows,
        [column for column in plain if column.name in chosen],
        [axes[name] for name in chosen if name in axes],
    )


def _far_apart(
    wide: Sequence[CodedColumn], axes: Mapping[str, RadiusAxis], tables: Sequence[Table]
) -> Iterator[Coercion]:
    """Columns of which no value in a synthetic file is near any in the original."""
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


def _check_without_a_radius(plain: Sequence[CodedColumn]) -> None:
    """Refuse many numbers that only equal ones would match: no one would seem to be near."""
    faults = [
        f"Column {column.name!r} holds {column.n_levels:,} different numbers and has no radius."
        f" Give it one, such as {{{column.name!r}: 5}} (--radius {column.name}=5), or 0 where only"
        " equal numbers are to match."
        for column in plain
        if column.kind == "number" and column.n_levels > MANY_LEVELS
    ]
    check_faults(faults)


def _note(name: str, side: str, kind: str, rest: str) -> Coercion:
    return Coercion(side=side, column=name, kind=kind, sentence=f"Column {name!r} {rest}")
