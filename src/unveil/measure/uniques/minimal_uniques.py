"""With which few keys is a record already alone? All minimal sample uniques, exactly.

A set of keys is unique for a record when no other record agrees with it on all of them; it is a
minimal sample unique (MSU) when no smaller part of it is. Elliot, Manning and Ford (2002), Manning,
Haglin and Keane (2008).

Sets of keys are visited depth first, each as its parent (itself without its first key) refined by
that key. A partition holds only key combinations that are not alone yet and share their class with
one that may still become so; when none is left, nothing below the set is visited. Sets are numbers
whose bits are keys: every part of a set is a smaller number, and is visited before it.

The keys with the fewest levels, the low keys, are in no partition: each set of the others is
counted once by all low keys together, and sums over that table say who is alone with which of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints
from unveil.count.cells import Keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.key_sets import count_sets
from unveil.count.packing import Integers, is_dense, number
from unveil.study.scenario import Progress, no_progress

ROOM = 2**28
"""Bytes that the bits of uniqueness may take; beyond that the search runs in several passes."""
STEP = 64
"""After how many sets of keys progress is told."""
MOST_LOW = 3
"""Low keys: a byte has a bit for each set of three."""
MOST_CELLS = 64
"""Combinations of low keys that each class is counted by."""
LOW_SETS = range(2**MOST_LOW)

Bits = NDArray[np.uint8]

_MINIMAL: Bits = np.array(
    [
        sum(
            1 << low
            for low in LOW_SETS
            if bits >> low & 1
            and not any(low >> key & 1 and bits >> (low ^ 1 << key) & 1 for key in range(MOST_LOW))
        )
        for bits in range(256)
    ],
    np.uint8,
)
"""By the low sets that someone is alone with, as bits: those of them without a part among them."""
_WITHOUT = [sum(1 << low for low in LOW_SETS if not low >> key & 1) for key in range(MOST_LOW)]
"""By low key: the sets without it."""


@dataclass(frozen=True)
class KeyRows:
    """The distinct key combinations: those of one record first, then those of several.

    What several records share is unique for none of them, so it is enough to have it once.
    """

    names: tuple[str, ...]
    codes: tuple[Codes, ...]  # one array a key, one code a combination
    n_levels: tuple[int, ...]
    missing: tuple[int | None, ...]  # the code of each key that takes part in no unique
    records: Ints  # the record of each combination that is held by one record alone

    @property
    def n_alone(self) -> int:
        """Combinations held by one record alone: the statistical uniques."""
        return len(self.records)


def key_rows(columns: Sequence[CodedColumn], keys: Keys, *, exclude_missing: bool) -> KeyRows:
    """The distinct key combinations of one data set that was counted by these columns."""
    n_records = keys.counts[0]
    examples = keys.example_rows()
    records = np.sort(examples[n_records == 1])
    distinct = np.concatenate([records, examples[n_records > 1]])
    return KeyRows(
        tuple(column.name for column in columns),
        tuple(column.codes[distinct] for column in columns),
        tuple(column.n_levels for column in columns),
        tuple(
            column.n_levels - 1 if exclude_missing and column.has_missing else None
            for column in columns
        ),
        records,
    )


@dataclass(frozen=True)
class MinimalUnique:
    """One set of keys, and the statistical uniques whose minimal sample unique it is."""

    keys: tuple[int, ...]
    places: Ints  # among the combinations that are held by one record

    @property
    def size(self) -> int:
        """How many keys are in the set."""
        return len(self.keys)


@dataclass(frozen=True)
class Partition:
    """Combinations that are not alone on a set of keys, in their order, each with its class."""

    rows: Ints
    classes: Ints
    n_classes: int


def find_minimal_uniques(
    rows: KeyRows, max_size: int, progress: Progress = no_progress
) -> Iterator[MinimalUnique]:
    """Every set of at most so many keys that is a minimal sample unique, with whose it is."""
    # The first key of a set refines most often: few levels there keep what is counted small.
    order = np.argsort(rows.n_levels, kind="stable").tolist()
    n_low = 0
    while n_low < min(MOST_LOW, len(order)) and _n_cells(rows, order[: n_low + 1]) <= MOST_CELLS:
        n_low += 1
    block = max(ROOM // (count_sets(len(order) - n_low, max_size) + 1), 1024)
    for start in range(0, rows.n_alone, block):
        stop = min(start + block, rows.n_alone)
        search = _UniqueSearch(rows, order, n_low, slice(start, stop), max_size)
        for mask, places in search.run(progress):
            members = sorted(key for bit, key in enumerate(order) if mask >> bit & 1)
            yield MinimalUnique(tuple(members), places + start)


def _n_cells(rows: KeyRows, keys: Sequence[int]) -> int:
    return prod(rows.n_levels[key] for key in keys)


class _UniqueSearch:
    """One pass: the minimal uniques of some of the statistical uniques, `live`."""

    def __init__(
        self, rows: KeyRows, order: Sequence[int], n_low: int, live: slice, max_size: int
    ) -> None:
        codes = [_first(rows.codes[key], live).astype(np.int64) for key in order]
        self.n_live = live.stop - live.start
        self.n_rows = len(codes[0])
        self.codes = codes[n_low:]
        self.n_levels = [rows.n_levels[key] for key in order[n_low:]]
        self.missing = [rows.missing[key] for key in order[n_low:]]
        self.max_size = max_size
        self.low_levels = [rows.n_levels[key] for key in order[:n_low]]
        self.low_missing = [rows.missing[key] for key in order[:n_low]]
        self.low_codes = np.zeros(self.n_rows, np.int64)
        for code, base in zip(codes[:n_low][::-1], self.low_levels[::-1], strict=True):
            self.low_codes *= base
            self.low_codes += code
        self.unique: dict[int, Bits] = {}  # by set of keys, where it differs from the parent's

    def run(self, progress: Progress) -> Iterator[tuple[int, Ints]]:
        """The sets that are minimal for some, as bits, in the order they are visited."""
        n_keys, n_low = len(self.codes), len(self.low_levels)
        total, n_done, told = (
            count_sets(n_keys + n_low, self.max_size),
            count_sets(n_low, self.max_size),
            0,
        )
        progress("searching for minimal uniques", 0, total)
        everyone = Partition(np.arange(self.n_rows), np.zeros(self.n_rows, np.int64), 1)
        yield from self._minimal(0, np.empty(0, np.int64), everyone)
        waiting = [(0, key, everyone) for key in reversed(range(n_keys))]
        while waiting:
            parent, key, within = waiting.pop()
            mask = parent | 1 << key
            left = self.max_size - mask.bit_count()
            alone, shared = self._refine(within, key, is_last=not (left and key + n_low))
            yield from self._minimal(mask, alone, shared)
            n_done += 1 + count_sets(n_low, left)
            if shared is not None:
                waiting += [(mask, child, shared) for child in reversed(range(key))]
            else:
                n_done += count_sets(key + n_low, left) - count_sets(n_low, left)
            if n_done - told >= STEP:
                progress("searching for minimal uniques", n_done, total)
                told = n_done

    def _refine(
        self, within: Partition, key: int, *, is_last: bool
    ) -> tuple[Ints, Partition | None]:
        """Who becomes alone when a partition is refined by a key; and who does not, if asked."""
        rows, classes = within.rows, within.classes
        code = self.codes[key].take(rows)  # faster than an index, as below
        if self.missing[key] is not None:
            known = code != self.missing[key]
            rows, classes, code = rows[known], classes[known], code[known]
        packed: Integers = classes * self.n_levels[key]
        packed += code
        space = within.n_classes * self.n_levels[key]
        if not is_dense(space, len(packed)):
            ids, space = number(packed, space)
            packed = ids.astype(np.int64)
        counts = np.bincount(packed, minlength=space)
        n_live = int(np.searchsorted(rows, self.n_live))
        of_live = packed[:n_live]
        alone = rows.take(np.flatnonzero((counts == 1).take(of_live)))
        if is_last or len(alone) == n_live:
            return alone, None
        is_kept = np.zeros(space, bool)
        is_kept[of_live] = True
        is_kept &= counts > 1
        renumbered = np.cumsum(is_kept)
        n_classes = int(renumbered[-1])
        renumbered[~is_kept] = 0
        new = renumbered.take(packed)
        kept = np.flatnonzero(new)
        return alone, Partition(rows.take(kept), new.take(kept) - 1, n_classes)

    def _minimal(
        self, mask: int, alone: Ints, shared: Partition | None
    ) -> Iterator[tuple[int, Ints]]:
        """The set with each of the low sets that is minimal for some; who is alone is kept."""
        before = self._unique(mask & (mask - 1))
        now = np.zeros(self.n_live, np.uint8) if before is None else before.copy()
        now[alone] = 255
        n_new = len(alone)
        if shared is not None and self.low_levels:
            n_live = int(np.searchsorted(shared.rows, self.n_live))
            found = self._alone_with(shared, n_live)
            now[shared.rows[:n_live]] = found
            n_new += int(np.count_nonzero(found))
        if not n_new:
            return
        self.unique[mask] = now
        minimal = _MINIMAL.take(now)
        rest = mask
        while rest:
            other = self._unique(mask ^ (rest & -rest))
            rest &= rest - 1
            if other is not None:
                minimal &= ~other
        some = np.flatnonzero(minimal)
        which = minimal.take(some)
        for low in LOW_SETS:
            if low.bit_count() + mask.bit_count() <= self.max_size:
                places = some.compress(which & 1 << low)
                if len(places):
                    yield mask << len(self.low_levels) | low, places

    def _alone_with(self, shared: Partition, n_live: int) -> Bits:
        """With which low sets the first rows of a partition are alone, as bits."""
        n_low, n_classes = len(self.low_levels), shared.n_classes
        packed = self.low_codes.take(shared.rows)
        packed *= n_classes
        packed += shared.classes
        counts = np.bincount(packed, minlength=prod(self.low_levels) * n_classes)
        whole = np.minimum(counts, 2).astype(np.uint8)  # one, or more than one
        sums = {2**n_low - 1: whole.reshape(*self.low_levels[::-1], n_classes)}
        alone = np.zeros_like(sums[2**n_low - 1])
        for low in range(2**n_low - 1, 0, -1):
            if low not in sums:
                key = (~low & (low + 1)).bit_length() - 1
                of_more = sums[low | 1 << key]
                sums[low] = of_more.sum(axis=n_low - 1 - key, keepdims=True, dtype=np.uint8)
            alone |= (sums[low] == 1).view(np.uint8) << low
        for key, missing in enumerate(self.low_missing):
            if missing is not None:
                np.moveaxis(alone, n_low - 1 - key, 0)[missing] &= _WITHOUT[key]
        return alone.reshape(-1).take(packed[:n_live])

    def _unique(self, mask: int) -> Bits | None:
        """Who is alone on a set that was visited, or lies below one where no one was left."""
        while mask and mask not in self.unique:
            mask &= mask - 1
        return self.unique.get(mask)


def _first(codes: Codes, live: slice) -> Codes:
    """The codes with those of some rows put before all others."""
    if live.start == 0:
        return codes
    return np.concatenate([codes[live], codes[: live.start], codes[live.stop :]])
