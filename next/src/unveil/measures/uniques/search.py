"""The smallest sets of keys that make people unique: minimal sample uniques (MSUs).

A set of keys is unique for a record if nobody else has its values there, and minimal if no part of
it is: Elliot, Manning and Ford (2002). A record takes part in no set with a key that it lacks, and
hides nobody else there, as in sdcMicro.

Sets are visited depth first, each as its parent (the set without its lowest key) refined by that
key. As numbers whose bits are keys they come in their order, every part of a set before it. Who is
alone leaves; where nobody is left, nothing below is visited.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import Floats, Ints, number
from unveil.counts.profile import Mask
from unveil.measures.uniques.combinations import Combinations, combinations_of
from unveil.progress import steps
from unveil.study import Study

SPECIAL = 0.9  # the quantile of positive scores from which on a unique is special
MOST_SETS = 2**16 - 1  # sets of keys that are searched: all those of 16 keys
ROOM = 2**29  # bytes for who is unique with each set
DENSE = 4  # classes are counted in an array of up to so many times the rows, else numbered first

Bits = NDArray[np.uint8]
"""A bit for each combination."""


class _Classes(NamedTuple):
    """Combinations that share their values of some keys with others, and the class of each."""

    rows: Ints
    group: Ints
    n_groups: int


class Uniques:
    """The MSUs of each key combination that one person has; all others only hide them."""

    def __init__(self, combinations: Combinations, largest: int) -> None:
        self.combinations, self.largest = combinations, largest
        n, K = len(combinations.people), len(combinations.codes)
        self.is_single = combinations.people == 1
        self.holder = np.where(self.is_single, combinations.holder, combinations.n_people)
        self.sets = np.zeros((n, K + 1), np.int32)  # how many MSUs of each size, from 0 on
        self.has = np.zeros((K, n), bool)  # by key: whether it is in one of them
        self.with_key = np.zeros((K, K + 1), np.int64)  # by key and size: how many MSUs hold it
        self.unique: dict[int, Bits] = {0: np.packbits(self.has[0])}
        whole = _Classes(np.arange(n), np.zeros(n, np.int64), 1)
        self._visit(0, whole, steps("minimal sample uniques", range(K)))
        self.unique.clear()

    @property
    def weights(self) -> Floats:
        """What an MSU of s of K keys adds: (K - s)!, the orders in which the others can follow."""
        K = len(self.has)
        return np.array([float(factorial(K - s)) for s in range(K + 1)])

    @cached_property
    def score(self) -> Floats:
        """The sum over their MSUs."""
        return (self.sets * self.weights).sum(axis=1)  # alike to the last digit: scores tie

    @property
    def special_threshold(self) -> float | None:
        """The score from which on a unique is special."""
        positive = self.score[self.score > 0]
        return float(np.quantile(positive, SPECIAL)) if len(positive) else None

    @property
    def special(self) -> Mask:
        """The top tenth of scores; those that tie with the last of them are among them."""
        return (self.score > 0) & (self.score >= (self.special_threshold or 0))

    def _visit(self, parent: int, within: _Classes, keys: Iterable[int]) -> None:
        """A set with each of the lower keys, and all sets below these."""
        for key in keys:
            mask = parent | 1 << key
            alone, left = self._refine(within, key)
            if len(alone):
                self._note(mask, alone)
            if key and len(left.rows) and mask.bit_count() < self.largest:
                self._visit(mask, left, range(key))

    def _refine(self, within: _Classes, key: int) -> tuple[Ints, _Classes]:
        """Who is alone when classes are parted by one more key; the classes of who is not."""
        rows, group, n_groups = within
        codes, n_levels = self.combinations.codes[key].take(rows), self.combinations.n_levels[key]
        if self.combinations.missing[key] >= 0:
            is_known = codes != self.combinations.missing[key]
            rows, group, codes = rows[is_known], group[is_known], codes[is_known]
        group, n_groups = group * n_levels + codes, n_groups * n_levels
        if n_groups > DENSE * len(group):
            group, n_groups = number(group, n_groups)
        is_shared = self._are_shared(rows, group, n_groups)
        is_left = is_shared.take(group)
        alone, left = rows[~is_left], np.flatnonzero(is_left)
        place = np.cumsum(is_shared) - 1
        classes = _Classes(rows.take(left), place.take(group.take(left)), int(is_shared.sum()))
        return alone[self.is_single.take(alone)], classes

    def _are_shared(self, rows: Ints, group: Ints, n_groups: int) -> Mask:
        """Which classes have several people."""
        if not self.combinations.has_several:
            return np.bincount(group, minlength=n_groups) > 1
        n_holders = np.int64(self.combinations.n_people + 1)
        pairs = np.unique(group * n_holders + self.holder[rows])
        return np.bincount(pairs // n_holders, minlength=n_groups) > 1

    def _note(self, mask: int, alone: Ints) -> None:
        """Who is unique with a set, and of whom no part of it is."""
        is_alone = np.zeros(len(self.sets), bool)
        is_alone[alone] = True
        minimal = np.packbits(is_alone)
        members = [key for key in range(len(self.has)) if mask >> key & 1]
        self.unique[mask] = self._unique_with(mask & (mask - 1)) | minimal
        for key in members[1:]:
            minimal &= ~self._unique_with(mask ^ 1 << key)
        places = np.flatnonzero(np.unpackbits(minimal, count=len(self.sets)))
        self.sets[places, len(members)] += 1
        for key in members:
            self.has[key, places] = True
        self.with_key[members, len(members)] += len(places)

    def _unique_with(self, mask: int) -> Bits:
        """Who is unique with a set; nothing changes below one where nobody is left."""
        while mask not in self.unique:
            mask &= mask - 1
        return self.unique[mask]


def find_uniques(
    study: Study, largest: int | None = None, *, missing_is_level: bool = False
) -> Uniques:
    """Every MSU of at most so many keys, as far as time and memory allow; kept with the study.

    `missing_is_level`: a missing key is a value like any other.
    """
    return study.once(_find_uniques, study.keys, largest, missing_is_level)


def _find_uniques(
    study: Study, keys: tuple[str, ...], asked: int | None, missing_is_level: bool
) -> Uniques:
    combinations, K = combinations_of(study, keys), len(keys)
    if missing_is_level:
        combinations = replace(combinations, missing=np.full(K, -1))
    n_sets = accumulate(comb(K, size) for size in range(1, K + 1))
    most = min(MOST_SETS, 8 * ROOM // len(combinations.people))
    largest = min(max(1, sum(n <= most for n in n_sets)), asked or K)
    return Uniques(combinations, largest)
