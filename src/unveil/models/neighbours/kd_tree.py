"""Neighbours of complete rows in up to 10 dimensions: a KD-tree, exact.

The tree finds who is near; distances that decide are computed again from the rows themselves.
Several processors share the queries; every answer is the same with one.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.models.neighbours.whitening import TOLERANCE, Points, is_closer

MOST_DIMENSIONS = 10
MOST_PAIRS = 2**22
"""How many pairs are held at once."""

LEAF = 64
"""Rows in a leaf: in many dimensions a search opens most leaves, and few wide ones are faster."""


class Tree:
    """A KD-tree over distinct complete rows of the original."""

    def __init__(self, points: Points) -> None:
        from scipy.spatial import cKDTree

        self._points = points
        self._new: Any = cKDTree
        self._tree: Any = cKDTree(points.white, leafsize=LEAF)

    def own(self, rows: Ints) -> Floats:
        """How far the nearest other row is from each of these; infinite where there is no other."""
        points = self._points
        if len(points) < 2:
            return np.full(len(rows), np.inf)
        found = self._query(points.white[rows], 2)[1]
        other = np.where(found[:, 0] == rows, found[:, 1], found[:, 0])
        return points.apart(points, rows, other)

    def _query(self, white: Floats, k: int) -> tuple[Floats, Ints]:
        """The k nearest; rows are asked for in an order in which neighbours follow each other."""
        order = self._new(white, leafsize=LEAF, compact_nodes=False, balanced_tree=False).indices
        distance, found = self._tree.query(white[order], k=k, workers=-1)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return distance[back], found[back]

    def nearest(self, synthetic: Points) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Pairs of each synthetic row and its nearest originals, ties and a little more."""
        if len(self._points) < 2:
            at = np.zeros(len(synthetic), np.int64)
            yield from self._pairs(synthetic, np.arange(len(synthetic)), at)
            return
        distance, found = self._query(synthetic.white, 2)
        slack = synthetic.slack(self._points)
        reach = distance[:, 0] * (1 + 2 * TOLERANCE) + slack
        is_tied = distance[:, 1] <= reach
        alone = np.flatnonzero(~is_tied)
        yield from self._pairs(synthetic, alone, found[alone, 0])
        yield from self._ties(synthetic, np.flatnonzero(is_tied), reach)

    def _ties(
        self, synthetic: Points, rows: Ints, reach: Floats
    ) -> Iterator[tuple[Ints, Ints, Floats]]:
        for row, at in _in_balls(self._tree, synthetic.white, reach, rows):
            yield from self._pairs(synthetic, row, at)

    def _pairs(self, synthetic: Points, row: Ints, at: Ints) -> Iterator[tuple[Ints, Ints, Floats]]:
        yield row, at, synthetic.apart(self._points, row, at)


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


def within(originals: Points, own: Floats, synthetic: Points) -> Mask:
    """Which synthetic rows are closer to any original than its nearest other original is.

    For each original, a ball as wide as that distance on a tree of the synthetic rows.
    """
    from scipy.spatial import cKDTree

    refused = np.zeros(len(synthetic), bool)
    wide = np.flatnonzero(own > 0)
    if not len(synthetic) or not len(wide):
        return refused
    tree = cKDTree(synthetic.white, leafsize=LEAF)
    radius = own + synthetic.slack(originals)
    for at, row in _in_balls(tree, originals.white, radius, wide):
        refused[row[is_closer(synthetic.apart(originals, row, at), own[at])]] = True
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
        owner, row = _flat(now, found)
        yield owner, row
        start += len(now)
        size = max(least, min(4 * size, MOST_PAIRS * len(now) // (4 * max(len(row), 1))))


def _flat(owners: Ints, found: Any) -> tuple[Ints, Ints]:
    """Lists of neighbours as pairs."""
    lengths = np.fromiter(map(len, found), np.int64, len(found))
    flat = np.fromiter(chain.from_iterable(found), np.int64, int(lengths.sum()))
    return np.repeat(owners, lengths), flat
