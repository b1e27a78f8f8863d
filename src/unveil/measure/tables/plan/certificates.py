"""Which tables give a box away, and which would have to be left out?

The lines that bound a box name the tables they used: a proof. It is irreducible where none of its
tables can be left out: without any one of them, lines no longer give the box away. Sets of one
table are the smallest; so are sets of two where no table does it alone. Many boxes share a set:
whole sets of tables are closed at once, each in a world of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.closing import (
    Bits,
    BoxBounds,
    LineBatch,
    close_lines,
    tables_in,
)
from unveil.measure.tables.plan.table_facts import PlanFacts

MOST_STATE = 1 << 22
"""Boxes of all worlds that are closed at once."""

TableSet = tuple[int, ...]


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
        size = max(1, MOST_STATE // max(self._n_boxes, 1))
        for first in range(0, len(sets), size):
            some = sets[first : first + size]
            bounds = self._close_some(some, until)
            if bounds is None:
                return
            for g in range(len(some)):
                at = g * self._n_boxes + boxes
                yield (
                    first + g,
                    BoxBounds(
                        bounds.above[at], bounds.below[at], bounds.above_by[at], bounds.below_by[at]
                    ),
                )

    def _close_some(self, sets: Sequence[TableSet], until: float | None) -> BoxBounds | None:
        n = self._n_boxes
        bounds = BoxBounds.of_nothing(n * len(sets), max(map(len, sets)))
        touched = np.zeros(n * len(sets), bool)
        rows, world, local = [], [], []
        for g, tables in enumerate(sets):
            for i, t in enumerate(tables):
                rows.append(self._of_table[t])
                world.append(np.full(len(rows[-1]), g))
                local.append(np.full(len(rows[-1]), i))
        row = np.concatenate(rows)
        box = self._facts.box[row] + np.concatenate(world) * n
        bounds.learn(box, np.concatenate(local), self._facts.lower[row], self._facts.upper[row])
        touched[box] = True
        lines = self._lines_between(touched, np.unique(box))
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


@dataclass
class _Pending:
    """Boxes with the same proof, some tables of which are known to be needed."""

    targets: Ints
    tables: TableSet
    needed: frozenset[int]
    is_checked: bool = False
    """Whether the tables alone were seen to give the boxes away."""

    def without_next(self) -> tuple[int | None, TableSet]:
        """The next table to leave out, and the others; none, where the proof itself is checked."""
        if not self.is_checked:
            return None, self.tables
        free = [t for t in self.tables if t not in self.needed]
        return free[0], tuple(t for t in self.tables if t != free[0])

    @property
    def is_done(self) -> bool:
        """Whether every table is needed."""
        return self.is_checked and self.needed.issuperset(self.tables)


def find_certificates(
    worlds: Worlds, boxes: Ints, widths: Ints, proofs: Bits, until: float | None = None
) -> tuple[list[Certificate], bool]:
    """Irreducible sets of tables that give boxes away; whether time was enough for all.

    Parameters
    ----------
    boxes, widths
        The boxes, and how far their bounds may be apart to be given away: 0 of recovered ones.
    proofs
        Of each box the tables on the paths of its bounds.
    """
    distinct, which = np.unique(proofs, axis=0, return_inverse=True)
    which = which.reshape(-1)
    found: list[Certificate | None] = [None] * len(boxes)
    every = [tables_in(mask) for mask in distinct]
    singles = sorted({t for one in every for t in one})
    sets: list[TableSet] = [(t,) for t in singles]
    n_alone = 0
    for g, bounds in worlds.close(sets, boxes, until):
        n_alone += 1
        for i in np.flatnonzero(bounds.upper - bounds.lower <= widths).tolist():
            found[i] = found[i] or Certificate(sets[g], is_smallest=True)
    is_known_alone = n_alone == len(sets)
    open_ = np.array([one is None for one in found], bool)
    pending = [
        _Pending(np.flatnonzero((which == i) & open_), tables, frozenset())
        for i, tables in enumerate(every)
    ]
    pending = [one for one in pending if len(one.targets)]
    while pending:
        pending, done, in_time = _drop_tables(worlds, pending, boxes, widths, until)
        for one in done if in_time else (*done, *pending):
            is_smallest = is_known_alone and one.is_done and len(one.tables) == 2
            made = Certificate(one.tables, is_smallest, one.is_done)
            for i in one.targets.tolist():
                found[i] = made
        if not in_time:
            break
    return [one for one in found if one is not None], not any(
        one is not None and not one.is_irreducible for one in found
    ) and is_known_alone


def _drop_tables(
    worlds: Worlds, pending: Sequence[_Pending], boxes: Ints, widths: Ints, until: float | None
) -> tuple[list[_Pending], list[_Pending], bool]:
    """Leave one more table out of every proof; what is left to do, what is done, and time is left.

    Where the others still give a box away, its proof becomes what that needs of them.
    """
    asked: dict[TableSet, list[_Pending]] = {}
    for one in pending:
        asked.setdefault(one.without_next()[1], []).append(one)
    sets = [*asked]
    concerned = np.unique(np.concatenate([one.targets for one in pending]))
    place = np.zeros(len(boxes), np.int64)
    place[concerned] = np.arange(len(concerned))
    more: dict[tuple[TableSet, frozenset[int], bool], list[Ints]] = {}
    answered = 0
    for g, bounds in worlds.close(sets, boxes[concerned], until):
        answered += 1
        by = bounds.above_by | bounds.below_by
        for one in asked[sets[g]]:
            dropped, _ = one.without_next()
            at = place[one.targets]
            given = bounds.upper[at] - bounds.lower[at] <= widths[one.targets]
            kept, row = np.unique(by[at[given]], axis=0, return_inverse=True)
            for i, mask in enumerate(kept):
                tables = tuple(sets[g][t] for t in tables_in(mask))
                own = one.targets[given][row.reshape(-1) == i]
                more.setdefault((tables, one.needed, True), []).append(own)
            if not given.all():
                needed = one.needed if dropped is None else one.needed | {dropped}
                key = (one.tables, needed, dropped is not None)
                more.setdefault(key, []).append(one.targets[~given])
    left: list[_Pending] = []
    done: list[_Pending] = []
    for (tables, needed, is_checked), targets in more.items():
        one = _Pending(np.concatenate(targets), tables, needed & frozenset(tables), is_checked)
        # A proof that its own lines do not give again is left as it is: it holds by all lines.
        (done if one.is_done or not is_checked else left).append(one)
    if answered < len(sets):
        left += [one for tables in sets[answered:] for one in asked[tables]]
    return left, done, answered == len(sets)


_NONE = np.zeros(0, np.int64)


# Which tables would have to be left out, so that nothing is recovered any more?
#
# A set of tables that meets every certificate (a hitting set): the fewest, by HiGHS. Other tables
# may give a box away as well, so the plan is closed without them; what is still given away names
# more certificates, until nothing is left (implicit hitting sets: Ignatiev et al. 2015).


Close = Callable[[Mask], tuple[BoxBounds, bool]]
"""Bounds by some tables, and whether all lines are closed."""
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
    close: Close,
    until: float | None,
) -> LeftOut | None:
    """The fewest tables without which none of the boxes is recovered; None: out of time."""
    known = [*dict.fromkeys(sets)]
    best: LeftOut | None = None
    while best is None or best.n_left:
        if until is not None and time.monotonic() >= until:
            return best
        chosen = _hit(known, n_tables)
        kept = np.ones(n_tables, bool)
        kept[[*chosen]] = False
        bounds, is_closed = close(kept)
        if not is_closed:
            return best
        still = boxes[bounds.upper[boxes] == bounds.lower[boxes]]
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
