"""The smallest sets of keys that make people unique: minimal sample uniques (MSUs).

A set of keys is unique for a record if nobody else has its values there, and minimal if no part of
it is: Elliot, Manning and Ford (2002). A record takes part in no set with a key that it lacks, and
hides nobody else there, as in sdcMicro.

Sets are visited depth first, each as its parent (the set without its lowest key) refined by that
key. As numbers whose bits are keys they come in their order, every part of a set before it. Who is
alone leaves; where nobody is left, nothing below is visited.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import Floats, Ints, number
from unveil.counts.profile import Mask
from unveil.measures.uniques.combinations import Combinations, combinations_of
from unveil.progress import steps
from unveil.study import Study

MOST_SETS = 2**16 - 1  # sets of keys that are searched: all those of 16 keys
SPECIAL = 0.9  # the quantile of positive scores from which on a unique is special
ROOM = 2**28  # bytes for who is unique with each set; of more people the search is repeated
LEAST = 1024  # people searched at a time at least
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
    sets: Ints  # their MSUs by size, from 0 on
    has: Mask  # by key: whether it is in one of their MSUs
    with_key: Ints  # by key and size: the MSUs of all of them
    largest: int  # the most keys of a set that was searched

    @property
    def weights(self) -> Floats:
        """What an MSU of s of K keys adds: (K - s)!, the orders in which the others can follow."""
        K = len(self.has)
        return np.array([float(factorial(K - s)) for s in range(K + 1)])

    @cached_property
    def score(self) -> Floats:
        """The sum over their MSUs."""
        return self.sets @ self.weights

    def of_records(self, values: Floats) -> Floats:
        """What these combinations have, for each record; 0 for all others."""
        of_combinations = np.zeros(self.combinations.n_q, values.dtype)
        of_combinations[self.single] = values
        return of_combinations[self.combinations.q]

    @property
    def special_threshold(self) -> float | None:
        """The score from which on a unique is special; those that tie are."""
        positive = self.score[self.score > 0]
        return float(np.quantile(positive, SPECIAL)) if len(positive) else None


def largest_size(n_keys: int, most: int = MOST_SETS) -> int:
    """The size up to which all sets of so many keys can be searched."""
    sizes = range(1, n_keys + 1)
    return max((s for s in sizes if n_sets(n_keys, s) <= most), default=1)


def n_sets(n_keys: int, largest: int) -> int:
    """The sets of at most so many of the keys."""
    return sum(comb(n_keys, size) for size in range(1, largest + 1))


def find_uniques(
    study: Study, largest: int | None = None, *, missing_is_level: bool = False
) -> Uniques:
    """Every MSU of at most so many keys, by default of all sizes that can be searched."""
    largest = min(largest or largest_size(len(study.keys)), len(study.keys))
    return study.once(_find_uniques, study.keys, largest, missing_is_level)


def _find_uniques(
    study: Study, keys: tuple[str, ...], largest: int, missing_is_level: bool
) -> Uniques:
    combinations = combinations_of(study, keys)
    is_single = combinations.people == 1
    single, others = np.flatnonzero(is_single), np.flatnonzero(~is_single)
    block = max(8 * ROOM // n_sets(len(keys), largest), LEAST)
    parts = []
    for start in range(0, max(len(single), 1), block):
        live = single[start : start + block]
        rows = np.concatenate([live, single[:start], single[start + block :], others])
        search = _Search(combinations, rows, len(live), largest, missing_is_level)
        parts.append(search.run())
    sets, has, with_key = zip(*parts, strict=True)
    return Uniques(
        combinations,
        single,
        sets=np.concatenate(sets),
        has=np.concatenate(has, axis=1),
        with_key=np.sum(with_key, axis=0),
        largest=largest,
    )


class _Classes(NamedTuple):
    """Combinations that share their values of some keys with others, and the class of each."""

    rows: Ints
    group: Ints
    n_groups: int


class _Search:
    """The MSUs of the first `n_live` combinations; the others only hide them."""

    def __init__(
        self, combinations: Combinations, rows: Ints, n_live: int, largest: int,
        missing_is_level: bool,
    ) -> None:  # fmt: skip
        self.order = np.argsort(combinations.n_levels, kind="stable")  # few levels refine most
        self.codes = [combinations.codes[key][rows] for key in self.order]
        self.n_levels = [combinations.n_levels[key] for key in self.order]
        missing = [combinations.missing[key] for key in self.order]
        self.missing = [None] * len(missing) if missing_is_level else missing
        several = combinations.people[rows] > 1
        holder = np.where(several, -1, combinations.holder[rows])
        self.holder = holder if combinations.n_people < len(combinations.q) else None
        self.n_rows, self.n_live, self.largest = len(rows), n_live, largest
        K = len(self.codes)
        self.unique: dict[int, Bits] = {0: np.zeros(-(-n_live // 8), np.uint8)}
        self.sets = np.zeros((n_live, K + 1), np.int32)
        self.has = np.zeros((K, len(self.unique[0])), np.uint8)
        self.with_key = np.zeros((K, K + 1), np.int64)

    def run(self) -> tuple[Ints, Mask, Ints]:
        """The MSUs of each by size; whether each key is in one; all MSUs by key and size."""
        whole = _Classes(np.arange(self.n_rows), np.zeros(self.n_rows, np.int64), 1)
        self._visit(0, whole, steps("minimal sample uniques", range(len(self.codes))))
        given = np.argsort(self.order)
        has = np.unpackbits(self.has[given], axis=1, count=self.n_live).astype(bool)
        return self.sets, has, self.with_key[given]

    def _visit(self, parent: int, within: _Classes, bits: Iterable[int]) -> None:
        """A set with each of the lower keys, and all sets below these."""
        for bit in bits:
            mask = parent | 1 << bit
            is_last = bit == 0 or mask.bit_count() == self.largest
            alone, shared = self._refine(within, bit, is_last=is_last)
            if len(alone):
                self._note(mask, alone)
            if shared is not None:
                self._visit(mask, shared, range(bit))

    def _refine(self, within: _Classes, bit: int, *, is_last: bool) -> tuple[Ints, _Classes | None]:
        """Who is alone when classes are parted by one more key, and the classes of the others."""
        rows, group, n_groups = within
        codes = self.codes[bit].take(rows)
        if self.missing[bit] is not None:
            is_known = np.flatnonzero(codes != self.missing[bit])
            rows, group, codes = rows.take(is_known), group.take(is_known), codes.take(is_known)
        group, n_groups = group * self.n_levels[bit] + codes, n_groups * self.n_levels[bit]
        if n_groups > DENSE * len(group):
            group, n_groups = number(group, n_groups)
        of_live = group[: int(np.searchsorted(rows, self.n_live))]
        is_shared = self._are_shared(rows, group, n_groups)
        alone = rows.take(np.flatnonzero(~is_shared.take(of_live)))
        if is_last or len(alone) == len(of_live):
            return alone, None
        is_left = np.zeros(n_groups, bool)
        is_left[of_live] = True
        is_left &= is_shared
        place = np.cumsum(is_left)
        stays = np.flatnonzero(is_left.take(group))
        left = _Classes(rows.take(stays), place.take(group.take(stays)) - 1, int(place[-1]))
        return alone, left

    def _are_shared(self, rows: Ints, group: Ints, n_groups: int) -> Mask:
        """Which classes have several people."""
        if self.holder is None:
            return np.bincount(group, minlength=n_groups) > 1
        holder, last = self.holder.take(rows), np.empty(n_groups, np.int64)
        last[group] = holder
        is_shared = np.zeros(n_groups, bool)
        is_shared[group[last.take(group) != holder]] = True
        return is_shared

    def _note(self, mask: int, alone: Ints) -> None:
        """Who is unique with a set, and of whom no part of it is."""
        is_alone = np.zeros(self.n_live, bool)
        is_alone[alone] = True
        minimal = np.packbits(is_alone)
        members = [bit for bit in range(len(self.codes)) if mask >> bit & 1]
        self.unique[mask] = self._unique_with(mask ^ 1 << members[0]) | minimal
        for bit in members[1:]:
            minimal &= ~self._unique_with(mask ^ 1 << bit)
        places = np.flatnonzero(np.unpackbits(minimal, count=self.n_live))
        if len(places):
            self.sets[places, len(members)] += 1
            self.has[members] |= minimal
            self.with_key[members, len(members)] += len(places)

    def _unique_with(self, mask: int) -> Bits:
        """Who is unique with a set; nothing changes below one where nobody is left."""
        while mask not in self.unique:
            mask &= mask - 1
        return self.unique[mask]
