"""The smallest sets of keys that make people unique: minimal sample uniques (MSUs).

A set of keys is unique for a record if nobody else has its values there, and minimal if no part of
it is: Elliot, Manning and Ford (2002). A record takes part in no set with a key that it lacks, and
hides nobody else there, as in sdcMicro.

Sets are visited depth first, each as its parent (the set without its lowest key) refined by that
key. As numbers whose bits are keys they come in their order, every part of a set before it. Who is
alone leaves; where nobody is left, nothing below is visited.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
"""A bit for each combination that is searched for."""


def suda_scores(study: Study, *, missing_is_level: bool = False) -> Floats:
    """The SUDA score of each record of the original, over the study's keys; 0 if it has no MSU.

    `missing_is_level`: a missing key is a value like any other.
    """
    uniques = find_uniques(study, missing_is_level=missing_is_level)
    return uniques.of_records(uniques.score)


@dataclass(frozen=True, eq=False)
class Uniques:
    """The MSUs of each key combination that one person has."""

    combinations: Combinations
    single: Ints  # these combinations
    sets: Ints  # the MSUs of each by size, from 0 on
    has: Mask  # by key: whether it is in one of them
    with_key: Ints  # by key and size: how many MSUs of all hold it
    largest: int  # the most keys of a set that was searched

    @property
    def weights(self) -> Floats:
        """What an MSU of s of K keys adds: (K - s)!, the orders in which the others can follow."""
        K = len(self.has)
        return np.array([float(factorial(K - s)) for s in range(K + 1)])

    @cached_property
    def score(self) -> Floats:
        """The sum over their MSUs."""
        return (self.sets * self.weights).sum(axis=1)  # alike to the last digit: scores tie

    def of_records(self, values: Ints) -> Ints:
        """What these combinations have, for each record; 0 for all others."""
        of_combinations = np.zeros(len(self.combinations.people), values.dtype)
        of_combinations[self.single] = values
        return of_combinations[self.combinations.q]

    def people(self, where: Mask) -> int:
        """The people who have some of these combinations."""
        holder = self.combinations.holder[self.single[where]]
        return int(np.count_nonzero(np.bincount(holder)))

    @property
    def special_threshold(self) -> float | None:
        """The score from which on a unique is special."""
        positive = self.score[self.score > 0]
        return float(np.quantile(positive, SPECIAL)) if len(positive) else None

    @property
    def special(self) -> Mask:
        """The top tenth of scores; those that tie with the last of them are among them."""
        threshold = self.special_threshold
        return (self.score > 0) & (self.score >= (threshold or 0))


def find_uniques(
    study: Study, largest: int | None = None, *, missing_is_level: bool = False
) -> Uniques:
    """Every MSU of at most so many keys, as far as time and memory allow; kept with the study."""
    return study.once(_find_uniques, study.keys, largest, missing_is_level)


def _find_uniques(
    study: Study, keys: tuple[str, ...], asked: int | None, missing_is_level: bool
) -> Uniques:
    combinations, K = combinations_of(study, keys), len(keys)
    if missing_is_level:
        combinations = replace(combinations, missing=(-1,) * K)
    is_single = combinations.people == 1
    single = np.flatnonzero(is_single)
    n_sets = accumulate(comb(K, size) for size in range(1, K + 1))
    most = min(MOST_SETS, 8 * ROOM // max(len(single), 1))
    largest = min(max(1, sum(n <= most for n in n_sets)), asked or K)
    search = _Search(combinations, single, np.flatnonzero(~is_single), largest)
    has = np.unpackbits(search.has, axis=1, count=len(single)).astype(bool)
    return Uniques(combinations, single, search.sets, has, search.with_key, largest)


class _Classes(NamedTuple):
    """Combinations that share their values of some keys with others, and the class of each."""

    rows: Ints
    group: Ints
    n_groups: int


class _Search:
    """The MSUs of combinations of one person, beside others, which only hide them."""

    def __init__(
        self, combinations: Combinations, single: Ints, others: Ints, largest: int
    ) -> None:
        rows, K = np.append(single, others), len(combinations.codes)
        self.codes = [codes[rows] for codes in combinations.codes]
        self.n_levels, self.missing = combinations.n_levels, combinations.missing
        holder = np.append(combinations.holder[single], np.full(len(others), -1))
        self.holder = holder if combinations.has_several else None
        self.n_single, self.largest = len(single), largest
        self.sets = np.zeros((len(single), K + 1), np.int32)
        self.has = np.packbits(np.zeros((K, len(single)), bool), axis=1)
        self.with_key = np.zeros((K, K + 1), np.int64)
        self.unique: dict[int, Bits] = {0: self.has[0].copy()}
        whole = _Classes(np.arange(len(rows)), np.zeros(len(rows), np.int64), 1)
        self._visit(0, whole, steps("minimal sample uniques", range(K)))

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
        codes, n_levels = self.codes[key].take(rows), self.n_levels[key]
        if self.missing[key] >= 0:
            is_known = codes != self.missing[key]
            rows, group, codes = rows[is_known], group[is_known], codes[is_known]
        group, n_groups = group * n_levels + codes, n_groups * n_levels
        if n_groups > DENSE * len(group):
            group, n_groups = number(group, n_groups)
        of_single = group[: int(np.searchsorted(rows, self.n_single))]
        is_left = self._are_shared(rows, group, n_groups)
        alone = rows.take(np.flatnonzero(~is_left.take(of_single)))
        has_single = np.zeros(n_groups, bool)
        has_single[of_single] = True
        is_left &= has_single
        place, stays = np.cumsum(is_left), np.flatnonzero(is_left.take(group))
        left = place.take(group.take(stays)) - 1
        return alone, _Classes(rows.take(stays), left, int(is_left.sum()))

    def _are_shared(self, rows: Ints, group: Ints, n_groups: int) -> Mask:
        """Which classes have several people."""
        if self.holder is None:
            return np.bincount(group, minlength=n_groups) > 1
        holder, last = self.holder[rows], np.empty(n_groups, np.int64)
        last[group] = holder
        is_shared = np.zeros(n_groups, bool)
        is_shared[group[last[group] != holder]] = True
        return is_shared

    def _note(self, mask: int, alone: Ints) -> None:
        """Who is unique with a set, and of whom no part of it is."""
        is_alone = np.zeros(self.n_single, bool)
        is_alone[alone] = True
        minimal = np.packbits(is_alone)
        members = [key for key in range(len(self.codes)) if mask >> key & 1]
        self.unique[mask] = self._unique_with(mask & (mask - 1)) | minimal
        for key in members[1:]:
            minimal &= ~self._unique_with(mask ^ 1 << key)
        places = np.flatnonzero(np.unpackbits(minimal, count=self.n_single))
        if len(places):
            self.sets[places, len(members)] += 1
            self.has[members] |= minimal
            self.with_key[members, len(members)] += len(places)

    def _unique_with(self, mask: int) -> Bits:
        """Who is unique with a set; nothing changes below one where nobody is left."""
        while mask not in self.unique:
            mask &= mask - 1
        return self.unique[mask]
