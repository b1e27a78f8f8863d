"""Which record speaks of which person, by some columns, and what does it say of another column?

Link, then look. A person is linked by columns L if no one else in the original has the same values
of L and one to five synthetic records have them (more where there are several records for each
person); the k records of a person weigh 1/k each. The own
value of a column X not in L is then compared with the value of the people next to the person in the
order of L (neighbour), and with how often two people with the same values of L agree (twin). What a
record shows beyond both it shows because it is the person's.

A set of columns costs one 64-bit sum per record: every value has a random number, and equal sums
are equal combinations but for a chance of about n^2 / 2^64. Of many records, combinations of a
range that leaves room for the number of the row are packed instead, which are sorted faster.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import (
    PACKED,
    Integers,
    blocks,
    count_people,
    is_among,
    pack,
    run_starts,
    sort_rows,
)
from unveil.measure.gate.columns import LinkColumn

Sums = NDArray[np.uint64]
Bits = dict[str, NDArray[np.uint16]]

MOST_RECORDS = 5
"""A person is linked to at most so many records, for each time that there are as many as people."""
LEAST_LINKS = 20
"""Fewer people linked say nothing."""
NEAR_RANK = 0.002
"""Numbers agree if they lie within this share of the original's ranks."""
_MANY = 2**16
_FILTER = 24  # bits of a sum by which most rows without a partner are put aside before sorting


@dataclass(frozen=True, eq=False)
class LinkRows:
    """Some people and some records, as codes of every column."""

    people: dict[str, NDArray[np.int32]]
    records: dict[str, NDArray[np.int32]]
    columns: dict[str, LinkColumn]
    n_people: int
    counts: dict[str, tuple[Ints, Ints]] = field(default_factory=dict)  # of whole files, by value

    @classmethod
    def of(
        cls, columns: Sequence[LinkColumn], people: Sequence[int], records: Sequence[int]
    ) -> "LinkRows":
        """The people and the records of these files, by their numbers."""

        def codes(column: LinkColumn, sides: Sequence[int]) -> NDArray[np.int32]:
            found = [column.select_side(side) for side in sides]
            return found[0] if len(found) == 1 else np.concatenate(found)

        return cls(
            {column.name: codes(column, people) for column in columns},
            {column.name: codes(column, records) for column in columns},
            {column.name: column for column in columns},
            sum(columns[0].sides.rows[side] for side in people) if columns else 0,
            {
                column.name: (
                    column.counts[list(people)].sum(axis=0),
                    column.counts[list(records)].sum(axis=0),
                )
                for column in columns
            },
        )

    @cached_property
    def _most_records(self) -> int:
        """Records that a person may be linked to: more where there are several for each person."""
        n_records = len(next(iter(self.records.values()))) if self.records else 0
        return MOST_RECORDS * max(1, -(-n_records // max(self.n_people, 1)))

    @cached_property
    def _numbers(self) -> dict[str, Sums]:
        """A random 64-bit number for every value of every column; the same in every run."""
        return {
            name: np.random.default_rng([place, 17]).integers(
                0, 2**64, column.n_levels, dtype=np.uint64
            )
            for place, (name, column) in enumerate(sorted(self.columns.items()))
        }

    def sums(self, by: Sequence[str]) -> tuple[Sums, Sums]:
        """One number for the combination of values, of every person and of every record."""
        if 2 * len(by) > len(self.columns):
            others = [name for name in self.columns if name not in by]
            mine, theirs = (
                total - self._sum_codes(codes, others) if others else total
                for total, codes in zip(self._totals, (self.people, self.records), strict=True)
            )
            return mine, theirs
        return self._sum_codes(self.people, by), self._sum_codes(self.records, by)

    @cached_property
    def _totals(self) -> tuple[Sums, Sums]:
        """The sums over all columns, from which those over nearly all are had by taking away."""
        return (
            self._sum_codes(self.people, list(self.columns)),
            self._sum_codes(self.records, list(self.columns)),
        )

    def _sum_codes(self, codes: dict[str, NDArray[np.int32]], by: Sequence[str]) -> Sums:
        total = self._numbers[by[0]].take(codes[by[0]])
        for name in by[1:]:
            total += self._numbers[name].take(codes[name])
        return total

    def sums_of(self, people: Ints, by: Sequence[str]) -> Sums:
        """The same for some of the people."""
        return self._sum_codes({name: self.people[name].take(people) for name in by}, by)

    def _sorted(
        self, by: Sequence[str]
    ) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """People and records by their combinations, all that may have a partner: rows and numbers.

        The numbers of both are in order, and equal where combinations are.
        """
        digits = [
            [(codes[name], self.columns[name].n_levels) for name in by]
            for codes in (self.people, self.records)
        ]
        space = math.prod(base for _, base in digits[0])
        n_rows = [len(side[0][0]) for side in digits]
        if n_rows[0] >= _MANY and space << max(n_rows).bit_length() <= 2 * PACKED:
            packed = [pack(side, n)[0] for side, n in zip(digits, n_rows, strict=True)]
            return sort_rows(packed[0], space), sort_rows(packed[1], space)
        mine, theirs = self.sums(by)
        people, records = _possible_partners(mine, theirs)
        people = people[np.argsort(mine[people])]
        records = records[np.argsort(theirs[records])]
        return (people, mine[people]), (records, theirs[records])

    def part(self, name: str, n_rows: int) -> "LinkRows":
        """About so many people and all records with the same values of one column.

        Combinations that hold this column stay whole, so that who is unique stays so.
        """
        column = self.columns[name]
        counts = np.bincount(self.people[name], minlength=column.n_levels)
        drawn = np.random.default_rng(0).permutation(column.n_levels)
        n_kept = int(np.searchsorted(np.cumsum(counts[drawn]), n_rows)) + 1
        is_kept = np.zeros(column.n_levels, bool)
        is_kept[drawn[:n_kept]] = True
        people, records = is_kept[self.people[name]], is_kept[self.records[name]]
        return LinkRows(
            {one: codes[people] for one, codes in self.people.items()},
            {one: codes[records] for one, codes in self.records.items()},
            self.columns,
            int(people.sum()),
        )

    def spread(self, n_pairs: int, people: tuple[int, int]) -> "LinkRows":
        """Some different people and all records, whatever the order of both."""
        n_records = len(self._totals[1])
        _, some = np.unique(self._totals[0], return_index=True)  # random numbers: any of them
        some = some[: min(max(n_pairs // max(n_records, 1), people[0]), people[1])]
        order = np.argsort(self._totals[1], kind="stable")
        return LinkRows(
            {name: codes[some] for name, codes in self.people.items()},
            {name: codes[order] for name, codes in self.records.items()},
            self.columns,
            len(some),
        )

    @cached_property
    def bits(self) -> Bits:
        """What it tells to have a value: log2(n / people with it), in eighths, for every value."""
        found = {}
        for name, column in self.columns.items():
            held = np.maximum(np.bincount(self.people[name], minlength=column.n_levels), 1)
            found[name] = np.round(8 * np.log2(self.n_people / held)).astype(np.uint16)
        return found

    def find_nearest(self, by: Sequence[str], bits: Bits, most: int) -> tuple[Ints, Ints]:
        """For each person the record that agrees in the values that tell most, and how much."""
        n_records = len(next(iter(self.records.values())))
        nearest, score = (np.zeros(self.n_people, np.int64) for _ in range(2))
        for some in blocks(self.n_people, n_records, most):
            total = np.zeros((some.stop - some.start, n_records), np.uint16)
            agrees = np.empty_like(total)
            for name in by:
                mine = self.people[name][some, None]
                total += np.multiply(mine == self.records[name], bits[name][mine], out=agrees)
            nearest[some] = total.argmax(axis=1)
            score[some] = total.max(axis=1)
        return nearest, score

    def with_distinct_records(self) -> "LinkRows":
        """The same people, and each record once."""
        _, first = np.unique(self._totals[1], return_index=True)
        records = {name: codes[first] for name, codes in self.records.items()}
        return LinkRows(self.people, records, self.columns, self.n_people)

    def reappearing(self, by: Sequence[str]) -> tuple[Mask, Mask]:
        """For each person: is the combination unique, and do the records have it?"""
        mine, theirs = self.sums(by)
        order = np.argsort(mine)
        starts = run_starts(mine[order])
        alone = order[starts[:-1][np.diff(starts) == 1]]
        is_unique, found = (np.zeros(self.n_people, bool) for _ in range(2))
        is_unique[alone] = True
        found[alone] = _are_among(mine[alone], theirs)
        return is_unique, found

    def reappearing_of_people(self, by: Sequence[str], of_row: Ints) -> tuple[Ints, Mask, Ints]:
        """Combinations as a number for each row; whether the records have one; holders of each.

        `of_row` is whose row each row is: rows of one person do not count against each other.
        """
        mine, theirs = self.sums(by)
        values, codes = np.unique(mine, return_inverse=True)
        return codes, _are_among(values, theirs), count_people(codes, of_row, len(values))

    def count_reappearing(self, by: Sequence[str]) -> tuple[int, int, float]:
        """Unique people, those that the records have, and how many another sample would have."""
        # As signed numbers, which are searched twice as fast.
        mine, theirs = (np.sort(one.view(np.int64)) for one in self.sums(by))
        starts = run_starts(mine)
        holders = np.diff(starts)
        alone = mine[starts[:-1][holders == 1]]
        n_back = int(np.count_nonzero(is_among(alone, theirs)))
        return len(alone), n_back, expected_share(holders, len(theirs)) * len(alone)

    def effective(self, name: str) -> float:
        """People linked by one column, each counted 1 / the larger of the two cells."""
        if name in self.counts:
            return effective_links(*self.counts[name])
        levels = self.columns[name].n_levels
        mine = np.bincount(self.people[name], minlength=levels)
        theirs = np.bincount(self.records[name], minlength=levels)
        return effective_links(mine, theirs)

    def effective_of(self, by: Sequence[str]) -> float:
        """The same for several columns together."""
        mine, theirs = self.sums(by)
        values, counts = np.unique(mine, return_counts=True)
        ordered = np.sort(theirs)
        n = np.searchsorted(ordered, values, "right") - np.searchsorted(ordered, values, "left")
        return effective_links(counts, n)

    def agrees(self, name: str, mine: NDArray[np.int32], theirs: NDArray[np.int32]) -> Mask:
        """Whether two values of a column are the same; numbers, nearly."""
        column = self.columns[name]
        if column.is_number:
            ranks, other = column.ranks[mine], column.ranks[theirs]
            near: Mask = (np.abs(ranks - other) <= NEAR_RANK) & (ranks >= 0) & (other >= 0)
            return near | np.equal(mine, theirs)
        same: Mask = mine == theirs
        return same

    def links(self, by: Sequence[str]) -> "Links":
        """The people linked by these columns, and their records."""
        (order, mine), (records, theirs) = self._sorted(by)
        starts = run_starts(mine)
        alone = starts[:-1][np.diff(starts) == 1]
        runs = run_starts(theirs)
        place = _places(mine[alone], theirs[runs[:-1]])
        alone, place = alone[place >= 0], place[place >= 0]
        low, n = runs[place], runs[place + 1] - runs[place]
        is_linked = n <= self._most_records
        who, low, n = order[alone[is_linked]], low[is_linked], n[is_linked]
        person = np.repeat(who, n)
        step = np.arange(len(person)) - np.repeat(np.cumsum(n) - n, n)
        record = records[np.repeat(low, n) + step]
        return Links(self, tuple(by), person, record, np.repeat(1 / n, n))


def expected_share(counts: Ints, n_records: int, times: Ints | None = None) -> float:
    """Share of what one person holds that another sample of so many records would hold too.

    `counts` are holders by value; with `times`, of so many values each. Of two random halves
    of the people, a value with c holders is unique in the first with chance c / 2^c, and is then in
    the second unless c is 1. From halves to the sizes of the files, chances of absence multiply.
    """
    held = counts[counts > 0]
    n_values = np.ones(len(held), np.int64) if times is None else times[counts > 0]
    weights = held * 0.5 ** np.minimum(held, 60.0) * n_values
    if not weights.sum():
        return 0.0
    absent = float(weights[held == 1].sum() / weights.sum())
    return 1 - float(absent ** (2 * n_records / max(int((held * n_values).sum()), 1)))


def effective_links(mine: Ints, theirs: Ints) -> float:
    """People linked by cells of so many people and records, each counted 1 / the larger."""
    larger = np.maximum(np.maximum(mine, theirs), 1)
    return float((mine * (theirs > 0) / larger).sum())


def _are_among(values: Sums, others: Sums) -> Mask:
    ordered = np.sort(others[_is_marked(_marks(values), others)])
    found: Mask = _places(values, ordered) >= 0
    return found


def _places(values: Integers, ordered: Integers) -> Ints:
    """Where each value first stands among others in order; -1 where it does not."""
    if not len(ordered):
        return np.full(len(values), -1)
    place = np.searchsorted(ordered, values).clip(0, len(ordered) - 1)
    return np.where(ordered[place] == values, place, -1)


def _marks(values: Sums) -> Mask:
    marks = np.zeros(2**_FILTER, bool)
    marks[values >> np.uint64(64 - _FILTER)] = True
    return marks


def _is_marked(marks: Mask, values: Sums) -> Mask:
    found: Mask = marks[values >> np.uint64(64 - _FILTER)]
    return found


def _possible_partners(mine: Sums, theirs: Sums) -> tuple[Ints, Ints]:
    """Rows of either side that may have a partner: all that have one, and few others."""
    if len(mine) < _MANY:
        return np.arange(len(mine)), np.arange(len(theirs))
    return (
        np.flatnonzero(_is_marked(_marks(theirs), mine)),
        np.flatnonzero(_is_marked(_marks(mine), theirs)),
    )


@dataclass(frozen=True, eq=False)
class LinkView:
    """What linked records show of a column: the own value, the neighbour's, the twin's."""

    column: str
    by: tuple[str, ...]
    links: float
    own: float
    neighbour: float
    twin: float | None
    z: float

    @property
    def yardstick(self) -> float:
        """What honest synthetic data would show."""
        return max(self.neighbour, self.twin or 0.0)

    @property
    def tied_people(self) -> float:
        """People shown with their own value beyond what honest data would show."""
        return (self.own - self.yardstick) * self.links


@dataclass(frozen=True, eq=False)
class Links:
    """People linked by some columns: person, record and weight of every link."""

    rows: LinkRows
    by: tuple[str, ...]
    person: Ints
    record: Ints
    weight: Floats

    @cached_property
    def total(self) -> float:
        """People linked."""
        return float(self.weight.sum())

    @cached_property
    def is_first(self) -> Mask:
        """Whether the person of each link is in the first of two halves.

        They are made by what links people, not by the order of records.
        """
        half: Mask = (self.rows.sums_of(self.person, self.by) >> np.uint64(7)) % np.uint64(2) == 0
        return half

    @cached_property
    def neighbours(self) -> tuple[Ints, Ints]:
        """For each link the person before and after in the order of the linking columns.

        Columns with few values go first and the finest last, so that neighbours agree in all but
        the finest. At an end the only neighbour counts twice.
        """
        rows = self.rows
        packed = np.zeros(rows.n_people, np.int64)
        space = 1
        for name in sorted(self.by, key=lambda one: (rows.columns[one].n_original_levels, one)):
            column = rows.columns[name]
            if space * column.n_levels > 2**62:
                packed = np.unique(packed, return_inverse=True)[1]
                space = int(packed.max(initial=0)) + 1
            packed = packed * column.n_levels + column.order[rows.people[name]]
            space *= column.n_levels
        order = np.argsort(packed, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        last = len(order) - 1
        if last < 1:
            return self.person, self.person
        mine = place[self.person]
        before = order[np.where(mine > 0, mine - 1, 1)]
        after = order[np.where(mine < last, mine + 1, last - 1)]
        return before, after

    @cached_property
    def twins(self) -> tuple[Ints, Ints]:
        """All pairs of different people with the same linking values, in cells of two to five."""
        mine, _ = self.rows.sums(self.by)
        order = np.argsort(mine)
        ordered = mine[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        size = np.diff(np.append(starts, len(ordered)))
        shared = np.repeat((size > 1) & (size <= MOST_RECORDS), size)
        order, ordered = order[shared], ordered[shared]
        ones, others = [order[:0]], [order[:0]]
        for step in range(1, MOST_RECORDS):
            same = ordered[step:] == ordered[:-step]
            ones.append(order[step:][same])
            others.append(order[:-step][same])
        return np.concatenate(ones), np.concatenate(others)

    def compare_values(self, column: str) -> tuple[Mask, Floats]:
        """For each link: does the record show the person's own value, and a neighbour's?"""
        codes, said = self.rows.people[column], self.rows.records[column][self.record]
        before, after = self.neighbours
        own = self.rows.agrees(column, codes[self.person], said)
        theirs = (
            self.rows.agrees(column, codes[before], said) * 0.5
            + self.rows.agrees(column, codes[after], said) * 0.5
        )
        return own, theirs

    def twin_agreement(self, column: str) -> tuple[int, float]:
        """Pairs of twins, and how often they agree."""
        one, other = self.twins
        codes = self.rows.people[column]
        if not len(one):
            return 0, 0.0
        return len(one), float(self.rows.agrees(column, codes[one], codes[other]).mean())

    def look(self, column: str) -> LinkView | None:
        """The own value of a column over the linked people; None where they are too few."""
        if self.total < LEAST_LINKS:
            return None
        own, theirs = self.compare_values(column)
        gain = self.weight * (own - theirs)
        z = float(gain.sum() / np.sqrt(max(float((gain**2).sum()), 1e-9)))
        share, next_to = (float((self.weight * one).sum() / self.total) for one in (own, theirs))
        twin = None
        if z > 3:
            n, agree = self.twin_agreement(column)
            twin = agree if n >= LEAST_LINKS else None
            if twin is not None and twin > next_to:
                # A rule or a formula, not a person: two people who match agree as well.
                spread = max(twin * (1 - twin), 0.01) * (1 / self.total + 1 / n)
                z = (share - twin) / float(np.sqrt(spread))
        return LinkView(column, self.by, self.total, share, next_to, twin, z)
