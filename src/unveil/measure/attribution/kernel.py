"""How much weight lies near a record, on one axis and within its bucket? No pairs are listed.

The sum of proximities over a window is that of a triangle: records in the window, less their
distances over the radius. Sorted once, both come from running sums: O(n log m).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole, is_dense
from unveil.measure.attribution.buckets import Buckets
from unveil.measure.attribution.windows import Axis, Floats

# The least that a proximity above 0 can be in 64-bit floats.
SMALLEST = 2.0**-53


@dataclass(frozen=True)
class Near:
    """For each record asked about: how many others are near, and the sum of their proximities."""

    n: Whole
    weight: Floats


def count_near(buckets: Buckets, files: Sequence[slice], asked: Whole) -> Iterator[Near]:
    """All of a bucket are equally near: how many there are in each file."""
    for data in files:
        n = buckets.counts(data)[buckets.ids[asked]]
        yield Near(n, n.astype(np.float64))


@dataclass(frozen=True)
class Order:
    """Packed numbers of some data in their order, and how to find a place among them."""

    in_order: Whole
    starts: Whole | None  # for each number of a small range, where it starts

    def place(self, wanted: Whole) -> Whole:
        """Where the first number is that is not below each of these."""
        if self.starts is None:
            return np.searchsorted(self.in_order, wanted)
        return self.starts[wanted]


def packed(axis: Axis, buckets: Buckets, rows: slice | Whole) -> Whole:
    """Bucket and level as one number, in the order of both."""
    return buckets.ids[rows].astype(np.int64) * axis.n_levels + axis.codes[rows]


def in_order(axis: Axis, buckets: Buckets, data: slice) -> Order:
    """The packed numbers of some data, sorted; by counting where their range is small."""
    numbers, space = packed(axis, buckets, data), buckets.n * axis.n_levels
    if not is_dense(space, len(numbers)):
        return Order(np.sort(numbers), None)
    counts = np.bincount(numbers, minlength=space)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return Order(np.repeat(np.arange(space), counts), starts)


def bounds(axis: Axis, order: Order, own: Whole) -> tuple[Whole, Whole]:
    """Where the window of each packed number starts and ends in the order."""
    level = own % axis.n_levels
    bucket = own - level
    return order.place(bucket + axis.first[level]), order.place(bucket + axis.past[level])


def sum_near(axis: Axis, buckets: Buckets, files: Sequence[slice], asked: Whole) -> Iterator[Near]:
    """The sum of proximities of each file's records in the bucket to each record asked about.

    Paper 004, Algorithm 2, line 30, for one column and summed over line 35. Exact but for the last
    rounding, whatever the offset of the values and however close they are to the radius.
    """
    own, place = distinct(packed(axis, buckets, asked))
    for data in files:
        near = _sum_near(axis, in_order(axis, buckets, data), own)
        yield Near(near.n[place], near.weight[place])


def distinct(numbers: Whole) -> tuple[Whole, Whole]:
    """The numbers that occur, in order, and the place of each: what is in order is found faster."""
    return np.unique(numbers, return_inverse=True)


def _sum_near(axis: Axis, order: Order, own: Whole) -> Near:
    """The sum over one file, for packed numbers."""
    first, past = bounds(axis, order, own)
    n = past - first
    if axis.is_equality:
        return Near(n, n.astype(np.float64))
    middle = order.place(own)
    n_above_less_below = past - 2 * middle + first
    data_level, own_level = order.in_order % axis.n_levels, own % axis.n_levels
    weight = np.zeros(len(own))
    for part in axis.parts:
        distances: Whole | int = 0
        if part.levels.any():
            sums = np.concatenate(([0], np.cumsum(part.levels[data_level])))
            distances = sums[past] - 2 * sums[middle] + sums[first]
            distances -= n_above_less_below * part.levels[own_level]
        weight += (n * part.radius - distances) * part.unit
    weight /= axis.radius
    return Near(n, np.maximum(weight, n * SMALLEST))
