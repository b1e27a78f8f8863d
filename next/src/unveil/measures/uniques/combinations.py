"""The key combinations of the original, and how many people have each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.counts.cells import Ints, number, pack
from unveil.counts.profile import Mask
from unveil.study import ORIGINAL, Study


@dataclass(frozen=True, eq=False)
class Combinations:
    """Each combination of levels that somebody has; a missing key is a level here."""

    q: Ints  # the combination of each record
    person: Ints  # whose each record is
    n_people: int
    people: Ints  # how many people have each combination
    holder: Ints  # one of them
    codes: tuple[Ints, ...]  # of each key, the level in each combination
    n_levels: tuple[int, ...]
    missing: tuple[int | None, ...]  # the level that stands for a missing value

    @property
    def n_q(self) -> int:
        return len(self.people)

    def count(self, where: Mask) -> int:
        """The people who have a record with one of some combinations."""
        return len(np.unique(self.person[where[self.q]]))


def combinations_of(study: Study, keys: Sequence[str]) -> Combinations:
    """Those of some keys; kept with the study."""
    return study.once(_combinations, tuple(keys))


def _combinations(study: Study, keys: tuple[str, ...]) -> Combinations:
    columns = [study.column(name) for name in keys]
    packed, space = pack(columns)
    q, n_q = number(packed[study.rows[ORIGINAL]], space)
    person, n_people = study.people()
    record = np.empty(n_q, np.int64)
    record[q] = np.arange(len(q))
    pairs = q if n_people == len(q) else np.unique(q * np.int64(n_people) + person) // n_people
    return Combinations(
        q,
        person,
        n_people,
        people=np.bincount(pairs, minlength=n_q),
        holder=person[record],
        codes=tuple(column.codes[record].astype(np.int64) for column in columns),
        n_levels=tuple(column.n_levels for column in columns),
        missing=tuple(c.n_levels - 1 if c.has_missing else None for c in columns),
    )
