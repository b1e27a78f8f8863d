"""How likely is the guess of each secret right, for each person?

The guess is the secret of the nearest synthetic record, one of them at random where several are as
near; what is computed is the share of these that are right, which is its exact expectation. With
keys that are all categories this is GCAP: key combinations are counted, and only those that the
copy does not have are searched for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.arguments import parse_column_settings, parse_number_within
from unveil.arrays import Floats, Ints, Mask
from unveil.count.cells import count_cells, count_keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Integers, Sides
from unveil.measure.attacks.prepare import SYNTHETIC, Sequences
from unveil.measure.cap.classes import (
    SLACK,
    KeyClasses,
    OrderedLevels,
    exact,
    join_targets,
    near,
    runs_within,
)
from unveil.measure.cap.gcap import find_nearest_cells
from unveil.models.neighbours.distances import GowerAxis
from unveil.models.neighbours.search import NearestPairs, find, representatives, run_in_pieces
from unveil.study.scenario import Progress

# Which guesses of a secret are right?
#
# A category must be met exactly, and so must a missing value and a special code. A number may be
# off by a share of the truth, or by an absolute tolerance that is given for its column.


SMALLEST = 1e-12
"""A truth of 0 has no share: the tolerance is then this share of nothing."""


@dataclass(frozen=True)
class GuessTolerance:
    """How far a guessed number may be off: a share of the truth, but for columns given here."""

    share: float
    absolute: Mapping[str, float]


@dataclass(frozen=True)
class Secret:
    """A column to be guessed; levels at places low[p] to past[p] - 1 are right for place p."""

    column: CodedColumn
    near: OrderedLevels

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

    def is_right(self, truth: Ints, guess: Ints) -> Mask:
        """Whether the secret of each guessed record is right for the one beside it."""
        mine, its = self._places[truth], self._places[guess]
        right: Mask = (self.near.low[mine] <= its) & (its < self.near.past[mine])
        return right

    def n_right(self, asked: tuple[Integers, Ints], nearest: tuple[Integers, Ints]) -> Floats:
        """For each of those asked, how many of the nearest in the same group are right.

        Both are groups and records; the groups of those asked are numbered as those of the nearest.
        """
        n_levels = self.column.n_levels + 1
        groups, rows = nearest
        packed = np.sort(groups.astype(np.int64) * n_levels + self._places[rows])
        base, mine = asked[0].astype(np.int64) * n_levels, self._places[asked[1]]
        past = np.searchsorted(packed, base + self.near.past[mine])
        return (past - np.searchsorted(packed, base + self.near.low[mine])).astype(np.float64)

    def by_chance(self, rows: Ints, copy: slice) -> Floats:
        """For each record the share of the synthetic file whose secret would be right for it.

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


def secret_of(column: CodedColumn, tolerance: GuessTolerance, categorical: Sequence[str]) -> Secret:
    """The column as a secret, with what is right for each of its levels."""
    if column.name in tolerance.absolute:
        return Secret(column, near(column, tolerance.absolute[column.name]))
    is_number = column.levels.dtype.is_numeric() and column.is_scaled
    if not is_number or column.name in categorical or tolerance.share == 0:
        return Secret(column, exact(column))
    return Secret(column, within_share(column, tolerance.share))


def within_share(column: CodedColumn, share: float) -> OrderedLevels:
    """Right is |guess - truth| <= share max(|truth|, 1e-12); no number is right for itself alone.

    Notes
    -----
    Erratum: Anonymeter 1.1.0 divides by the signed guess, so that every negative guess is a
    success.
    """
    is_number = column.is_ordinary
    numbers = column.numbers[is_number]
    reach = share * np.maximum(np.abs(numbers), SMALLEST) * (1 + SLACK)
    return OrderedLevels.of(is_number, runs_within(numbers, reach))


def parse_tolerance(share: Any, absolute: Any) -> GuessTolerance:
    """What a user allows a guess to be off by, or a refusal."""
    why = ", a share of the truth such as 0.05"
    return GuessTolerance(
        parse_number_within("tolerance", share, "[0, inf)", why),
        parse_column_settings("absolute", absolute, _radius, example="{'income': 50}"),
    )


def _radius(name: str, given: Any) -> float:
    return parse_number_within(f"The absolute tolerance of {name!r}", given, "[0, inf)")


SEARCHING = "searching the nearest records"
MOST_GROUPED = 8
"""With more keys than this, searching takes less time than counting all choices of them."""


def score_together(
    axes: Sequence[GowerAxis],
    secrets: Sequence[Secret],
    persons: Ints,
    copy: slice,
    progress: Progress,
) -> Floats:
    """Secrets x persons: each secret is one of the axes, and guessed from all the others.

    All searches share the distances along all axes.
    """
    names = [axis.name for axis in axes]
    without = [names.index(secret.name) for secret in secrets]
    digits = [(axis.codes, axis.n_levels) for axis in axes]
    examples, of_person = representatives(digits, persons)

    def task(piece: Ints) -> Floats:
        found = find(axes, piece, copy, without=without)
        return np.stack(
            [
                _share_right(secret, pairs, piece, copy)
                for secret, pairs in zip(secrets, found, strict=True)
            ]
        )

    n_rows = copy.stop - copy.start
    return run_in_pieces(examples, n_rows, task, what=SEARCHING, progress=progress)[:, of_person]


def _share_right(secret: Secret, pairs: NearestPairs, persons: Ints, copy: slice) -> Floats:
    right = secret.is_right(persons[pairs.row], copy.start + pairs.other)
    return pairs.sum_by_row(right) / pairs.sum_by_row(pairs.is_tied)


def score_by_nearest_keys(
    axes: Sequence[GowerAxis],
    secrets: Sequence[Secret],
    persons: Ints,
    copy: slice,
    progress: Progress,
) -> Floats:
    """Secrets x persons: no secret is one of the axes, so one search serves them all.

    Each combination of keys is searched once, for all who have it; their secrets are looked up
    among those of the nearest records.
    """
    examples, of_person = representatives([(axis.codes, axis.n_levels) for axis in axes], persons)
    order = np.argsort(of_person, kind="stable")
    ends = np.searchsorted(of_person[order], np.arange(len(examples) + 1))

    def task(piece: Ints) -> Floats:
        (found,) = find(axes, examples[piece], copy)
        mine = order[ends[piece[0]] : ends[piece[-1] + 1]]
        whose = of_person[mine] - piece[0]
        n_tied = found.sum_by_row(found.is_tied)[whose]
        nearest_rows = (found.row, copy.start + found.other)
        return np.stack(
            [secret.n_right((whose, persons[mine]), nearest_rows) / n_tied for secret in secrets]
        )

    in_order = run_in_pieces(
        np.arange(len(examples)), copy.stop - copy.start, task, what=SEARCHING, progress=progress
    )
    shares = np.empty_like(in_order)
    shares[:, order] = in_order
    return shares


def score_by_sequences(
    axes: Sequence[GowerAxis],
    secrets: Sequence[Secret],
    sequences: Sequences,
    rows: Ints,
    progress: Progress,
) -> Floats:
    """Secrets x rows: each guessed from the same row in time of the people nearest to its person.

    A nearest person who has no such row says nothing, which is not right.
    """
    copy, row_at = sequences.sides.slices[SYNTHETIC], sequences.row_at
    persons, of_rows = np.unique(sequences.of_row[rows], return_inverse=True)

    def task(piece: Ints) -> Floats:
        (found,) = find(axes, piece, copy)
        mine, its = row_at[piece[found.row]], row_at[copy.start + found.other]
        n_tied = found.sum_by_row(found.is_tied)
        right = [
            (mine[:, at] >= 0) & (its[:, at] >= 0) & secret.is_right(mine[:, at], its[:, at])
            for secret in secrets
            for at in range(row_at.shape[1])
        ]
        shares = np.stack([found.sum_by_row(one) / n_tied for one in right])
        return shares.reshape(len(secrets), row_at.shape[1], len(piece))

    n_people = copy.stop - copy.start
    made = run_in_pieces(persons, n_people, task, what=SEARCHING, progress=progress)
    shares: Floats = made[:, sequences.place[rows], of_rows]
    return shares


def can_be_grouped(axes: Sequence[GowerAxis], secret: Secret) -> bool:
    """Whether keys are few and all categories, and the secret must be met exactly."""
    return (
        secret.is_exact and len(axes) <= MOST_GROUPED and not any(axis.is_number for axis in axes)
    )


def score_by_keys(
    keys: Sequence[CodedColumn], secret: Secret, persons: Ints, copy: slice
) -> Floats:
    """The share of right guesses of each person, by counting key combinations: GCAP."""
    sides = Sides((len(persons), copy.stop - copy.start))
    rows = np.r_[persons, copy]
    chosen = [replace(c, sides=sides, codes=c.codes[rows]) for c in (*keys, secret.column)]
    counted = count_keys(chosen[:-1], sides)
    cells = count_cells(counted, chosen[-1])
    classes = KeyClasses(tuple(chosen[:-1]), counted, join_targets(chosen[-1:], {}, {}), cells)
    found = find_nearest_cells(classes, cells.counts[1].astype(np.int64))
    shares: Floats = (found.agreeing / found.nearest)[classes.own_of_row]
    return shares
