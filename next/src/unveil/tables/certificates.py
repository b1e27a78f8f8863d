"""Which tables give a count away? Sets of tables that do, and of which none can be left out.

The bounds by all tables are known, and fewer tables find no closer ones. So a set of tables (a
world) is told of each bound only whether it proves it too, by the same equations: the bound of a
part is proven where those bounds of all others in the sum are proven that add up to it. What was a
sum becomes an *and*, for 64 worlds in one number.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import Ints
from unveil.tables.system import System, Truths

WORLDS = 256  # looked at side by side
ALL = ~np.uint64(0)
Bits = NDArray[np.uint64]


class Worlds:
    """Bounds of a closed system, the tables that state them, and what proves them from others.

    Bounds are numbered 2j (the lower one of figure j) and 2j + 1. `stated` are pairs of a bound and
    a table; a lower bound of 0 needs no table.
    """

    def __init__(self, closed: System, stated: Ints, n_tables: int) -> None:
        self.n_bounds, self.stated, self.n_tables = 2 * closed.size, stated, n_tables
        self.is_free = np.zeros(self.n_bounds, bool)
        self.is_free[::2] = closed.lower == 0
        self.rules = [*_rules(closed)]

    def proven(self, sets: Truths) -> Truths:
        """Bounds by sets: whether the tables of a set prove the bound."""
        parts = [self._proven(sets[i : i + WORLDS]) for i in range(0, len(sets), WORLDS)]
        return np.concatenate([np.zeros((self.n_bounds, 0), bool), *parts], axis=1)

    def _proven(self, sets: Truths) -> Truths:
        member = _packed(sets.T)
        known = np.zeros((self.n_bounds, member.shape[1]), np.uint64)
        known[self.is_free] = ALL
        np.bitwise_or.at(known, self.stated[:, 0], member[self.stated[:, 1]])
        moved = np.ones(len(known), bool)
        while moved.any():
            now, moved = moved, np.zeros_like(moved)
            for body, holds in self.rules:
                some = np.flatnonzero(now[body].any(axis=1))
                mask = -holds[some].astype(np.int64).view(np.uint64)
                proof = _others(known[body[some]], np.bitwise_and, ALL) & mask[..., None]
                head = body[some] ^ 1
                is_new = (proof & ~known[head]).any(axis=2)
                np.bitwise_or.at(known, head[is_new], proof[is_new])
                moved[head[is_new]] = True
        bits = np.unpackbits(known.view(np.uint8), axis=1, count=len(sets), bitorder="little")
        return bits.astype(bool)

    def give_away(self, figures: Ints, sets: Truths) -> Truths:
        """Figures by sets: whether the tables of the set bound the figure as all tables do."""
        proven = self.proven(sets)
        return proven[2 * figures] & proven[2 * figures + 1]

    def irreducible(self, figures: Ints) -> Truths:
        """Figures by tables: sets that give them away, and of which no table can be left out.

        One table where one does it.
        """
        proofs = self._first_proofs()
        own = proofs[2 * figures] | proofs[2 * figures + 1]
        single = np.eye(self.n_tables, dtype=bool)
        alone = self.give_away(figures, single)
        by_one = alone.any(axis=1)
        own[by_one] = single[alone[by_one].argmax(axis=1)]
        needed = own & (own.sum(axis=1) <= 2)[:, None]
        while (left := np.flatnonzero((own & ~needed).any(axis=1))).size:
            less = own[left]
            less[np.arange(len(left)), (less & ~needed[left]).argmax(axis=1)] = False
            sets, asking = np.unique(less, axis=0, return_counts=True)
            sets = sets[np.argsort(-asking, kind="stable")[: 2 * WORLDS]]
            given = self.give_away(figures[left], sets)
            own[left], needed[left] = _learn(own[left], needed[left], sets, given)
        return own

    def _first_proofs(self) -> Truths:
        """Bounds by tables: those of a proof of the fewest steps, then of the fewest tables."""
        uses = np.zeros((self.n_bounds, -(-self.n_tables // 64)), np.uint64)
        single, known = _packed(np.eye(self.n_tables, dtype=bool)), self.is_free.copy()
        first = np.unique(self.stated[:, 0], return_index=True)[1]
        first = first[~known[self.stated[first, 0]]]
        uses[self.stated[first, 0]] = single[self.stated[first, 1]]
        known[self.stated[first, 0]] = True
        moved = np.ones(len(known), bool)
        while moved.any():
            heads, sets = [np.zeros(0, np.int64)], [uses[:0]]
            for body, holds in self.rules:
                some = np.flatnonzero(moved[body].any(axis=1))
                head = body[some] ^ 1
                is_proven = _others(known[body[some]][..., None], np.logical_and, True)[..., 0]
                is_proven &= holds[some] & ~known[head]
                line = is_proven.any(axis=1)
                heads.append(head[is_proven])
                joined = _others(uses[body[some[line]]], np.bitwise_or, np.uint64(0))
                sets.append(joined[is_proven[line]])
            head, used = np.concatenate(heads), np.concatenate(sets)
            order = np.lexsort((np.bitwise_count(used).sum(axis=1), head))
            best = order[np.flatnonzero(np.diff(head[order], prepend=-1))]
            moved = np.zeros(len(known), bool)
            uses[head[best]], known[head[best]], moved[head[best]] = used[best], True, True
        bits = np.unpackbits(uses.view(np.uint8), axis=1, count=self.n_tables, bitorder="little")
        return bits.astype(bool)


def _learn(own: Truths, needed: Truths, sets: Truths, given: Truths) -> tuple[Truths, Truths]:
    """What sets say of every proof.

    One that lacks one table of it and fails shows that this one is needed; one that gives the
    figure away and has fewer tables takes its place.
    """
    shared = own.astype(np.float32) @ sets.T.astype(np.float32)
    lacking = own.sum(axis=1)[:, None] - shared
    row, world = np.nonzero((lacking == 1) & ~given)
    needed[row, (own[row] & ~sets[world]).argmax(axis=1)] = True
    size = np.where(given, sets.sum(axis=1), own.shape[1] + 1)
    better = np.flatnonzero(size.min(axis=1) < own.sum(axis=1))
    new = sets[size.argmin(axis=1)[better]]
    is_part = ~(new & ~own[better]).any(axis=1)
    needed[better] &= new & is_part[:, None]
    own[better] = new
    needed |= own & (own.sum(axis=1) <= 2)[:, None]
    return own, needed


def _rules(closed: System) -> Iterator[tuple[Ints, Truths]]:
    """Equations of one length whose figures are all known.

    Their bounds (the least of each part and the most of the whole, or the other way round), and of
    which figures the other bounds prove the opposite bound exactly.
    """
    matrix, is_known = closed.matrix.tocsr(), closed.upper == closed.lower
    length = np.diff(matrix.indptr)
    is_useful = (matrix != 0) @ ~is_known == 0
    value = np.stack([closed.lower, closed.upper], axis=1).reshape(-1)
    for size in np.unique(length[is_useful]):
        rows = np.flatnonzero(is_useful & (length == size))
        place = matrix.indptr[rows][:, None] + np.arange(size)
        figure, sign = matrix.indices[place].astype(np.int64), matrix.data[place]
        for is_least in (True, False):
            body = 2 * figure + ((sign > 0) != is_least)
            total = (sign * value[body]).sum(axis=1, keepdims=True)
            holds = total + sign * (value[body ^ 1] - value[body]) == 0
            some = holds.any(axis=1)
            if some.any():
                yield body[some], holds[some]


def _others(values: Any, combine: Any, start: Any) -> Any:
    """Along axis 1, all values but the own one combined."""
    joined = np.full_like(values, start)
    joined[:, 1:] = combine.accumulate(values, axis=1)[:, :-1]
    after = combine.accumulate(values[:, ::-1], axis=1)[:, ::-1][:, 1:]
    joined[:, :-1] = combine(joined[:, :-1], after)
    return joined


def _packed(rows: Truths) -> Bits:
    """Rows of truth values, 64 in a number."""
    bits = np.packbits(rows, axis=1, bitorder="little")
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)
