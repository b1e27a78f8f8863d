"""Radii, rule and coefficient as a user writes them, or a refusal with every fault found."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from unveil.arguments import by_column, check_faults, choice, number_in, numbers_in, quote_value
from unveil.arrays import Ints
from unveil.count.packing import Sides
from unveil.errors import RolesError, SettingsError, list_names, nearest
from unveil.models.neighbours.radius import LARGEST, Columns
from unveil.records.cap import Coefficient, UniqueRule
from unveil.study.band_spec import Bands

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
    """How records are compared, and who counts as unique."""

    radii: dict[str, float]
    unique_rule: UniqueRule
    coefficient: Coefficient
    bands: Bands


def parse_settings(radii: Any, unique_rule: Any, coefficient: Any, bands: Bands) -> GtcapSettings:
    """All settings that can be read before any data is."""
    found = parse_radii(radii)
    check_faults(
        f"Column {banding.column!r} has bands and a radius. Give one of the two."
        for banding in bands.bandings
        if banding.column in found
    )
    return GtcapSettings(
        found,
        choice("unique_rule", unique_rule, UNIQUE_RULES),
        choice("coefficient", coefficient, COEFFICIENTS),
        bands,
    )


def parse_radii(given: Any) -> dict[str, float]:
    """The radius of each column that has one."""
    return by_column("radii", given, _radius, example="{'age': 5}")


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
        f"{nearest(name, columns)} Keys and targets are: {list_names(columns)}."
        for name in radii
        if name not in columns
    ]
    check_faults(faults, RolesError)
