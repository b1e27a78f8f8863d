"""One scenario, counted once: what the intruder knows, what they might learn, on every side.

The counts are kept beside the result. Every measure, every copy and every later question about the
same keys and targets is answered from them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from unveil.arrays import Ints
from unveil.count.cells import Cells, KeyCounts, Keys, cells_of_rows, number_whole_rows
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import DENSE, Ids, Integers, Sides, chunks, pack
from unveil.count.profile import ProfileCells, target_looks
from unveil.records.base import Copy

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many steps are done, and how many there are."""


def no_progress(what: str, done: int, total: int) -> None:
    """Say nothing of the progress."""


# Looks of cells are remembered up to so many bytes for each record, and found again beyond that.
REMEMBERED = 16
# The counts of single copies are kept up to so many bytes together, and counted again beyond that.
MOST_KEPT = 2**27


@dataclass(frozen=True)
class CountedScenario:
    """Keys and targets as codes, and their counts on every side."""

    sides: Sides
    key_columns: tuple[CodedColumn, ...]
    target_columns: tuple[CodedColumn, ...]
    counts: KeyCounts
    _pairs: dict[int, "CountedScenario"] = field(default_factory=dict, repr=False, compare=False)
    _looks: dict[int, ProfileCells] = field(default_factory=dict, repr=False, compare=False)
    _last_looks: dict[int, ProfileCells] = field(default_factory=dict, repr=False, compare=False)
    _joint: dict[tuple[int, int], Ints] = field(default_factory=dict, repr=False, compare=False)

    excluded_by: ClassVar[Any] = None  # what excludes from it, where rows are kept elsewhere

    @property
    def target_places(self) -> range:
        """The places of the targets."""
        return range(len(self.target_columns))

    @property
    def n_combinations(self) -> tuple[int, int, int]:
        """Key combinations of the original, of all copies, and of both together."""
        keys = self.pooled_copies.keys
        return (*np.count_nonzero(keys.counts, axis=1).tolist(), keys.n_q)

    @property
    def n_copies(self) -> int:
        """How many copies stand beside the original."""
        return len(self.sides.rows) - 1

    @property
    def all_copies(self) -> range:
        """The numbers of the copies: 1 to m."""
        return range(1, self.n_copies + 1)

    @cached_property
    def key_names(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return tuple(column.name for column in self.key_columns)

    @cached_property
    def target_names(self) -> tuple[str, ...]:
        """What they might learn."""
        return tuple(column.name for column in self.target_columns)

    @property
    def keys(self) -> Keys:
        """The key combinations, on every side."""
        return self.counts.keys

    def cells(self, target: int) -> Cells:
        """The cells of one target, on every side."""
        return self.counts.cells(self.target_columns[target])

    def count_ahead(self, target: int) -> None:
        """Count what every figure of a target needs."""
        self.cells(target)

    # A copy is measured beside the original alone, and all copies as one that holds their records:
    # what only other copies have would be carried along by each of them.

    @property
    def pooled_copies(self) -> "CountedScenario":
        """The original, and all copies as one."""
        return self if self.n_copies == 1 else self._all_as_one

    @cached_property
    def _all_as_one(self) -> "CountedScenario":
        return self._beside(self.all_copies)

    def pair(self, copy: Copy) -> "CountedScenario":
        """The original, and one copy or all of them pooled."""
        if not isinstance(copy, int) or self.n_copies == 1:
            return self.pooled_copies
        return self._pairs.get(copy) or self._beside([copy])

    def pairs(self) -> Iterator[tuple[Copy, "CountedScenario"]]:
        """Each copy alone and, where there are several, all of them pooled; kept while small."""
        for copy in self.all_copies if self.n_copies > 1 else ():
            pair = self.pair(copy)
            yield copy, pair
            if pair.n_bytes + sum(kept.n_bytes for kept in self._pairs.values()) <= MOST_KEPT:
                self._pairs[copy] = pair
        yield "pooled" if self.n_copies > 1 else 1, self.pooled_copies

    @property
    def n_bytes(self) -> int:
        """What is kept of codes and counts, in bytes."""
        codes = sum(column.codes.nbytes for column in (*self.key_columns, *self.target_columns))
        return codes + self.counts.n_bytes + sum(one.of_cell.nbytes for one in self._looks.values())

    def select_sides(self, chosen: Sequence[int]) -> "CountedScenario":
        """The scenario on some of the sides only, the first of them in the original's place."""
        return self._with([column.select_sides(chosen) for column in self._columns])

    def _beside(self, copies: Sequence[int]) -> "CountedScenario":
        return self._with([one.select_sides([0, *copies], pooled=True) for one in self._columns])

    @property
    def _columns(self) -> tuple[CodedColumn, ...]:
        return (*self.key_columns, *self.target_columns)

    def _with(self, columns: Sequence[CodedColumn]) -> "CountedScenario":
        n_keys = len(self.key_columns)
        keys, targets = tuple(columns[:n_keys]), tuple(columns[n_keys:])
        return CountedScenario(columns[0].sides, keys, targets, KeyCounts(keys))

    # Of two sides: the original, and a copy or several pooled.

    @cached_property
    def _example_rows(self) -> Ids:
        return self.keys.example_rows()

    def key_codes(self, key: int, q: Integers | slice = slice(None)) -> Codes:
        """The code of one key in some key combinations."""
        if self.keys.codes:
            return self.keys.codes[key][q]
        return self.key_columns[key].codes[self._example_rows[q]]

    def looks(self, target: int) -> ProfileCells:
        """How the cells of one target look, in the original and in the copy."""
        found = self._looks.get(target) or self._last_looks.get(target)
        if found is None:
            d_t = self.target_columns[target].counts[0]
            found = target_looks(self.keys, self.cells(target), d_t)
            self._last_looks.clear()
            kept = self._looks if self._has_room() else self._last_looks
            kept[target] = found
        return found

    def shown_levels(self, target: int) -> Ids:
        """For each key combination the one level that the copy has with it; -1: none or several.

        Of combinations that the original has not, nothing is said.
        """
        looks, cells = self.looks(target), self.cells(target)
        at = looks.single_cells
        settled = at[looks.profile.ps_is_1.take(looks.of_cell[at])]
        shown = np.full(self.keys.n_q, -1, np.int32)
        shown[cells.q_of(settled)] = cells.t[settled]
        return shown

    def _has_room(self) -> bool:
        """Whether looks of one more target can be remembered: at most four bytes a record."""
        n_rows, most = self.sides.n_rows, REMEMBERED * max(self.sides.n_rows, 2**20)
        if 4 * n_rows * (len(self._looks) + 1) <= most:
            return True
        return 4 * n_rows + sum(known.of_cell.nbytes for known in self._looks.values()) <= most

    def joint_counts(self, target: int, key: int) -> Ints:
        """Original records by target level and key level; kept, for every what-if asks for it."""
        if (target, key) not in self._joint:
            pair = range(key & ~1, min(key | 1, len(self.key_columns) - 1) + 1)
            n_t = self.target_columns[target].n_levels
            is_small = n_t * math.prod(self.key_columns[one].n_levels for one in pair) <= DENSE
            self._count_jointly(target, pair if is_small else range(key, key + 1))
        return self._joint[target, key]

    def _count_jointly(self, target: int, keys: range) -> None:
        """The same for a key, or for two of which it is one: they take hardly longer than one."""
        originals, cells = self.sides.slices[0], self.cells(target)
        column, others = self.target_columns[target], [self.key_columns[key] for key in keys]
        t, n = column.codes[originals], None
        digits = [(other.codes[originals], other.n_levels) for other in others]
        if 2 * len(cells.t) < len(t):  # cells are records alike
            t, n = cells.t, cells.counts[0]
            own = [(self.key_codes(key), self.key_columns[key].n_levels) for key in keys]
            packed, space = pack(own, self.keys.n_q)
            digits = [(np.repeat(packed, np.diff(cells.starts)), space)]
        packed, space = pack([(t, column.n_levels), *digits], len(t))
        counts = (
            np.bincount(packed, n, space)
            .astype(np.int64)
            .reshape(-1, *(other.n_levels for other in others))
        )
        for place, key in enumerate(keys):
            self._joint[target, key] = counts.sum(axis=2 - place) if len(keys) > 1 else counts

    def most_common(self, target: int, key: int) -> Ints:
        """For each level of a key, the original records with its most common target level."""
        most: Ints = self.joint_counts(target, key).max(axis=0, initial=0)
        return most

    def count_recurring(self) -> tuple[int, list[tuple[int, int, bool]]]:
        """Which original records stand in the copies, equal in all columns?

        How many of the originals are equal to no other; and for each copy how many stand in it, how
        many of these are equal to no other, and whether the copy is the original.
        """
        number = number_whole_rows(self.pooled_copies.keys, self.pooled_copies.target_columns)
        originals, *copies = (number[rows] for rows in self.sides.slices)
        n_single, found = 0, []
        for theirs in copies:
            both = number if self.n_copies == 1 else np.concatenate([originals, theirs])
            both.sort()  # a record of the copy comes right after its equals of the original
            is_copy = np.empty(len(both), bool)
            np.bitwise_and(both, 1, out=is_copy, casting="unsafe")  # without an array of numbers
            is_last = np.ones(len(both), bool)
            np.not_equal(both[1:], both[:-1], out=is_last[:-1])
            is_single = is_last & ~is_copy
            is_single[1:] &= is_last[:-1]
            n_single = int(np.count_nonzero(is_single))
            found_at = [np.zeros(0, np.int64)]
            for rows in chunks(slice(0, len(both) - 1)):  # each with the next one
                is_pair = (both[1:][rows] ^ both[:-1][rows]) == 1
                found_at.append(np.flatnonzero(is_pair) + rows.start)
            recurs = np.concatenate(found_at)
            n_alike = recurs + 1 - np.searchsorted(both, both[recurs])
            n = int(n_alike.sum())
            is_equal = 0 < n == len(originals) == len(theirs)
            is_equal = is_equal and np.array_equal(both[~is_copy], both[is_copy] - 1)
            found.append((n, int((n_alike == 1).sum()), is_equal))
        return n_single, found

    def cells_of_originals(self, target: int, rows: Ints | None = None) -> Ints:
        """The cell of one target that each original record, or each of these, is counted in."""
        chosen = self.sides.slices[0] if rows is None else rows
        return cells_of_rows(self.keys, self.cells(target), self.target_columns[target], chosen)
