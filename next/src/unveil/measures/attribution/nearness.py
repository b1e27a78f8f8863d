"""How near are two records, and who is near nobody? Chapelle and Falissard (2023), Algorithm 2.

A column with a tolerance is a number: two values are near by max(0, 1 - |a - b| / tolerance). Any
other column is equal or not. The coefficient of two records is 0 if a category differs, else the
mean nearness of their numbers, 1 if there are none.

A mean is a sum over numbers, so a sum over records needs only the pairs that are near in one
number at a time, and records that look alike in it are one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.counts.cells import LARGEST, Floats, Ints, number, pack
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.study import Study

MOST_PAIRS = 2**22  # compared at once
NEAR = 1 - 1e-9  # of a tolerance: 0.7 is not within 0.3 of 0.4, whatever floating point says
APART = 4  # tolerances between categories, in a search for near records


@dataclass(frozen=True, eq=False)
class Number:
    """A column with a tolerance."""

    places: Floats  # of each record
    tolerance: float

    def near(self, a: Floats, b: Floats) -> Floats:
        """How near values are; with a tolerance of 0, whether they are equal."""
        if not self.tolerance:
            return (a == b) * 1.0
        near: Floats = 1 - np.abs(a - b) / self.tolerance
        near[near <= 1 - NEAR] = 0
        return near


@dataclass(frozen=True, eq=False)
class Part:
    """The keys, or the target, of the records of all files."""

    category: Ints  # the combination of the categories, from 0 on
    numbers: Sequence[Number]

    @classmethod
    def of(cls, study: Study, names: Sequence[str]) -> "Part":
        columns = {name: study.column(name) for name in names}
        distances = {name: study.distances(name) for name in names}
        categories = [column for name, column in columns.items() if distances[name] is None]
        n = len(next(iter(columns.values())).codes)
        numbers = [
            Number(places[columns[name].codes], study.columns[name].tolerance or 0)
            for name, places in distances.items()
            if places is not None
        ]
        category = number(*pack(categories))[0] if categories else np.zeros(n, np.int64)
        return cls(category, numbers)

    @cached_property
    def kind(self) -> tuple[Ints, Ints]:
        """Of each record, which of the combinations of values it has; a record of each."""
        ranks = [np.unique(n.places, return_inverse=True)[1] for n in self.numbers]
        kind = self.category
        for rank in ranks:
            _, kind = np.unique(kind * (rank.max() + 1) + rank, return_inverse=True)
        return kind, np.unique(kind, return_index=True)[1]

    def sums(self, target: "Part | None", people: Ints, records: slice) -> Floats:
        """For each of some people, the sum over records of the coefficient, times the target's."""
        part, numbers = self, list[Number]()
        if target is not None:
            n = int(target.category.max()) + 1
            space = n * (int(self.category.max()) + 1)
            category, _ = number(self.category * n + target.category, space)
            part, numbers = Part(category, self.numbers), list(target.numbers)
        rest = Part(np.zeros_like(self.category), numbers)
        by: Sequence[Number | None] = self.numbers or [None]
        return np.mean([part._sums_near(lead, rest, people, records) for lead in by], axis=0)

    def _sums_near(self, lead: Number | None, rest: "Part", people: Ints, records: slice) -> Floats:
        """The sum of the nearness in one number, times the mean nearness in others.

        Values are added in their order, so no name of a level changes the last digit.
        """
        lead = lead or Number(np.zeros(len(self.category)), 0)
        values, rank = np.unique(lead.places, return_inverse=True)
        low = np.searchsorted(values, values - lead.tolerance)
        high = np.searchsorted(values, values + lead.tolerance, side="right")
        spot = self.category * np.int64(len(values)) + rank
        (kinds, example), n_kinds = rest.kind, np.int64(rest.kind[0].max() + 1)
        if int(spot.max()) * int(n_kinds) > LARGEST:
            raise InputError("There are too many records for GTCAP. Give it a random sample.")
        cells, n = np.unique(spot[records] * n_kinds + kinds[records], return_counts=True)
        spots, kind = np.divmod(cells, n_kinds)
        mine, place = np.unique(spot[people] * n_kinds + kinds[people], return_inverse=True)
        my_spots, my_kind = np.divmod(mine, n_kinds)
        category, my_rank = np.divmod(my_spots, len(values))
        start = np.searchsorted(spots, category * len(values) + low[my_rank])
        stop = np.searchsorted(spots, category * len(values) + high[my_rank])
        mine_at, value_at = values[my_rank], values[spots % len(values)]
        total = np.zeros(len(mine))
        for some, other in pairs(start, stop):
            weight = lead.near(mine_at[some], value_at[other]) * n[other]
            if rest.numbers:
                a, b = example[my_kind[some]], example[kind[other]]
                weight *= np.mean([r.near(r.places[a], r.places[b]) for r in rest.numbers], axis=0)
            total += np.bincount(some, weight, len(mine))
        return total[place]

    def is_alone(self, records: slice, person: Ints) -> Mask:
        """Whether no record of anybody else is near in every number and equal in all else.

        Somebody with records at r places has, among the r + 1 places that are nearest to one of
        them, one of somebody else's, if there is any.
        """
        from scipy.spatial import cKDTree

        points = [APART * self.category, *map(self._scaled, self.numbers)]
        _, example, place = np.unique(self.kind[0][records], return_index=True, return_inverse=True)
        owner = person[example]
        is_shared = np.bincount(place, person != owner[place]) > 0
        here = np.column_stack(points)[records][example]
        k = int(np.bincount(np.unique(person * len(here) + place) // len(here)).max()) + 1
        distance, nearest = cKDTree(here).query(here, k, p=np.inf, distance_upper_bound=1)
        is_other = np.append(owner, -1)[nearest] != owner[:, np.newaxis]
        is_other |= np.append(is_shared, False)[nearest]
        is_alone: Mask = ~(is_other & (distance <= NEAR)).any(axis=1)
        return is_alone[place]

    def _scaled(self, by: Number) -> Floats:
        """Places in tolerances; with none, different values are far apart."""
        if by.tolerance:
            return by.places / by.tolerance
        return APART * np.unique(by.places, return_inverse=True)[1].astype(float)


def pairs(start: Ints, stop: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Each row with every place from start to stop, some rows at a time."""
    n = stop - start
    block = np.cumsum(n) // MOST_PAIRS
    for rows in np.split(np.arange(len(n)), np.flatnonzero(np.diff(block)) + 1):
        first = np.repeat(start[rows] - np.cumsum(n[rows]) + n[rows], n[rows])
        yield np.repeat(rows, n[rows]), first + np.arange(len(first))
