"""The notation of Raab (2024), Appendix 1: all that a formula of this family needs to know.

A profile lists how cells (q, t) look from the original and from one copy (or all copies pooled),
each look once, with the number of cells that have it. Formulas are sums over it: they neither count
nor know where the counts came from.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.count.cells import Cells, Keys
from unveil.count.packing import CHUNK, Ids, Integers, Whole, number, pack

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Profile:
    """Looks of cells (q, t), each of `w` cells alike; the paper's letters.

    d_tq, s_tq: records of the cell in original and copy. d_q, s_q: records of its key combination.
    T_d, T_s: how many target levels that key combination has in original and copy. d_t: records of
    each target level in the original.
    """

    d_tq: Whole
    s_tq: Whole
    d_q: Whole
    s_q: Whole
    T_d: Whole
    T_s: Whole
    w: Whole
    d_t: Integers

    @cached_property
    def N_d(self) -> int:
        """Records of the original."""
        return self.total(self.d_tq)

    @cached_property
    def N_s(self) -> int:
        """Records of the copy."""
        return self.total(self.s_tq)

    @cached_property
    def N_d_both(self) -> int:
        """Original records whose keys occur in the copy."""
        return self.total(self.d_tq, given=self.s_q > 0)

    @cached_property
    def N_s_both(self) -> int:
        """Records of the copy whose keys occur in the original."""
        return self.total(self.s_tq, given=self.d_q > 0)

    # A q absent from one side has no proportions there: neither 1 nor 0/0.
    @cached_property
    def pd_is_1(self) -> Mask:
        """Cells with pd_tq = 1: in the original the keys leave this one target level."""
        settled: Mask = (self.d_tq == self.d_q) & (self.d_q > 0)
        return settled

    @cached_property
    def ps_is_1(self) -> Mask:
        """Cells with ps_tq = 1: in the copy the keys leave this one target level."""
        settled: Mask = (self.s_tq == self.s_q) & (self.s_q > 0)
        return settled

    def n_cells(self, given: Mask) -> int:
        """How many cells look as given."""
        return int(self.w[given].sum())

    def total(self, count: Whole, *, given: Mask | None = None) -> int:
        """Sum a count over the cells, or over those given; exact."""
        weighted = count * self.w
        return int(weighted.sum() if given is None else weighted[given].sum())

    def percent(self, count: Whole, *, of: int, given: Mask | None = None) -> float | None:
        """100 times the sum of a count over the cells given, divided by `of`; None of nobody."""
        return 100 * self.total(count, given=given) / of if of else None

    def percent_of_shares(self, count: Whole, *, per: Whole, of: int) -> float | None:
        """100 times the sum of count / per over the cells, divided by `of`; None of nobody.

        Cells with the same divisor are summed as whole numbers before dividing, so the result is
        the same to the last digit whatever the order of the cells (while sums stay below 2^53).
        """
        if not of:
            return None
        here = per > 0
        divisors, place = np.unique(per[here], return_inverse=True)
        sums = np.bincount(place, weights=(count * self.w)[here], minlength=len(divisors))
        return 100 * math.fsum(sums / divisors) / of


def key_profile(keys: Keys, copies: Sequence[int]) -> Profile:
    """The key combinations alone, as if everyone had the same target level."""
    (d_q, s_q), _, w = _distinct(_two_sides(keys.counts, copies))
    in_d, in_s = (d_q > 0).astype(np.int64), (s_q > 0).astype(np.int64)
    n_original = np.array([keys.sides.rows[0]])
    return Profile(d_tq=d_q, s_tq=s_q, d_q=d_q, s_q=s_q, T_d=in_d, T_s=in_s, w=w, d_t=n_original)


def target_profile(keys: Keys, cells: Cells, d_t: Integers, copies: Sequence[int]) -> Profile:
    """The cells of one target, for one copy or for several pooled."""
    blocks = list(_blocks(cells.starts)) or [slice(0, 0)]
    pieces = [_piece(keys, cells, qs, copies) for qs in blocks]
    *letters, w = (np.concatenate(column) for column in zip(*pieces, strict=True))
    if len(pieces) > 1:
        letters, _, w = _distinct(letters, w)
    d_tq, s_tq, d_q, s_q, T_d, T_s = letters
    return Profile(d_tq=d_tq, s_tq=s_tq, d_q=d_q, s_q=s_q, T_d=T_d, T_s=T_s, w=w, d_t=d_t)


def _blocks(starts: Integers) -> Iterator[slice]:
    """Key combinations in pieces of about equally many cells."""
    past, n_q = 0, len(starts) - 1
    while past < n_q:
        first, enough = past, np.searchsorted(starts, int(starts[past]) + CHUNK)
        past = min(max(int(enough), first + 1), n_q)
        yield slice(first, past)


def _piece(keys: Keys, cells: Cells, qs: slice, copies: Sequence[int]) -> list[Whole]:
    """The looks of the cells of some key combinations, and how many cells have each."""
    starts = cells.starts[qs.start : qs.stop + 1].astype(np.int64)
    d_q, s_q = _two_sides(keys.counts[:, qs], copies)
    d_tq, s_tq = _two_sides(cells.counts[:, starts[0] : starts[-1]], copies)
    T_d, T_s = (_levels_per_key(count, starts - starts[0]) for count in (d_tq, s_tq))
    # First the looks of the key combinations, few of them; then those of the cells within.
    looks_of_q, look_of_q, _ = _distinct([d_q, s_q, T_d, T_s])
    of_cell = np.repeat(look_of_q, np.diff(starts))
    here = (d_tq > 0) | (s_tq > 0)  # cells of other copies alone are none of this one's
    (d_tq, s_tq, look), _, w = _distinct([d_tq[here], s_tq[here], of_cell[here]])
    return [d_tq, s_tq, *(letter[look] for letter in looks_of_q), w]


def _two_sides(counts: Integers, copies: Sequence[int]) -> list[Integers]:
    """The original's counts, and those of the copies (1, 2, ...) added up."""
    pooled = counts[copies[0]] if len(copies) == 1 else counts[copies].sum(axis=0, dtype=np.int64)
    return [counts[0], pooled]


def _levels_per_key(count: Integers, starts: Whole) -> Integers:
    occurs = np.zeros(len(count) + 1, np.int32)
    np.cumsum(count > 0, out=occurs[1:])
    return np.diff(occurs[starts])


def _distinct(
    letters: Sequence[Integers], w: Whole | None = None
) -> tuple[list[Whole], Ids, Whole]:
    """The distinct combinations of letters, the number of each one's, and how often each occurs."""
    digits = [(letter, int(letter.max(initial=0)) + 1) for letter in letters]
    packed, space = pack(digits, len(letters[0]))
    ids, n = number(packed, space)
    example = np.empty(n, np.int64)
    example[ids] = np.arange(len(ids))
    weights = np.bincount(ids, weights=w, minlength=n).astype(np.int64)
    return [letter[example].astype(np.int64) for letter in letters], ids, weights
