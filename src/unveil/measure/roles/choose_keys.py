"""Which columns would an intruder know? Grade by grade, the one that makes most people unique.

Until 5 % of people are unique every candidate is added that parts people further, the best known
grade first. From there on the grade is finished, while each key adds at least 1 % of all people,
and no further grade is opened. The two figures are our own: none is published.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, Codes
from unveil.count.kinds import FEWEST
from unveil.count.packing import Ids, Sides, chunks, number, pack, tally
from unveil.measure.roles.classify import ColumnSummary
from unveil.records.suggestion import Stop

# Is one column a function of another: does whoever knows the one know the other?


FIRST = 2**14
"""Records that are looked at first: most columns are no function, and a few show it."""


def is_function(of: ColumnSummary, look: ColumnSummary) -> bool:
    """Whether every value of `of` stands with one value of `look` alone.

    Notes
    -----
    Records that lack one of the two are left aside: an age group that is missing for four people
    is a function of age all the same. At least half of the others, and twenty, must share their
    value of `of` with a person: everything is a function of a value that no one shares. A column
    with one value is no function worth telling.
    """
    if look.n_distinct < 2 or look.n_distinct > of.n_distinct:
        return False
    given, settled = of.column, look.column
    value = np.zeros(given.n_levels, settled.codes.dtype)
    for rows in _rows(given):
        held = of.is_answer[given.codes[rows]] & look.is_answer[settled.codes[rows]]
        known, answer = given.codes[rows][held], settled.codes[rows][held]
        value[known] = answer
        if (value[known] != answer).any():
            return False
    return _agrees(of, look, value)


def _agrees(of: ColumnSummary, look: ColumnSummary, value: NDArray[np.unsignedinteger]) -> bool:
    """Whether no record stands against the values found, and enough of them were tried."""
    n_with = np.zeros(of.column.n_levels, np.int64)
    for rows in chunks(slice(0, of.column.sides.n_rows)):
        known, answer = of.column.codes[rows], look.column.codes[rows]
        held = of.is_answer[known] & look.is_answer[answer]
        if (value[known[held]] != answer[held]).any():
            return False
        n_with += np.bincount(known[held], minlength=len(n_with))
    n_tried = int(n_with[n_with > 1].sum())
    return n_tried >= max(FEWEST, int(n_with.sum()) / 2)


def _rows(column: CodedColumn) -> Iterator[slice]:
    n_rows = column.sides.n_rows
    yield slice(0, min(FIRST, n_rows))
    yield from chunks(slice(FIRST, max(n_rows, FIRST)))


ENOUGH = 5.0
"""Percent of people who are unique, from which on no further grade is opened."""

LEAST_GAIN = 1.0
"""Percent of people that a further key must make unique from there on."""

MOST_PROPOSED_KEYS = 8
"""An intruder is not taken to know more without being told so."""

GRADES = ("visible", "often", "sometimes")


@dataclass(frozen=True)
class KeyPartition:
    """All people by what is known of them so far.

    Who is unique stays so, whatever else is known: only the others are kept, with the number of
    their combination.
    """

    n_records: int
    rows: Ints | None  # those who are not unique; None is everyone
    q: Ids
    n_shared: int  # combinations of theirs
    n_unique: int = 0

    @classmethod
    def nothing(cls, n_records: int) -> "KeyPartition":
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

    def count_with(self, look: ColumnSummary) -> tuple[int, int]:
        """How many would be unique with one column more, and how many combinations there were."""
        codes, n_levels = self._codes(look), look.column.n_levels

        def pack_rows(rows: slice) -> Ints:
            return self.q[rows].astype(np.int64) * n_levels + codes[rows]

        n_unique = n_q = self.n_unique
        for _, counts in tally(pack_rows, self.n_shared * n_levels, Sides((len(self.q),))):
            n_unique += int((counts == 1).sum())
            n_q += counts.shape[1]
        return n_unique, n_q

    def knowing(self, look: ColumnSummary) -> "KeyPartition":
        """The same people with one column more."""
        digits = [(self.q, self.n_shared), (self._codes(look), look.column.n_levels)]
        q, n_q = number(*pack(digits, len(self.q)))
        is_shared = np.bincount(q, minlength=n_q) > 1
        kept = np.flatnonzero(is_shared[q])
        place = np.cumsum(is_shared, dtype=np.int32) - np.int32(1)
        return KeyPartition(
            self.n_records,
            kept if self.rows is None else self.rows[kept],
            place[q[kept]],
            int(is_shared.sum()),
            self.n_unique + len(q) - len(kept),
        )

    def _codes(self, look: ColumnSummary) -> Codes:
        codes = look.column.codes
        return codes if self.rows is None else codes[self.rows]


@dataclass(frozen=True)
class ChosenKeys:
    """The keys in the order in which they were added, and why no more were."""

    looks: tuple[ColumnSummary, ...]
    n_unique: tuple[int, ...]  # people, with nothing known and then after each key
    known: KeyPartition  # all of them together
    stop: Stop
    stopped_at: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(look.name for look in self.looks)

    def functions(self, look: ColumnSummary) -> tuple[str, ...]:
        """The keys that one column is a function of."""
        return tuple(key.name for key in self.looks if key is not look and is_function(key, look))


def take_keys(keys: Iterable[ColumnSummary], n_records: int) -> ChosenKeys:
    """Keys that the user named, counted in their order."""
    search = _KeySearch(n_records)
    for look in keys:
        search.add(look)
    return search.finish("given")


def choose_keys(candidates: Mapping[str, Sequence[ColumnSummary]], n_records: int) -> ChosenKeys:
    """The keys among candidates by their grade; see the module's text for the rule."""
    search = _KeySearch(n_records)
    if not any(candidates.values()):
        return search.finish("no_candidate")
    for grade in GRADES:
        left = list(candidates.get(grade, ()))
        if left and search.has_enough:
            return search.finish("enough")
        while left := search.without_functions(left):
            best, n_unique, n_q = search.best_of(left)
            if n_q == search.now.n_q:
                left.remove(best)
                continue
            if search.has_enough and search.gain(n_unique) < LEAST_GAIN:
                return search.finish("small_gain", best.name)
            if len(search.looks) == MOST_PROPOSED_KEYS:
                return search.finish("most_keys", best.name)
            search.add(best)
            left.remove(best)
    return search.finish("no_more")


@dataclass
class _KeySearch:
    n_records: int
    looks: list[ColumnSummary] = field(default_factory=list)
    n_unique: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now = KeyPartition.nothing(self.n_records)
        self.n_unique.append(self.now.n_unique)

    @property
    def has_enough(self) -> bool:
        return bool(self.looks) and self.now.percent >= ENOUGH

    def gain(self, n_unique: int) -> float:
        return 100 * (n_unique - self.now.n_unique) / self.n_records

    def without_functions(self, left: Sequence[ColumnSummary]) -> list[ColumnSummary]:
        """The candidates that no key settles."""
        return [look for look in left if not any(is_function(key, look) for key in self.looks)]

    def best_of(self, left: Sequence[ColumnSummary]) -> tuple[ColumnSummary, int, int]:
        """The one with most unique people, then most combinations, then first in the file."""
        counted = [(look, *self.now.count_with(look)) for look in left]
        return max(counted, key=lambda one: one[1:])

    def add(self, look: ColumnSummary) -> None:
        self.looks.append(look)
        self.now = self.now.knowing(look)
        self.n_unique.append(self.now.n_unique)

    def finish(self, stop: Stop, stopped_at: str | None = None) -> ChosenKeys:
        return ChosenKeys(tuple(self.looks), tuple(self.n_unique), self.now, stop, stopped_at)
