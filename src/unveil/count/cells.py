"""How many records has each key combination q, and each cell (q, t), on every side?

There is no join: all sides are stacked, key codes are packed into one integer per record, and equal
integers are equal key combinations. The combinations are numbered once and shared by all targets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import (
    PACKED,
    Counts,
    Ids,
    Integers,
    Sides,
    count_dense,
    number,
    pack,
    side_bits,
    smallest,
    tally,
)


@dataclass(frozen=True)
class Keys:
    """Every key combination: its number on each stacked record, and its records per side."""

    sides: Sides
    q: Ids
    counts: Integers  # sides x combinations

    @property
    def n_q(self) -> int:
        """Key combinations over all sides."""
        return int(self.counts.shape[1])

    def example_rows(self) -> Ints:
        """One stacked row for each combination, through which its key levels can be read.

        Of some of the sides there may be combinations that none of them has: nobody is counted in
        them, so that any row will do, but it must be one.
        """
        rows = np.zeros(self.n_q, np.int64)
        rows[self.q] = np.arange(len(self.q))
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
    q, n_q = number(packed, space)
    return Keys(sides, q, smallest(count_dense(lambda rows: q[rows], n_q, sides)))


def count_cells(keys: Keys, target: CodedColumn) -> Cells:
    """Count the cells of key combination and target level on every side."""
    n_levels = target.n_levels

    def packed(rows: slice) -> Ints:
        return keys.q[rows].astype(np.int64) * n_levels + target.codes[rows]

    n_of_q = np.zeros(keys.n_q, np.int64)
    levels, counts = [target.codes[:0]], [smallest(keys.counts[:, :0])]
    for occurs, counted in tally(packed, keys.n_q * n_levels, keys.sides):
        q, t = np.divmod(occurs, n_levels)
        n_of_q[q[0] : q[-1] + 1] += np.bincount(q - q[0])
        levels.append(t.astype(target.codes.dtype))
        counts.append(smallest(counted))
    starts = smallest(np.concatenate(([0], np.cumsum(n_of_q))))
    return Cells(starts, np.concatenate(levels), np.concatenate(counts, axis=1))


def count_whole_rows(keys: Keys, targets: Sequence[CodedColumn]) -> Iterator[Counts]:
    """Count records by all their columns at once: distinct rows on every side, in pieces."""
    digits = [(keys.q, keys.n_q), *((target.codes, target.n_levels) for target in targets)]
    packed, space = pack(digits, keys.sides.n_rows, most=PACKED >> side_bits(keys.sides))
    for _, counts in tally(lambda rows: packed[rows], space, keys.sides):
        yield counts


def cells_of_rows(keys: Keys, cells: Cells, target: CodedColumn, rows: slice) -> Ints:
    """The cell that each of these stacked records is counted in."""
    n_levels = target.n_levels
    packed = keys.q[rows].astype(np.int64) * n_levels + target.codes[rows]
    return np.searchsorted(cells.q * n_levels + cells.t, packed)
