"""Who is nearest, and who is too near? One search for every distance, in blocks of bounded memory.

Bounds below, tile by tile, say who may be among the nearest; the distances of these candidates are
then measured. So what is found, ties and all, does not depend on blocks or threads. Complete rows
in few dimensions are looked for in a KD-tree instead, and measured again likewise.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from time import thread_time
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Ids, Integers, blocks, chunks, number, pack
from unveil.count.threads import limit_to_one_thread
from unveil.models.neighbours.distances import (
    MOST_DIMENSIONS,
    TOLERANCE,
    Bounds,
    Distance,
    Gower,
    GowerAxis,
    Mahalanobis,
    is_closer,
    longest_tie,
    tree_of,
)
from unveil.study.scenario import Progress

MOST_BOUNDED = 2**24
"""How many pairs may be candidates at once."""
MOST_PAIRS = 2**22
"""How many pairs of a KD-tree are held at once."""
ASKED = 2**15
"""How many rows are looked for in a KD-tree at once."""
TRIED = 32
"""How many rows are timed to choose between a tree and every pair."""
PAIRS = 2**20
"""How many pairs are measured at once, and searched by each of several threads."""
MOST_THREADS = 8


@dataclass(frozen=True)
class NearestPairs:
    """Pairs of a row and one of its nearest: sure to be among the k, or tied for the last.

    In the order of the rows. `row` counts from 0 within those asked for, `other` within the others.
    """

    n_rows: int
    row: Ids
    other: Ids
    distance: Floats
    is_tied: Mask

    def sum_by_row(self, of_pairs: NDArray[np.generic]) -> Floats:
        """The sum over the pairs of each row."""
        sums = np.bincount(self.row, of_pairs.astype(np.float64), self.n_rows)
        return sums.astype(np.float64)  # bincount of nothing counts in whole numbers


class _Candidates:
    """Who may be among the k nearest of some rows, by all tiles seen so far."""

    def __init__(self, distance: Distance, rows: Ints, k: int, best: Floats | None) -> None:
        self._distance, self._rows, self._k = distance, rows, k
        self._limit = np.full(len(rows), np.inf) if best is None else best.copy()
        self._lowest = np.full((len(rows), k), np.inf)  # lifted distances, or somewhat more
        self._lowest[:, -1] = distance.lift(self._limit)
        self._slack = np.zeros(len(rows))
        self._found: list[tuple[Ids, Ids, Bounds]] = []

    def take(self, bound: Bounds, slack: Floats, first: int) -> None:
        """Take in a tile of others that begins at the first."""
        self._slack, n = slack, min(self._k, bound.shape[1])
        near = bound.min(axis=1, keepdims=True) if n == 1 else np.partition(bound, n - 1)[:, :n]
        lowest = near.min(axis=1)
        open_rows = np.flatnonzero((lowest <= self._reach(bound)) & np.isfinite(lowest))
        if not len(open_rows):
            return
        if len(open_rows) < len(bound):
            bound, near = bound[open_rows], near[open_rows]
        self._lower(open_rows, near if self._distance.is_tight else bound, first)
        place = np.flatnonzero(bound <= self._reach(bound)[open_rows, np.newaxis])
        row, other = np.divmod(place, bound.shape[1])
        # Half the room: ties can be very many.
        pair = open_rows[row].astype(np.int32), (other + first).astype(np.int32)
        self._found.append((*pair, bound.ravel()[place]))

    def _reach(self, bound: Bounds) -> Bounds:
        """The largest bound that may still be among the nearest, or tie with the last of them."""
        last = self._lowest[:, -1]
        reach = last + (4 * TOLERANCE * last + TOLERANCE / 10) + self._slack
        made: Bounds = np.nextafter(reach.astype(bound.dtype), np.inf, dtype=bound.dtype)
        return made

    def _lower(self, rows: Ints, near: Bounds, first: int) -> None:
        """What the nearest of a tile say of the distances to be found."""
        if self._distance.is_tight:
            made = near + self._slack[rows, np.newaxis]
        else:  # the nearest by its bound is measured: it spares most others
            limit = longest_tie(self._limit[rows])
            apart = self._distance.measure(self._rows[rows], near.argmin(axis=1) + first, limit)
            self._limit[rows] = np.minimum(self._limit[rows], apart)
            made = self._distance.lift(apart)[:, np.newaxis]
        together = np.concatenate((self._lowest[rows], made), axis=1)
        self._lowest[rows] = np.sort(together, axis=1)[:, : self._k]

    def settle(self) -> NearestPairs:
        """Those among the k nearest, by their distance."""
        n_rows, k = len(self._rows), self._k
        if not self._found:
            none = np.zeros(0, np.int32)
            return NearestPairs(n_rows, none, none, np.zeros(0), np.zeros(0, bool))
        row, other, bound = (np.concatenate(part) for part in zip(*self._found, strict=True))
        kept = np.flatnonzero((bound <= self._reach(bound)[row]) & np.isfinite(bound))
        kept = kept[np.argsort(row[kept], kind="stable")]
        row, other = row[kept], other[kept]
        limit = longest_tie(self._limit)
        apart = np.zeros(len(row))
        for some in chunks(slice(0, len(row)), PAIRS):
            mine = row[some]
            apart[some] = self._distance.measure(self._rows[mine], other[some], limit[mine])
        if k == 1:
            kth = self._limit.copy()
            np.minimum.at(kth, row, apart)
        else:
            starts = np.searchsorted(row, np.arange(n_rows))
            kth = apart[np.lexsort((apart, row))][starts + k - 1]
        near = apart <= longest_tie(kth)[row]
        row, other, apart = row[near], other[near], apart[near]
        return NearestPairs(n_rows, row, other, apart, longest_tie(apart) >= kth[row])


def _row_blocks(distance: Distance, n_rows: int) -> Iterator[slice]:
    n_bounds, width = distance.tile
    n_others = max(distance.n_others, 1)
    size = min(n_bounds // min(n_others, width), max(MOST_BOUNDED // n_others, 16))
    return chunks(slice(0, n_rows), size)


def _tiles(distance: Distance) -> Iterator[slice]:
    return chunks(slice(0, distance.n_others), distance.tile[1])


def find_nearest(
    distance: Distance,
    rows: Ints,
    *,
    best: Floats | None = None,
    own: Ints | None = None,
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The nearest others of each row, all ties among them: places of rows, others and distances.

    `best` are distances known already: nothing beyond is looked for. `own` are the places of the
    rows among the others, where they are others too: no row is its own neighbour.
    """
    if best is None and _has_tree(distance, rows):
        yield from _nearest_in_tree(distance, rows, own)
        return
    for some in _row_blocks(distance, len(rows)):
        found = _Candidates(distance, rows[some], 1, None if best is None else best[some])
        for others in _tiles(distance):
            bound, slack = distance.bound(rows[some], others)
            if own is not None:
                mine = own[some]
                here = np.flatnonzero((mine >= others.start) & (mine < others.stop))
                bound[here, mine[here] - others.start] = np.inf
            found.take(bound, slack, others.start)
        pairs = found.settle()
        yield pairs.row.astype(np.int64) + some.start, pairs.other.astype(np.int64), pairs.distance


def find_nearest_other(distance: Distance, rows: Ints, own: Ints) -> Floats:
    """How far the nearest other is from each row that is itself among the others, at `own`.

    Infinite where there is no other.
    """
    found = np.full(len(rows), np.inf)
    if distance.n_others < 2:
        return found
    for place, _, apart in find_nearest(distance, rows, own=own):
        np.minimum.at(found, place, apart)
    return found


def find_within(distance: Distance, rows: Ints, limits: Floats) -> Mask:
    """Which rows are closer to any of the others than the limit of that other."""
    if not np.isfinite(limits).all():
        return np.ones(len(rows), bool)
    if _has_tree(distance, rows):
        return _within_balls(distance, rows, limits)
    refused = np.zeros(len(rows), bool)
    lifted = distance.lift(limits)

    def refuse(row: Ints, other: Ints) -> None:
        limit = limits[other]
        closer = is_closer(distance.measure(rows[row], other, limit), limit)
        refused[row[closer]] = True

    for some in _row_blocks(distance, len(rows)):
        for others in _tiles(distance):
            left = np.arange(some.start, some.stop)[~refused[some]]
            bound, slack = distance.bound(rows[left], others)
            gap = bound - lifted[others]  # what is sure to be too far is above 0
            gap -= slack[:, np.newaxis]
            near = gap.argmin(axis=1)
            likely = np.flatnonzero(gap[np.arange(len(gap)), near] <= 0)
            refuse(left[likely], near[likely] + others.start)  # the likeliest of each row first
            likely = likely[~refused[left[likely]]]
            row, other = np.nonzero(gap[likely] <= 0)
            refuse(left[likely[row]], other + others.start)
    return refused


def _has_tree(distance: Distance, rows: Ints) -> TypeGuard[Mahalanobis]:
    """Whether a KD-tree of the others is faster than comparing every pair: a few rows are timed.

    Both find the same.
    """
    if not isinstance(distance, Mahalanobis):
        return False
    if distance.others.white.shape[1] <= MOST_DIMENSIONS:
        return True
    if min(len(rows), distance.n_others) < 16 * TRIED:
        return False
    some = rows[np.linspace(0, len(rows) - 1, TRIED).astype(np.intp)]
    with limit_to_one_thread():
        start = thread_time()
        for others in _tiles(distance):
            distance.bound(some, others)[0].min(axis=1)
        by_pairs = thread_time() - start
        start = thread_time()
        distance.others.tree.query(distance.rows.white[some], k=2)
        return thread_time() - start < by_pairs


# In a KD-tree: rows are asked for in an order in which neighbours follow each other.


def _query(distance: Mahalanobis, rows: Ints, k: int) -> Iterator[tuple[Ints, Floats, Ints]]:
    """Places of some rows at a time, and the k nearest of each in the tree."""
    tree = distance.others.tree
    order = tree_of(distance.rows.white[rows]).indices
    for some in chunks(slice(0, len(order)), ASKED):
        place = order[some]
        apart, found = tree.query(distance.rows.white[rows[place]], k=k, workers=-1)
        yield place, apart.reshape(len(place), k), found.reshape(len(place), k)


def _nearest_in_tree(
    distance: Mahalanobis, rows: Ints, own: Ints | None
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Pairs of each row and its nearest others, ties and a little more; without its own place."""

    def measured(place: Ints, other: Ints) -> tuple[Ints, Ints, Floats]:
        return place, other, distance.measure(rows[place], other)

    k = 1 if own is None else 2
    for place, apart, found in _query(distance, rows, min(k + 1, distance.n_others)):
        if own is not None:  # it comes first, or near the first among those no distance away
            at = np.argmax(found == own[place, np.newaxis], axis=1)[:, np.newaxis]
            np.put_along_axis(found, at, found[:, :1], axis=1)
            np.put_along_axis(apart, at, apart[:, :1], axis=1)
        reach = longest_tie(apart[:, k - 1]) + distance.slack
        is_tied = (apart[:, k:] <= reach[:, np.newaxis]).any(axis=1)
        yield measured(place[~is_tied], found[~is_tied, k - 1])
        centres = distance.rows.white[rows[place]]
        for at, other in _in_balls(distance.others.tree, centres, reach, np.flatnonzero(is_tied)):
            near = slice(None) if own is None else other != own[place[at]]
            yield measured(place[at][near], other[near])


def _within_balls(distance: Mahalanobis, rows: Ints, limits: Floats) -> Mask:
    """For each other, a ball as wide as its limit on a tree of the rows."""
    refused = np.zeros(len(rows), bool)
    wide = np.flatnonzero(limits > 0)
    if not len(rows) or not len(wide):
        return refused
    tree = tree_of(distance.rows.white[rows])
    radius = limits + distance.slack
    for other, place in _in_balls(tree, distance.others.white, radius, wide):
        refused[place[is_closer(distance.measure(rows[place], other), limits[other])]] = True
    return refused


def _in_balls(
    tree: Any, centres: Floats, radius: Floats, some: Ints
) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of some centres and the rows of a tree within the radius of each.

    The widest balls first, few at a time, for each may hold all rows; as they prove emptier, more.
    """
    order = some[np.argsort(-radius[some], kind="stable")]
    least = size = max(MOST_PAIRS // tree.n, 1)
    start = 0
    while start < len(order):
        now = order[start : start + size]
        found = tree.query_ball_point(centres[now], radius[now], return_sorted=False, workers=-1)
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        row = np.fromiter(chain.from_iterable(found), np.int64, int(lengths.sum()))
        yield np.repeat(now, lengths), row
        start += len(now)
        size = max(least, min(4 * size, MOST_PAIRS * len(now) // (4 * max(len(row), 1))))


def find_nearest_distances(people: Floats, records: Floats, most: int) -> tuple[Floats, Floats]:
    """How far the nearest other person, and the nearest record, is from each of the people.

    Of more than `most` people these are so many, spread over the space as the people are.
    """
    from scipy.spatial import cKDTree

    others, tree = cKDTree(people), cKDTree(records)
    # In the order of the tree, so that each question finds its answer where the last one was.
    asked: Ints = others.indices
    asked = asked[np.linspace(0, len(asked) - 1, min(most, len(asked))).astype(np.intp)]
    to_person = others.query(people[asked], k=2, workers=-1)[0][:, 1]
    return to_person, tree.query(people[asked], k=1, workers=-1)[0]


# The nearest by Gower's distance, for many people at once.


def find(
    axes: Sequence[GowerAxis],
    persons: Ints,
    copy: slice,
    *,
    k: int = 1,
    without: Sequence[int | None] = (None,),
) -> list[NearestPairs]:
    """The k nearest of each person along all axes but one, for each axis to be excluded.

    `persons` and `copy` are places in the stacked sides. All searches share the distances over all
    axes, from which the one that is excluded is subtracted.
    """
    whole = Gower(axes, copy)
    left = [Gower([axis for i, axis in enumerate(axes) if i != out], copy) for out in without]
    slack = 2 * whole.slack  # of the sum, and of what is subtracted from it
    parts: list[list[NearestPairs]] = [[] for _ in without]
    for some in _row_blocks(whole, len(persons)):
        rows = persons[some]
        searches = [_Candidates(one, rows, k, None) for one in left]
        for others in _tiles(whole):
            bounds = whole.bounds(rows, others, without)
            for search, bound in zip(searches, bounds, strict=True):
                search.take(bound, np.full(len(rows), slack), others.start)
        for part, search in zip(parts, searches, strict=True):
            part.append(search.settle())
    return [_join(part) for part in parts]


def _join(parts: Sequence[NearestPairs]) -> NearestPairs:
    """The pairs of several blocks of rows, one after another."""
    starts = np.cumsum([0, *(part.n_rows for part in parts)]).astype(np.int32)
    rows = [part.row + start for part, start in zip(parts, starts[:-1], strict=True)]
    others, distances, tied = zip(
        *((part.other, part.distance, part.is_tied) for part in parts), strict=True
    )
    made = (np.concatenate(one) for one in (rows, others, distances, tied))
    return NearestPairs(int(starts[-1]), *made)


def run_in_pieces(
    persons: Ints,
    n_rows: int,
    task: Callable[[Ints], Floats],
    *,
    what: str,
    progress: Progress,
) -> Floats:
    """Do a task for some persons at a time, in threads; its answers have persons as last axis."""
    pieces = [persons[some] for some in blocks(len(persons), n_rows, PAIRS)]
    pool = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1))
    answers = []
    try:
        for done, answer in enumerate(pool.map(task, pieces)):
            progress(what, done, len(pieces))
            answers.append(answer)
    finally:
        # Whoever interrupts does not wait for the pieces that are left.
        pool.shutdown(cancel_futures=True)
    return np.concatenate(answers, axis=-1)


def representatives(digits: Iterable[tuple[Integers, int]], persons: Ints) -> tuple[Ints, Ids]:
    """One of the persons for each combination of codes, and for each person which of these."""
    mine = [(codes[persons], n_levels) for codes, n_levels in digits]
    ids, n_ids = number(*pack(mine, len(persons)))
    example = np.empty(n_ids, np.int64)
    example[ids] = persons
    return example, ids
