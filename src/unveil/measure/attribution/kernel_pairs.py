"""Pairs of records that are near on one axis and in one bucket, a block at a time.

Where a sum does not fall apart into sums over single axes, pairs have to be looked at. They are
those of a sorted window on one axis, never all; and a block of them at a time, so that memory does
not grow with their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import PACKED, Integers, Whole
from unveil.count.profile import Mask
from unveil.measure.attribution.buckets import Buckets
from unveil.measure.attribution.kernel import Order, bounds, distinct, packed
from unveil.measure.attribution.windows import Axis, Floats, proximity

BLOCK = 2**16
LONG, WORTHWHILE = 100, 4
"""Cells are worth their trouble where windows are long, and few pairs near on the cells' axis."""


@dataclass(frozen=True)
class Block:
    """Some pairs: each of a few records asked about with a run of the data.

    `asked` are places among the records asked about, `lengths` how many pairs each is in, and
    `data` for each pair the place of its other record in the sorted data.
    """

    asked: Whole
    lengths: Whole
    data: Whole

    def sums(self, of_pairs: Floats) -> Floats:
        """A figure of pairs, added up for each record asked about."""
        added: Floats = np.add.reduceat(of_pairs, np.cumsum(self.lengths) - self.lengths)
        return added


@dataclass(frozen=True)
class OnAxis:
    """An axis as a sweep sees it."""

    data: Floats
    asked: Floats
    axis: Axis

    def proximity(self, block: Block) -> Floats:
        """How near the two of each pair are."""
        return proximity(self._distance(block), self.axis)

    def is_near(self, block: Block) -> Mask:
        """Whether the two of each pair are near."""
        near: Mask = np.abs(self._distance(block)) < self.axis.limit
        return near

    def _distance(self, block: Block) -> Floats:
        distance = self.data[block.data]
        distance -= np.repeat(self.asked[block.asked], block.lengths)
        return distance


@dataclass(frozen=True)
class Sweep:
    """Sorted windows on one axis: for each record asked about, a run of the data in order.

    A record has as many windows as there are cells to look into; `asked` has it once for each.
    """

    axis: Axis
    asked: Whole
    data: Whole
    first: Whole
    past: Whole
    n_cells: int = 1

    @property
    def n_pairs(self) -> int:
        """How many pairs there are to look at."""
        return int((self.past - self.first).sum())

    def of_records(self, of_windows: Floats) -> Floats:
        """Sums over windows as sums over all windows of each record asked about."""
        summed: Floats = of_windows.reshape(self.n_cells, -1).sum(axis=0)
        return summed

    def is_alike(self, ids: Integers, block: Block) -> Mask:
        """Whether the two of each pair have the same number."""
        own = np.repeat(ids[self.asked[block.asked]], block.lengths)
        alike: Mask = ids[self.data[block.data]] == own
        return alike

    def on(self, axis: Axis) -> OnAxis:
        """The values of an axis, as this sweep needs them."""
        data, asked = axis.codes[self.data], axis.codes[self.asked]
        return OnAxis(axis.values[data], axis.values[asked], axis)

    def blocks(self, size: int | None = None) -> Iterator[Block]:
        """All pairs, `size` at a time; those of a long window may be in several blocks."""
        size = size or BLOCK
        asked = np.flatnonzero(self.past > self.first)
        ends = np.cumsum((self.past - self.first)[asked])
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, size):
            stop = min(start + size, total)
            low = int(np.searchsorted(ends, start, side="right"))
            high = int(np.searchsorted(ends, stop)) + 1
            some = asked[low:high]
            first, past = self.first[some], self.past[some]
            first[0] += start - (int(ends[low - 1]) if low else 0)
            past[-1] -= int(ends[high - 1]) - stop
            lengths = past - first
            shift = first - (np.cumsum(lengths) - lengths)
            yield Block(some, lengths, np.arange(stop - start) + np.repeat(shift, lengths))


def is_long(n_pairs: int, n_windows: int) -> bool:
    """Whether windows with so many pairs are long on average."""
    return n_pairs >= LONG * n_windows


def sweep(axis: Axis, buckets: Buckets, data: slice, asked: Whole) -> Sweep:
    """The windows of one axis, within buckets: all pairs that are near on it."""
    return _sweep(axis, buckets, data, asked)


def sweep_all(axes: Sequence[Axis], buckets: Buckets, data: slice, asked: Whole) -> Sweep:
    """Windows that hold all pairs near on every one of the axes, and as few others as may be.

    They are those of the axis on which the fewest are near, within cells a radius wide of the next
    such axis: what is near on it lies in the same cell or in one beside it.
    """
    n_near = {place: axis.n_near(asked, data) for place, axis in enumerate(axes)}
    first, *others = sorted(n_near, key=lambda place: n_near[place])
    swept = sweep(axes[first], buckets, data, asked)
    if not others or not is_long(swept.n_pairs, len(asked)):
        return swept
    cells = axes[others[0]].cells()
    n_pairs = len(asked) * (data.stop - data.start)
    n_packed = buckets.n * (int(cells.max()) + 3) * axes[first].n_levels
    if n_near[others[0]] * WORTHWHILE > n_pairs or n_packed > PACKED:
        return swept
    return _sweep(axes[first], buckets, data, asked, cells=cells, shifts=(0, -1, 1))


def _sweep(
    axis: Axis,
    buckets: Buckets,
    data: slice,
    asked: Whole,
    *,
    cells: Whole | None = None,
    shifts: Sequence[int] = (0,),
) -> Sweep:
    """Windows within buckets and cells, those that many cells away from the own one."""

    def packed_cells(rows: slice | Whole, shift: int) -> Whole:
        if cells is None:
            return packed(axis, buckets, rows)
        n_cells = int(cells.max(initial=0)) + 3  # one beside the first, and one beside the last
        in_cell = buckets.ids[rows].astype(np.int64) * n_cells + (cells[rows] + (1 + shift))
        return in_cell * axis.n_levels + axis.codes[rows]

    of_data = packed_cells(data, 0)
    rows = np.argsort(of_data)
    order = Order(of_data[rows], None)
    firsts, pasts = [], []
    for shift in shifts:
        own, place = distinct(packed_cells(asked, shift))
        first, past = bounds(axis, order, own)
        firsts.append(first[place])
        pasts.append(past[place])
    return Sweep(
        axis,
        np.tile(asked, len(shifts)),
        rows + data.start,
        np.concatenate(firsts),
        np.concatenate(pasts),
        len(shifts),
    )
