"""Every set of keys: how many people would be found, and of how many would a target be shown?

Sets are visited as bit masks in their order, each from the set without its lowest key, the last one
of that size. Records whose combination tells nothing of any larger set leave on the way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.counts.cells import Ints, number, tally
from unveil.counts.profile import Mask


class Exempt(NamedTuple):
    """People who are not counted, in sets that have these keys."""

    keys: frozenset[int]
    people: Mask
    target: int | None = None  # None: for all targets, and for identity


@dataclass(frozen=True, eq=False)
class Counts:
    """People of the original found by some keys, and those of whom each target is shown."""

    keys: tuple[int, ...]
    replicated: int
    shown: tuple[int, ...]
    correct: tuple[int, ...]
    twins: tuple[int, ...]  # people whose value is the only one among others with their keys


@dataclass(frozen=True, eq=False)
class Question:
    """The codes of the records of d, then of s, and who is not counted."""

    keys: Sequence[Ints]
    n_levels: Sequence[int]
    targets: Sequence[Ints]
    n_target_levels: Sequence[int]
    n_d: int
    exempt: Sequence[Exempt] = ()
    limits: tuple[int | None, int | None] = (
        None,
        None,
    )  # most people, synthetic records, of a cell

    def counted(self, keys: frozenset[int], target: int | None) -> Mask | None:
        """Who is counted in a set of keys; None: everyone."""
        masks = [
            exempt.people
            for exempt in self.exempt
            if exempt.keys <= keys and exempt.target in (None, target)
        ]
        return ~np.logical_or.reduce(masks) if masks else None


class _Part(NamedTuple):
    """The records that may still be found, the combinations of each, and how many these are."""

    rows: Ints
    q: Ints
    n_q: int


def count_key_sets(question: Question, largest: int, *, with_twins: bool) -> Iterator[Counts]:
    """The counts of every set of at most so many keys."""
    n_keys, n = len(question.keys), len(question.keys[0])
    whole = _Part(np.arange(n), np.zeros(n, np.int64), 1)
    parts = [whole] * (n_keys + 1)
    for mask in range(1, 2**n_keys):
        size = mask.bit_count()
        if size > largest:
            continue
        key = (mask & -mask).bit_length() - 1
        rows, q, n_q = parts[size - 1]
        n_levels = question.n_levels[key]
        q, n_q = number(q * n_levels + question.keys[key][rows], n_q * n_levels)
        n_d = int(np.searchsorted(rows, question.n_d))
        in_d = np.bincount(q[:n_d], minlength=n_q)
        in_s = np.bincount(q[n_d:], minlength=n_q)
        stays = (in_d > 1) | ((in_d > 0) & (in_s > 0)) if with_twins else (in_d > 0) & (in_s > 0)
        if not stays.all():
            is_left = stays[q]
            rows, q = rows[is_left], (np.cumsum(stays) - 1)[q[is_left]]
            in_d, in_s, n_q = in_d[stays], in_s[stays], int(stays.sum())
        parts[size] = _Part(rows, q, n_q)
        keys = tuple(k for k in range(n_keys) if mask >> k & 1)
        yield _count(question, keys, parts[size], in_d, in_s)


def _count(
    question: Question, keys: tuple[int, ...], part: _Part, in_d: Ints, in_s: Ints
) -> Counts:
    n_d = int(np.searchsorted(part.rows, question.n_d))
    people, q = part.rows[:n_d], part.q[:n_d]
    is_replicated = (in_d[q] == 1) & (in_s[q] == 1)
    if (counted := question.counted(frozenset(keys), None)) is not None:
        is_replicated &= counted[people]
    by_target = [_count_target(question, frozenset(keys), part, in_d, t)
                 for t in range(len(question.targets))]  # fmt: skip
    shown, correct, twins = zip(*by_target, strict=True) if by_target else ((), (), ())
    return Counts(keys, int(is_replicated.sum()), shown, correct, twins)


def _count_target(
    question: Question, keys: frozenset[int], part: _Part, in_d: Ints, target: int
) -> tuple[int, int, int]:
    """People shown a single value, shown their own, and those who would be by a twin."""
    n_d = int(np.searchsorted(part.rows, question.n_d))
    t = question.targets[target][part.rows]
    q_d, t_d = part.q[:n_d], t[:n_d]
    level_s = single_level(part.q[n_d:], t[n_d:], part.n_q)[q_d]
    level_d = single_level(q_d, t_d, part.n_q)[q_d]
    counted = question.counted(keys, target)
    is_counted = np.ones(n_d, bool) if counted is None else counted[part.rows[:n_d]]
    if question.limits != (None, None):
        is_counted &= _is_within(question, part, t, question.n_target_levels[target])
    return (
        int((is_counted & (level_s >= 0)).sum()),
        int((is_counted & (level_s == t_d)).sum()),
        int((is_counted & (level_d >= 0) & (in_d[q_d] > 1)).sum()),
    )


def single_level(q: Ints, t: Ints, n_q: int) -> Ints:
    """The level that all records of a combination have: -1 where there are none, -2 for several."""
    level = np.full(n_q, -1, np.int64)
    level[q] = t
    level[q[t != level[q]]] = -2
    return level


def _is_within(question: Question, part: _Part, t: Ints, n_t: int) -> Mask:
    """Whether each person's cell has no more records than the limits."""
    n_d = int(np.searchsorted(part.rows, question.n_d))
    packed = part.q * n_t + t
    cells, *counts = tally(packed, part.n_q * n_t, n_d)
    place = np.searchsorted(cells, packed[:n_d])
    is_within = np.ones(n_d, bool)
    for limit, records in zip(question.limits, counts, strict=True):
        if limit is not None:
            is_within &= records[place] <= limit
    return is_within
