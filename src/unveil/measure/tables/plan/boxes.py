"""Which groups of people does a publication plan count, and which lie between two of them?

Every value of a table with a filter counts the people of a box: one run of levels in each column,
the whole column where the table does not use it. Boxes that are equal in every column but one lie
on a line. A piece is what lies between two neighbouring cut points of a line: "age 16 to 17", where
one table counts 16 and over and another 18 and over. Nobody published it; differencing finds it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

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

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.ends)

    def is_whole(self) -> Mask:
        """Boxes by columns: whether the box has the whole column."""
        made: Mask = (self.ends[:, :, 0] == 0) & (self.ends[:, :, 1] == np.array(self.sizes))
        return made

    def lines(self, column: int) -> tuple[Ints, int]:
        """The line along a column that each box lies on, numbered; and how many lines there are."""
        others = [k for k in range(len(self.sizes)) if k != column]
        ids, n_lines = _number_rows(self.ends, self.sizes, others)
        return ids, n_lines

    def add(self, others: Ints) -> Boxes:
        """These boxes first, then those of the others that are new, each once."""
        both = np.concatenate([self.ends, others.reshape(-1, *self.ends.shape[1:])])
        ids, n_boxes = _number_rows(both, self.sizes, range(len(self.sizes)))
        first = np.full(n_boxes, len(both), np.int64)
        np.minimum.at(first, ids, np.arange(len(both)))
        return Boxes(both[np.sort(first)], self.sizes)

    def find(self, wanted: Ints) -> Ints:
        """The number of each wanted box, which must be among these."""
        both = np.concatenate([self.ends, wanted])
        ids, n_boxes = _number_rows(both, self.sizes, range(len(self.sizes)))
        own = np.zeros(n_boxes, np.int64)
        own[ids[: self.n]] = np.arange(self.n)
        return own[ids[self.n :]]


def _number_rows(ends: Ints, sizes: Sequence[int], columns: Sequence[int]) -> tuple[Ints, int]:
    """Boxes numbered so that those equal in these columns have the same number."""
    digits = [(ends[:, k, side], sizes[k] + 1) for k in columns for side in (0, 1)]
    ids, n_rows = number(*pack(digits, len(ends)))
    return ids.astype(np.int64), n_rows


def with_pieces(named: Boxes, most: int = MOST_BOXES) -> tuple[Boxes, bool]:
    """The boxes and all their pieces, and the pieces' pieces; whether that is all of them.

    A piece of one column needs one difference; where a piece is cut again along another column it
    needs two, and so on: passes end when nothing new is found.
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
    return np.asarray(made, np.int64)


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
