"""Which groups of people does a publication plan count, and which lie between two of them?

Every value of a table with a filter counts the people of a box: one run of levels in each column,
the whole column where the table does not use it. Boxes that are equal in every column but one lie
on a line. A piece is what lies between two neighbouring cut points of a line: "age 16 to 17", where
one table counts 16 and over and another 18 and over. Nobody published it; differencing finds it.
Where a filter is narrower than another in several columns, the difference is no box: it is kept as
one box without another.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.packing import number, pack

MOST_BOXES = 600_000
"""Pieces are no longer added beyond these, and a note says so."""


@dataclass(frozen=True)
class Boxes:
    """Boxes by the cut points of their columns: `ends[i, k]` is from where to where in column k."""

    ends: Ints
    """Boxes by columns by 2: the first level, and the one after the last."""
    sizes: tuple[int, ...]
    """Levels of each column: cut points run from 0 to these."""
    less: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Of the last ones, which are boxes without another: the number of the box, and of the other.
    Their `ends` are those of the box."""

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.ends)

    @property
    def n_plain(self) -> int:
        """How many are boxes as they are."""
        return len(self.ends) - len(self.less)

    def keep_less(self, kept: Mask) -> Boxes:
        """Only some of those that lack another."""
        rows = np.append(np.ones(self.n_plain, bool), kept)
        return Boxes(self.ends[rows], self.sizes, self.less[kept])

    def without(self, number: int) -> Ints | None:
        """The ends of the box that one of the last ones lacks; None of a plain box."""
        if number < self.n_plain:
            return None
        return np.asarray(self.ends[self.less[number - self.n_plain, 1]], np.int64)

    def is_whole(self) -> Mask:
        """Boxes by columns: whether the box has the whole column."""
        made: Mask = (self.ends[:, :, 0] == 0) & (self.ends[:, :, 1] == np.array(self.sizes))
        return made

    def lines(self, column: int) -> tuple[Ints, int]:
        """The line along a column of each plain box, numbered; and how many lines there are."""
        others = [k for k in range(len(self.sizes)) if k != column]
        ids, n_lines = _number_rows(self.ends[: self.n_plain], self.sizes, others)
        return ids, n_lines

    def add(self, others: Ints) -> Boxes:
        """These boxes first, then those of the others that are new, each once."""
        both = np.concatenate([self.ends, others.reshape(-1, *self.ends.shape[1:])])
        ids, n_boxes = _number_rows(both, self.sizes, range(len(self.sizes)))
        first = np.full(n_boxes, len(both), np.int64)
        np.minimum.at(first, ids, np.arange(len(both)))
        return Boxes(both[np.sort(first)], self.sizes)

    def find(self, wanted: Ints) -> Ints:
        """The number of each wanted box; -1 where it is not among these."""
        n = self.n_plain
        both = np.concatenate([self.ends[:n], wanted])
        ids, n_boxes = _number_rows(both, self.sizes, range(len(self.sizes)))
        own = np.full(n_boxes, -1, np.int64)
        own[ids[:n]] = np.arange(n)
        return own[ids[n:]]


def _number_rows(ends: Ints, sizes: Sequence[int], columns: Sequence[int]) -> tuple[Ints, int]:
    """Boxes numbered so that those equal in these columns have the same number."""
    digits = [(ends[:, k, side], sizes[k] + 1) for k in columns for side in (0, 1)]
    ids, n_rows = number(*pack(digits, len(ends)))
    return ids.astype(np.int64), n_rows


def with_pieces(named: Boxes, most: int = MOST_BOXES) -> tuple[Boxes, bool]:
    """The boxes and all their pieces, and the pieces' pieces; whether that is all of them.

    A piece of one column needs one difference; where a piece is cut again along another column it
    needs two, and so on: passes end when nothing new is found. Boxes of several tables that make up
    a whole column are added up, too.
    """
    boxes = named
    while True:
        found = [_pieces_along(boxes, column) for column in range(len(boxes.sizes))]
        more = boxes.add(np.concatenate(found))
        if more.n > most:
            return boxes, False
        if more.n == boxes.n:
            return boxes, True
        boxes = more


def _pieces_along(boxes: Boxes, column: int) -> Ints:
    """What lies between neighbouring cut points of the lines along a column, within some box."""
    line, n_lines = boxes.lines(column)
    shared = np.flatnonzero(np.bincount(line, minlength=n_lines)[line] > 1)
    width = boxes.sizes[column] + 1
    ends = boxes.ends[shared, column] + (line[shared] * width)[:, None]
    cuts, place = np.unique(ends, return_inverse=True)
    place = place.reshape(ends.shape)
    # How many boxes reach from one cut point beyond the next: none between two lines.
    covering = np.zeros(len(cuts) + 1, np.int64)
    np.add.at(covering, place[:, 0], 1)
    np.add.at(covering, place[:, 1], -1)
    start = np.flatnonzero(np.cumsum(covering)[:-1] > 0)
    some_box = np.zeros(n_lines, np.int64)
    some_box[line[shared]] = shared
    made = boxes.ends[some_box[cuts[start] // width]].copy()
    made[:, column, 0] = cuts[start] % width
    made[:, column, 1] = cuts[start + 1] % width
    if column:  # populations, in the first one, are never added up
        whole = boxes.ends[some_box[_find_tiled(cuts, place, width)]].copy()
        whole[:, column] = 0, width - 1
        made = np.concatenate([made, whole])
    return np.asarray(made, np.int64)


def _find_tiled(cuts: Ints, place: Ints, width: int) -> Ints:
    """Lines on which there is a way from box to box, from the first level to the last."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(place)), place.T), shape=(len(cuts), len(cuts)))
    _, joined = connected_components(links, directed=False)
    line, at = np.divmod(cuts, width)
    first, last = np.flatnonzero(at == 0), np.flatnonzero(at == width - 1)
    both, i, j = np.intersect1d(line[first], line[last], return_indices=True)
    return np.asarray(both[joined[first[i]] == joined[last[j]]], np.int64)


def add_remainders(boxes: Boxes, filters: Ints) -> Boxes:
    """What a filter excludes that is narrower than another in several columns.

    `filters` are tables by columns by 2: whom each counts. Everyone without men of 16 and over is
    no box; two tables by the same other columns give its count away all the same.
    """
    narrower: dict[bytes, tuple[Ints, Ints, Mask]] = {}
    for inner in np.unique(filters, axis=0):
        for outer in np.unique(filters, axis=0):
            differs: Mask = (inner != outer).any(axis=1)
            is_within = ((outer[:, 0] <= inner[:, 0]) & (inner[:, 1] <= outer[:, 1])).all()
            if is_within and differs.sum() > 1:
                key = np.where(differs[:, None], np.stack([outer, inner]), -1).tobytes()
                narrower[key] = outer, inner, differs
    pairs = [np.zeros((0, 2), np.int64)]
    for outer, inner, differs in narrower.values():
        around = np.flatnonzero((boxes.ends[:, differs] == outer[differs]).all(axis=(1, 2)))
        within = boxes.ends[around].copy()
        within[:, differs] = inner[differs]
        other = boxes.find(within)
        pairs.append(np.stack([around, other], axis=1)[other >= 0])
    less = np.unique(np.concatenate(pairs), axis=0)
    return Boxes(np.concatenate([boxes.ends, boxes.ends[less[:, 0]]]), boxes.sizes, less)


def count_people(
    boxes: Boxes, people: Sequence[Ints], n_people: int, keys: Ints | None = None
) -> Ints:
    """How many people are in each box, by their level in each column; or the sum of their keys.

    Boxes that cut the same columns are counted together: one histogram over these columns, its
    running sums, and inclusion and exclusion over the corners of each box.
    """
    each = np.ones(n_people, np.int64) if keys is None else keys
    counts = np.full(boxes.n, each.sum(), np.int64)
    is_whole = boxes.is_whole()
    cut = (~is_whole).astype(np.int64)
    pattern, n_patterns = number(*pack([(one, 2) for one in cut.T], boxes.n))
    order = np.argsort(pattern, kind="stable")
    first = np.searchsorted(pattern[order], np.arange(n_patterns + 1))
    for start, stop in itertools.pairwise(first.tolist()):
        ids = order[start:stop]
        used = np.flatnonzero(~is_whole[ids[0]]).tolist() if len(ids) else []
        if used:
            counts[ids] = _count_corners(boxes.ends[ids][:, used], [people[k] for k in used], each)
    counts[boxes.n_plain :] -= counts[boxes.less[:, 1]]
    return counts


def _count_corners(ends: Ints, codes: Sequence[Ints], each: Ints) -> Ints:
    """People in boxes of the same columns: `ends` is boxes by columns by 2."""
    cuts = [np.unique(ends[:, k]) for k in range(ends.shape[1])]
    shape = tuple(len(one) + 1 for one in cuts)
    below = [
        np.searchsorted(cut, code, side="right") for cut, code in zip(cuts, codes, strict=True)
    ]
    sums = np.zeros(int(np.prod(shape)), np.int64)
    np.add.at(sums, np.ravel_multi_index(below, shape), each)  # keys keep their last bits
    sums = sums.reshape(shape)
    for axis in range(len(shape)):
        sums = sums.cumsum(axis=axis)
    places = [np.searchsorted(cut, ends[:, k]) for k, cut in enumerate(cuts)]
    total = np.zeros(len(ends), np.int64)
    for corner in itertools.product((0, 1), repeat=len(cuts)):
        sign = (-1) ** (len(cuts) - sum(corner))
        total += sign * sums[tuple(place[:, c] for place, c in zip(places, corner, strict=True))]
    return total
