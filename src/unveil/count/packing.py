"""Several small integers as one: how combinations are numbered and counted without a join.

Codes are packed like digits of a number whose base changes from place to place. Equal numbers are
equal combinations. Where the range of the packed numbers is small an array over the whole range
does the counting; where it is not, sorting does. Both give the same answer in the same order.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.errors import InternalError

# Sums of quotients that come out the same, to the last digit, in whatever order they are taken.


@dataclass(frozen=True)
class Shares:
    """A sum of quotients: whole numbers, added up for each divisor before anything is divided.

    The result does not depend on the order of the terms (while sums stay below 2^53).
    """

    divisors: Ints
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Ints | NDArray[np.float64], per: Ints) -> Self:
        """The sum of counts / per; terms per nothing are left out."""
        if len(per) and int(per.max()) <= 4 * len(per):
            sums = np.bincount(per, weights=counts).astype(np.float64)
            sums[0] = 0
            divisors = np.flatnonzero(sums)
            return cls(divisors, sums[divisors])
        here = per > 0
        divisors, place = np.unique(per[here], return_inverse=True)
        added = np.bincount(place, weights=counts[here], minlength=len(divisors))
        return cls(divisors, added.astype(np.float64))

    @classmethod
    def together(cls, parts: list[Self]) -> Self:
        """Several such sums as one."""
        divisors, place = np.unique(
            np.concatenate([part.divisors for part in parts]), return_inverse=True
        )
        sums = np.concatenate([part.sums for part in parts])
        added = np.bincount(place, weights=sums, minlength=len(divisors))
        return cls(divisors, added.astype(np.float64))

    def percent(self, *, of: int) -> float | None:
        """100 times the sum, divided by `of`; None of nobody."""
        return 100 * math.fsum(self.sums / self.divisors) / of if of else None


# Original and copies stacked into one: where does each side stand?


@dataclass(frozen=True)
class Sides:
    """Where each side's rows stand in a stacked column: the original first, then the copies."""

    rows: tuple[int, ...]

    @property
    def n_rows(self) -> int:
        """Rows of all sides together."""
        return sum(self.rows)

    @property
    def slices(self) -> list[slice]:
        """One slice a side."""
        return [slice(a, b) for a, b in pairwise(accumulate(self.rows, initial=0))]


# Arrays of a few megabytes come and go by the hundred. The allocator of glibc gives each back to
# the system, which clears its pages anew, until one as large as this was freed: then it keeps them.
np.empty(2**25 - 2**14, np.uint8)

CHUNK = 2**20
IN_CACHE = 2**15
DENSE = 2**16
# The widest range of packed numbers: it leaves a 64-bit integer its sign and one bit to spare.
PACKED = 2**62

Integers = NDArray[np.integer]
Counts = NDArray[np.int32]
Ids = NDArray[np.int32]


def is_dense(space: int, n_numbers: int) -> bool:
    """Whether an array over the whole range is cheaper than sorting."""
    return space <= max(DENSE, 2 * n_numbers)


def chunks(rows: slice, size: int | None = None) -> Iterator[slice]:
    """The rows in pieces of a size, so that what is made on the way stays small."""
    size = max(size or CHUNK, 1)
    for start in range(rows.start, rows.stop, size):
        yield slice(start, min(start + size, rows.stop))


def blocks(n_rows: int, n_columns: int, most: int) -> Iterator[slice]:
    """Rows in pieces that have at most so many pairs with as many columns, a row at least."""
    return chunks(slice(0, n_rows), max(most // max(n_columns, 1), 1))


def pack(
    digits: Sequence[tuple[Integers, int]], n_numbers: int, *, most: int = PACKED
) -> tuple[Integers, int]:
    """One integer for each combination of digits, each given with its base; and their range.

    The numbers packed so far are renumbered before their range would pass `most`.
    """
    space, n_taken = 1, 0
    for _, base in digits:
        if n_taken and space * base > most:
            break
        space, n_taken = space * max(base, 1), n_taken + 1
    packed = np.zeros(n_numbers, narrowest(min(space, most)))
    for rows in chunks(slice(0, n_numbers), IN_CACHE):  # all digits of few rows, then the next
        some = packed[rows]
        for place, (digit, base) in enumerate(digits[:n_taken]):
            if place:
                some *= some.dtype.type(base)
            some += digit[rows].astype(some.dtype, copy=False)
    if n_taken == len(digits):
        return packed, space
    return pack([number(packed, space), *digits[n_taken:]], n_numbers, most=most)


def narrowest(space: int) -> type[np.integer]:
    """The type for numbers of a range: half the width is half the time to sort them."""
    return np.uint32 if space <= 2**32 else np.int64


def number(packed: Integers, space: int) -> tuple[Ids, int]:
    """Number the integers that occur, in their order: 0, 1, 2, ..."""
    if is_dense(space, len(packed)):
        occurs = np.zeros(space, bool)
        occurs[packed] = True
        numbered = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
        return numbered.take(packed), int(numbered[-1]) + 1
    order, in_order = sort_rows(packed, space)
    is_new = np.ones(len(packed), bool)
    is_new[1:] = in_order[1:] != in_order[:-1]
    ids = np.empty(len(packed), np.int32)
    ids[order] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    return ids, int(is_new.sum())


def sort_rows(packed: Integers, space: int) -> tuple[Integers, Integers]:
    """The rows in the order of their integers, and the integers in order."""
    row_bits = len(packed).bit_length()
    if space << row_bits > 2 * PACKED:
        order = np.argsort(packed)
        return order, packed[order]
    in_order: Integers = packed.astype(np.int64)  # with their rows in the last bits: faster
    in_order <<= row_bits
    in_order += np.arange(len(packed))
    in_order.sort()
    rows = in_order & ((1 << row_bits) - 1)
    in_order >>= row_bits
    return rows, in_order


def count_people(codes: Integers, of_row: Integers, n_codes: int) -> Ints:
    """How many people have each code, by the code and the person of each row."""
    n_people = int(of_row.max(initial=0)) + 1
    once = np.unique(codes.astype(np.int64) * n_people + of_row)
    return np.bincount(once // n_people, minlength=n_codes)


def tally(
    packed_of: Callable[[slice], Integers], space: int, sides: Sides
) -> Iterator[tuple[Integers, Counts]]:
    """The packed integers that occur, in their order, and how often each does on every side.

    They come in pieces, none of them empty, so that what is made of them on the way stays small.
    """
    if is_dense(space * len(sides.rows), 2 * sides.n_rows):
        table = count_dense(packed_of, space, sides)
        for columns in chunks(slice(0, space)):
            occurs = np.flatnonzero(table[:, columns].any(axis=0)) + columns.start
            if len(occurs):
                yield occurs, table.take(occurs, axis=1)
    else:
        in_order = _sorted_with_side(packed_of, space, sides)
        for rows in _whole_runs(in_order, side_bits(sides)):
            yield _runs(in_order[rows], sides)


def count_dense(packed_of: Callable[[slice], Integers], space: int, sides: Sides) -> Counts:
    """Count integers of a small range on every side, chunk by chunk."""
    table = np.zeros((len(sides.rows), space), np.int32)
    for side, side_rows in enumerate(sides.slices):
        for rows in chunks(side_rows, IN_CACHE):
            np.add.at(table[side], packed_of(rows), np.int32(1))
    return table


def _sorted_with_side(packed_of: Callable[[slice], Integers], space: int, sides: Sides) -> Integers:
    """The integers in their order, each with the side it is from in its last bits."""
    bits = side_bits(sides)
    if space << bits > PACKED:
        raise InternalError(f"{space:,} combinations of {len(sides.rows)} sides overflow.")
    tagged = np.empty(sides.n_rows, narrowest(space << bits))
    for side, side_rows in enumerate(sides.slices):
        for rows in chunks(side_rows, IN_CACHE):
            tagged[rows] = packed_of(rows)
            tagged[rows] <<= tagged.dtype.type(bits)
            tagged[rows] += tagged.dtype.type(side)
    tagged.sort()
    return tagged


def _whole_runs(tagged: Integers, bits: int) -> Iterator[slice]:
    """Pieces of the sorted integers that never part two equals."""
    start = 0
    while start < len(tagged):
        last = int(tagged[min(start + CHUNK, len(tagged)) - 1])
        past = ((last >> bits) + 1) << bits
        is_last = past > np.iinfo(tagged.dtype).max
        # Sought in the type of the numbers, or all of them would be converted.
        stop = len(tagged) if is_last else int(np.searchsorted(tagged, tagged.dtype.type(past)))
        yield slice(start, stop)
        start = stop


def _runs(tagged: Integers, sides: Sides) -> tuple[Integers, Counts]:
    """Runs of equals are the counts."""
    bits = side_bits(sides)
    if bits == 1:
        occurs = tagged >> tagged.dtype.type(1)
        firsts = run_starts(occurs)
        n_before = np.zeros(len(tagged) + 1, np.int32)
        np.cumsum(tagged & tagged.dtype.type(1), dtype=np.int32, out=n_before[1:])
        counts = np.empty((2, len(firsts) - 1), np.int32)
        counts[1] = np.diff(n_before.take(firsts))
        np.subtract(np.diff(firsts).astype(np.int32), counts[1], out=counts[0])
        return occurs.take(firsts[:-1]), counts
    starts = run_starts(tagged)
    runs = tagged[starts[:-1]]
    occurs = runs >> tagged.dtype.type(bits)
    firsts = run_starts(occurs)
    place = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    counts = np.zeros((len(sides.rows), len(firsts) - 1), np.int32)
    counts[runs & tagged.dtype.type((1 << bits) - 1), place] = np.diff(starts)
    return occurs[firsts[:-1]], counts


def side_bits(sides: Sides) -> int:
    """How many bits say which side a record is from."""
    return (len(sides.rows) - 1).bit_length()


def smallest(counts: Integers) -> NDArray[np.unsignedinteger]:
    """Counts in the smallest type that holds them: they are kept for as long as the result is."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def is_among(wanted: Integers, in_order: Integers) -> Mask:
    """Which of the numbers wanted, themselves in order, are among others in order."""
    if not len(in_order):
        return np.zeros(len(wanted), bool)
    found: Mask = in_order.take(np.searchsorted(in_order, wanted), mode="clip") == wanted
    return found


def run_starts(in_order: Integers) -> Ints:
    """Where each run of equals starts in a sorted array; its length at the end."""
    is_start = np.empty(len(in_order) + 1, bool)
    is_start[0] = is_start[-1] = True
    np.not_equal(in_order[1:], in_order[:-1], out=is_start[1:-1])
    return np.flatnonzero(is_start)
