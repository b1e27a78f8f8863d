"""How far is each original from the others, and which of them is a row nearest to?"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.models.neighbours.distances import longest_tie


@dataclass(frozen=True, eq=False)
class Originals:
    """Distinct original rows: where each first stands, and how far its nearest other is.

    That distance is looked for when it is first asked for: a row that no synthetic row is near to
    need not be searched.
    """

    position: Ints
    search: Callable[[Ints], Floats]
    _own: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        object.__setattr__(self, "_own", np.full(len(self.position), np.nan))

    def own(self, at: Ints) -> Floats:
        """How far the nearest other original is from each of these."""
        asked = np.zeros(len(self._own), bool)
        asked[at] = True
        rows = np.flatnonzero(asked & np.isnan(self._own))
        if len(rows):
            self._own[rows] = self.search(rows)
        return self._own[at]

    def fill(self, own: Floats) -> None:
        """Know it of every original at once."""
        self._own[:] = own

    @property
    def all_own(self) -> Floats:
        """How far the nearest other original is from each original."""
        return self.own(np.arange(len(self._own)))


@dataclass(frozen=True, eq=False)
class NearestOriginals:
    """For each synthetic row its nearest originals.

    `first` is the position of the first of them, `limit` the largest distance that any of them
    keeps from other originals.
    """

    distance: Floats
    first: Ints
    limit: Floats
    own: Floats | None = None  # of the first, where it depends on the row; else as in `Originals`

    @classmethod
    def none(cls, n_rows: int) -> "NearestOriginals":
        """No original seen yet."""
        return cls(
            np.full(n_rows, np.inf), np.full(n_rows, np.iinfo(np.int64).max), np.zeros(n_rows)
        )

    def take(self, row: Ints, at: Ints, distance: Floats, originals: Originals) -> None:
        """Take in pairs of synthetic rows and originals; only the nearest and their ties stay."""
        before = self.distance[row]
        np.minimum.at(self.distance, row, distance)
        best = self.distance[row]
        beaten = row[before > longest_tie(best)]
        self.first[beaten] = np.iinfo(np.int64).max
        self.limit[beaten] = 0.0
        tied = distance <= longest_tie(best)
        row, at = row[tied], at[tied]
        np.minimum.at(self.first, row, originals.position[at])
        np.maximum.at(self.limit, row, originals.own(at))


def distinct(raw: Floats) -> tuple[Ints, Ints]:
    """Where each distinct row first stands, and how often it occurs; missing equals missing.

    Rows are sorted by one number made of their values and compared with their neighbours; two
    different rows with one number only cost time, for they then stay apart.
    """
    weights: Floats = np.random.default_rng(0).random((raw.shape[1],)) + 0.5
    key = np.zeros(len(raw))
    for values, weight in zip(raw.T, weights, strict=True):
        key += np.where(np.isnan(values), np.pi**9, values) * weight
    order = np.argsort(key, kind="stable")
    key = key[order]
    if (key[1:] != key[:-1]).all():
        return np.arange(len(raw)), np.ones(len(raw), np.int64)
    ordered = raw[order]
    above, below = ordered[1:], ordered[:-1]
    differs = ((above != below) & ~(np.isnan(above) & np.isnan(below))).any(axis=1)
    starts = np.flatnonzero(np.concatenate(([True], differs)))
    counts = np.diff(np.concatenate((starts, [len(raw)])))
    by_place = np.argsort(order[starts])
    return order[starts][by_place], counts[by_place]
