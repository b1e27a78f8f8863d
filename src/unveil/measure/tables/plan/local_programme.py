"""What stays open when all lines are closed: whole tables over the cells that some tables cut.

Lines look at one column at a time. What several columns say together is asked of HiGHS: the fewest
and the most people in a box, over all whole tables that fit the published values. Columns are cut
only where the tables asked about cut them. With all tables that overlap each other the answer is
the tightest; with some of them it holds, and may be loose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.measure.tables.integer_programme import OutOfTime, Programme
from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.plan.boxes import Boxes
from unveil.measure.tables.plan.closure import NO_LIMIT
from unveil.measure.tables.plan.table_facts import PlanData, PlanFacts

MOST_CELLS = 20_000
"""Of one programme; larger ones take minutes a bound."""
MOST_MEMBERS = 4_000_000
"""Cells named in the facts of one programme, all together."""


class NoTable(Exception):
    """No whole table fits the values: the tables contradict each other."""


def overlapping_tables(facts: PlanFacts, n_tables: int) -> Ints:
    """Tables numbered by the part of the plan they are in: those of other parts share no person."""
    hull = np.zeros((n_tables, *facts.boxes.ends.shape[1:]), np.int64)
    for t in range(n_tables):
        ends = facts.boxes.ends[facts.box[facts.table == t]]
        hull[t, :, 0], hull[t, :, 1] = ends[:, :, 0].min(axis=0), ends[:, :, 1].max(axis=0)
    start, stop = hull[:, None, :, 0], hull[None, :, :, 1]
    meets = ((start < stop) & (start < stop).transpose(1, 0, 2)).all(axis=2)
    part = np.arange(n_tables)
    while True:
        least = np.where(meets, part[None, :], n_tables).min(axis=1, initial=n_tables)
        if (least == part).all():
            return part
        part = least


@dataclass
class LocalProgramme:
    """The whole tables that fit the values of some tables, and what those found so far show."""

    cuts: list[Ints]
    shape: tuple[int, ...]
    programme: Programme
    caps: Floats
    """Of each cell, the smallest upper limit of a value that counts it; without end: none does."""
    tables: list[Ints]
    """Fitting tables found so far, flat: each shows what a box can have."""

    @classmethod
    def of(
        cls,
        opened: PlanData,
        tables: Iterable[int],
        until: float | None = None,
        facts: PlanFacts | None = None,
    ) -> LocalProgramme | None:
        """The programme of these tables; None where it would be too large."""
        facts = opened.facts if facts is None else facts
        among = [*tables]
        together = np.isin(facts.also, among)
        chosen = np.isin(facts.table, among) & (facts.published | together)
        boxes, first = np.unique(facts.box[chosen], return_inverse=True)
        ends = facts.boxes.ends[boxes]
        cuts = [np.unique(ends[:, k]) for k in range(ends.shape[1])]
        shape = tuple(len(one) - 1 for one in cuts)
        if prod(shape) > MOST_CELLS:
            return None
        lower, upper = np.zeros(len(boxes), np.int64), np.full(len(boxes), NO_LIMIT)
        np.maximum.at(lower, first, facts.lower[chosen])
        np.minimum.at(upper, first, facts.upper[chosen])
        lacks = [facts.boxes.without(box) for box in boxes.tolist()]
        members = [_cells(cuts, shape, *box) for box in zip(ends, lacks, strict=True)]
        if sum(map(len, members)) > MOST_MEMBERS:
            return None
        known = [
            Fact(tuple(cells.tolist()), lo, None if hi >= NO_LIMIT else hi, "a value of the plan")
            for cells, lo, hi in zip(members, lower.tolist(), upper.tolist(), strict=True)
        ]
        counts = _true_cells(opened, cuts, shape)
        if counts is None:
            counts = Programme.find_table(known, prod(shape), until)
        if counts is None:
            raise NoTable
        system = System(counts, tuple(known), frozenset(), (len(counts),))
        caps = np.full(len(counts), np.inf)
        for cells, hi in zip(members, upper.tolist(), strict=True):
            if hi < NO_LIMIT:
                caps[cells] = np.minimum(caps[cells], hi)
        return cls(cuts, shape, Programme(system), caps, [np.array(counts)])

    def holds(self, boxes: Boxes, box: int) -> bool:
        """Whether a box is made up of cells of the programme."""
        other = boxes.without(box)
        return all(
            bool(np.isin(one, cuts).all())
            for ends in (boxes.ends[box], other)
            if ends is not None
            for cuts, one in zip(self.cuts, ends, strict=True)
        )

    def settle(
        self,
        ends: Ints,
        lower: int,
        upper: int,
        *,
        width: int,
        until: float | None,
        without: Ints | None = None,
    ) -> BoxAnswer:
        """The tightest bounds of a box, or two tables in which it differs by more than a width.

        Either is an answer: counts further apart than the width are neither recovered nor nearly
        so. Bounds that are known already are given. `OutOfTime` where neither was found in time.
        `without` is the box that is not counted, where one is not.
        """
        cells = _cells(self.cuts, self.shape, ends, without)
        if not np.isfinite(self.caps[cells]).all():
            # Nothing counts some cell of it from above: any number of people can be in it.
            return BoxAnswer(lower, NO_LIMIT, is_wide=True, is_tightest=False)
        upper = min(upper, int(self.caps[cells].sum()))
        for up in (True, False):
            low, high = self._seen(cells)
            if high - low > width:
                break
            if (upper if up else lower) == (high if up else low):
                continue
            outer = upper if up else lower
            found = self.programme.extreme(cells.tolist(), up=up, outer=outer, until=until)
            if found.table is not None:
                self.tables.append(np.array(found.table))
            if up:
                upper = min(upper, found.value)
            else:
                lower = max(lower, found.value)
        low, high = self._seen(cells)
        is_wide, is_tightest = high - low > width, (low, high) == (lower, upper)
        if not (is_wide or is_tightest):
            raise OutOfTime
        return BoxAnswer(lower, upper, is_wide=is_wide, is_tightest=is_tightest)

    def _seen(self, cells: Ints) -> tuple[int, int]:
        """The fewest and the most people in some cells, over the tables found so far."""
        sums = [int(table[cells].sum()) for table in self.tables]
        return min(sums), max(sums)


@dataclass(frozen=True)
class BoxAnswer:
    """What is known of a box after HiGHS was asked."""

    lower: int
    upper: int
    is_wide: bool
    """Two fitting tables were found that are further apart than the width asked about."""
    is_tightest: bool


def _slices(cuts: Sequence[Ints], ends: Ints) -> tuple[slice, ...]:
    places = [np.searchsorted(cut, one) for cut, one in zip(cuts, ends, strict=True)]
    return tuple(slice(int(a), int(b)) for a, b in places)


def _cells(
    cuts: Sequence[Ints], shape: tuple[int, ...], ends: Ints, without: Ints | None = None
) -> Ints:
    cells = np.arange(prod(shape)).reshape(shape)
    own = cells[_slices(cuts, ends)].reshape(-1)
    return own if without is None else np.setdiff1d(own, cells[_slices(cuts, without)])


def _true_cells(
    opened: PlanData, cuts: Sequence[Ints], shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    """True counts of the cells; people outside all of them are left out."""
    if opened.n_people is None:
        return None
    place, inside = np.zeros(opened.n_people, np.int64), np.ones(opened.n_people, bool)
    for column, cut, size in zip(opened.columns, cuts, shape, strict=True):
        if column.codes is None:
            return None
        own = np.searchsorted(cut, column.codes, side="right") - 1
        inside &= (own >= 0) & (own < size)
        place = place * size + np.clip(own, 0, size - 1)
    return tuple(np.bincount(place[inside], minlength=prod(shape)).tolist())
