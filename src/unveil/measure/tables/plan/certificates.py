"""Which tables give a box away, and which would have to be left out?

The lines that bound a box name the tables they used: a proof. It is irreducible where none of its
tables can be left out: without any one of them, lines no longer give the box away. Sets of one
table are the smallest; so are sets of two where no table does it alone. Many sets of tables are
closed at once, each in a world of its own, and each says something of all boxes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import count
from typing import TypeVar

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.closing import (
    NO_LIMIT,
    OPEN,
    UNIT,
    Bits,
    BoxBounds,
    LineBatch,
    close_lines,
    pack_tables,
    tables_in,
)
from unveil.measure.tables.plan.table_facts import PlanFacts

MOST_STATE = 1 << 25
"""Boxes of all worlds that one thread closes at once; few of them are spoken of in each world."""
N_THREADS = 2

MOST_WITH_ALL = 3_000
"""Boxes of a plan all of whose lines are looked at for each set; of larger plans those between
two values of the set."""

T = TypeVar("T")
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


@dataclass(frozen=True)
class Asked:
    """Boxes that are given away, and how far their bounds may be apart for that."""

    boxes: Ints
    widths: Ints
    """0 of a recovered box."""

    def among(self, keys: Ints, n_boxes: int) -> tuple[Ints, Ints, Ints]:
        """Of boxes of several worlds those asked for: their rows, worlds, and places here."""
        place = np.full(n_boxes, -1, np.int64)
        place[self.boxes] = np.arange(len(self.boxes))
        world, box = np.divmod(keys, n_boxes)
        at = np.flatnonzero(place[box] >= 0)
        return at, world[at], place[box[at]]

    def some(self, rows: Ints) -> Asked:
        """Some of them."""
        return Asked(self.boxes[rows], self.widths[rows])


@dataclass(frozen=True)
class Given:
    """Which of some sets of tables give which boxes away; those of the first sets only, if late."""

    n_sets: int
    """Sets that were closed."""
    world: Ints
    """By the number of the set, and the place of the box among those asked for."""
    place: Ints
    proofs: Bits

    def after(self, first: int) -> Given:
        """The same, where so many sets stand before these."""
        return replace(self, world=self.world + first)

    @classmethod
    def joined(cls, parts: Sequence[Given], n_words: int) -> Given:
        """What several portions of the sets give."""
        none = np.zeros((0, n_words), np.uint64)
        return cls(
            sum(one.n_sets for one in parts),
            np.concatenate([_NONE, *(one.world for one in parts)]),
            np.concatenate([_NONE, *(one.place for one in parts)]),
            np.concatenate([none, *(one.proofs for one in parts)]),
        )


@dataclass(frozen=True)
class _Said:
    """What each table says: its values, or all that follows from them by themselves."""

    box: Ints
    table: Ints
    also: Ints
    """A second table without which the first does not say it, or -1."""
    lower: Ints
    upper: Ints
    is_spoken: Mask
    """False of what follows for boxes beyond those between its values."""

    @classmethod
    def by_values(cls, facts: PlanFacts, rows: Ints) -> _Said:
        """The values themselves."""
        box, table, also = facts.box[rows], facts.table[rows], facts.also[rows]
        is_spoken = np.ones(len(rows), bool)
        return cls(box, table, also, facts.lower[rows], facts.upper[rows], is_spoken)

    @classmethod
    def joined(cls, parts: Sequence[_Said]) -> _Said:
        """What several say."""
        names = [one.name for one in fields(cls)]
        return cls(*(np.concatenate([getattr(one, name) for one in parts]) for name in names))


@dataclass(frozen=True)
class _Closed:
    """Bounds of the boxes of some worlds."""

    sets: Sequence[TableSet]
    keys: Ints
    """The boxes, numbered through all worlds, in order."""
    bounds: BoxBounds
    is_spoken: Mask

    def give(self, asked: Asked, n_boxes: int, n_words: int) -> Given:
        """The boxes asked for that are given away."""
        at, world, place = asked.among(self.keys, n_boxes)
        is_given = self.bounds.spare(at) <= asked.widths[place]
        at, world, place = at[is_given], world[is_given], place[is_given]
        local = self.bounds.above_by[at] | self.bounds.below_by[at]
        return Given(len(self.sets), world, place, _from_local(local, world, self.sets, n_words))

    def said_alone(self, n_boxes: int) -> _Said:
        """What follows from single tables."""
        lower, upper = self.bounds.lower, self.bounds.upper
        row = np.flatnonzero(self.is_spoken | (lower > 0) | (upper < NO_LIMIT))
        world, box = np.divmod(self.keys[row], n_boxes)
        table = np.array(self.sets).reshape(-1)[world]
        return _Said(box, table, np.full_like(box, -1), lower[row], upper[row], self.is_spoken[row])


class Worlds:
    """Sets of tables that are closed side by side, each as if there were no others."""

    def __init__(self, facts: PlanFacts, batches: Sequence[LineBatch], n_tables: int) -> None:
        self._batches, self._n_boxes, self._n_tables = batches, facts.boxes.n, n_tables
        self._n_words = (n_tables + 63) // 64
        self._facts = facts
        self._of_box = _Index.of(facts.box, np.arange(len(facts.box)), self._n_boxes)
        # The lines that each box lies on, numbered through all batches.
        self._first = np.cumsum([0, *(len(batch.boxes) for batch in batches)])
        box = np.concatenate([_NONE, *(batch.boxes.reshape(-1) for batch in batches)])
        many = np.concatenate(
            [_NONE, *(np.full(len(batch.boxes), batch.boxes.shape[1]) for batch in batches)]
        )
        self._lines = _Index.of(box, np.repeat(np.arange(len(many)), many), self._n_boxes)
        self._say(_Said.by_values(facts, np.arange(len(facts.box))), is_closed=False)

    def _say(self, said: _Said, *, is_closed: bool) -> None:
        self._said, self._is_closed = said, is_closed
        self._of_table = _Index.of(said.table, np.arange(len(said.table)), self._n_tables)

    def close_alone(self, tables: TableSet, asked: Asked, until: float | None) -> Given:
        """Each of some tables by itself; other sets of them start from what follows from each."""
        closed = self._in_portions([(t,) for t in tables], lambda some: self._close(some, until))
        said = [_Said.by_values(self._facts, np.flatnonzero(self._facts.also >= 0))]
        parts = []
        for first, one in closed:
            said.append(one.said_alone(self._n_boxes))
            parts.append(one.give(asked, self._n_boxes, self._n_words).after(first))
        self._say(_Said.joined(said), is_closed=True)
        return Given.joined(parts, self._n_words)

    def close(self, sets: Sequence[TableSet], asked: Asked, until: float | None = None) -> Given:
        """The boxes asked for that each set gives away, with the tables that prove it."""

        def give(some: Sequence[TableSet]) -> Given | None:
            closed = self._close(some, until)
            if closed is None:
                return None
            return closed.give(asked, self._n_boxes, self._n_words)

        parts = [one.after(first) for first, one in self._in_portions(sets, give)]
        return Given.joined(parts, self._n_words)

    def find_essential(
        self, whole: BoxBounds, asked: Asked, proofs: Bits, until: float | None
    ) -> Bits | None:
        """Of each box, the tables without which the whole plan no longer gives it away.

        A table that proves no bound of it is not among them. None where time ran out.
        """
        used = tables_in(np.asarray(np.bitwise_or.reduce(proofs, axis=0, initial=0), np.uint64))
        lost = self._in_portions(
            [(table,) for table in used], lambda some: self._lose(whole, some, asked, until)
        )
        given = Given.joined([one.after(first) for first, one in lost], 0)
        if given.n_sets < len(used):
            return None
        essential = np.zeros_like(proofs)
        one = np.array([pack_tables([table], self._n_words) for table in used])
        np.bitwise_or.at(essential, given.place, one[given.world])
        return essential

    def _in_portions(
        self, sets: Sequence[TableSet], close: Callable[[Sequence[TableSet]], T | None]
    ) -> Iterator[tuple[int, T]]:
        """What portions of the sets say, with the number of the first, as long as time is left."""
        most = MOST_STATE // max(self._n_boxes, 1)
        size = max(1, min(most, -(-len(sets) // N_THREADS)))
        portions = [sets[i : i + size] for i in range(0, len(sets), size)]
        # Work on arrays, for which Python lets other threads go on.
        with ThreadPoolExecutor(N_THREADS) as threads:
            for first, found in zip(count(0, size), threads.map(close, portions), strict=False):
                if found is None:
                    return
                yield first, found

    def _close(self, sets: Sequence[TableSet], until: float | None) -> _Closed | None:
        said, n = self._said, self._n_boxes
        members = np.concatenate([np.array(tables, np.int64) for tables in sets])
        sizes = np.array([len(tables) for tables in sets])
        of_set = np.repeat(np.arange(len(sets)), sizes)
        # Of each table its place in each set; the last one, for -1, is no table.
        place = np.full((len(sets), self._n_words * 64 + 1), -1, np.int64)
        place[of_set, members] = np.concatenate([np.arange(size) for size in sizes])
        row, which = self._of_table.find(members)
        world = of_set[which]
        is_said = (said.also[row] < 0) | (place[world, said.also[row]] >= 0)
        row, world = row[is_said], world[is_said]
        key = said.box[row] + world * n
        spoken = np.full(n * len(sets), n <= MOST_WITH_ALL)
        spoken[key[said.is_spoken[row]]] = True
        lines = self._lines_between(spoken, np.flatnonzero(spoken))
        keys, lines = _renumber(key, lines, len(spoken))
        bounds = BoxBounds.of_nothing(len(keys), int(sizes.max()))
        at, is_spoken = np.searchsorted(keys, key), spoken[keys]
        table, also = place[world, said.table[row]], place[world, said.also[row]]
        bounds.learn(at, table, also, said.lower[row], said.upper[row])
        first: list[Mask] | None = None
        if self._is_closed:
            # Lines of which only one table speaks were closed with it.
            least, most = np.full(len(keys), len(members)), np.full(len(keys), -1)
            np.minimum.at(least, at, np.where(also < 0, table, -1))
            np.maximum.at(most, at, np.where(also < 0, table, len(members)))
            new = is_spoken & (most < 0)
            least[new], most[new] = -1, len(members)
            first = [least[one.boxes].min(axis=1) < most[one.boxes].max(axis=1) for one in lines]
        is_closed = close_lines(bounds, lines, first=first, until=until)
        return _Closed(sets, keys, bounds, is_spoken) if is_closed else None

    def _lose(
        self, whole: BoxBounds, sets: Sequence[TableSet], asked: Asked, until: float | None
    ) -> Given | None:
        """Close the plan without each set of tables: the boxes that it no longer gives away.

        What the others prove holds and cannot be tighter. So the boxes whose proof names one of
        the set are forgotten, and closed again on the lines that they lie on.
        """
        facts, n = self._facts, self._n_boxes
        gone = np.array([pack_tables(tables, self._n_words) for tables in sets])
        is_above, is_below = (
            np.concatenate([(by & one).any(axis=1) for one in gone])
            for by in (whole.above_by, whole.below_by)
        )
        stale = np.flatnonzero(is_above | is_below)
        line, which = self._lines.find(stale % n)
        line = line + stale[which] // n * self._first[-1]
        keys, lines = _renumber(stale, self._batch(np.unique(line)), n * len(sets))
        box = keys % n
        above, below = whole.upper[box] * UNIT, -whole.lower[box] * UNIT
        above[(whole.upper[box] >= NO_LIMIT) | is_above[keys]] = OPEN
        below[is_below[keys]] = 0
        no_proof = np.zeros((len(keys), 0), np.uint64)
        bounds = BoxBounds(above, below, no_proof, no_proof)
        row, which = self._of_box.find(stale % n)
        is_gone = np.zeros((len(sets), self._n_words * 64 + 1), bool)
        for g, tables in enumerate(sets):
            is_gone[g, [*tables]] = True
        world = stale[which] // n
        is_said = ~is_gone[world, facts.table[row]] & ~is_gone[world, facts.also[row]]
        row, at = row[is_said], np.searchsorted(keys, stale[which[is_said]])
        unnamed = np.full(len(row), -1)
        bounds.learn(at, unnamed, unnamed, facts.lower[row], facts.upper[row])
        if not close_lines(bounds, lines, until=until):
            return None
        at, world, place = asked.among(keys, n)
        is_lost = bounds.spare(at) > asked.widths[place]
        lost = np.flatnonzero(is_lost)
        return Given(len(sets), world[lost], place[lost], no_proof[lost])

    def _lines_between(self, touched: Mask, new: Ints) -> list[LineBatch]:
        """Lines with two boxes or more that are spoken of; boxes between their cuts count too."""
        n_lines = int(self._first[-1])
        keys, counts = _NONE, _NONE
        while len(new):
            line, which = self._lines.find(new % self._n_boxes)
            line = line + new[which] // self._n_boxes * n_lines
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


@dataclass
class Proofs:
    """Boxes, and the tables that prove what is known of each, as far as they are reduced."""

    asked: Asked
    tables: Bits
    """Of each box the tables on the paths of its bounds."""
    essential: Bits
    """The tables without which the whole plan does not give the box away, where they are known."""
    needed: Bits
    """Of its tables those that are known to be needed."""

    @classmethod
    def of(cls, asked: Asked, tables: Bits, essential: Bits) -> Proofs:
        """Proofs as the lines give them."""
        return cls(asked, tables.copy(), essential, essential & tables)

    def find_singles(self, worlds: Worlds, until: float | None) -> bool:
        """Close each table by itself; False where time ran out."""
        union = np.bitwise_or.reduce(self.tables, axis=0, initial=0)
        singles = tables_in(np.asarray(union, np.uint64))
        given = worlds.close_alone(singles, self.asked, until)
        rows, first = np.unique(given.place, return_index=True)
        self.tables[rows] = self.needed[rows] = given.proofs[first]
        return given.n_sets == len(singles)

    def reduce(self, worlds: Worlds, until: float | None) -> bool:
        """Close sets that are proofs without one table, until all are needed; False: no time.

        Each set says something of every box: where it gives the box away, its own proof may have
        fewer tables; where it does not, and lacks one table of the proof only, that table is
        needed. No table gives a box away alone that was not found before.
        """
        while len(pending := np.flatnonzero((self.tables & ~self.needed).any(axis=1))):
            few = pending[_sizes(self.tables[pending]) <= 2]
            self.needed[few] = self.tables[few]
            pending = np.setdiff1d(pending, few)
            if not len(pending):
                break
            free = self.tables[pending] & ~self.needed[pending]
            chosen = _choose_sets(self.tables[pending] & ~_first_bit(free))
            sets = [tables_in(mask) for mask in chosen]
            given = worlds.close(sets, self.asked.some(pending), until)
            self._learn(pending, chosen[: given.n_sets], given)
            if given.n_sets < len(sets):
                return False
        return True

    def _learn(self, pending: Ints, chosen: Bits, given: Given) -> None:
        """What sets that were closed say of boxes whose tables may not all be needed."""
        own = self.tables[pending]
        row, world = _lacking_one(own, chosen)
        key = row * len(chosen) + world
        is_lost = ~np.isin(key, given.place * len(chosen) + given.world)
        row, world = row[is_lost], world[is_lost]
        np.bitwise_or.at(self.needed, pending[row], own[row] & ~chosen[world])
        # Of each box the proof with the fewest tables.
        order = np.lexsort((_sizes(given.proofs), given.place))
        place, first = np.unique(given.place[order], return_index=True)
        found = given.proofs[order[first]]
        better = _sizes(found) < _sizes(own[place])
        rows, less = pending[place[better]], found[better]
        # What is known to be needed stays so where the new proof is a part of the old one.
        is_part = ((less & ~self.tables[rows]) == 0).all(axis=1)
        needed = np.where(is_part[:, None], self.needed[rows] & less, self.essential[rows])
        self.tables[rows], self.needed[rows] = less, needed


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


MOST_SETS = 512
"""Sets of tables between two looks at what is still to be done."""


def _choose_sets(wanted: Bits) -> Bits:
    """The sets that most boxes ask for, of few tables first."""
    sets, n_asking = np.unique(wanted, axis=0, return_counts=True)
    worth = n_asking / _sizes(sets)
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


def _sizes(masks: Bits) -> Ints:
    """How many tables each set has."""
    sizes: Ints = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    return sizes


def _lacking_one(masks: Bits, chosen: Bits) -> tuple[Ints, Ints]:
    """Rows of sets of which one table is not in a chosen set, with the number of that set."""
    sets, which = np.unique(masks, axis=0, return_inverse=True)
    n_lacking = np.zeros((len(sets), len(chosen)), np.uint16)
    for word in range(masks.shape[1]):
        n_lacking += np.bitwise_count(sets[:, word, None] & ~chosen[None, :, word])
    of_set = _Index.of(which.reshape(-1), np.arange(len(masks)), len(sets))
    one, world = np.nonzero(n_lacking == 1)
    row, at = of_set.find(one)
    return row, world[at]


def _from_local(local: Bits, world: Ints, sets: Sequence[TableSet], n_words: int) -> Bits:
    """Sets of tables that are numbered within other sets, by their own numbers."""
    made = np.zeros((len(local), n_words), np.uint64)
    for i in range(max(map(len, sets))):
        table = np.array([tables[i] if i < len(tables) else 0 for tables in sets])[world]
        bit = (local[:, i // 64] >> np.uint64(i % 64)) & np.uint64(1)
        made[np.arange(len(made)), table // 64] |= bit << (table % 64).astype(np.uint64)
    return made


def _renumber(keys: Ints, lines: Iterable[LineBatch], n: int) -> tuple[Ints, list[LineBatch]]:
    """All boxes that are on lines, or have these keys, in order; and the lines by their rows."""
    lines = [*lines]
    is_used = np.zeros(n, bool)
    is_used[keys] = True
    for one in lines:
        is_used[one.boxes] = True
    every = np.flatnonzero(is_used)
    row = np.empty(n, np.int32)
    row[every] = np.arange(len(every))
    return every, [replace(one, boxes=row[one.boxes].astype(np.int64)) for one in lines]


@dataclass(frozen=True)
class _Index:
    """Values by the number of what they belong to."""

    values: Ints
    start: Ints

    @classmethod
    def of(cls, owner: Ints, values: Ints, n: int) -> _Index:
        """Values, each with its owner from 0 to n - 1."""
        order = np.argsort(owner, kind="stable")
        return cls(values[order], np.searchsorted(owner[order], np.arange(n + 1)))

    def find(self, owners: Ints) -> tuple[Ints, Ints]:
        """The values of some owners, and the place of the owner of each among these."""
        many = self.start[owners + 1] - self.start[owners]
        which = np.repeat(np.arange(len(owners)), many)
        first = self.start[owners] - np.cumsum(many) + many
        return self.values[first[which] + np.arange(len(which))], which


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
