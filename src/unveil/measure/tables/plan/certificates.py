"""Which tables give a box away, and which would have to be left out?

The lines that bound a box name the tables they used: a proof. It is irreducible where none of its
tables can be left out: without any one of them, lines no longer bound the box as closely. Sets of
one table are the smallest; so are sets of two where no table does it alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.closure import Bits, BoxBounds, pack_tables, tables_in
from unveil.measure.tables.plan.worlds import Worlds

MOST_SETS = 512
"""Sets of tables between two looks at what is still to be done."""

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


@dataclass
class Proofs:
    """Boxes, and the tables that prove their bounds, as far as they are reduced."""

    boxes: Ints
    tables: Bits
    """Of each box the tables on the paths of its bounds."""
    needed: Bits
    """Of its tables those that are known to be needed."""
    essential: Bits
    """The tables without which all others do not bound the box so."""
    is_started: bool = False
    """Whether each table was looked at."""

    @classmethod
    def of(cls, boxes: Ints, whole: BoxBounds) -> Proofs:
        """Proofs as the lines give them."""
        tables = whole.above_by[boxes] | whole.below_by[boxes]
        return cls(boxes, tables, np.zeros_like(tables), np.zeros_like(tables))

    def find_certificates(self, worlds: Worlds, until: float | None) -> list[Certificate]:
        """Sets of tables that give boxes away, irreducible as far as time was enough."""
        union = np.bitwise_or.reduce(self.tables, axis=0, initial=0)
        used = np.asarray(union, np.uint64)
        single = np.array([pack_tables([t], len(used)) for t in tables_in(used)], np.uint64)
        single = single.reshape(-1, len(used))
        given = worlds.close(np.concatenate([single, ~single]), self.boxes, until)
        if len(given) == 2 * len(single):
            self._start(single, given)
            self._reduce(worlds, until)
        return [*self._certify()]

    def _start(self, single: Bits, given: Mask) -> None:
        """Tables that do it alone, and those without which the others do not."""
        alone, without = np.split(given, 2)
        self.is_started = True
        for one, lost in zip(single, ~without, strict=True):
            self.essential[lost] |= one
        self.needed = self.essential & self.tables
        rows = np.flatnonzero(alone.any(axis=0))
        self.tables[rows] = self.needed[rows] = single[alone[:, rows].argmax(axis=0)]

    def _reduce(self, worlds: Worlds, until: float | None) -> None:
        """Close sets that are proofs without one table, until all are needed, or time runs out.

        Each set says something of every box: where it gives the box away, it may have fewer tables
        than its proof; where it does not, and lacks one table of the proof only, that table is
        needed. No table gives a box away alone that was not found before.
        """
        while len(pending := np.flatnonzero((self.tables & ~self.needed).any(axis=1))):
            few = pending[_sizes(self.tables[pending]) <= 2]
            self.needed[few] = self.tables[few]
            pending = np.setdiff1d(pending, few)
            if not len(pending):
                return
            free = self.tables[pending] & ~self.needed[pending]
            chosen = _choose_sets(self.tables[pending] & ~_first_bit(free))
            given = worlds.close(chosen, self.boxes[pending], until)
            self._learn(pending, chosen[: len(given)], given)
            if len(given) < len(chosen):
                return

    def _learn(self, pending: Ints, chosen: Bits, given: Mask) -> None:
        """What sets that were closed say of boxes whose tables may not all be needed."""
        own = self.tables[pending]
        row, world = _lacking_one(own, chosen)
        lost = ~given[world, row]
        row, world = row[lost], world[lost]
        np.bitwise_or.at(self.needed, pending[row], own[row] & ~chosen[world])
        # Of each box the set with the fewest tables.
        sizes = np.where(given, _sizes(chosen).astype(np.uint16)[:, None], 0xFFFF)
        best = sizes.argmin(axis=0) if len(chosen) else np.zeros(0, np.int64)
        better = np.flatnonzero(sizes.min(axis=0, initial=0xFFFF) < _sizes(own))
        rows, less = pending[better], chosen[best[better]]
        # What is known to be needed stays so where the new proof is a part of the old one.
        is_part = ((less & ~self.tables[rows]) == 0).all(axis=1)
        needed = np.where(is_part[:, None], self.needed[rows], self.essential[rows]) & less
        self.tables[rows], self.needed[rows] = less, needed

    def _certify(self) -> Iterator[Certificate]:
        is_done = (self.tables == self.needed).all(axis=1)
        made: dict[bytes, Certificate] = {}
        for mask, done in zip(self.tables, is_done.tolist(), strict=True):
            key = mask.tobytes() + bytes([done])
            if key not in made:
                tables = tables_in(mask)
                made[key] = Certificate(tables, done and len(tables) <= 2, done)
            yield made[key]


def _choose_sets(wanted: Bits) -> Bits:
    """The sets that most boxes ask for."""
    sets, n_asking = np.unique(wanted, axis=0, return_counts=True)
    chosen: Bits = sets[np.argsort(-n_asking, kind="stable")[:MOST_SETS]]
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
    row, world = np.nonzero((n_lacking == 1)[which.reshape(-1)])
    return row, world


# Which tables would have to be left out, so that nothing is recovered any more?
#
# A set of tables that meets every certificate (a hitting set): the fewest, by HiGHS. Other tables
# may give a box away as well, so the plan is closed without them; what is still given away names
# more certificates, until nothing is left (implicit hitting sets: Ignatiev et al. 2015).


SECONDS = 20.0
"""For one hitting set: a good one is taken where the best was not proven."""


@dataclass(frozen=True)
class OmittedTables:
    """Tables to leave out, the most effective first, and how many boxes are given away then."""

    tables: TableSet
    n_left: int


def choose_omitted(
    sets: Sequence[TableSet],
    boxes: Ints,
    n_tables: int,
    close_without: CloseWithout,
    until: float | None,
) -> OmittedTables | None:
    """The fewest tables without which none of the boxes is recovered; None: out of time."""
    known = [*dict.fromkeys(sets)]
    best: OmittedTables | None = None
    while best is None or best.n_left:
        if until is not None and time.monotonic() >= until:
            return best
        chosen = _hit(known, n_tables)
        bounds, is_closed = close_without(np.isin(np.arange(n_tables), chosen))
        if not is_closed:
            return best
        still = boxes[bounds.spare(boxes) == 0]
        if best is None or len(still) < best.n_left:
            best = OmittedTables(_order(chosen, known), len(still))
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
