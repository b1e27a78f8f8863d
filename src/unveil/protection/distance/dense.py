"""Neighbours under a distance that has no geometry: every pair, in blocks of rows.

The distance between two originals is taken as long, that between a synthetic row and an original as
short, as their missing values allow.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Protocol

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.protection.distance.coding import Column
from unveil.protection.distance.leads import ZERO, Leads
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import TOLERANCE, is_closer

MOST_PAIRS = 2**21


class Pairs(Protocol):
    """A distance between rows, and how many rows there are."""

    n_original: int
    n_synthetic: int

    def longest(self, rows: Whole) -> Floats:
        """Each of these originals and every original, at their longest."""

    def shortest(self, rows: Whole) -> Floats:
        """Each of these synthetic rows and every original, at their shortest."""

    def against(self, columns: Sequence[Column]) -> "Pairs":
        """The same originals beside another copy."""


class Dense:
    """All pairs of rows under one distance."""

    is_bounded = False

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs

    def against(self, columns: Sequence[Column]) -> "Dense":
        """The same originals, and what is known of them, beside another copy."""
        other = copy(self)
        other._pairs = self._pairs.against(columns)
        return other

    @cached_property
    def _own(self) -> Floats:
        """How far the nearest other original is from each; infinite where there is no other."""
        own = np.full(self._pairs.n_original, np.inf)
        for rows in self._blocks(np.arange(self._pairs.n_original)):
            distance = self._pairs.longest(rows)
            distance[np.arange(len(rows)), rows] = np.inf
            own[rows] = distance.min(axis=1)
        return own

    def own_of(self, rows: Whole) -> Floats:
        """How far the nearest other original is from these."""
        return self._own[rows]

    def leads(self) -> Leads:
        """The nearest originals of each synthetic row."""
        leads = Leads.none(self._pairs.n_synthetic)
        for rows in self._blocks(np.arange(self._pairs.n_synthetic)):
            distance = self._pairs.shortest(rows)
            best = distance.min(axis=1)
            tied = distance <= (best * (1 + TOLERANCE) + ZERO)[:, np.newaxis]
            leads.distance[rows] = best
            leads.first[rows] = np.argmax(tied, axis=1)
            leads.limit[rows] = np.where(tied, self._own, 0.0).max(axis=1)
        return leads

    def within(self, rows: Whole) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        refused = np.zeros(len(rows), bool)
        for some in self._blocks(np.arange(len(rows))):
            distance = self._pairs.shortest(rows[some])
            refused[some] = is_closer(distance, self._own).any(axis=1)
        return refused

    def _blocks(self, rows: Whole) -> Iterator[Whole]:
        size = max(MOST_PAIRS // max(self._pairs.n_original, 1), 1)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]
