"""How many records has each key combination q, and each cell (q, t), on every side?

There is no join: all sides are stacked, key codes are packed into one integer per record, and equal
integers are equal key combinations. The combinations are numbered once and shared by all targets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.codes import Column
from unveil.count.packing import (
    PACKED,
    Counts,
    Ids,
    Integers,
    Whole,
    number,
    pack,
    run_starts,
    side_bits,
    tally,
)
from unveil.count.sides import Sides


@dataclass(frozen=True)
class Keys:
    """Every key combination: its number on each stacked record, and its records per side."""

    sides: Sides
    q: Ids
    counts: Counts  # sides x combinations

    @property
    def n_q(self) -> int:
        """Key combinations over all sides."""
        return int(self.counts.shape[1])

    def example_rows(self) -> Whole:
        """One stacked row for each combination, through which its key levels can be read."""
        rows = np.empty(self.n_q, np.int64)
        rows[self.q] = np.arange(len(self.q))
        return rows


@dataclass(frozen=True)
class Cells:
    """Every non-empty cell (q, t), in the order of q, then t, with its records per side.

    The cells of combination q stand at starts[q] to starts[q + 1].
    """

    starts: Whole
    t: Ids
    counts: Counts  # sides x cells

    @property
    def q(self) -> Integers:
        """The key combination of each cell."""
        return self.over_cells(np.arange(len(self.starts) - 1))

    def over_cells(self, per_q: Integers) -> Integers:
        """Give each cell what belongs to its key combination."""
        return np.repeat(per_q, np.diff(self.starts))


def count_keys(columns: Sequence[Column], sides: Sides) -> Keys:
    """Number the key combinations and count them on every side."""
    packed, space = pack([(column.codes, column.n_levels) for column in columns], sides.n_rows)
    q, n_q = number(packed, space)
    _, counts = tally(lambda rows: q[rows], n_q, sides)
    return Keys(sides, q, counts)


def count_cells(keys: Keys, target: Column) -> Cells:
    """Count the cells of key combination and target level on every side."""
    n_levels = target.n_levels

    def packed(rows: slice) -> Whole:
        return keys.q[rows].astype(np.int64) * n_levels + target.codes[rows]

    occurs, counts = tally(packed, keys.n_q * n_levels, keys.sides)
    q, t = np.divmod(occurs, max(n_levels, 1))
    return Cells(run_starts(q), t.astype(np.int32), counts)


def count_whole_rows(keys: Keys, targets: Sequence[Column]) -> Counts:
    """Count records by all their columns at once: distinct rows, and how many on every side."""
    digits = [(keys.q, keys.n_q), *((target.codes, target.n_levels) for target in targets)]
    packed, space = pack(digits, keys.sides.n_rows, most=PACKED >> side_bits(keys.sides))
    return tally(lambda rows: packed[rows], space, keys.sides)[1]
