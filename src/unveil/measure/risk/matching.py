"""Who matches whom where a missing key may be anything?

Two key combinations match when on every key they are equal or one of the two is missing: the rule
of sdcMicro's `freqCalc`. It is not transitive, so there are no classes. Distinct combinations are
sorted into a tree, key by key, and the tree is matched with itself from the root down: only
beginnings that match are followed. So the work grows with the matches there are between distinct
combinations, never with pairs of records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.count.cells import Keys
from unveil.count.codes import Codes, Column
from unveil.count.packing import Integers, Whole, run_starts

MOST_PAIRS = 2**20
"""Pairs that are made at a time, so that memory stays bounded."""

Mask = NDArray[np.bool_]
Pairs = tuple[Whole, Whole]


@dataclass(frozen=True)
class Combinations:
    """The distinct key combinations of one data set, as codes, in the order they were numbered."""

    codes: tuple[Codes, ...]
    n_levels: tuple[int, ...]
    missing: tuple[int | None, ...]  # the code that may be anything

    @property
    def n_q(self) -> int:
        """How many there are."""
        return len(self.codes[0])

    @cached_property
    def is_complete(self) -> Mask:
        """Which combinations lack no key."""
        complete = np.ones(self.n_q, bool)
        for codes, missing in zip(self.codes, self.missing, strict=True):
            if missing is not None:
                complete &= codes != missing
        return complete

    def matches(self, most: int = MOST_PAIRS) -> Iterator[Pairs]:
        """All pairs that match, each combination with itself among them, in pieces of about `most`.

        All matches of one combination, which comes first in its pairs, stand in one piece.
        """
        # Keys that nobody lacks part most; then those with many levels.
        by_use = sorted(
            range(len(self.codes)), key=lambda k: (self.missing[k] is not None, -self.n_levels[k])
        )
        rows = np.lexsort([self.codes[key] for key in reversed(by_use)])
        steps = _steps([self.codes[key][rows] for key in by_use])
        of_steps = [
            _Step(*step, self.n_levels[key], self.missing[key])
            for step, key in zip(steps, by_use, strict=True)
        ]
        waiting = [(0, (np.zeros(1, np.int64), np.zeros(1, np.int64)))]
        while waiting:
            depth, pairs = waiting.pop()
            if depth == len(of_steps):
                yield rows[pairs[0]], rows[pairs[1]]
                continue
            step = of_steps[depth]
            parts = _parts(pairs, step.most_longer(pairs), most)
            if len(parts) > 1:
                waiting += [(depth, part) for part in parts]
            else:
                waiting.append((depth + 1, step.longer(pairs)))


@dataclass(frozen=True)
class _Step:
    """From beginnings of combinations to those that are longer by one key."""

    starts: Whole  # the longer beginnings of each: starts[i] to starts[i + 1]
    values: Integers  # the code of the key with which each longer one ends
    n_levels: int
    missing: int | None

    @cached_property
    def packed(self) -> Whole:
        """Each longer beginning as a number: what it begins with, and its last code."""
        before = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        packed: Whole = before * self.n_levels + self.values
        return packed

    @cached_property
    def lacks(self) -> Mask:
        """Which beginnings have a longer one that lacks the key; it is the last of theirs."""
        lacking: Mask = self.values[self.starts[1:] - 1] == self.missing
        return lacking

    def most_longer(self, pairs: Pairs) -> Whole:
        """At most so many longer pairs come from each."""
        n_first, n_second = (np.diff(self.starts)[one] for one in pairs)
        most: Whole = 2 * n_first
        return most if self.missing is None else most + np.where(self.lacks[pairs[0]], n_second, 0)

    def longer(self, pairs: Pairs) -> Pairs:
        """The pairs of longer beginnings that match."""
        first, length = ranges(self.starts, pairs[0])
        second = np.repeat(pairs[1], length)
        if self.missing is None:
            return self._equal(first, second)
        is_known = self.values[first] != self.missing
        anything, among = first[~is_known], second[~is_known]
        all_of, length = ranges(self.starts, among)
        first, second = first[is_known], second[is_known]
        lacking = self.lacks[second]
        found = [
            self._equal(first, second),
            (first[lacking], self.starts[second[lacking] + 1] - 1),
            (np.repeat(anything, length), all_of),
        ]
        one, other = (np.concatenate(side) for side in zip(*found, strict=True))
        return one, other

    def _equal(self, first: Whole, second: Whole) -> Pairs:
        """Those whose second has a longer beginning that ends as the first does."""
        wanted = second * self.n_levels + self.values[first]
        place = np.searchsorted(self.packed, wanted)
        place[place == len(self.packed)] = 0
        is_there = self.packed[place] == wanted
        return first[is_there], place[is_there]


def _steps(in_order: Sequence[Codes]) -> Iterator[tuple[Whole, Codes]]:
    """For each key the starts of longer beginnings, and the codes these end with."""
    n = len(in_order[0])
    begins = np.zeros(n, bool)
    begins[0] = True
    for codes in in_order:
        longer = begins.copy()
        longer[1:] |= codes[1:] != codes[:-1]
        place = np.cumsum(longer) - 1
        yield np.append(place[begins], place[-1] + 1), codes[longer]
        begins = longer


def _parts(pairs: Pairs, sizes: Whole, most: int) -> list[Pairs]:
    """Pairs cut into parts of about the size wanted; no first one is in two of them."""
    if sizes.sum() <= most or (pairs[0] == pairs[0][0]).all():
        return [pairs]
    order = np.argsort(pairs[0], kind="stable")
    first, second, before = pairs[0][order], pairs[1][order], np.cumsum(sizes[order])
    of_first = run_starts(first)
    # Where the sizes pass a multiple of what is wanted, up to the next of the first ones.
    part = before[of_first[1:] - 1] // most
    cuts = of_first[run_starts(part)[1:-1]]
    return list(zip(np.split(first, cuts), np.split(second, cuts), strict=True))


def ranges(starts: Whole, chosen: Integers) -> tuple[Whole, Whole]:
    """Every place from starts[i] to starts[i + 1], one chosen i after the other; and how many."""
    length = starts[chosen + 1] - starts[chosen]
    shift = starts[chosen] - (np.cumsum(length) - length)
    return np.arange(length.sum()) + np.repeat(shift, length), length


def combinations(columns: Sequence[Column], keys: Keys) -> Combinations:
    """The distinct key combinations of one data set that was counted by these columns."""
    examples = keys.example_rows()
    return Combinations(
        tuple(column.codes[examples] for column in columns),
        tuple(column.n_levels for column in columns),
        tuple(column.n_levels - 1 if column.has_missing else None for column in columns),
    )
