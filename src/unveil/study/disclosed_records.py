"""Who is shown a single value, and rightly? Records of disclosive cells, by segment and level.

What the one-way and two-way checks, the groups and the values of a target ask of the counts.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn
from unveil.count.packing import Integers, is_dense, number
from unveil.study.scenario import CountedScenario

# The largest table of target levels by key levels that is made whole.
MOST_PAIRS = 2**22


@dataclass(frozen=True)
class RecordSums:
    """Numbers of records by segment, target level and key level, in this order."""

    segment: Ints
    t: Ints
    k: Ints
    n: Ints

    def of(self, segment: int, t: int) -> tuple[int, int]:
        """All records of a segment, and those of them with a target level."""
        here = slice(*np.searchsorted(self.segment, [segment, segment + 1]))
        return int(self.n[here].sum()), int(self.n[here][self.t[here] == t].sum())


class DisclosedRecords(Protocol):
    """The original records of one target that are disclosed and that no exclusion takes out."""

    def sums(self, key: int | None = None, *, shared: bool = False) -> RecordSums:
        """These records by segment and target level, and by the level of one key.

        `shared` are those in pieces of more than `several` records.
        """

    def kept_sums(self) -> RecordSums:
        """All original records that exclusions leave, disclosed or not."""

    def people(self, key: int, pairs: RecordSums) -> tuple[Ints, Ints]:
        """All original records with each key level, and those with the target level too."""


@dataclass(frozen=True)
class DisclosedCells:
    """The same counted in memory: original records by cell and, where asked for, by segment.

    Without segments the pieces are the cells. `gone` says which cells exclusions take out, if any.
    """

    scenario: CountedScenario
    target: int
    gone: Mask | None
    several: float = 0
    segment: CodedColumn | None = None
    _known: dict[tuple[int | None, bool], RecordSums] = field(default_factory=dict, repr=False)

    @property
    def _column(self) -> CodedColumn:
        return self.scenario.target_columns[self.target]

    @cached_property
    def _cells(self) -> Integers:
        """The cells whose records are disclosed."""
        at = self.scenario.looks(self.target).found_cells
        return at if self.gone is None else at[~self.gone[at]]

    @cached_property
    def _pieces(self) -> tuple[Integers | None, Integers, Integers]:
        """For each piece its cell, its segment with its target level, and its records."""
        cells, n_t = self.scenario.cells(self.target), self._column.n_levels
        if self.segment is None:  # each cell is a piece
            return None, cells.t, cells.counts[0]
        n_segments = self.segment.n_levels
        cell_of_row = self.scenario.cells_of_originals(self.target)
        packed = cell_of_row * n_segments + self.segment.codes[self.scenario.sides.slices[0]]
        ids, n_pieces = number(packed, len(cells.t) * n_segments)
        cell, code = np.empty(n_pieces, np.int64), np.empty(n_pieces, np.int64)
        cell[ids], code[ids] = np.divmod(packed, n_segments)
        return cell, code * n_t + cells.t[cell], np.bincount(ids, minlength=n_pieces)

    @cached_property
    def _found(self) -> tuple[Ints, Ints, Integers]:
        """The disclosed pieces: their key combination, segment with target level, and records."""
        cell, number_of, d = self._pieces
        at, cells = self._cells, self.scenario.cells(self.target)
        if cell is not None:
            is_found = np.zeros(len(cells.t), bool)
            is_found[at] = True
            at = np.flatnonzero(is_found[cell])
        q = cells.q_of(at if cell is None else cell[at])
        return q, number_of[at].astype(np.int64), d[at]

    @cached_property
    def _found_shared(self) -> tuple[Ints, Ints, Integers]:
        """Those of them of more than several records."""
        q, number_of, d = self._found
        some = d > self.several
        return q[some], number_of[some], d[some]

    def sums(self, key: int | None = None, *, shared: bool = False) -> RecordSums:
        """The disclosed records by segment and target level, and by the level of one key."""
        if (key, shared) not in self._known:
            q, number_of, d = self._found_shared if shared else self._found
            n_k = 1
            if key is not None:
                n_k = self.scenario.key_columns[key].n_levels
                number_of = number_of * n_k + self.scenario.key_codes(key, q)
            self._known[key, shared] = self._record_sums(*_sum_by_number(number_of, d), n_k)
        return self._known[key, shared]

    def kept_sums(self) -> RecordSums:
        """The original records that exclusions leave."""
        cell, number_of, d = self._pieces
        kept = d > 0
        if self.gone is not None:
            kept &= ~(self.gone if cell is None else self.gone[cell])
        occurs, n = _sum_by_number(number_of[kept].astype(np.int64), d[kept])
        return self._record_sums(occurs, n, 1)

    def _record_sums(self, occurs: Ints, n: Ints, n_k: int) -> RecordSums:
        segment_and_t, key_level = np.divmod(occurs, n_k)
        return RecordSums(*np.divmod(segment_and_t, self._column.n_levels), key_level, n)

    def people(self, key: int, pairs: RecordSums) -> tuple[Ints, Ints]:
        """All original records with each key level, and those with the target level too."""
        column, originals = self.scenario.key_columns[key], self.scenario.sides.slices[0]
        if self.segment is None and column.n_levels * self._column.n_levels <= MOST_PAIRS:
            n_level = self.scenario.joint_counts(self.target, key)[pairs.t, pairs.k]
            return column.counts[0][pairs.k].astype(np.int64), n_level
        with_key = column.codes[originals].astype(np.int64)
        if self.segment is not None:
            with_key += self.segment.codes[originals].astype(np.int64) * column.n_levels
        with_both = with_key * self._column.n_levels + self._column.codes[originals]
        wanted = pairs.segment * column.n_levels + pairs.k
        return (
            _count_of(wanted, with_key),
            _count_of(wanted * self._column.n_levels + pairs.t, with_both),
        )


def _sum_by_number(packed: Ints, counts: Integers) -> tuple[Ints, Ints]:
    """The numbers that occur, in their order, and the sums of the counts of each, all above 0."""
    if is_dense(int(packed.max(initial=0)) + 1, len(packed)):
        sums = np.bincount(packed, counts)
        occurs = np.flatnonzero(sums)
        return occurs, sums[occurs].astype(np.int64)
    occurs, ids = np.unique(packed, return_inverse=True)
    return occurs, np.bincount(ids, counts).astype(np.int64)


def _count_of(wanted: Ints, among: Ints) -> Ints:
    """How often each of the wanted numbers occurs."""
    order, place = np.unique(wanted, return_inverse=True)
    at = np.searchsorted(order, among)
    at[at == len(order)] = 0
    return np.bincount(at[order[at] == among], minlength=len(order))[place]
