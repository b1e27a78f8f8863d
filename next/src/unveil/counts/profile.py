"""The notation of Raab (2024), Appendix 1: one file beside another, cell by cell.

d are records of the original, s records of the synthetic data; _tq of a cell, _q of its keys, _t of
its target level; pd and ps are proportions within the keys. Any two files can take these places: a
control sample that of the original, several synthetic files together that of one.

Every variant is another profile, never another formula: without what rules exclude, numbers within
a tolerance, people who have several records, one segment of people.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import NO_TARGET, Cells, Floats, Ints
from unveil.data.columns import Coded

Mask = NDArray[np.bool_]


class Cell(NamedTuple):
    """What a rule sees of a cell: arrays in memory, expressions where an engine counts."""

    target: Coded
    keys: Mapping[str, Coded]
    t: Any
    d_tq: Any
    s_tq: Any
    levels: Mapping[str, Any]  # of the keys that rules name


class Rule(Protocol):
    """What takes cells out of sums over the original, and over the synthetic data."""

    def keys_of(self, keys: Sequence[str]) -> Sequence[str]:
        """The keys whose levels it must see."""

    def hit(self, cell: Cell) -> tuple[Any, Any] | None:
        """The cells that it excludes of d and of s; None where it does not concern the target."""


class Marks(NamedTuple):
    """For each cell the number of the rule that takes it out, of several the first; 0 is none."""

    d: Any
    s: Any


def mark(cell: Cell, rules: Sequence[Rule], choose: Callable[..., Any], none: Any) -> Marks:
    """Which rule, numbered from 1 on, excludes each cell."""
    marks = Marks(none, none)
    for place in range(len(rules), 0, -1):
        if hit := rules[place - 1].hit(cell):
            marks = Marks(*(choose(at, place, then) for at, then in zip(hit, marks, strict=True)))
    return marks


class Pairs(NamedTuple):
    """People by the level of a key and of the target."""

    k: Ints
    t: Ints
    n_disclosed: Ints
    n_people: Ints


@dataclass(frozen=True, eq=False)
class Profile:
    """The cells of one target with their counts in two files, a row for w cells that look alike.

    `d` and `s` are what sums count: all records of w cells, or 0 where these are excluded.
    Exclusions change what is summed, never what is disclosed.
    """

    people: int  # the number of the file in the place of d
    keys: tuple[Coded, ...]
    target: Coded
    N_d: int
    N_s: int
    t: Ints
    w: Ints
    d_tq: Ints
    s_tq: Ints
    d_q: Ints
    s_q: Ints
    d_t: Floats  # by target level
    shown: Ints  # the target level that the keys have alone in s, or -1
    is_shown: Mask  # whether the keys have one value in s, this one or another
    pd_is_1: Mask  # whether the keys have this level alone in d
    ps_is_1: Mask
    d_right: Ints  # records of d with a cell's keys whose value is right for it
    s_right: Ints
    guess: Floats  # of each target level, how many people have a value that is right for it
    n_d: Ints  # records of w cells
    n_s: Ints
    d: Ints
    s: Ints
    marks: Marks

    def pairs(self, key: Coded, above: float) -> Pairs:
        """People by key and target level, where cells of more than so many are disclosed."""
        raise NotImplementedError

    def people_at(self, key: Coded) -> Ints:
        """People by the level of a key."""
        return key.counts[self.people]

    def count(self, where: Mask) -> int:
        """The people counted in some cells."""
        return int(self.d[where].sum())

    def percent(self, counts: Ints, where: Mask, *, of: float | None = None) -> float | None:
        """100 times the sum of counts over some cells, by default of the original's records."""
        of = self.N_d if of is None else of
        return 100 * float(np.dot(counts, where)) / float(of) if of else None


@dataclass(frozen=True, eq=False)
class CellProfile(Profile):
    """A profile of files that memory holds, cell by cell; only those of single records together."""

    cells: Cells
    near: tuple[Floats, Floats] | None = None  # lowest, highest value that a cell's claim allows
    is_in: Mask | None = None  # whether each person is in the segment

    @classmethod
    def of(cls, cells: Cells, people: int) -> "CellProfile":
        """Nothing is excluded."""
        pair, target = cells.keys.pair, cells.target
        d_tq, s_tq = cells.d_tq, cells.s_tq
        d_q, s_q = cells.per_q(d_tq), cells.per_q(s_tq)
        ps_is_1 = (s_tq == s_q) & (s_q > 0)
        shown = cells.highest(np.where(ps_is_1, cells.t, -1))
        d_t = np.full(1, pair.n_d) if target is NO_TARGET else target.counts[people]
        marks = Marks(*[np.zeros(len(cells.t), np.int8)] * 2)
        d, s = d_tq * cells.w, s_tq * cells.w
        return cls(
            people, cells.keys.columns, target, pair.n_d, pair.n_s, cells.t, cells.w,
            d_tq, s_tq, d_q, s_q, d_t=d_t.astype(np.float64), shown=shown, is_shown=shown >= 0,
            pd_is_1=(d_tq == d_q) & (d_q > 0), ps_is_1=ps_is_1, d_right=d_tq, s_right=s_tq,
            guess=d_t.astype(np.float64), n_d=d, n_s=s, d=d, s=s, marks=marks, cells=cells,
        )  # fmt: skip

    def cell(self, at: Any = slice(None)) -> Cell:
        """What a rule sees of some of the cells."""
        keys = {key.name: key for key in self.keys}
        levels = {name: codes[at] for name, codes in self.cells.levels.items()}
        return Cell(self.target, keys, self.t[at], self.d_tq[at], self.s_tq[at], levels)

    def without(self, rules: Sequence[Rule]) -> "CellProfile":
        """The same with what rules exclude."""
        if not rules:
            return self
        marks = mark(self.cell(), rules, np.where, self.marks.d)
        return replace(self, marks=marks, d=self.n_d * (marks.d == 0), s=self.n_s * (marks.s == 0))

    @cached_property
    def claimed(self) -> Ints:
        """For each cell, the value shown to its people where no rule leaves that value out; or -1.

        Rules take people out by their own value, which an intruder does not know. To compare what
        is correct with what is expected, claims are taken out by the value that is shown.
        """
        if not self.marks.d.any():
            return self.shown
        is_left_out = self.cells.highest(np.where(self.ps_is_1, self.marks.d, 0)) > 0
        return np.where(is_left_out, -1, self.shown)

    @cached_property
    def value_of(self) -> Ints:
        """The target level of each person of d."""
        return self.cells.t_of_people

    @cached_property
    def is_counted(self) -> Mask:
        """Whether each person of d is counted after exclusions."""
        if not self.marks.d.any():
            return np.ones(len(self.cells.keys.q[: self.N_d]), bool)
        return self.of_people(self.marks.d == 0)

    def of_people(self, values: Any) -> Any:
        """What is true of each person's cell."""
        return values[self.cells.of_people]

    def to_people(self, values: Ints) -> Ints:
        """What is the same in all cells with the same keys, for each person of d.

        -1 for people whose keys nobody has in s: quicker than by their cells.
        """
        keys = self.cells.keys
        by_q = np.full(keys.n_q + 1, -1)  # the last is for keys that nobody shares
        q = self.cells.q[self.cells.starts]
        is_several = q < keys.n_q
        by_q[q[is_several]] = values[self.cells.starts[is_several]]
        return by_q[keys.q[: self.N_d]]

    def within_tolerance(self, values: Floats, tolerance: float) -> "CellProfile":
        """The same, where values are right that are no further from each other than a tolerance.

        Values with the same keys determine the target if they are all near each other. Levels that
        are no numbers have values far from all others.
        """
        tolerance *= 1 + 1e-9
        order = np.argsort(values, kind="stable")
        rank, ranked = np.argsort(order, kind="stable"), values[order]
        low = np.searchsorted(ranked, values - tolerance)
        high = np.searchsorted(ranked, values + tolerance, side="right")
        n, q = np.int64(len(values)), self.cells.q.astype(np.int64)
        places = q * n + rank[self.t]
        by_place = np.argsort(places)
        start, stop = (
            np.searchsorted(places[by_place], q * n + edge[self.t]) for edge in (low, high)
        )

        def judge(counts: Ints, whole: Ints) -> tuple[Ints, Mask, Floats, Floats]:
            """Of one file: records that are right, whether all are near, the values allowed."""
            total = np.append(0, np.cumsum(counts[by_place], dtype=np.int64))
            value = values[self.t]
            highest = self.cells.highest(np.where(counts > 0, value, -np.inf))
            lowest = -self.cells.highest(np.where(counts > 0, -value, -np.inf))
            are_near = (whole > 0) & (highest - lowest <= tolerance)
            right = (total[stop] - total[start]).astype(np.int32)
            return right, are_near, highest - tolerance, lowest + tolerance

        d_right, are_near_d, _, _ = judge(self.d_tq, self.d_q)
        s_right, are_near_s, *allowed = judge(self.s_tq, self.s_q)
        people = np.append(0, np.cumsum(self.d_t[order]))
        return replace(
            self,
            d_right=d_right,
            s_right=s_right,
            pd_is_1=are_near_d & (d_right == self.d_q),
            ps_is_1=are_near_s & (s_right == self.s_q),
            is_shown=are_near_s,
            guess=people[high] - people[low],
            near=(allowed[0], allowed[1]),
        )

    def segment(self, is_in: Mask) -> "CellProfile":
        """The same people as far as they are in a segment; what is disclosed stays."""
        people = np.bincount(self.cells.of_people[is_in], minlength=len(self.t))
        d_t = np.bincount(self.value_of[is_in], minlength=self.target.n_levels).astype(np.float64)
        left = people * (self.marks.d == 0)
        return replace(self, d_tq=people, n_d=people, d=left, d_t=d_t, is_in=is_in)

    def people_at(self, key: Coded) -> Ints:
        if self.is_in is None:
            return super().people_at(key)
        return np.bincount(self._levels_of(key)[self.is_in], minlength=key.n_levels)

    def _levels_of(self, key: Coded) -> Ints:
        return self.cells.keys.pair.of(key.codes)[: self.N_d]

    def pairs(self, key: Coded, above: float) -> Pairs:
        disclosed = np.flatnonzero(self.ps_is_1 & (self.d > 0))
        k_of = self.cells.keys.codes(key)[self.cells.q[disclosed]]
        n_t = np.int64(self.target.n_levels)
        pair = k_of * n_t + self.t[disclosed]
        pairs = np.unique(pair[self.d_tq[disclosed] > above])
        if self.is_in is None:
            k, t, n = self.cells.people(key, np.unique(pairs % n_t))
        else:
            k, t = self._levels_of(key)[self.is_in], self.value_of[self.is_in]
            n = np.ones(len(k))
        return Pairs(
            pairs // n_t,
            pairs % n_t,
            _sum_by(pair, self.d[disclosed], pairs),
            _sum_by(k * n_t + t, n, pairs),
        )


@dataclass(frozen=True, eq=False)
class PersonProfile(CellProfile):
    """A profile that counts people: a person counts once, if one of their records does."""

    person: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # whose each record is

    @classmethod
    def by_person(
        cls, profile: CellProfile, person: Ints, owner: Ints | None = None
    ) -> "PersonProfile":
        """Of keys alone, `owner` has whose each synthetic record is: d_q and s_q count people."""
        people = cls(**vars_of(profile), person=person)
        if owner is None:
            return people
        n_d, keys = profile.N_d, profile.cells.keys
        d_q, s_q = profile.d_q.copy(), profile.s_q.copy()
        d_q[: keys.n_q] = _count_people(keys.q[:n_d], person, keys.n_q)
        s_q[: keys.n_q] = _count_people(keys.q[n_d:], owner, keys.n_q)
        return replace(people, d_q=d_q, s_q=s_q)

    @cached_property
    def holders(self) -> Ints:
        """How many people have records in each cell."""
        return _count_people(self.cells.of_people, self.person, len(self.t))

    def count(self, where: Mask) -> int:
        return len(np.unique(self.person[self.of_people(where) & self.is_counted]))

    def percent(self, counts: Ints, where: Mask, *, of: float | None = None) -> float | None:
        """Of people; sums over anything but the original's records are none of people."""
        if counts is not self.d or of is not None:
            return None
        n = len(np.unique(self.person))
        return 100 * self.count(where) / n if n else None


def _count_people(groups: Ints, person: Ints, n: int) -> Ints:
    """How many people each of n groups of records has; a negative one is none."""
    n_people = np.int64(person.max(initial=0) + 1)
    pairs = np.unique(groups.astype(np.int64) * n_people + person) // n_people
    return np.bincount(pairs[pairs >= 0], minlength=n)


def vars_of(profile: CellProfile) -> dict[str, Any]:
    """The fields of a profile, without what was worked out of them."""
    return {name: getattr(profile, name) for name in CellProfile.__dataclass_fields__}


def _sum_by(groups: Ints, values: Any, wanted: Ints) -> Ints:
    """The sum of values in each of some groups, which are sorted."""
    is_wanted = np.isin(groups, wanted)
    place = np.searchsorted(wanted, groups[is_wanted])
    return np.bincount(place, values[is_wanted], len(wanted)).astype(np.int64)
