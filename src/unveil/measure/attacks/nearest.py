"""Which records of the copy come nearest to a person, all ties among them?

Blocks of distances in single precision say who may be among the k nearest; the distances of these
candidates are then computed anew in double precision, straight from the values. So what is found
does not depend on the blocks, the threads, or on how a distance without one column was come by.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.count.packing import Ids, Integers, Whole, number, pack
from unveil.count.scenario import Progress
from unveil.measure.attacks.distances import ROUNDING, Axis, Floats, Mask, Singles, distances

BLOCK = 2**17
"""How many distances are held at once: few enough to stay close to the processor."""
PAIRS = 2**20
"""How many pairs may be candidates at once."""
MOST_THREADS = 8


@dataclass(frozen=True)
class Found:
    """Pairs of a person and one of their nearest: sure to be among the k, or tied for the last.

    In the order of the persons. `person` counts from 0 within those asked for, `row` within the
    copy.
    """

    n_persons: int
    person: Ids
    row: Ids
    is_tied: Mask

    def per_person(self, of_pairs: NDArray[np.generic]) -> Floats:
        """The sum over the pairs of each person."""
        sums = np.bincount(self.person, of_pairs.astype(np.float64), self.n_persons)
        return sums.astype(np.float64)  # bincount of nothing counts in whole numbers


def in_pieces(
    persons: Whole,
    n_rows: int,
    task: Callable[[Whole], Floats],
    *,
    what: str,
    progress: Progress,
) -> Floats:
    """Do a task for some persons at a time, in threads; its answers have persons as last axis."""
    size = max(1, PAIRS // n_rows)
    pieces = [persons[start : start + size] for start in range(0, len(persons), size)]
    pool = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1))
    answers = []
    try:
        for done, answer in enumerate(pool.map(task, pieces)):
            progress(what, done, len(pieces))
            answers.append(answer)
    finally:
        # Whoever interrupts does not wait for the pieces that are left.
        pool.shutdown(cancel_futures=True)
    return np.concatenate(answers, axis=-1)


def representatives(digits: Sequence[tuple[Integers, int]], persons: Whole) -> tuple[Whole, Ids]:
    """One of the persons for each combination of codes, and for each person which of these."""
    mine = [(codes[persons], n_levels) for codes, n_levels in digits]
    ids, n_ids = number(*pack(mine, len(persons)))
    example = np.empty(n_ids, np.int64)
    example[ids] = persons
    return example, ids


def find(
    axes: Sequence[Axis],
    persons: Whole,
    copy: slice,
    *,
    k: int = 1,
    without: Sequence[int | None] = (None,),
) -> list[Found]:
    """The k nearest of each person along all axes but one, for each axis to be left out.

    `persons` and `copy` are places in the stacked sides. All searches share the distances over all
    axes, from which the one that is left out is subtracted.
    """
    slack = 2 * _rounding(len(axes))
    candidates: list[list[tuple[Ids, Ids]]] = [[] for _ in without]
    size = max(1, BLOCK // (copy.stop - copy.start))
    for start in range(0, len(persons), size):
        block = _Block(axes, persons[start : start + size], copy)
        for place, left_out in enumerate(without):
            apart = block.total if left_out is None else block.but_for(axes[left_out])
            reach = _kth(apart, k) + slack
            at = np.flatnonzero(apart <= reach[:, np.newaxis])
            person, row = np.divmod(at, apart.shape[1])
            candidates[place].append((_short(person + start), _short(row)))
    return [
        _settled(
            [axis for i, axis in enumerate(axes) if i != left_out], persons, copy.start, pairs, k
        )
        for left_out, pairs in zip(without, candidates, strict=True)
    ]


def _short(places: Whole) -> Ids:
    """Half the room: ties can be very many."""
    return places.astype(np.int32)


def _rounding(n_axes: int) -> np.float32:
    """A bound on what single precision is off by in a sum of so many terms from 0 to 1."""
    return np.float32((n_axes + 1) * (n_axes + 4) * 2.0**-24)


def _kth(apart: Singles, k: int) -> Singles:
    kth: Singles = apart.min(axis=1) if k == 1 else np.partition(apart, k - 1)[:, k - 1]
    return kth


class _Block:
    """Distances in single precision of a few persons to the whole copy, in one set of arrays."""

    def __init__(self, axes: Sequence[Axis], persons: Whole, copy: slice) -> None:
        self._persons, self._copy = persons, copy
        shape = (len(persons), copy.stop - copy.start)
        self.total = np.zeros(shape, np.float32)
        self._one = np.empty(shape, np.float32)
        self._differs = np.empty(shape, np.bool_)
        self._add_up(axes)

    def _add_up(self, axes: Sequence[Axis]) -> None:
        for axis in axes:
            if axis.is_number:
                self.total += self._along(axis)
        n_differing = np.zeros(self.total.shape, np.min_scalar_type(len(axes)))
        for axis in axes:
            if not axis.is_number:
                np.add(n_differing, self._unlike(axis).view(np.uint8), out=n_differing)
        self.total += n_differing

    def but_for(self, axis: Axis) -> Singles:
        """The distances less those along one axis."""
        apart = self._along(axis) if axis.is_number else self._unlike(axis)
        return np.subtract(self.total, apart, out=self._one)

    def _along(self, axis: Axis) -> Singles:
        apart = self._one
        places = axis.singles
        np.subtract(places[self._persons][:, np.newaxis], places[self._copy], out=apart)
        np.abs(apart, out=apart)
        if axis.stands_apart is not None:
            mine, its = axis.stands_apart[self._persons], axis.stands_apart[self._copy]
            no_number = np.flatnonzero(mine)
            apart[no_number] = mine[no_number, np.newaxis] != its
            no_number = np.flatnonzero(its)
            apart[:, no_number] = mine[:, np.newaxis] != its[no_number]
        return apart

    def _unlike(self, axis: Axis) -> Mask:
        mine, its = axis.codes[self._persons], axis.codes[self._copy]
        return np.not_equal(mine[:, np.newaxis], its, out=self._differs)


def _settled(
    axes: Sequence[Axis],
    persons: Whole,
    first: int,
    pairs: Sequence[tuple[Ids, Ids]],
    k: int,
) -> Found:
    """The candidates that are among the k nearest, by their distance in double precision."""
    person, row = (np.concatenate(part) for part in zip(*pairs, strict=True))
    apart = distances(axes, persons[person], first + row)
    starts = np.searchsorted(person, np.arange(len(persons)))
    if k == 1:
        kth = np.minimum.reduceat(apart, starts)
    else:
        kth = apart[np.lexsort((apart, person))][starts + k - 1]
    kept = apart <= kth[person] + ROUNDING
    person, row, apart = person[kept], row[kept], apart[kept]
    return Found(len(persons), person, row, apart >= kth[person] - ROUNDING)
