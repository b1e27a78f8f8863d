"""Mahalanobis distances between all rows: complete ones by neighbour search, others by pattern."""

from copy import copy
from functools import cached_property

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.models.neighbours import all_pairs, kd_tree
from unveil.models.neighbours.missing import Far, Pattern, near_leads, near_within, patterns
from unveil.models.neighbours.whitening import (
    Geometry,
    NearestOriginals,
    Originals,
    Points,
    distinct,
)


class Mahalanobis:
    """Original and synthetic rows under one geometry.

    Original rows that are the same stand for each other: of complete ones the nearest other is no
    distance away, for "other" is another row, not another value (SPEC E).
    """

    def __init__(
        self, geometry: Geometry, original: Floats, synthetic: Floats, *, is_exact: bool
    ) -> None:
        self._geometry, self._is_exact = geometry, is_exact
        self._synthetic = synthetic
        self._position, self._counts = distinct(original)
        self._original = original[self._position]
        self._groups = patterns(self._original)
        self._copied = patterns(synthetic)
        self.is_bounded = False

    def against(self, synthetic: Floats) -> "Mahalanobis":
        """The same originals, and what is known of them, beside other synthetic rows."""
        other = copy(self)
        other._synthetic, other._copied = synthetic, patterns(synthetic)
        return other

    @cached_property
    def _complete(self) -> Points:
        return Points.of(self._geometry, self._original[_complete_rows(self._groups)])

    @cached_property
    def _search(self) -> "kd_tree.Tree | all_pairs.Tiles":
        is_low = self._original.shape[1] <= kd_tree.MOST_DIMENSIONS
        return kd_tree.Tree(self._complete) if is_low else all_pairs.Tiles(self._complete)

    @cached_property
    def _originals(self) -> Originals:
        """The distinct originals, and how far the nearest other original is from each."""
        is_whole = all(group.is_complete for group in self._groups)
        return Originals(self._position, self._own_complete if is_whole else self._own_worst)

    def _own_complete(self, rows: Ints) -> Floats:
        """The distance to the nearest other of some rows, where no row misses a value."""
        own = np.zeros(len(rows))
        alone = self._counts[rows] == 1
        own[alone] = self._search.own(rows[alone])
        return own

    def _own_worst(self, rows: Ints) -> Floats:
        """The same at its longest, where rows miss values: found for all at once."""
        own = np.full(len(self._original), np.inf)
        here = _complete_rows(self._groups)
        if len(here):
            own[here] = self._search.own(np.arange(len(here)))
            own[here[self._counts[here] > 1]] = 0.0
        far = Far(self._geometry, self._original, self._groups, own)
        far.shorten(self._counts)
        self.is_bounded |= far.is_bounded
        self._originals.fill(own)
        return own[rows]

    def own_of(self, rows: Ints) -> Floats:
        """How far the nearest other original is from the originals that first stand here."""
        return self._originals.own(np.searchsorted(self._position, rows))

    def leads(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""
        leads = NearestOriginals.none(len(self._synthetic))
        mine, theirs = _complete_rows(self._copied), _complete_rows(self._groups)
        if len(mine) and len(theirs):
            points = Points.of(self._geometry, self._synthetic[mine])
            for row, at, distance in self._search.nearest(points):
                leads.take(mine[row], theirs[at], distance, self._originals)
        self.is_bounded |= near_leads(
            self._geometry,
            (self._synthetic, self._copied),
            (self._original, self._groups),
            self._originals,
            leads,
            is_exact=self._is_exact,
        )
        return leads

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        synthetic, own = self._synthetic[rows], self._originals.all_own
        groups = patterns(synthetic)
        refused = np.zeros(len(rows), bool)
        mine, theirs = _complete_rows(groups), _complete_rows(self._groups)
        if len(mine) and len(theirs):
            points = Points.of(self._geometry, synthetic[mine])
            is_low = synthetic.shape[1] <= kd_tree.MOST_DIMENSIONS
            search = kd_tree.within if is_low else all_pairs.within
            refused[mine] = search(self._complete, own[theirs], points)
        left = np.flatnonzero(~refused)
        refused[left] |= near_within(
            self._geometry,
            (synthetic[left], patterns(synthetic[left])),
            (self._original, self._groups),
            own,
            is_exact=self._is_exact,
        )
        return refused


def _complete_rows(groups: list[Pattern]) -> Ints:
    """The rows without a missing value; their pattern comes first."""
    if groups and groups[0].is_complete:
        return groups[0].rows
    return np.empty(0, np.int64)
