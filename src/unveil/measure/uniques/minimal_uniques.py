"""With which few keys is a record already alone? All minimal sample uniques, exactly.

A set of keys is unique for a record when no other record agrees with it on all of them; it is a
minimal sample unique (MSU) when no smaller part of it is. Elliot, Manning and Ford (2002), Manning,
Haglin and Keane (2008).

Sets of keys are visited depth first, each as its parent (itself without its first key) refined by
that key. A partition holds only key combinations that are not alone yet and share their class with
one that may still become so; when none is left, nothing below the set is visited. Sets are numbers
whose bits are keys: every part of a set is a smaller number, and is visited before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints
from unveil.count.cells import Keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Integers, is_dense, number
from unveil.study.scenario import Progress, no_progress

ROOM = 2**28
"""Bytes that the bits of uniqueness may take; beyond that the search runs in several passes."""
STEP = 64
"""After how many sets of keys progress is told."""

Bits = NDArray[np.uint8]


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


def n_sets(n_keys: int, most: int) -> int:
    """How many sets of one to so many keys there are."""
    return sum(comb(n_keys, size) for size in range(1, most + 1))


def minimal_uniques(
    rows: KeyRows, max_size: int, progress: Progress = no_progress
) -> Iterator[MinimalUnique]:
    """Every set of at most so many keys that is a minimal sample unique, with whose it is."""
    # The first key of a set refines most often: few levels there keep what is counted small.
    order = np.argsort(rows.n_levels, kind="stable").tolist()
    total = n_sets(len(order), max_size)
    block = max(8 * ROOM // max(total, 1), 1024)
    for start in range(0, rows.n_alone, block):
        stop = min(start + block, rows.n_alone)
        progress("searching for minimal uniques", 0, total)
        for mask, places in _UniqueSearch(rows, order, slice(start, stop), max_size).run(progress):
            members = sorted(key for bit, key in enumerate(order) if mask >> bit & 1)
            yield MinimalUnique(tuple(members), places + start)


class _UniqueSearch:
    """One pass: the minimal uniques of some of the statistical uniques, `live`."""

    def __init__(self, rows: KeyRows, order: Sequence[int], live: slice, max_size: int) -> None:
        self.n_live = live.stop - live.start
        self.n_rows = len(rows.codes[0])
        self.codes = [_first(rows.codes[key], live).astype(np.int64) for key in order]
        self.n_levels = [rows.n_levels[key] for key in order]
        self.missing = [rows.missing[key] for key in order]
        self.max_size = max_size
        self.unique: dict[int, Bits] = {}  # by set of keys, where it differs from the parent's

    def run(self, progress: Progress) -> Iterator[tuple[int, Ints]]:
        """The sets that are minimal for some, as bits, in the order they are visited."""
        n_keys = len(self.codes)
        total, n_done, told = n_sets(n_keys, self.max_size), 0, 0
        everyone = Partition(np.arange(self.n_rows), np.zeros(self.n_rows, np.int64), 1)
        waiting = [(0, key, everyone) for key in reversed(range(n_keys))]
        while waiting:
            parent, key, within = waiting.pop()
            mask = parent | 1 << key
            more = self.max_size - mask.bit_count() if key else 0
            alone, shared = self._refine(within, key, is_last=not more)
            minimal = self._minimal(mask, parent, alone)
            if len(minimal):
                yield mask, minimal
            n_done += 1
            if shared is not None:
                waiting += [(mask, child, shared) for child in reversed(range(key))]
            else:
                n_done += n_sets(key, more)
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

    def _minimal(self, mask: int, parent: int, alone: Ints) -> Ints:
        """Those newly alone on a set for whom no part of it is unique; the set is remembered."""
        if not len(alone):
            return alone
        is_alone = np.zeros(self.n_live, bool)
        is_alone[alone] = True
        new = np.packbits(is_alone)
        before = self._unique(parent)
        self.unique[mask] = new if before is None else new | before
        minimal = new
        rest = parent
        while rest:
            other = self._unique(mask ^ (rest & -rest))
            rest &= rest - 1
            if other is not None:
                minimal = minimal & ~other
        if minimal is new:
            return alone
        return np.flatnonzero(np.unpackbits(minimal, count=self.n_live))

    def _unique(self, mask: int) -> Bits | None:
        """Who is alone on a set that was visited, or lies below one where no one was left."""
        while mask and mask not in self.unique:
            mask &= mask - 1
        return self.unique[mask] if mask else None


def _first(codes: Codes, live: slice) -> Codes:
    """The codes with those of some rows put before all others."""
    if live.start == 0:
        return codes
    return np.concatenate([codes[live], codes[: live.start], codes[live.stop :]])
