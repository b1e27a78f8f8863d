"""Which guesses of a secret are right?

A category must be met exactly, and so must a missing value and a special code. A number may be off
by a share of the truth, or by an absolute tolerance that is given for its column.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from unveil.count.codes import Codes, Column
from unveil.count.packing import Integers, Whole
from unveil.errors import SettingsError
from unveil.measure.attacks.distances import Floats, Mask, is_scaled
from unveil.measure.attribution.tolerance import Near, exact, near
from unveil.read.given import number_in, shown

SMALLEST = 1e-12
"""A truth of 0 has no share: the tolerance is then this share of nothing."""
SLACK = 1e-9
"""95 is within 5 % of 100, whatever becomes of the last binary digit."""


@dataclass(frozen=True)
class Tolerance:
    """How far a guessed number may be off: a share of the truth, but for columns given here."""

    share: float
    absolute: Mapping[str, float]


@dataclass(frozen=True)
class Secret:
    """A column to be guessed; levels at places low[p] to past[p] - 1 are right for place p."""

    column: Column
    near: Near

    @property
    def name(self) -> str:
        """Its column."""
        return self.column.name

    @cached_property
    def is_exact(self) -> bool:
        """Whether every level is right for itself alone."""
        return bool((self.near.past - self.near.low == 1).all())

    @cached_property
    def _places(self) -> Integers:
        return self.near.place.astype(np.int32)[self.column.codes]

    def is_right(self, truth: Whole, guess: Whole) -> Mask:
        """Whether the secret of each guessed record is right for the one beside it."""
        mine, its = self._places[truth], self._places[guess]
        right: Mask = (self.near.low[mine] <= its) & (its < self.near.past[mine])
        return right

    def n_right(self, asked: tuple[Integers, Whole], nearest: tuple[Integers, Whole]) -> Floats:
        """For each of those asked, how many of the nearest in the same group are right.

        Both are groups and records; the groups of those asked are numbered as those of the nearest.
        """
        n_levels = self.column.n_levels + 1
        groups, rows = nearest
        packed = np.sort(groups.astype(np.int64) * n_levels + self._places[rows])
        base, mine = asked[0].astype(np.int64) * n_levels, self._places[asked[1]]
        past = np.searchsorted(packed, base + self.near.past[mine])
        return (past - np.searchsorted(packed, base + self.near.low[mine])).astype(np.float64)

    def by_chance(self, rows: Whole, copy: slice) -> Floats:
        """For each record the share of the copy whose secret would be right for it.

        A naive guess is the secret of a synthetic record drawn at random; this is its expectation,
        exactly.
        """
        n_levels = self.column.n_levels
        counts = np.bincount(self._places[copy], minlength=n_levels)
        until = np.concatenate(([0], np.cumsum(counts)))
        of_place = (until[self.near.past] - until[self.near.low]) / (copy.stop - copy.start)
        shares: Floats = of_place[self._places[rows]]
        return shares

    @property
    def codes(self) -> Codes:
        """Its levels over all sides."""
        return self.column.codes


def secret_of(column: Column, tolerance: Tolerance, categorical: Sequence[str]) -> Secret:
    """The column as a secret, with what is right for each of its levels."""
    if column.name in tolerance.absolute:
        return Secret(column, near(column, tolerance.absolute[column.name], column.special_codes))
    is_number = column.levels.dtype.is_numeric() and is_scaled(column)
    if not is_number or column.name in categorical or tolerance.share == 0:
        return Secret(column, exact(column))
    return Secret(column, within_share(column, tolerance.share))


def within_share(column: Column, share: float) -> Near:
    """Right is |guess - truth| <= share max(|truth|, 1e-12); no number is right for itself alone.

    Notes
    -----
    Erratum: Anonymeter 1.1.0 divides by the signed guess, so that every negative guess is a
    success.
    """
    values = column.levels.cast(pl.Float64).fill_null(math.nan).to_numpy()
    apart = ~np.isfinite(values) | np.isin(values, column.special_codes)
    order = np.argsort(apart, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    numbers = values[~apart]
    reach = share * np.maximum(np.abs(numbers), SMALLEST) * (1 + SLACK)
    low, past = np.arange(len(order)), np.arange(1, len(order) + 1)
    low[: len(numbers)] = np.searchsorted(numbers, numbers - reach, side="left")
    past[: len(numbers)] = np.searchsorted(numbers, numbers + reach, side="right")
    return Near(place, low, past)


def parse_tolerance(share: Any, absolute: Any) -> Tolerance:
    """What a user allows a guess to be off by, or a refusal."""
    number = number_in(share)
    if number is None or not math.isfinite(number) or number < 0:
        raise SettingsError(
            f"tolerance is {shown(share)}. Give a share of the truth that is not negative, such as"
            " 0.05."
        )
    if absolute is None:
        return Tolerance(number, {})
    if not isinstance(absolute, Mapping):
        raise SettingsError(
            f"absolute is {shown(absolute)}. Name the columns, as in {{'income': 50}}."
        )
    return Tolerance(number, {name: _radius(name, given) for name, given in absolute.items()})


def _radius(name: Any, given: Any) -> float:
    number = number_in(given)
    if number is None or not math.isfinite(number) or number < 0:
        raise SettingsError(
            f"The absolute tolerance of {name!r} is {shown(given)}. Give a number that is not"
            " negative."
        )
    return number
