"""Who is nearest, and who is too near? One search for every distance, in blocks of bounded memory.

Bounds below, tile by tile, say who may be among the nearest; the distances of these candidates are
then measured. So what is found, ties and all, does not depend on blocks or threads. Complete rows
in few dimensions are looked for in a KD-tree instead, and measured again likewise.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Ids, Integers, chunks, number, pack
from unveil.models.neighbours.distances import (
    TOLERANCE,
    Bounds,
    Distance,
    Mahalanobis,
    is_closer,
    longest_tie,
    tree_of,
)
from unveil.models.neighbours.gower import Gower
from unveil.study.scenario import Progress

Found = TypeVar("Found")

MOST_BOUNDED = 2**22
"""How many pairs may be candidates at once."""
MOST_ROWS = 4096
"""How many rows are searched for at once."""
MOST_PAIRS = 2**22
"""How many pairs of a KD-tree are held at once."""
ASKED = 2**15
"""How many rows are looked for in a KD-tree at once."""
PAIRS = 2**20
"""How many pairs are measured at once, and how many pairs of a row and a tile are bounded."""
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


class _TooManyPairsError(Exception):
    """So many pairs are tied that fewer rows must be searched for at once."""


class _Candidates:
    """Who may be among the k nearest of some rows, by all tiles seen so far."""

    def __init__(
        self, distance: Distance, rows: Ints, k: int, slack: Floats, best: Floats | None = None
    ) -> None:
        self._distance, self._rows, self._k = distance, rows, k
        self._limit = np.full(len(rows), np.inf) if best is None else best.copy()
        self._lowest = np.full((len(rows), k), np.inf)  # lifted distances, or somewhat more
        self._lowest[:, -1] = distance.lift(self._limit)
        self._slack = slack
        self._found: list[tuple[Ids, Ids, Bounds]] = []
        self._n_found, self._room = 0, MOST_BOUNDED

    def take(self, at: Ints, others: Ints, bound: Bounds) -> None:
        """Take in the bounds of some of the rows and a tile of others."""
        n = min(self._k, bound.shape[1])
        near = bound.min(axis=1, keepdims=True) if n == 1 else np.partition(bound, n - 1)[:, :n]
        lowest = near.min(axis=1)
        is_open = (lowest <= self.reach(at, bound.dtype)) & np.isfinite(lowest)
        if not is_open.any():
            return
        if not is_open.all():
            at, bound, near = at[is_open], bound[is_open], near[is_open]
        self._lower(at, others, near if self._distance.is_tight else bound)
        place = np.flatnonzero(bound <= self.reach(at, bound.dtype)[:, np.newaxis])
        row, other = np.divmod(place, bound.shape[1])
        # Half the room: ties can be very many.
        pair = at[row].astype(np.int32), others[other].astype(np.int32)
        self._found.append((*pair, bound.ravel()[place]))
        self._n_found += len(place)
        if self._n_found > self._room:
            self._forget()

    def reach(self, at: Ints | slice, dtype: Any) -> Bounds:
        """The largest bound that may still be among the nearest, or tie with the last of them."""
        last = self._lowest[at, -1]
        reach = last + (4 * TOLERANCE * last + TOLERANCE / 10) + self._slack[at]
        made: Bounds = np.nextafter(reach.astype(dtype), np.inf, dtype=dtype)
        return made

    def _lower(self, at: Ints, others: Ints, near: Bounds) -> None:
        """What the nearest of a tile say of the distances to be found."""
        if self._distance.is_tight:
            made = near + self._slack[at, np.newaxis]
        else:  # the nearest by its bound is measured: it spares most others
            limit = longest_tie(self._limit[at])
            apart = self._distance.measure(self._rows[at], others[near.argmin(axis=1)], limit)
            self._limit[at] = np.minimum(self._limit[at], apart)
            made = self._distance.lift(apart)[:, np.newaxis]
        together = np.concatenate((self._lowest[at], made), axis=1)
        self._lowest[at] = np.sort(together, axis=1)[:, : self._k]

    def _forget(self) -> tuple[Ids, Ids]:
        """The pairs that are still among the nearest; all others are forgotten."""
        row, other, bound = (np.concatenate(part) for part in zip(*self._found, strict=True))
        kept = np.flatnonzero(bound <= self.reach(slice(None), bound.dtype)[row])
        self._found = [(row[kept], other[kept], bound[kept])]
        self._n_found, self._room = len(kept), max(MOST_BOUNDED, 2 * len(kept))
        if self._n_found > MOST_BOUNDED and len(self._rows) > 1:
            raise _TooManyPairsError
        return row[kept], other[kept]

    def settle(self) -> NearestPairs:
        """Those among the k nearest, by their distance."""
        n_rows, k = len(self._rows), self._k
        if not self._found:
            none = np.zeros(0, np.int32)
            return NearestPairs(n_rows, none, none, np.zeros(0), np.zeros(0, bool))
        row, other = self._forget()
        order = np.lexsort((other, row))
        row, other = row[order], other[order]
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


def _in_halves(task: Callable[[Ints], Found], rows: Ints) -> Iterator[Found]:
    """Do a task for some rows; where that takes too many pairs at once, for each half of them."""
    try:
        yield task(rows)
    except _TooManyPairsError:
        middle = len(rows) // 2
        yield from _in_halves(task, rows[:middle])
        yield from _in_halves(task, rows[middle:])


def _row_blocks(distance: Distance, n_rows: int) -> Iterator[Ints]:
    """Places of rows, so many at a time that their bounds have room."""
    size = min(max(PAIRS // max(len(distance.tiles), 1), 1), MOST_ROWS)
    return (np.arange(some.start, some.stop) for some in chunks(slice(0, n_rows), size))


def _visit(
    distance: Distance,
    rows: Ints,
    without: Sequence[int | None],
    reach: Sequence[Callable[[], Bounds]],
) -> Iterator[tuple[Ints, slice]]:
    """Tiles that may be near enough, and for which of the rows; the nearest of each row first.

    `reach` says for each search how far its rows still have to look.
    """
    tiles = distance.tiles
    far = distance.below(rows, without)
    every = np.arange(len(rows))
    if far is None:
        yield from ((every, tile) for tile in tiles)
        return
    first = np.argmin(far[0], axis=1)
    order = np.argsort(first, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(first[order])) + 1):
        yield at, tiles[first[at[0]]]
    for place in np.argsort(far[0].sum(axis=0), kind="stable"):
        is_near = [one[:, place] <= beyond() for one, beyond in zip(far, reach, strict=True)]
        at = np.flatnonzero(np.any(is_near, axis=0) & (first != place))
        if len(at):
            yield at, tiles[place]


def nearest(
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
    if best is None and _has_tree(distance):
        yield from _nearest_in_tree(distance, rows, own)
        return

    def search(some: Ints) -> tuple[Ints, NearestPairs]:
        known = None if best is None else best[some]
        mine = None if own is None else own[some]
        (found,) = _search(distance, [distance], rows[some], 1, best=known, own=mine)
        return some, found

    for block in _row_blocks(distance, len(rows)):
        for some, pairs in _in_halves(search, block):
            yield some[pairs.row], pairs.other.astype(np.int64), pairs.distance


def _search(
    whole: Distance,
    parts: Sequence[Distance],
    rows: Ints,
    k: int,
    *,
    without: Sequence[int | None] = (None,),
    best: Floats | None = None,
    own: Ints | None = None,
) -> list[NearestPairs]:
    """The k nearest of each row by each of the parts of a distance, whose bounds are shared."""
    slack = whole.slack_of(rows) * (1 if without == (None,) else 2)
    found = [_Candidates(part, rows, k, slack, best) for part in parts]
    reach = [partial(search.reach, slice(None), np.float32) for search in found]
    for some, tile in _visit(whole, rows, without, reach):
        others = whole.numbers(tile)
        for piece in chunks(slice(0, len(some)), whole.at_once // len(others)):
            at = some[piece]
            bounds = whole.bounds(rows[at], tile, without)
            for search, bound in zip(found, bounds, strict=True):
                if own is not None:
                    bound[own[at][:, np.newaxis] == others] = np.inf
                search.take(at, others, bound)
    return [search.settle() for search in found]


def nearest_other(distance: Distance, rows: Ints, own: Ints) -> Floats:
    """How far the nearest other is from each row that is itself among the others, at `own`.

    Infinite where there is no other.
    """
    found = np.full(len(rows), np.inf)
    if distance.n_others < 2:
        return found
    for place, _, apart in nearest(distance, rows, own=own):
        np.minimum.at(found, place, apart)
    return found


def within(distance: Distance, rows: Ints, limits: Floats) -> Mask:
    """Which rows are closer to any of the others than the limit of that other."""
    if not np.isfinite(limits).all():
        return np.ones(len(rows), bool)
    if _has_tree(distance):
        return _within_balls(distance, rows, limits)
    refused = np.zeros(len(rows), bool)
    lifted = distance.lift(limits)

    def refuse(row: Ints, other: Ints) -> None:
        limit = limits[other]
        closer = is_closer(distance.measure(rows[row], other, limit), limit)
        refused[row[closer]] = True

    for block in _row_blocks(distance, len(rows)):
        far = distance.below(rows[block], (None,))
        slack = distance.slack_of(rows[block])
        for place, tile in enumerate(distance.tiles):
            others = distance.numbers(tile)
            is_left = ~refused[block]
            if far is not None:
                is_left &= far[0][:, place] <= lifted[others].max() * (1 + TOLERANCE) + slack
            some = np.flatnonzero(is_left)
            for piece in chunks(slice(0, len(some)), distance.at_once // len(others)):
                at = some[piece]
                left = block[at]
                (bound,) = distance.bounds(rows[left], tile, (None,))
                gap = bound - lifted[others]  # what is sure to be too far is above 0
                gap -= slack[at, np.newaxis]
                near = gap.argmin(axis=1)
                likely = np.flatnonzero(gap[np.arange(len(gap)), near] <= 0)
                refuse(left[likely], others[near[likely]])  # the likeliest of each row first
                likely = likely[~refused[left[likely]]]
                row, other = np.nonzero(gap[likely] <= 0)
                refuse(left[likely[row]], others[other])
    return refused


def _has_tree(distance: Distance) -> TypeGuard[Mahalanobis]:
    return isinstance(distance, Mahalanobis) and distance.others.has_tree


# In a KD-tree: rows are asked for in an order in which neighbours follow each other.


def _query(distance: Mahalanobis, rows: Ints, k: int) -> Iterator[tuple[Ints, Floats, Ints]]:
    """Places of some rows at a time, and the k nearest of each in the tree."""
    tree = distance.others.tree
    order = tree_of(distance.rows.white[rows]).indices
    for some in chunks(slice(0, len(order)), ASKED):
        place = order[some]
        asked = distance.rows.white[rows[place]]
        yield place, *tree.query(asked, k=np.arange(1, k + 1), workers=-1)


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


def nearest_distances(people: Floats, records: Floats, most: int) -> tuple[Floats, Floats]:
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
    whole: Gower, persons: Ints, *, k: int = 1, without: Sequence[int | None] = (None,)
) -> list[NearestPairs]:
    """The k nearest of each person along all axes but one, for each axis to be excluded.

    To be called by a task of `run_in_pieces`: of too many persons at once there may be too many
    ties. All searches share the distances over all axes, from which the one excluded is subtracted.
    """
    parts = [
        Gower([axis for i, axis in enumerate(whole.axes) if i != out], whole.others)
        for out in without
    ]
    return _search(whole, parts, persons, k, without=tuple(without))


def run_in_pieces(
    persons: Ints,
    distances: Sequence[Gower],
    task: Callable[[Ints], Floats],
    *,
    what: str,
    progress: Progress,
) -> Floats:
    """Do a task for some persons at a time, in threads; its answers have persons as last axis."""
    most = max(len(distance.tiles) for distance in distances)  # made here, not by each thread
    size = min(max(PAIRS // most, 1), MOST_ROWS)
    pieces = [persons[some] for some in chunks(slice(0, len(persons)), size)]
    pool = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1))
    answers = []
    try:
        for done, answer in enumerate(pool.map(lambda one: [*_in_halves(task, one)], pieces)):
            progress(what, done, len(pieces))
            answers += answer
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
