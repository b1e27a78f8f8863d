"""Which tables give a box away, and which would have to be left out?

The lines that bound a box name the tables they used: a proof. It is irreducible where none of its
tables can be left out: without any one of them, lines no longer give the box away. Sets of one
table are the smallest; so are sets of two where no table does it alone. Many sets of tables are
closed at once, each in a world of its own, and each says something of all boxes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.closing import (
    Bits,
    BoxBounds,
    LineBatch,
    close_lines,
    pack_tables,
    tables_in,
)
from unveil.measure.tables.plan.table_facts import PlanFacts

MOST_STATE = 1 << 21
"""Boxes of all worlds that one thread closes at once."""
N_THREADS = 2

MOST_WITH_ALL = 3_000
"""Boxes of a plan all of whose lines are looked at for each set; of larger plans those between
two values of the set."""

TableSet = tuple[int, ...]
CloseWithout = Callable[[Mask], tuple[BoxBounds, bool]]
"""Bounds without some tables, and whether all lines are closed."""


@dataclass(frozen=True)
class Certificate:
    """The tables that give a box away together."""

    tables: TableSet
    is_smallest: bool
    """No set of fewer tables does it, by lines."""
    is_irreducible: bool = True
    """None of the tables can be left out; False where time ran out before that was seen."""


class Worlds:
    """Sets of tables that are closed side by side, each as if there were no others."""

    def __init__(self, facts: PlanFacts, batches: Sequence[LineBatch], n_boxes: int) -> None:
        self._batches, self._n_boxes = batches, n_boxes
        order = np.argsort(facts.table, kind="stable")
        ends = np.searchsorted(facts.table[order], np.arange(facts.table.max(initial=-1) + 2))
        self._facts = facts
        self._of_table = [order[a:b] for a, b in pairwise(ends.tolist())]
        # The lines that each box lies on, numbered through all batches.
        self._first = np.cumsum([0, *(len(batch.boxes) for batch in batches)])
        box = np.concatenate([batch.boxes.reshape(-1) for batch in batches] or [_NONE])
        line = np.concatenate(
            [
                np.repeat(np.arange(len(batch.boxes)) + first, batch.boxes.shape[1])
                for batch, first in zip(batches, self._first, strict=False)
            ]
            or [_NONE]
        )
        by_box = np.argsort(box, kind="stable")
        self._line = line[by_box]
        self._line_from = np.searchsorted(box[by_box], np.arange(n_boxes + 1))

    def close(
        self, sets: Sequence[TableSet], boxes: Ints, until: float | None = None
    ) -> Iterator[tuple[int, BoxBounds]]:
        """Bounds of some boxes by each set of tables; proofs number the tables of the set."""
        most = MOST_STATE // max(self._n_boxes, 1)
        size = max(1, min(most, -(-len(sets) // N_THREADS)))
        portions = [sets[i : i + size] for i in range(0, len(sets), size)]
        # Work on arrays, for which Python lets other threads go on.
        with ThreadPoolExecutor(N_THREADS) as threads:
            closed = threads.map(lambda some: self._close_boxes(some, boxes, until), portions)
            for place, found in enumerate(closed):
                if found is None:
                    return
                yield from enumerate(found, place * size)

    def _close_boxes(
        self, sets: Sequence[TableSet], boxes: Ints, until: float | None
    ) -> list[BoxBounds] | None:
        bounds = self._close_some(sets, until)
        if bounds is None:
            return None
        every = (g * self._n_boxes + boxes for g in range(len(sets)))
        return [
            BoxBounds(bounds.above[at], bounds.below[at], bounds.above_by[at], bounds.below_by[at])
            for at in every
        ]

    def _close_some(self, sets: Sequence[TableSet], until: float | None) -> BoxBounds | None:
        n = self._n_boxes
        bounds = BoxBounds.of_nothing(n * len(sets), max(map(len, sets)))
        touched = np.zeros(n * len(sets), bool)
        rows, world, local, also = [], [], [], []
        # Of each table its place in the set; the last one, for -1, is no table.
        place = np.full(len(self._of_table) + 1, -1, np.int64)
        for g, tables in enumerate(sets):
            place[[*tables]] = np.arange(len(tables))
            for i, t in enumerate(tables):
                other = self._facts.also[self._of_table[t]]
                is_said = (other < 0) | (place[other] >= 0)
                rows.append(self._of_table[t][is_said])
                world.append(np.full(len(rows[-1]), g))
                local.append(np.full(len(rows[-1]), i))
                also.append(place[other[is_said]])
            place[[*tables]] = -1
        row = np.concatenate(rows)
        box = self._facts.box[row] + np.concatenate(world) * n
        known = self._facts.lower[row], self._facts.upper[row]
        bounds.learn(box, np.concatenate(local), np.concatenate(also), *known)
        if n <= MOST_WITH_ALL:
            touched[:] = True
        touched[box] = True
        lines = self._lines_between(touched, np.flatnonzero(touched))
        return bounds if close_lines(bounds, lines, until=until) else None

    def _lines_between(self, touched: Mask, new: Ints) -> list[LineBatch]:
        """Lines with two boxes or more that are spoken of; boxes between their cuts count too."""
        n_lines = int(self._first[-1])
        keys, counts = _NONE, _NONE
        while len(new):
            world, box = np.divmod(new, self._n_boxes)
            many = self._line_from[box + 1] - self._line_from[box]
            start = np.repeat(self._line_from[box] - np.cumsum(many) + many, many)
            line = self._line[start + np.arange(len(start))] + np.repeat(world, many) * n_lines
            found, n_new = np.unique(line, return_counts=True)
            keys, place = np.unique(np.concatenate([keys, found]), return_inverse=True)
            both = np.concatenate([counts, n_new])
            counts = np.bincount(place, weights=both, minlength=len(keys)).astype(np.int64)
            # Only a line that got another box can make more boxes spoken of.
            active = found[counts[np.searchsorted(keys, found)] > 1]
            made = [_boxes_between(touched, one) for one in self._batch(active)]
            new = np.unique(np.concatenate([_NONE, *made]))
            touched[new] = True
        return [*self._batch(keys[counts > 1])]

    def _batch(self, lines: Ints) -> Iterator[LineBatch]:
        """Lines by their batch, with the boxes of their worlds."""
        world, line = np.divmod(lines, max(int(self._first[-1]), 1))
        order = np.argsort(line, kind="stable")
        ends = np.searchsorted(line[order], self._first)
        for i in np.flatnonzero(np.diff(ends)).tolist():
            own = order[ends[i] : ends[i + 1]]
            batch = self._batches[i]
            boxes = batch.boxes[line[own] - self._first[i]] + (world[own] * self._n_boxes)[:, None]
            yield LineBatch(boxes, batch.start, batch.stop, batch.n_cuts)


def _boxes_between(touched: Mask, batch: LineBatch) -> Ints:
    """Boxes from one cut of a box that is spoken of to another, which are not spoken of yet."""
    is_touched = touched[batch.boxes]
    cuts = np.zeros((len(batch.boxes), batch.n_cuts), bool)
    for place, (a, b) in enumerate(zip(batch.start, batch.stop, strict=True)):
        cuts[:, a] |= is_touched[:, place]
        cuts[:, b] |= is_touched[:, place]
    between = cuts[:, batch.start] & cuts[:, batch.stop] & ~is_touched
    return batch.boxes[between]


def find_essential(
    boxes: Ints, widths: Ints, proofs: Bits, close_without: CloseWithout, n_tables: int
) -> Bits | None:
    """Of each box, the tables without which the whole plan no longer gives it away.

    A table that proves no bound of it is not among them. None where time ran out.
    """
    essential = np.zeros_like(proofs)
    for table in range(n_tables):
        removed = np.arange(n_tables) == table
        one = pack_tables([table], proofs.shape[1])
        if not (proofs & one).any():
            continue
        bounds, is_closed = close_without(removed)
        if not is_closed:
            return None
        essential[bounds.spare(boxes) > widths] |= one
    return essential


@dataclass
class Proofs:
    """Boxes, and the tables that prove what is known of each, as far as they are reduced."""

    boxes: Ints
    widths: Ints
    """How far bounds may be apart to be given away: 0 of a recovered box."""
    tables: Bits
    """Of each box the tables on the paths of its bounds."""
    needed: Bits
    """Of these, the tables that are known to be needed."""
    is_single: Mask
    """Whether it was seen which boxes one table gives away: then two are the smallest set."""

    @classmethod
    def of(cls, boxes: Ints, widths: Ints, tables: Bits, essential: Bits) -> Proofs:
        """Proofs as the lines give them."""
        return cls(boxes, widths, tables.copy(), essential & tables, np.zeros(len(boxes), bool))

    def find_singles(self, worlds: Worlds, until: float | None) -> bool:
        """Close each table by itself; False where time ran out."""
        n_words = self.tables.shape[1]
        union = np.bitwise_or.reduce(self.tables, axis=0, initial=0)
        singles = [(t,) for t in tables_in(np.asarray(union, np.uint64))]
        n_closed = 0
        for g, bounds in worlds.close(singles, self.boxes, until):
            n_closed += 1
            found = ~self.is_single & (bounds.spare() <= self.widths)
            self.tables[found] = self.needed[found] = pack_tables(singles[g], n_words)
            self.is_single |= found
        return n_closed == len(singles)

    def reduce(self, worlds: Worlds, until: float | None) -> bool:
        """Close sets that are proofs without one table, until all are needed; False: no time.

        Each set says something of every box: where it gives the box away, its own proof may have
        fewer tables; where it does not, and lacks one table of the proof only, that table is
        needed. No table gives a box away alone that was not found before.
        """
        while len(pending := np.flatnonzero((self.tables & ~self.needed).any(axis=1))):
            few = pending[np.bitwise_count(self.tables[pending]).sum(axis=1) <= 2]
            self.needed[few] = self.tables[few]
            pending = np.setdiff1d(pending, few)
            if not len(pending):
                break
            free = self.tables[pending] & ~self.needed[pending]
            chosen = _choose_sets(self.tables[pending] & ~_first_bit(free))
            sets = [tables_in(mask) for mask in chosen]
            n_closed = 0
            for g, bounds in worlds.close(sets, self.boxes[pending], until):
                n_closed += 1
                self._learn(pending, bounds, chosen[g], sets[g])
            if n_closed < len(sets):
                return False
        return True

    def _learn(self, pending: Ints, bounds: BoxBounds, chosen: Bits, tables: TableSet) -> None:
        is_given = bounds.spare() <= self.widths[pending]
        own, n_words = self.tables[pending], self.tables.shape[1]
        found = _from_local(bounds.above_by | bounds.below_by, tables, n_words)
        is_less = np.bitwise_count(found).sum(axis=1) < np.bitwise_count(own).sum(axis=1)
        better = is_given & is_less
        rows, less = pending[better], found[better]
        # What is known to be needed stays so where the new proof is a part of the old one.
        is_part = ((less & ~own[better]) == 0).all(axis=1)
        self.tables[rows] = less
        self.needed[rows] &= np.where(is_part[:, None], less, 0)
        lacking = own & ~chosen
        is_one = np.bitwise_count(lacking).sum(axis=1) == 1
        self.needed[pending] |= np.where((~is_given & is_one)[:, None], lacking, 0)


def find_certificates(
    worlds: Worlds, proofs: Proofs, until: float | None = None
) -> list[Certificate]:
    """Sets of tables that give boxes away, irreducible as far as time was enough."""
    has_singles = proofs.find_singles(worlds, until)
    if has_singles:
        proofs.reduce(worlds, until)
    is_done = (proofs.tables == proofs.needed).all(axis=1)
    made: dict[bytes, Certificate] = {}
    found = []
    for mask, done in zip(proofs.tables, is_done.tolist(), strict=True):
        key = mask.tobytes() + bytes([done])
        if key not in made:
            tables = tables_in(mask)
            is_smallest = done and has_singles and len(tables) <= 2
            made[key] = Certificate(tables, is_smallest, done)
        found.append(made[key])
    return found


MOST_SETS = 96
"""Sets of tables between two looks at what is still to be done."""


def _choose_sets(wanted: Bits) -> Bits:
    """The sets that most boxes ask for, of few tables first."""
    sets, n_asking = np.unique(wanted, axis=0, return_counts=True)
    worth = n_asking / np.bitwise_count(sets).sum(axis=1)
    chosen: Bits = sets[np.argsort(-worth, kind="stable")[:MOST_SETS]]
    return chosen


def _first_bit(masks: Bits) -> Bits:
    """Of each set its first table alone."""
    first = np.zeros_like(masks)
    open_ = np.ones(len(masks), bool)
    for word in range(masks.shape[1]):
        own = masks[:, word]
        first[:, word] = np.where(open_, own & (~own + np.uint64(1)), 0)
        open_ &= own == 0
    return first


def _from_local(local: Bits, tables: TableSet, n_words: int) -> Bits:
    """Sets of tables that are numbered within another set, by their own numbers."""
    made = np.zeros((len(local), n_words), np.uint64)
    for i, table in enumerate(tables):
        bit = (local[:, i // 64] >> np.uint64(i % 64)) & np.uint64(1)
        made[:, table // 64] |= bit << np.uint64(table % 64)
    return made


_NONE = np.zeros(0, np.int64)


# Which tables would have to be left out, so that nothing is recovered any more?
#
# A set of tables that meets every certificate (a hitting set): the fewest, by HiGHS. Other tables
# may give a box away as well, so the plan is closed without them; what is still given away names
# more certificates, until nothing is left (implicit hitting sets: Ignatiev et al. 2015).


SECONDS = 20.0
"""For one hitting set: a good one is taken where the best was not proven."""


@dataclass(frozen=True)
class LeftOut:
    """Tables to leave out, the most effective first, and how many boxes are given away then."""

    tables: TableSet
    n_left: int


def choose_left_out(
    sets: Sequence[TableSet],
    boxes: Ints,
    n_tables: int,
    close_without: CloseWithout,
    until: float | None,
) -> LeftOut | None:
    """The fewest tables without which none of the boxes is recovered; None: out of time."""
    known = [*dict.fromkeys(sets)]
    best: LeftOut | None = None
    while best is None or best.n_left:
        if until is not None and time.monotonic() >= until:
            return best
        chosen = _hit(known, n_tables)
        bounds, is_closed = close_without(np.isin(np.arange(n_tables), chosen))
        if not is_closed:
            return best
        still = boxes[bounds.spare(boxes) == 0]
        if best is None or len(still) < best.n_left:
            best = LeftOut(_order(chosen, known), len(still))
        proofs = np.unique(bounds.above_by[still] | bounds.below_by[still], axis=0)
        more = {tables_in(mask) for mask in proofs} - {*known} - {()}
        if len(still) and not more:
            return best
        known += sorted(more)
    return best


def _hit(sets: Sequence[TableSet], n_tables: int) -> TableSet:
    """The fewest tables of which every set has one."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    if not sets:
        return ()
    rows = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    columns = np.array([t for one in sets for t in one])
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), n_tables))
    found = milp(
        np.ones(n_tables),
        integrality=np.ones(n_tables),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(matrix, 1, np.inf)],
        options={"time_limit": SECONDS},
    )
    if found.x is None:
        return tuple(sorted({t for one in sets for t in one}))
    return tuple(np.flatnonzero(found.x > 0.5).tolist())


def _order(chosen: TableSet, sets: Sequence[TableSet]) -> TableSet:
    """Those first that are in most sets."""
    n_sets = {t: sum(t in one for one in sets) for t in chosen}
    return tuple(sorted(chosen, key=lambda t: (-n_sets[t], t)))
