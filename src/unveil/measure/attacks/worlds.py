"""Whose membership is tested, and in which worlds are they?

In a world every tested person is in or out of the data by the toss of a fair coin, and the release
is made from it as it was made from the original. One pool of worlds serves everyone. People who
are in no world go through the same steps: what is found about them must be what a guess finds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import msgspec
import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn
from unveil.count.packing import number, pack
from unveil.errors import SettingsError
from unveil.measure.attacks.agreement import TOLERANCE, list_triples
from unveil.models.neighbours.distances import axes_of
from unveil.models.neighbours.search import find
from unveil.records.recognition import Absent, Intruder
from unveil.seeding import stream

INTRUDERS: tuple[Intruder, ...] = get_args(Intruder)
ABSENCES: tuple[Absent, ...] = get_args(Absent)
FEWEST_WORLDS, MOST_WORLDS = 60, 100_000
_NEIGHBOURS = 5


# Whom to test: half of them the most exposed by their records, half drawn from all others.


@dataclass(frozen=True)
class RecordExposure:
    """How exposed everyone of one file is by the record alone; it is no risk yet."""

    triples_alone: Floats  # share of the sets of three columns in which the person is alone
    isolation: Floats  # mean distance to the five nearest others (Meeus et al. 2023)
    has_double: Mask  # whether another record of the file is equal in every column

    @classmethod
    def of(cls, columns: Sequence[CodedColumn], rows: slice) -> "RecordExposure":
        """Of the people in these stacked rows, among each other."""
        n = rows.stop - rows.start
        digits = [_bands(column, rows) for column in columns]
        p = len(digits)
        sets = list_triples(p) if p > 2 else np.arange(p)[None]
        alone = np.zeros(n)
        for chosen in sets:
            alone += _is_alone([digits[place] for place in chosen], n)
        people = np.arange(rows.start, rows.stop)
        k = min(_NEIGHBOURS + 1, n)
        (near,) = find(axes_of(columns), people, rows, k=k)
        in_order = np.lexsort((near.distance, near.row))
        starts = np.searchsorted(near.row[in_order], np.arange(n))
        total = sum(near.distance[in_order][starts + place] for place in range(1, k))
        nearest = total / max(k - 1, 1) + np.zeros(n)  # without their own, which is 0
        exact = [(column.codes[rows].astype(np.int64), column.n_levels) for column in columns]
        return cls(alone / len(sets), nearest, ~_is_alone(exact, n))

    def order(self) -> Ints:
        """Everyone, the most exposed first."""
        return np.lexsort((-self.isolation, -self.triples_alone))


def _bands(column: CodedColumn, rows: slice) -> tuple[Ints, int]:
    """Levels; of numbers bands as wide as numbers agree that are near."""
    codes = column.codes[rows].astype(np.int64)
    if not column.is_scaled or not column.is_ordinary.any():
        return codes, column.n_levels
    amounts = np.where(column.is_ordinary, column.numbers, np.nan)
    low, high = np.nanmin(amounts), np.nanmax(amounts)
    n_bands = round(1 / TOLERANCE)
    place = np.nan_to_num((amounts - low) / ((high - low) or 1.0)) * n_bands
    band = np.minimum(place.astype(np.int64), n_bands - 1)
    apart = n_bands + np.arange(column.n_levels)  # a special code, or missing, by itself
    return np.where(column.is_ordinary, band, apart)[codes], n_bands + column.n_levels


def _is_alone(digits: Sequence[tuple[Ints, int]], n: int) -> Mask:
    ids, n_ids = number(*pack(digits, n))
    alone: Mask = (np.bincount(ids, minlength=n_ids) == 1)[ids]
    return alone


@dataclass(frozen=True)
class ChosenPeople:
    """Rows of a file, the most exposed first, then those drawn at random."""

    rows: Ints
    n_exposed: int


def choose_exposed(exposure: RecordExposure, k: int, rng: np.random.Generator) -> ChosenPeople:
    """Half of k people by exposure, the rest at random."""
    order = exposure.order()
    n_exposed = (k + 1) // 2
    drawn = rng.choice(order[n_exposed:], k - n_exposed, replace=False)
    return ChosenPeople(np.concatenate([order[:n_exposed], np.sort(drawn)]), n_exposed)


# Worlds: which rows of the original and of the reference are in each.


class WorldPool(msgspec.Struct, frozen=True, kw_only=True):
    """All worlds of one test; rows are places in the original with the reference stacked below.

    What world r holds depends on the seed and on r alone.
    """

    seed: int
    n_original: int
    n_reference: int  # 0: there is no reference
    targets: tuple[int, ...]
    phantoms: tuple[int, ...]  # in no world
    intruder: Intruder
    out: Absent

    @property
    def k(self) -> int:
        """How many people are tested."""
        return len(self.targets)

    @property
    def people(self) -> Ints:
        """The tested people, then those in no world."""
        return np.array([*self.targets, *self.phantoms], np.int64)

    def coins(self, world: int) -> Mask:
        """Who of the tested is in a world; the coins of those in no world decide nothing."""
        rng = stream(self.seed, "coins", world)
        tossed: Mask = rng.random(self.k + len(self.phantoms)) < 0.5
        return tossed

    def world(self, world: int) -> Ints:
        """The rows of one world, in random order."""
        rng, is_in = stream(self.seed, "world", world), self.coins(world)[: self.k]
        others, reference = self._fixed
        n_out = self.k - int(is_in.sum()) if self.out == "replace" else 0
        drawn = reference[:0]
        if self.intruder == "population":
            drawn = rng.choice(reference, len(others) + n_out, replace=False)
            others = others[:0]
        elif n_out:
            drawn = rng.choice(reference, n_out, replace=False)
        rows = np.concatenate([others, np.array(self.targets, np.int64)[is_in], drawn])
        return rng.permutation(rows)

    @property
    def _fixed(self) -> tuple[Ints, Ints]:
        """Everyone else of the original, and the reference, both without those in no world."""
        chosen = self.people
        whole = np.arange(self.n_original + self.n_reference)
        left = np.setdiff1d(whole, chosen, assume_unique=True)
        return left[left < self.n_original], left[left >= self.n_original]

    def seed_of(self, world: int) -> int:
        """The seed of the release that is made of a world."""
        return int(stream(self.seed, "release", world).integers(2**53))


def check_enough(n: int, n_reference: int | None, k: int, intruder: Intruder, out: Absent) -> None:
    """Refuse more people than there are, and a reference that worlds cannot be drawn from."""
    if n_reference is None:
        if intruder == "population" or out == "replace":
            raise SettingsError(
                "No reference is given: people of the same kind whose records were not used. Give"
                ' one, or test with out="remove" and the intruder "others".'
            )
        if 2 * k >= n:
            raise SettingsError(
                f"{k:,} people are to be tested, and as many are kept out of all worlds, but the"
                f" original has {n:,}. Test fewer, or give a reference."
            )
        return
    if k >= n:
        raise SettingsError(
            f"{k:,} people are to be tested, but the original has {n:,}. Test fewer."
        )
    need = k + {"others": k if out == "replace" else 0, "population": n}[intruder]
    if n_reference < need:
        raise SettingsError(
            f"The reference has {n_reference:,} people; {need:,} are needed to test {k:,} people:"
            f" {k:,} who are in no world, and the others to fill the worlds. Test fewer people, or"
            " give a larger reference."
        )
