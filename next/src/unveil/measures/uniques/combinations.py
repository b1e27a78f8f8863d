"""The key combinations of the original, and how many people have each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from unveil.counts.cells import Floats, Ints, number, pack
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.study import ALONE, ORIGINAL, Study

MOST_PATTERNS = 512  # sets of keys that records lack, each compared with each


@dataclass(frozen=True, eq=False)
class Combinations:
    """Each combination of levels that somebody has; a missing key is a level here.

    Keys stand in the order of their levels, the fewest first: so a search refines quickly.
    """

    keys: tuple[str, ...]
    q: Ints  # the combination of each record
    person: Ints  # whose each record is
    n_people: int
    people: Ints  # how many people have each combination
    holder: Ints  # one of them
    codes: Ints  # of each key, the level in each combination
    n_levels: Ints
    missing: Ints  # of each key, the level that stands for a missing value; -1 for none

    @property
    def n(self) -> int:
        return len(self.people)

    @property
    def has_several(self) -> bool:
        """Whether people have several records."""
        return self.n_people < len(self.q)

    def count(self, where: Mask) -> int:
        """The people who have a record with one of some combinations."""
        return int(np.count_nonzero(np.bincount(self.person[where[self.q]])))

    def highest(self, values: Floats) -> Floats:
        """The highest value of each person's combinations, in order: a sum hangs on no rows."""
        highest = np.zeros(self.n_people)
        np.maximum.at(highest, self.person, values[self.q])
        return np.sort(highest)

    def wildcard_matches(self) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Some combinations, some others, and a number for each of both: equal ones match.

        A missing key matches any value: combinations that lack some keys match those that lack
        others where the keys are equal that neither lacks.
        """
        lacks = self.codes == self.missing[:, np.newaxis]
        patterns, pattern = np.unique(lacks, axis=1, return_inverse=True)
        if patterns.shape[1] > MOST_PATTERNS:
            raise InputError(
                f"Records lack keys in {patterns.shape[1]:,} ways, and 'wildcard' compares at most"
                f" {MOST_PATTERNS}. Name fewer keys."
            )
        parts = [(np.flatnonzero(pattern == place), lack) for place, lack in enumerate(patterns.T)]
        for (some, lack), (others, lacked) in product(parts, parts):
            both, n = np.append(some, others), 1
            numbers = np.zeros(len(both), np.int64)
            for key in np.flatnonzero(~(lack | lacked)):
                numbers = numbers * self.n_levels[key] + self.codes[key, both]
                numbers, n = number(numbers, n * self.n_levels[key])
            yield some, others, numbers[: len(some)], numbers[len(some) :]


@dataclass(frozen=True, eq=False)
class CombinationsThere:
    """The same as an engine counts them: a row stands for `w` combinations."""

    people: Ints
    w: Ints
    has_several = False

    @property
    def n(self) -> int:
        return int(self.w.sum())

    @property
    def n_people(self) -> int:
        return int(self.people @ self.w)

    def count(self, where: Mask) -> int:
        return int((self.people * self.w)[where].sum())

    def highest(self, values: Floats) -> Floats:
        return np.sort(np.repeat(values, self.people * self.w))


def values_there(study: Study, target: str) -> tuple[CombinationsThere, Ints]:
    """The combinations that an engine tells, and how many values of a target each has."""
    p = study.profile(target, ALONE)
    first = p.cells.starts
    values = p.cells.per_q(np.ones_like(p.d_q))[first]
    return CombinationsThere(p.d_q[first], p.w[first].astype(np.int64)), values


def counted_combinations(study: Study) -> Combinations | CombinationsThere:
    """Those of the keys, wherever they are counted."""
    if study.in_memory:
        return combinations_of(study, study.keys)
    p = study.profile(None, ALONE)
    return CombinationsThere(p.d_q, p.w.astype(np.int64))


def combinations_of(study: Study, keys: tuple[str, ...]) -> Combinations:
    """Those of some keys; kept with the study."""
    return study.once(_combinations, keys)


def _combinations(study: Study, keys: tuple[str, ...]) -> Combinations:
    columns = sorted((study.column(name) for name in keys), key=lambda column: column.n_levels)
    packed, space = pack(columns)
    q, n_q = number(packed[study.rows[ORIGINAL]], space)
    person, n_people = study.people()
    record = np.empty(n_q, np.int64)
    record[q] = np.arange(len(q))
    pairs = np.unique(q * np.int64(n_people) + person) if n_people < len(q) else q * n_people
    return Combinations(
        tuple(column.name for column in columns),
        q,
        person,
        n_people,
        people=np.bincount(pairs // n_people, minlength=n_q),
        holder=person[record],
        codes=np.array([column.codes[record] for column in columns], np.int64),
        n_levels=np.array([column.n_levels for column in columns]),
        missing=np.array([c.n_levels - 1 if c.has_missing else -1 for c in columns]),
    )
