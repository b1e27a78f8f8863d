"""Which columns would an intruder know? Grade by grade, the one that makes most people unique.

Until 5 % of people are unique every candidate is added that parts people further, the best known
grade first. From there on the grade is finished, while each key adds at least 1 % of all people,
and no further grade is opened. The two figures are our own: none is published.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unveil.count.codes import Codes
from unveil.count.packing import Ids, Whole, number, pack, tally
from unveil.count.sides import Sides
from unveil.measure.roles.functions import is_function
from unveil.measure.roles.looking import Look
from unveil.records.suggestion import Stop

ENOUGH = 5.0
"""Percent of people who are unique, from which on no further grade is opened."""

LEAST_GAIN = 1.0
"""Percent of people that a further key must make unique from there on."""

MOST_KEYS = 8
"""An intruder is not taken to know more without being told so."""

GRADES = ("visible", "often", "sometimes")


@dataclass(frozen=True)
class Known:
    """All people by what is known of them so far.

    Who is unique stays so, whatever else is known: only the others are kept, with the number of
    their combination.
    """

    n_records: int
    rows: Whole | None  # those who are not unique; None is everybody
    q: Ids
    n_shared: int  # combinations of theirs
    n_unique: int = 0

    @classmethod
    def nothing(cls, n_records: int) -> "Known":
        """All people alike."""
        return cls(n_records, None, np.zeros(n_records, np.int32), 1)

    @property
    def n_q(self) -> int:
        """Combinations of all people."""
        return self.n_shared + self.n_unique

    @property
    def percent(self) -> float:
        """People who are unique."""
        return 100 * self.n_unique / self.n_records

    def counted_with(self, look: Look) -> tuple[int, int]:
        """How many would be unique with one column more, and how many combinations there were."""
        codes, n_levels = self._codes(look), look.column.n_levels

        def packed(rows: slice) -> Whole:
            return self.q[rows].astype(np.int64) * n_levels + codes[rows]

        n_unique = n_q = self.n_unique
        for _, counts in tally(packed, self.n_shared * n_levels, Sides((len(self.q),))):
            n_unique += int((counts == 1).sum())
            n_q += counts.shape[1]
        return n_unique, n_q

    def knowing(self, look: Look) -> "Known":
        """The same people with one column more."""
        digits = [(self.q, self.n_shared), (self._codes(look), look.column.n_levels)]
        q, n_q = number(*pack(digits, len(self.q)))
        is_shared = np.bincount(q, minlength=n_q) > 1
        kept = np.flatnonzero(is_shared[q])
        place = np.cumsum(is_shared, dtype=np.int32) - np.int32(1)
        return Known(
            self.n_records,
            kept if self.rows is None else self.rows[kept],
            place[q[kept]],
            int(is_shared.sum()),
            self.n_unique + len(q) - len(kept),
        )

    def _codes(self, look: Look) -> Codes:
        codes = look.column.codes
        return codes if self.rows is None else codes[self.rows]


@dataclass(frozen=True)
class Chosen:
    """The keys in the order in which they were added, and why no more were."""

    looks: tuple[Look, ...]
    n_unique: tuple[int, ...]  # people, with nothing known and then after each key
    known: Known  # all of them together
    stop: Stop
    stopped_at: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(look.name for look in self.looks)

    def functions(self, look: Look) -> tuple[str, ...]:
        """The keys that one column is a function of."""
        return tuple(key.name for key in self.looks if key is not look and is_function(key, look))


def taken(keys: Iterable[Look], n_records: int) -> Chosen:
    """Keys that the user named, counted in their order."""
    search = _Search(n_records)
    for look in keys:
        search.add(look)
    return search.ended("given")


def chosen(candidates: Mapping[str, Sequence[Look]], n_records: int) -> Chosen:
    """The keys among candidates by their grade; see the module's text for the rule."""
    search = _Search(n_records)
    if not any(candidates.values()):
        return search.ended("no_candidate")
    for grade in GRADES:
        left = list(candidates.get(grade, ()))
        if left and search.has_enough:
            return search.ended("enough")
        while left := search.without_functions(left):
            best, n_unique, n_q = search.best_of(left)
            if n_q == search.now.n_q:
                left.remove(best)
                continue
            if search.has_enough and search.gain(n_unique) < LEAST_GAIN:
                return search.ended("small_gain", best.name)
            if len(search.looks) == MOST_KEYS:
                return search.ended("most_keys", best.name)
            search.add(best)
            left.remove(best)
    return search.ended("no_more")


@dataclass
class _Search:
    n_records: int
    looks: list[Look] = field(default_factory=list)
    n_unique: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now = Known.nothing(self.n_records)
        self.n_unique.append(self.now.n_unique)

    @property
    def has_enough(self) -> bool:
        return bool(self.looks) and self.now.percent >= ENOUGH

    def gain(self, n_unique: int) -> float:
        return 100 * (n_unique - self.now.n_unique) / self.n_records

    def without_functions(self, left: Sequence[Look]) -> list[Look]:
        """The candidates that no key settles."""
        return [look for look in left if not any(is_function(key, look) for key in self.looks)]

    def best_of(self, left: Sequence[Look]) -> tuple[Look, int, int]:
        """The one with most unique people, then most combinations, then first in the file."""
        counted = [(look, *self.now.counted_with(look)) for look in left]
        return max(counted, key=lambda one: one[1:])

    def add(self, look: Look) -> None:
        self.looks.append(look)
        self.now = self.now.knowing(look)
        self.n_unique.append(self.now.n_unique)

    def ended(self, stop: Stop, stopped_at: str | None = None) -> Chosen:
        return Chosen(tuple(self.looks), tuple(self.n_unique), self.now, stop, stopped_at)
