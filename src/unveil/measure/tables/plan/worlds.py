"""Which boxes do some of the tables of a plan bound as closely as all of them?

Many sets of tables are looked at side by side, each in a world of its own: a bit of a mask. The
bounds by all tables are known, and no set of tables can find closer ones. So a world is told of
each bound only whether its tables prove it too. On a line they do where every step of a shortest
path is proven, and the plan's own lengths say which paths are shortest. What was a sum of bounds is
then an *and*, the least of several an *or*, of 64 worlds in one number.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.measure.tables.plan.closure import (
    NO_LIMIT,
    Bits,
    BoxBounds,
    LineBatch,
    LinePaths,
    portions,
)
from unveil.measure.tables.plan.table_facts import PlanFacts

WORDS = 4
"""Of 64 worlds each that one thread closes at once."""
N_THREADS = 2
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Worlds:
    """Sets of tables of a closed plan, and which bounds each of them proves."""

    def __init__(
        self, facts: PlanFacts, batches: Sequence[LineBatch], whole: BoxBounds, width: int
    ) -> None:
        lower, upper = whole.lower, whole.upper
        # A box and the path that bounds it are a way round, as long as its bounds are apart; in a
        # closed plan the bounds of no other box on it are further apart. All else is no help.
        self._helps = upper - lower <= width
        helps = self._helps[facts.box]
        is_high = helps & (facts.upper == upper[facts.box]) & (facts.upper < NO_LIMIT)
        self._above = _PlanBounds.of(facts, np.flatnonzero(is_high))
        is_low = helps & (facts.lower == lower[facts.box]) & (facts.lower > 0)
        self._below = _PlanBounds.of(facts, np.flatnonzero(is_low))
        self._is_nobody = self._helps & (lower == 0)
        self._tracks = [*_lay(batches, whole.unproven(), self._helps)]

    def close(self, sets: Bits, boxes: Ints, until: float | None = None) -> Mask:
        """Sets by boxes: whether the set bounds the box as all tables do.

        Fewer sets, the first ones, where time ran out.
        """
        size = 64 * min(WORDS, -(-len(sets) // (64 * N_THREADS)))
        some = [sets[i : i + size] for i in range(0, len(sets), max(size, 1))]
        made = [np.zeros((0, len(boxes)), bool)]
        # Work on arrays, for which Python lets other threads go on.
        with ThreadPoolExecutor(N_THREADS) as threads:
            for given in threads.map(lambda one: self._close(one, boxes, until), some):
                if given is None:
                    break
                made.append(given)
        return np.concatenate(made)

    def _close(self, sets: Bits, boxes: Ints, until: float | None) -> Mask | None:
        members = _members(sets)
        above, below = (np.zeros((len(self._helps), members.shape[1]), np.uint64) for _ in "ab")
        self._above.tell(above, members)
        below[self._is_nobody] = ALL
        self._below.tell(below, members)
        moved = np.ones(len(above), np.int32)
        closed = [0] * len(self._tracks)
        step, is_moving = 1, True
        while is_moving:
            is_moving = False
            for i, track in enumerate(self._tracks):
                step += 1
                lines = np.flatnonzero((moved[track.boxes] > closed[i]).any(axis=1))
                closed[i] = step if track.is_apart else step - 1
                for some in portions(lines, track.size * members.shape[1]):
                    if until is not None and time.monotonic() > until:
                        return None
                    for changed in track.close(some, above, below, self._helps):
                        moved[changed] = step
                        is_moving |= len(changed) > 0
        given = above[boxes] & below[boxes]
        bits = np.unpackbits(given.view(np.uint8), axis=1, count=len(sets), bitorder="little")
        return bits.T.astype(bool)


def _members(sets: Bits) -> Bits:
    """Of each table the worlds that have it; the last one, for -1, stands for no table."""
    has = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little").T
    n_words = -(-len(sets) // 64)
    made = np.zeros((len(has) + 1, 64 * n_words), np.uint8)
    made[:-1, : len(sets)] = has
    made[-1] = 1
    return np.packbits(made, axis=1, bitorder="little").view(np.uint64)


@dataclass(frozen=True)
class _PlanBounds:
    """Values that are bounds of the whole plan, by box."""

    boxes: Ints
    first: Ints
    """Of each box the first of its values."""
    table: Ints
    also: Ints

    @classmethod
    def of(cls, facts: PlanFacts, rows: Ints) -> _PlanBounds:
        rows = rows[np.argsort(facts.box[rows], kind="stable")]
        boxes, first = np.unique(facts.box[rows], return_index=True)
        return cls(boxes, first, facts.table[rows], facts.also[rows])

    def tell(self, known: Bits, members: Bits) -> None:
        """Mark the worlds that have the table of a value, or both of what two tables say."""
        if len(self.boxes):
            said = members[self.table] & members[self.also]
            known[self.boxes] |= np.bitwise_or.reduceat(said, self.first, axis=0)


@dataclass(frozen=True)
class _Track:
    """Lines of one pattern, and which sums on them are the plan's own bounds."""

    boxes: Ints
    """Lines by places."""
    is_apart: bool
    """Whether no two lines share a box."""
    n_cuts: int
    steps: Ints
    """The places of boxes of one step, where each begins, and in which run of steps it is."""
    at: Ints
    run: Ints
    long: Ints
    """The places of longer boxes, and from which end of runs to which they reach."""
    from_: Ints
    to: Ints
    ends: Ints
    lengths: Ints
    """Lines by ends by ends: of the shortest path."""
    runs_up: Mask
    """Lines by runs: whether the bounds of the steps add up to the shortest path; and backwards."""
    runs_down: Mask
    steps_up: Mask
    """Lines by steps: whether its run, less the other steps, is what bounds a step."""
    steps_down: Mask

    @property
    def size(self) -> int:
        """Numbers that are held for each line."""
        return len(self.ends) ** 2 + 2 * self.n_cuts

    def close(self, some: Ints, above: Bits, below: Bits, helps: Mask) -> Iterator[Ints]:
        """Find what worlds prove on some of the lines; the boxes of which they know more."""
        boxes = self.boxes[some]
        shape = (len(some), self.n_cuts - 1, above.shape[1])
        # Steps without a box of their own have at least 0 people, and no limit.
        up, down = np.zeros(shape, np.uint64), np.full(shape, ALL)
        up[:, self.at], down[:, self.at] = above[boxes[:, self.steps]], below[boxes[:, self.steps]]
        paths = self._find_paths(some, boxes, (up, down), (above, below))
        own = boxes[:, self.long]
        yield _learn(above, own, paths[:, self.from_, self.to], helps)
        yield _learn(below, own, paths[:, self.to, self.from_], helps)
        own = boxes[:, self.steps]
        for known, others, a, b, holds in (
            (above, down, self.run, self.run + 1, self.steps_up),
            (below, up, self.run + 1, self.run, self.steps_down),
        ):
            found = paths[:, a, b] & self._others_in_run(others)[:, self.at]
            found[~holds[some]] = 0
            yield _learn(known, own, found, helps)

    def _find_paths(
        self, some: Ints, boxes: Ints, steps: tuple[Bits, Bits], known: tuple[Bits, Bits]
    ) -> Bits:
        """Lines by ends by ends: the worlds that prove the length of the shortest path."""
        (up, down), (above, below) = steps, known
        size, first = len(self.ends), self.ends[:-1]
        made = np.zeros((len(some), size, size, up.shape[2]), np.uint64)
        r = np.arange(size - 1)
        for one, a, b, holds in ((up, r, r + 1, self.runs_up), (down, r + 1, r, self.runs_down)):
            sums = np.bitwise_and.reduceat(one, first, axis=1)
            sums[~holds[some]] = 0
            made[:, a, b] = sums
        made[:, self.from_, self.to] |= above[boxes[:, self.long]]
        made[:, self.to, self.from_] |= below[boxes[:, self.long]]
        lengths = self.lengths[some]
        for mid in range(size if size > 2 else 0):
            over = made[:, :, mid, None] & made[:, None, mid, :]
            over[lengths[:, :, mid, None] + lengths[:, None, mid, :] != lengths] = 0
            made |= over
        return made

    def _others_in_run(self, steps: Bits) -> Bits:
        """Of each step the worlds that know all other steps of its run."""
        made = np.full_like(steps, ALL)
        for first, last in pairwise(self.ends.tolist()):
            if last - first > 1:
                own = steps[:, first:last]
                np.bitwise_and.accumulate(own[:, :-1], axis=1, out=made[:, first + 1 : last])
                after = np.bitwise_and.accumulate(own[:, :0:-1], axis=1)[:, ::-1]
                made[:, first : last - 1] &= after
        return made


def _learn(known: Bits, boxes: Ints, found: Bits, helps: Mask) -> Ints:
    """Mark what worlds prove; the boxes for which that is new."""
    is_new = (found & ~known[boxes]).any(axis=2) & helps[boxes]
    changed = boxes[is_new]
    np.bitwise_or.at(known, changed, found[is_new])
    return changed


def _lay(batches: Sequence[LineBatch], whole: BoxBounds, helps: Mask) -> Iterator[_Track]:
    """The lines on which there are two boxes that help, with the plan's own lengths."""
    for batch in batches:
        lines = np.flatnonzero(helps[batch.boxes].sum(axis=1) > 1)
        found = []
        for some in portions(lines, batch.size):
            paths = LinePaths(whole, batch, batch.boxes[some])
            paths.find_shortest()
            r, d, own = np.arange(len(paths.ends) - 1), paths.d, paths.boxes[:, paths.steps]
            most, least = paths.bound_steps()
            found.append(
                (
                    d,
                    (paths.n_open == 0) & (paths.up_sum == d[:, r, r + 1]),
                    paths.down_sum == d[:, r + 1, r],
                    most == whole.above[own],
                    least == whole.below[own],
                )
            )
        if found:
            yield _Track(
                batch.boxes[lines],
                batch.is_apart,
                batch.n_cuts,
                *(paths.steps, paths.at, paths.run),
                *(paths.long, paths.from_, paths.to, paths.ends),
                *(np.concatenate(one) for one in zip(*found, strict=True)),
            )
