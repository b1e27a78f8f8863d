"""How many records has each key combination q, and each cell (q, t), on every side?

There is no join: all sides are stacked, key codes are packed into one integer per record, and equal
integers are equal key combinations. The combinations are numbered once and shared by all targets.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import (
    DENSE,
    Ids,
    Integers,
    Sides,
    count_dense,
    is_dense,
    narrowest,
    number,
    pack,
    run_starts,
    smallest,
    sort_rows,
    tally,
)


@dataclass(frozen=True)
class Keys:
    """Every key combination: its number on each stacked record, and its records per side.

    From `n_shared` on, each combination is of one record alone: nothing about it must be counted.
    """

    sides: Sides
    q: Ids
    counts: Integers  # sides x combinations
    n_shared: int
    codes: tuple[Codes, ...] = ()  # of each key in each combination, where they are at hand

    @property
    def n_q(self) -> int:
        """Key combinations over all sides."""
        return int(self.counts.shape[1])

    @cached_property
    def shared_rows(self) -> Integers | slice:
        """The stacked records that share their combination."""
        return slice(None) if self.n_shared == self.n_q else _rows_where(self.q < self.n_shared)

    @cached_property
    def lone_rows(self) -> Integers:
        """The stacked record of each combination that is of one record alone, in their order."""
        at = _rows_where(self.q >= self.n_shared)
        rows = np.empty_like(at)
        rows[self.q[at] - self.n_shared] = at
        return rows

    def example_rows(self) -> Ids:
        """One stacked row for each combination, through which its key levels can be read."""
        rows = np.zeros(self.n_q, np.int32)
        rows[self.q] = np.arange(len(self.q), dtype=np.int32)
        return rows


@dataclass(frozen=True)
class Cells:
    """Every non-empty cell (q, t), in the order of q, then t, with its records per side.

    The cells of combination q stand at starts[q] to starts[q + 1].
    """

    starts: Integers
    t: Codes
    counts: Integers  # sides x cells

    @property
    def n_bytes(self) -> int:
        """What they take, in bytes."""
        return self.starts.nbytes + self.t.nbytes + self.counts.nbytes

    @property
    def q(self) -> Integers:
        """The key combination of each cell."""
        return np.repeat(np.arange(self.n_q), np.diff(self.starts))

    @property
    def n_q(self) -> int:
        """Key combinations; each has at least one cell."""
        return len(self.starts) - 1

    def q_of(self, cells: Integers) -> Ints:
        """The key combination of some of the cells."""
        # Sought in the type of the starts, or all of them would be converted.
        return np.searchsorted(self.starts, cells.astype(self.starts.dtype), side="right") - 1


def count_keys(columns: Sequence[CodedColumn], sides: Sides) -> Keys:
    """Number the key combinations and count them on every side."""
    packed, space = pack([(column.codes, column.n_levels) for column in columns], sides.n_rows)
    if len(sides.rows) == 2 and not is_dense(space, len(packed)):
        return _count_runs(packed, space, sides)
    is_plain = space == math.prod(max(column.n_levels, 1) for column in columns)
    if is_plain and space * len(sides.rows) <= max(DENSE, sides.n_rows):
        return _count_range(packed, space, columns, sides)
    q, n_q = number(packed, space)
    del packed
    counts = smallest(count_dense(lambda rows: q[rows], n_q, sides))
    order, n_shared = _lone_last(counts.sum(axis=0, dtype=np.int32) == 1)
    if order is None:
        return Keys(sides, q, counts, n_q)
    return Keys(sides, _places(order)[q], counts.take(order, axis=1), n_shared)


def _count_range(
    packed: Integers, space: int, columns: Sequence[CodedColumn], sides: Sides
) -> Keys:
    """The same where there is room for a table of all combinations, which its places name."""
    table = count_dense(lambda rows: packed[rows], space, sides)
    order = np.flatnonzero(table.any(axis=0))
    within, n_shared = _lone_last(table.take(order, axis=1).sum(axis=0, dtype=np.int32) == 1)
    order = order if within is None else order[within]
    place = np.zeros(space, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    levels = np.unravel_index(order, [max(column.n_levels, 1) for column in columns])
    codes = [one.astype(column.codes.dtype) for one, column in zip(levels, columns, strict=True)]
    counts = smallest(table.take(order, axis=1))
    for column, code in zip(columns, codes, strict=True):
        know_counts(column, code, counts)
    return Keys(sides, place.take(packed), counts, n_shared, tuple(codes))


def know_counts(column: CodedColumn, codes: Codes, counts: Integers) -> None:
    """Records by level, from a table of fewer entries than there are records."""
    if "counts" not in vars(column):
        sums = [np.bincount(codes, side, column.n_levels) for side in counts]
        vars(column)["counts"] = np.array(sums, np.int32)


def _lone_last(is_lone: Mask) -> tuple[Integers | None, int]:
    """The order in which combinations of one record are last, where they are most; how many not."""
    n_shared = len(is_lone) - int(np.count_nonzero(is_lone))
    if 2 * n_shared >= len(is_lone):
        return None, len(is_lone)
    return np.concatenate([_rows_where(~is_lone), _rows_where(is_lone)]), n_shared


def _places(order: Integers) -> Ids:
    """Where each stands in an order."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place


def _count_runs(packed: Integers, space: int, sides: Sides) -> Keys:
    """The same for two sides from their rows in order: each run of equals is a combination."""
    order, in_order = sort_rows(packed, space)
    starts = run_starts(in_order)
    del packed, in_order
    order, starts = order.astype(np.int32), starts.astype(np.int32)  # half the room
    n_of_q, n_q = np.diff(starts), len(starts) - 1
    n_before = np.zeros(sides.n_rows + 1, np.int32)
    np.cumsum(order >= sides.rows[0], out=n_before[1:])
    n_copy = np.diff(n_before[starts])
    is_lone = n_of_q == 1
    lone_rows = order[starts[:-1][is_lone]]
    del n_before, starts
    counts = smallest(np.stack([n_of_q - n_copy, n_copy]))
    del n_copy
    in_place, n_shared = _lone_last(is_lone)
    place = np.arange(n_q, dtype=np.int32)
    if in_place is not None:
        place = _places(in_place)
        counts = counts.take(in_place, axis=1)
    q = np.empty(sides.n_rows, np.int32)
    q[order] = np.repeat(place, n_of_q)
    keys = Keys(sides, q, counts, n_shared)
    if n_shared < n_q:
        vars(keys)["lone_rows"] = lone_rows  # known already
    return keys


def _rows_where(mask: Mask) -> Integers:
    """Where it is true, in half the room of what numpy gives."""
    return np.flatnonzero(mask).astype(np.int32)


def count_cells(keys: Keys, target: CodedColumn) -> Cells:
    """Count the cells of key combination and target level on every side."""
    bits = (max(target.n_levels, 1) - 1).bit_length()  # of the level: shifting beats dividing
    space = keys.n_shared << bits
    kind = narrowest(space)
    shared = keys.shared_rows
    shared_q, codes = keys.q[shared], target.codes[shared]
    per_side = keys.counts[:, : keys.n_shared].sum(axis=1, dtype=np.int64)

    def pack_rows(rows: slice) -> Integers:
        both = shared_q[rows].astype(kind)
        both <<= kind(bits)
        both += codes[rows].astype(kind, copy=False)
        return both

    n_cells, last = 0, -1
    starts, levels = [], [target.codes[:0]]
    counts: list[Integers] = [smallest(keys.counts[:, :0])]
    for occurs, counted in tally(pack_rows, space, Sides(tuple(per_side.tolist()))):
        q = occurs >> occurs.dtype.type(bits)
        firsts = run_starts(q)[:-1]  # each combination has a cell at least
        starts.append((firsts[int(q[0] == last) :] + n_cells).astype(np.int32))
        levels.append((occurs & occurs.dtype.type((1 << bits) - 1)).astype(target.codes.dtype))
        counts.append(smallest(counted))
        n_cells, last = n_cells + len(q), int(q[-1])
    if keys.n_shared < keys.n_q:
        levels.append(target.codes[keys.lone_rows])
        counts.append(keys.counts[:, keys.n_shared :])
        starts.append(np.arange(n_cells, n_cells + keys.n_q - keys.n_shared, dtype=np.int32))
        n_cells += keys.n_q - keys.n_shared
    cells = Cells(
        smallest(np.concatenate([*starts, np.array([n_cells], np.int32)])),
        np.concatenate(levels),
        np.concatenate(counts, axis=1),
    )
    if 4 * n_cells <= keys.sides.n_rows:
        know_counts(target, cells.t, cells.counts)
    return cells


@dataclass(frozen=True)
class KeyCounts:
    """Key combinations, and the cells of targets: each counted once, when it is first asked for."""

    columns: tuple[CodedColumn, ...]
    _cells: dict[int, tuple[CodedColumn, Cells]] = field(default_factory=dict, repr=False)

    @cached_property
    def keys(self) -> Keys:
        """The key combinations."""
        return count_keys(self.columns, self.columns[0].sides)

    def cells(self, target: CodedColumn) -> Cells:
        """The cells of one target."""
        if id(target) not in self._cells:  # which the column, kept beside them, keeps its own
            self._cells[id(target)] = target, count_cells(self.keys, target)
        return self._cells[id(target)][1]

    @property
    def n_bytes(self) -> int:
        """What is kept of them, in bytes."""
        cells = [one for _, one in self._cells.values()]
        return self.keys.q.nbytes + self.keys.counts.nbytes + sum(one.n_bytes for one in cells)


def number_whole_rows(keys: Keys, targets: Sequence[CodedColumn]) -> Integers:
    """One number for each record by all its columns, and in its last bit whether it is a copy's."""
    digits = [(keys.q, keys.n_q), *((target.codes, target.n_levels) for target in targets)]
    is_copy = np.repeat([False, True], keys.sides.rows)
    return pack([*digits, (is_copy, 2)], keys.sides.n_rows)[0]


def cells_of_rows(keys: Keys, cells: Cells, target: CodedColumn, rows: slice | Ints) -> Ints:
    """The cell that each of these stacked records is counted in."""
    n_levels = target.n_levels
    packed = keys.q[rows].astype(np.int64) * n_levels + target.codes[rows]
    return np.searchsorted(cells.q * n_levels + cells.t, packed)
