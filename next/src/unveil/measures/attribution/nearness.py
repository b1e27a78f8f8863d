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

from unveil.counts.cells import Floats, Ints, number, pack
from unveil.counts.profile import Mask
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
        far = np.abs(a - b) / self.tolerance if self.tolerance else (a != b) * 1.0
        return np.where(far < NEAR, 1 - far, 0)


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

    def coefficients(self, records: Ints, others: Ints) -> Floats:
        """Of pairs of records."""
        are_equal = (self.category[records] == self.category[others]) * 1.0
        if not self.numbers:
            return are_equal
        near = [number.near(number.places[records], number.places[others])
                for number in self.numbers]  # fmt: skip
        return are_equal * np.mean(near, axis=0)

    def sums(self, target: "Part | None", asked: Ints, data: slice) -> Floats:
        """For each record asked, the sum over data of its coefficient, times the target's."""
        numbers: Sequence[Number | None] = self.numbers or [None]
        return np.mean([self._sums_near(number, target, asked, data) for number in numbers], axis=0)

    def _sums_near(
        self, by: Number | None, target: "Part | None", asked: Ints, data: slice
    ) -> Floats:
        """The same with the nearness of one number in the place of the coefficient.

        Values are added in their order, so no name of a level changes the last digit.
        """
        places = np.zeros(len(self.category)) if by is None else by.places
        by = by or Number(places, 0)
        kinds, example = (np.zeros_like(self.category), asked) if target is None else target.kind
        values, rank = np.unique(places, return_inverse=True)
        low = np.searchsorted(values, values - by.tolerance)
        high = np.searchsorted(values, values + by.tolerance, side="right")
        spot = self.category * np.int64(len(values)) + rank
        n_kinds = np.int64(kinds.max() + 1)
        cells, n = np.unique(spot[data] * n_kinds + kinds[data], return_counts=True)
        spots, kind = np.divmod(cells, n_kinds)
        mine, place = np.unique(spot[asked] * n_kinds + kinds[asked], return_inverse=True)
        my_spots, my_kind = np.divmod(mine, n_kinds)
        category, my_rank = np.divmod(my_spots, len(values))
        start = np.searchsorted(spots, category * len(values) + low[my_rank])
        stop = np.searchsorted(spots, category * len(values) + high[my_rank])
        total = np.zeros(len(mine))
        for some, other in _pairs(start, stop):
            weight = by.near(values[my_rank[some]], values[spots[other] % len(values)]) * n[other]
            if target is not None:
                weight *= target.coefficients(example[my_kind[some]], example[kind[other]])
            total += np.bincount(some, weight, len(mine))
        return total[place]

    def is_alone(self, data: slice, person: Ints, *, in_any: bool) -> Mask:
        """Whether nobody else is near in every number and equal in all else; or in any number."""
        from scipy.spatial import cKDTree

        scaled = [self._scaled(number)[data] for number in self.numbers]
        category = APART * self.category[data]
        choices = [[one] for one in scaled] if in_any and scaled else [scaled]
        is_alone = np.ones(len(category), bool)
        several = len(np.unique(person)) < len(person)
        for some in choices:
            points = np.column_stack([category, *some]).astype(float)
            own: Ints | int = 1
            if several:
                own = _count_near(np.column_stack([points, APART * person]), cKDTree)
            is_alone &= _count_near(points, cKDTree) == own
        return is_alone

    def _scaled(self, by: Number) -> Floats:
        """Places in tolerances; with none, different values are far apart."""
        if by.tolerance:
            return by.places / by.tolerance
        return APART * np.unique(by.places, return_inverse=True)[1].astype(float)


def _count_near(points: Floats, tree: type) -> Ints:
    """How many points are near each, itself among them; those at one place are looked up once."""
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    count: Ints = tree(points).query_ball_point(distinct, NEAR, p=np.inf, return_length=True)
    return count[place]


def _pairs(start: Ints, stop: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Each row with every place from start to stop, some rows at a time."""
    n = stop - start
    block = np.cumsum(n) // MOST_PAIRS
    for rows in np.split(np.arange(len(n)), np.flatnonzero(np.diff(block)) + 1):
        first = np.repeat(start[rows] - np.cumsum(n[rows]) + n[rows], n[rows])
        yield np.repeat(rows, n[rows]), first + np.arange(len(first))
