"""How many people can be in each box of a plan, by all its tables together?

On a line with cut points 0..m let S_p be the people up to p. Each box from a to b says that
lo <= S_b - S_a <= hi, and S_p <= S_(p+1): difference constraints, whose tightest whole-number
bounds are shortest paths (the matrix is totally unimodular). Lines of all columns are closed in
turn until nothing moves: the shuttle method (Buzzigoli and Giusti 1999; Dobra and Fienberg 2000),
by lines. Every bound holds at every moment, so it may stop at any time.

Each bound carries the set of tables that proves it, as a bit mask: of two paths of the same length
the one over fewer tables is taken.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.boxes import Boxes

# A bound and the number of tables that prove it are packed into one number, the bound first: the
# least of several is the tightest bound, and among equals the one with the simplest proof.
TABLE_BITS = 20
UNIT = 1 << TABLE_BITS
OPEN = 1 << 60
"""No bound, packed."""
NO_LIMIT = OPEN >> TABLE_BITS
MOST_PATHS = 1 << 23
"""Entries of the matrices of paths that are held at once."""

Bits = NDArray[np.uint64]


@dataclass(frozen=True)
class LineBatch:
    """Lines with boxes at the same places: closed together."""

    boxes: Ints
    """Lines by places: the number of the box."""
    start: Ints
    """Of each place, the cut point where its boxes begin, numbered along the line."""
    stop: Ints
    n_cuts: int
    is_apart: bool = True
    """Whether no two lines share a box."""

    @property
    def size(self) -> int:
        """Numbers that are held for each line while it is closed."""
        n_long = int((self.stop - self.start > 1).sum())
        n_ends = min(2 * n_long + 2, self.n_cuts)
        return n_ends * n_ends + self.n_cuts


def batch_lines(boxes: Boxes) -> list[LineBatch]:
    """All lines with two boxes or more, those of the same pattern together."""
    made = [batch for column in range(len(boxes.sizes)) for batch in _batch_along(boxes, column)]
    if not len(boxes.less):
        return made
    # A box, the other within it, and what is left: as on a line of two steps.
    left = np.arange(boxes.n_plain, boxes.n)
    members = np.concatenate([boxes.less, left[:, None]], axis=1)
    return [*made, LineBatch(members, np.array([0, 0, 1]), np.array([2, 1, 2]), 3, is_apart=False)]


def _batch_along(boxes: Boxes, column: int) -> Iterator[LineBatch]:
    line, n_lines = boxes.lines(column)
    n_on_line = np.bincount(line, minlength=n_lines)
    shared = np.flatnonzero(n_on_line[line] > 1)
    start, stop = boxes.ends[shared, column, 0], boxes.ends[shared, column, 1]
    order = shared[np.lexsort((stop, start, line[shared]))]
    span = boxes.ends[order, column, 0] * (boxes.sizes[column] + 1) + boxes.ends[order, column, 1]
    n_places = n_on_line[line[order]]
    for many in np.unique(n_places).tolist():
        of_size = np.flatnonzero(n_places == many).reshape(-1, many)
        patterns, which = np.unique(span[of_size], axis=0, return_inverse=True)
        for i in range(len(patterns)):
            members = order[of_size[which.reshape(-1) == i]]
            ends = boxes.ends[members[0], column]
            cuts, place = np.unique(ends, return_inverse=True)
            place = place.reshape(ends.shape)
            yield LineBatch(members, place[:, 0], place[:, 1], len(cuts))


class Contradiction(Exception):
    """The tables say of one box that more people are in it than can be; `tables` is their mask."""

    def __init__(self, box: int, tables: Bits) -> None:
        super().__init__(f"box {box}")
        self.box, self.tables = box, tables


@dataclass
class BoxBounds:
    """Bounds of all boxes so far, packed, and the tables that prove each."""

    above: Ints
    """hi, packed: OPEN where there is none."""
    below: Ints
    """-lo, packed: so that less is tighter here too."""
    above_by: Bits
    """Boxes by words of 64 tables."""
    below_by: Bits

    @classmethod
    def of_nothing(cls, n_boxes: int, n_tables: int) -> BoxBounds:
        """Every box has at least 0 people, whatever is published."""
        words = (n_tables + 63) // 64
        by = np.zeros((n_boxes, words), np.uint64)
        return cls(np.full(n_boxes, OPEN), np.zeros(n_boxes, np.int64), by, by.copy())

    @property
    def lower(self) -> Ints:
        """The fewest people that can be in each box."""
        return -(self.below >> TABLE_BITS)

    @property
    def upper(self) -> Ints:
        """The most people; `NO_LIMIT` where nothing limits them."""
        return self.above >> TABLE_BITS

    def unproven(self) -> BoxBounds:
        """The bounds alone, without the tables that prove them."""
        none = np.zeros((len(self.above), 0), np.uint64)
        above = np.where(self.above >= OPEN, OPEN, self.upper * UNIT)
        return BoxBounds(above, -self.lower * UNIT, none, none)

    def without(self, tables: Bits) -> tuple[BoxBounds, Mask]:
        """A copy that forgets what these tables prove, and the boxes concerned."""
        is_above: Mask = np.any(self.above_by & tables, axis=1)
        is_below: Mask = np.any(self.below_by & tables, axis=1)
        made = BoxBounds(
            np.where(is_above, OPEN, self.above),
            np.where(is_below, 0, self.below),
            np.where(is_above[:, None], 0, self.above_by),
            np.where(is_below[:, None], 0, self.below_by),
        )
        return made, is_above | is_below

    def learn(self, box: Ints, table: Ints, also: Ints, lower: Ints, upper: Ints) -> None:
        """What single values say: lower <= people in box <= upper, by a table; -1 for no table.

        `also` is a second table without which the first does not say it, or -1.
        """
        n_tables = (table >= 0) + ((also >= 0) & (also != table)).astype(np.int64)
        for packed, by, value in (
            (self.above, self.above_by, upper),
            (self.below, self.below_by, -lower),
        ):
            own = np.where(value >= NO_LIMIT, OPEN, value * UNIT + n_tables)
            best = np.full(len(packed), OPEN)
            np.minimum.at(best, box, own)
            mine = (own == best[box]) & (own < packed[box])
            # Of tables that say the same the first is named.
            where, first = np.unique(box[mine], return_index=True)
            rows = np.flatnonzero(mine)[first]
            packed[where] = own[rows]
            by[where] = 0
            for named in (table[rows], also[rows]) if by.shape[1] else ():
                known = np.flatnonzero(named >= 0)
                word, bit = named[known] // 64, (named[known] % 64).astype(np.uint64)
                by[where[known], word] |= np.uint64(1) << bit

    def spare(self, boxes: Ints | slice = slice(None)) -> Ints:
        """How far the bounds of some boxes are apart: 0 of a count that is known."""
        return (self.above[boxes] >> TABLE_BITS) + (self.below[boxes] >> TABLE_BITS)

    def check(self, changed: Ints) -> None:
        """Refuse bounds that no count can meet."""
        wrong = changed[self.spare(changed) < 0]
        if len(wrong):
            box = int(wrong[0])
            raise Contradiction(box, self.above_by[box] | self.below_by[box])


def pack_tables(tables: Iterable[int], n_words: int) -> Bits:
    """A set of tables as bits."""
    made = np.zeros(n_words, np.uint64)
    for table in tables:
        made[table // 64] |= np.uint64(1 << (table % 64))
    return made


def tables_in(mask: Bits) -> tuple[int, ...]:
    """The tables of a set."""
    bits = np.unpackbits(mask.view(np.uint8), bitorder="little")
    return tuple(np.flatnonzero(bits).tolist())


def close_lines(
    bounds: BoxBounds,
    batches: Sequence[LineBatch],
    *,
    stale: Mask | None = None,
    until: float | None = None,
) -> bool:
    """Tighten all bounds by lines until nothing moves; False where time ran out before.

    `stale` are the boxes that have changed since all lines were closed; without it, all have.
    """
    # At which step a box was last changed, and a batch last closed.
    moved = np.ones(len(bounds.above), np.int64) if stale is None else stale.astype(np.int64)
    closed = [0] * len(batches)
    step = 1
    is_moving = True
    while is_moving:
        is_moving = False
        for i, batch in enumerate(batches):
            step += 1
            lines = np.flatnonzero((moved[batch.boxes] > closed[i]).any(axis=1))
            closed[i] = step if batch.is_apart else step - 1
            for some in portions(lines, batch.size):
                if until is not None and time.monotonic() > until:
                    return False
                changed = _close(bounds, batch, batch.boxes[some])
                if len(changed):
                    bounds.check(changed)
                    moved[changed] = step
                    is_moving = True
    return True


def portions(lines: Ints, size: int) -> Iterable[Ints]:
    """Lines, for each of which so many numbers are held, in portions that memory holds."""
    many = max(1, MOST_PATHS // size)
    return (lines[i : i + many] for i in range(0, len(lines), many))


def _close(bounds: BoxBounds, batch: LineBatch, boxes: Ints) -> Ints:
    """Shortest paths on lines of one pattern; returns the boxes whose bounds moved.

    Runs of single steps between the ends of longer boxes are added up first: paths are sought
    between these few ends (40 regions in 4 countries: 5 points, not 41). Then each step takes what
    the others of its run leave.
    """
    paths = LinePaths(bounds, batch, boxes)
    paths.find_shortest()
    return np.concatenate([*_tighten_long(bounds, paths), *_tighten_steps(bounds, paths)])


class LinePaths:
    """Between the ends of the longer boxes of some lines: the shortest paths, and their tables."""

    def __init__(self, bounds: BoxBounds, batch: LineBatch, boxes: Ints) -> None:
        n, m = len(boxes), batch.n_cuts
        self.boxes = boxes
        words = bounds.above_by.shape[1]
        is_step = batch.stop == batch.start + 1
        self.long = np.flatnonzero(~is_step)
        self.steps = np.flatnonzero(is_step)
        self.at = at = batch.start[self.steps]
        # Steps without a box of their own have at least 0 people, and no limit.
        self.up = np.full((n, m - 1), OPEN)
        self.down = np.zeros((n, m - 1), np.int64)
        self.up[:, at] = bounds.above[boxes[:, self.steps]]
        self.down[:, at] = bounds.below[boxes[:, self.steps]]
        self.up_by = np.zeros((n, m - 1, words), np.uint64)
        self.down_by = np.zeros((n, m - 1, words), np.uint64)
        self.up_by[:, at] = bounds.above_by[boxes[:, self.steps]]
        self.down_by[:, at] = bounds.below_by[boxes[:, self.steps]]
        # Bounds that would not add up within 64 bits are given up: what is left still holds.
        most = (OPEN >> 1) // m
        self.up[self.up > most] = OPEN
        np.maximum(self.down, -most, out=self.down)
        far = (batch.start[self.long], batch.stop[self.long])
        self.ends = np.unique(np.concatenate([[0, m - 1], *far]))
        self.from_, self.to = (np.searchsorted(self.ends, one) for one in far)
        self.run = np.searchsorted(self.ends, at, side="right") - 1
        self._add_runs()
        self._add_long(bounds, boxes[:, self.long])

    def _add_runs(self) -> None:
        first, size = self.ends[:-1], len(self.ends)
        is_open = self.up >= OPEN
        self.n_open = np.add.reduceat(is_open, first, axis=1, dtype=np.int64)
        self.up_sum = np.add.reduceat(np.where(is_open, 0, self.up), first, axis=1)
        self.down_sum = np.add.reduceat(self.down, first, axis=1)
        n, words = len(self.up), self.up_by.shape[2]
        self.d = np.full((n, size, size), OPEN)
        self.by = np.zeros((n, size, size, words), np.uint64)
        r = np.arange(size)
        self.d[:, r, r] = 0
        self.d[:, r[:-1], r[1:]] = np.where(self.n_open > 0, OPEN, self.up_sum)
        self.d[:, r[1:], r[:-1]] = self.down_sum
        if words:
            self.by[:, r[:-1], r[1:]] = np.bitwise_or.reduceat(self.up_by, first, axis=1)
            self.by[:, r[1:], r[:-1]] = np.bitwise_or.reduceat(self.down_by, first, axis=1)

    def _add_long(self, bounds: BoxBounds, boxes: Ints) -> None:
        for start, stop, packed, by in (
            (self.from_, self.to, bounds.above, bounds.above_by),
            (self.to, self.from_, bounds.below, bounds.below_by),
        ):
            own = packed[boxes]
            line, place = np.nonzero(own < self.d[:, start, stop])
            self.d[line, start[place], stop[place]] = own[line, place]
            self.by[line, start[place], stop[place]] = by[boxes[line, place]]

    def find_shortest(self) -> None:
        """Floyd and Warshall, all lines at once."""
        d, by = self.d, self.by
        if d.shape[1] == 2:  # there and back is the only way round
            line = np.flatnonzero(d[:, 0, 1] + d[:, 1, 0] < 0)[:1]
            if len(line):
                tables = (by[line, 0, 1] | by[line, 1, 0])[0]
                raise Contradiction(int(self.boxes[line[0], 0]), tables)
        for mid in range(d.shape[1] if d.shape[1] > 2 else 0):
            over = d[:, :, mid, None] + d[:, None, mid, :]
            line, i, j = np.nonzero(over < d)
            if len(line):
                d[line, i, j] = over[line, i, j]
                by[line, i, j] = by[line, i, mid] | by[line, mid, j]
                self._check_cycles()
        d[d > OPEN >> 1] = OPEN

    def bound_steps(self) -> tuple[Ints, Ints]:
        """A step is what its run has, less what its other steps have at least (at most)."""
        d, at, run = self.d, self.at, self.run
        most = d[:, run, run + 1] + self.down_sum[:, run] - self.down[:, at]
        most[d[:, run, run + 1] >= OPEN] = OPEN
        up = np.where(self.up[:, at] >= OPEN, 0, self.up[:, at])
        least = d[:, run + 1, run] + self.up_sum[:, run] - up
        least[self.n_open[:, run] > (self.up[:, at] >= OPEN)] = OPEN
        return most, least

    def _check_cycles(self) -> None:
        """A way round of less than nothing: no counts meet these bounds."""
        line, end = np.nonzero(np.diagonal(self.d, axis1=1, axis2=2) < 0)
        if len(line):
            raise Contradiction(int(self.boxes[line[0], 0]), self.by[line[0], end[0], end[0]])


def _tighten_long(bounds: BoxBounds, paths: LinePaths) -> Iterator[Ints]:
    for start, stop, packed, by in (
        (paths.from_, paths.to, bounds.above, bounds.above_by),
        (paths.to, paths.from_, bounds.below, bounds.below_by),
    ):
        found = paths.d[:, start, stop]
        own = paths.boxes[:, paths.long]
        line, place = np.nonzero(found < packed[own])
        proof = paths.by[line, start[place], stop[place]]
        yield _accept(own[line, place], found[line, place], proof, packed, by)


def _tighten_steps(bounds: BoxBounds, paths: LinePaths) -> Iterator[Ints]:
    own, run, at = paths.boxes[:, paths.steps], paths.run, paths.at
    most, least = paths.bound_steps()
    for found, packed, by, path, steps_by in (
        (most, bounds.above, bounds.above_by, paths.by[:, run, run + 1], paths.down_by),
        (least, bounds.below, bounds.below_by, paths.by[:, run + 1, run], paths.up_by),
    ):
        line, place = np.nonzero(found < packed[own])
        proof = path[line, place]
        if by.shape[1] and len(line):
            proof = proof | _others_in_run(steps_by, line, at[place], run[place], paths.ends)
        yield _accept(own[line, place], found[line, place], proof, packed, by)


def _others_in_run(steps_by: Bits, line: Ints, step: Ints, run: Ints, ends: Ints) -> Bits:
    """The tables that bound the other steps of a run, for some steps of some lines."""
    made = np.zeros((len(line), steps_by.shape[2]), np.uint64)
    for one in np.unique(run).tolist():
        first, last = int(ends[one]), int(ends[one + 1])
        here = np.flatnonzero(run == one)
        if last - first == 1:
            continue
        lines, row = np.unique(line[here], return_inverse=True)
        of_run = steps_by[lines, first:last]
        none = np.zeros_like(of_run[:, :1])
        before = np.bitwise_or.accumulate(np.concatenate([none, of_run[:, :-1]], axis=1), axis=1)
        after = np.concatenate([of_run[:, 1:], none], axis=1)[:, ::-1]
        after = np.bitwise_or.accumulate(after, axis=1)[:, ::-1]
        place = step[here] - first
        made[here] = before[row, place] | after[row, place]
    return made


def _accept(boxes: Ints, found: Ints, proof: Bits, packed: Ints, by: Bits) -> Ints:
    """Take bounds that are tighter, or as tight by fewer tables; returns the boxes."""
    bound = (found >> TABLE_BITS) * UNIT + np.bitwise_count(proof).sum(axis=1, dtype=np.int64)
    better = bound < packed[boxes]
    boxes = boxes[better]
    packed[boxes] = bound[better]
    by[boxes] = proof[better]
    return boxes
