"""The notation of Raab (2024), Appendix 1: all that a formula of this family needs to know.

A profile lists how cells (q, t) look from the original and from one copy (or all copies pooled),
each look once, with the number of cells that have it. Formulas are sums over it: they neither count
nor know where the counts came from.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.cells import Cells, Keys
from unveil.count.packing import (
    CHUNK,
    Integers,
    Shares,
    Sides,
    count_dense,
    is_dense,
    pack,
    run_starts,
    smallest,
    sort_rows,
)


@dataclass(frozen=True)
class Renormalised:
    """What is left of the key combinations when excluded cells are struck out of them.

    With d*, s* for the counts that are left: dd_per_d is the sum over q of sum_t(d*_tq^2) / d*_q,
    ss_per_s the same on the copy, ds_per_s the sum of d*_tq s*_tq / s*_q; d_found counts the
    original records left whose keys are left in the copy.
    """

    dd_per_d: Shares
    ss_per_s: Shares
    ds_per_s: Shares
    d_found: int


@dataclass(frozen=True)
class Profile:
    """Looks of cells (q, t), each of `w` cells alike; the paper's letters.

    d_tq, s_tq: records of the cell in original and copy. d_q, s_q: records of its key combination.
    T_d, T_s: how many target levels that key combination has in original and copy. d_t: records of
    each target level in the original. All of these are as counted, before exclusions.

    x_d, x_s: the number of the rule that excludes the cell from sums over the original's records,
    and from sums over the copy's; 0 is none. `struck` is given where something is excluded.
    """

    d_tq: Ints
    s_tq: Ints
    d_q: Ints
    s_q: Ints
    T_d: Ints
    T_s: Ints
    w: Ints
    d_t: Integers
    x_d: Integers | None = None
    x_s: Integers | None = None
    struck: Renormalised | None = None
    _shares: dict[tuple[int, ...], tuple[tuple[Ints, ...], Shares]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _totals: dict[tuple[int, int], tuple[Ints, Mask | None, int]] = field(
        default_factory=dict, repr=False, compare=False
    )

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
        return self.total(self.d_tq, given=self.in_s)

    @cached_property
    def N_s_both(self) -> int:
        """Records of the copy whose keys occur in the original."""
        return self.total(self.s_tq, given=self.d_q > 0)

    @cached_property
    def in_s(self) -> Mask:
        """Cells whose keys occur in the copy."""
        found: Mask = self.s_q > 0
        return found

    @cached_property
    def T_s_is_1(self) -> Mask:
        """Cells whose keys leave one target level in the copy, which need not be the cell's."""
        single: Mask = self.T_s == 1
        return single

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

    @cached_property
    def both_are_1(self) -> Mask:
        """Cells with pd_tq = ps_tq = 1."""
        return self.pd_is_1 & self.ps_is_1

    @cached_property
    def d_kept(self) -> Ints:
        """d_tq, or 0 where the cell is excluded."""
        return self.d_tq if self.x_d is None else np.where(self.x_d == 0, self.d_tq, 0)

    @cached_property
    def s_kept(self) -> Ints:
        """s_tq, or 0 where the cell is excluded."""
        return self.s_tq if self.x_s is None else np.where(self.x_s == 0, self.s_tq, 0)

    @cached_property
    def renormalised_sums(self) -> Renormalised:
        """Sums over key combinations from which excluded cells are struck out."""
        return self.struck or Renormalised(
            dd_per_d=self.shares(self.d_tq, self.d_tq, per=self.d_q),
            ss_per_s=self.shares(self.s_tq, self.s_tq, per=self.s_q),
            ds_per_s=self.shares(self.s_tq, self.d_tq, per=self.s_q),
            d_found=self.N_d_both,
        )

    def n_cells(self, given: Mask) -> int:
        """How many cells look as given."""
        return int(self.w[given].sum())

    def total(self, count: Ints, *, given: Mask | None = None) -> int:
        """Sum a count over the cells, or over those given; exact, and of these letters once."""
        asked = id(count), id(given)  # which is theirs while they are kept beside it
        if asked not in self._totals:
            # A product with what is given is five times as fast as picking it out.
            n = int(np.dot(count, self.w if given is None else self.w * given))
            self._totals[asked] = count, given, n
        return self._totals[asked][2]

    def totals(self, count: Ints, *, by: Integers | None, given: Mask | None = None) -> Ints:
        """The same sum, apart for each of the numbers in `by`: 0, 1, ...; all are 0 by default."""
        if by is None:
            return np.array([self.total(count, given=given)])
        weighted = count * self.w
        if given is not None:
            weighted *= given
        return np.bincount(by, weights=weighted).astype(np.int64)

    def percent(self, count: Ints, *, of: int, given: Mask | None = None) -> float | None:
        """100 times the sum of a count over the cells given, divided by `of`; None of nobody."""
        return 100 * self.total(count, given=given) / of if of else None

    def shares(self, count: Ints, other: Ints, *, per: Ints) -> Shares:
        """The sum of count other / per over the cells; of these letters, once."""
        letters = count, other, per
        asked = id(count), id(other), id(per)  # which is theirs while they are kept beside it
        if asked not in self._shares:
            self._shares[asked] = letters, Shares.of(count * other * self.w, per)
        return self._shares[asked][1]


# How do cells look, and how many look alike? From counts to profiles, with exclusions or without.
#
# Cells that look alike add the same to every sum, so formulas run over a few looks instead of many
# cells. Which look each cell has is remembered: an exclusion is then a matter of moving cells from
# the looks that count to those that do not, and nothing is counted again.


FEW_CELLS = 64
"""So few cells are not sought for those that look alike: each is a look of its own."""


@dataclass(frozen=True)
class ProfileCells:
    """The looks of one target's cells, and the look of each cell."""

    profile: Profile
    of_cell: Integers
    n_shared: int  # from here on, each cell is a key combination of one record alone

    def count(self, cells: Integers | slice) -> Ints:
        """How many of these cells have each look."""
        return np.bincount(self.of_cell[cells], minlength=len(self.profile.w))

    @cached_property
    def single_cells(self) -> Integers:
        """The cells of people whose keys point to a single level, which need not be the cell's."""
        p = self.profile
        is_single = (p.T_s == 1) & (p.d_q > 0)  # which nobody alone on either side is
        return smallest(np.flatnonzero(is_single.take(self.of_cell[: self.n_shared])))

    @cached_property
    def found_cells(self) -> Integers:
        """The cells whose people are found, and rightly: those of DiSCO."""
        p, at = self.profile, self.single_cells
        found: Integers = at[(p.ps_is_1 & (p.d_tq > 0)).take(self.of_cell[at])]
        return found

    def on_cells(self, of_look: Mask) -> Mask:
        """What is true of looks, said of every cell."""
        is_true: Mask = of_look.take(self.of_cell)
        return is_true


def key_profile(keys: Keys, excluded: Mapping[int, Mask] | None = None) -> Profile:
    """The key combinations alone, as if everyone had the same target level.

    `excluded` has the key combinations that each rule hits, by the number of the rule.
    """
    n_q = keys.n_q if excluded else keys.n_shared
    x_of_q = np.zeros(n_q, np.min_scalar_type(max(excluded or (0,))))
    for rule, hit in (excluded or {}).items():
        x_of_q[hit] = rule
    (d_q, s_q, x), _, w = distinct([*keys.counts[:, :n_q], x_of_q])
    if n_q < keys.n_q:  # one record each: of the original, or of the copy
        n_copy = int(keys.counts[1, n_q:].sum())
        more = [1, 0], [0, 1], [0, 0], [keys.n_q - n_q - n_copy, n_copy]
        d_q, s_q, x, w = (np.append(*both) for both in zip((d_q, s_q, x, w), more, strict=True))
    in_d, in_s = (d_q > 0).astype(np.int64), (s_q > 0).astype(np.int64)
    n_original = np.array([keys.sides.rows[0]])
    return Profile(d_q, s_q, d_q, s_q, in_d, in_s, w, n_original, x_d=x, x_s=x)


def target_looks(keys: Keys, cells: Cells, d_t: Integers) -> ProfileCells:
    """The cells of one target, counted in the original and in a copy."""
    pieces = [_piece(keys, cells, qs) for qs in blocks(cells.starts[: keys.n_shared + 1])]
    if keys.n_shared < keys.n_q:  # one record each: of the original, or of the copy
        is_copy = keys.counts[1, keys.n_shared :]
        n_copy = int(is_copy.sum())
        mine, theirs = np.array([1, 0]), np.array([0, 1])
        looks = [mine, theirs, mine, theirs, mine, theirs]
        pieces.append(([*looks, np.array([len(is_copy) - n_copy, n_copy])], is_copy))
    *letters, w = (
        np.concatenate(column) for column in zip(*(rows for rows, _ in pieces), strict=True)
    )
    of_cell = pieces[0][1]
    if len(pieces) > 1:
        letters, look_of_row, w = distinct(letters, w)
        ends = np.cumsum([len(rows[-1]) for rows, _ in pieces])[:-1]
        own = np.split(look_of_row, ends)  # the looks of each piece among those of all
        of_cell = np.concatenate([look[ids] for look, (_, ids) in zip(own, pieces, strict=True)])
    d_tq, s_tq, d_q, s_q, T_d, T_s = letters
    profile = Profile(d_tq, s_tq, d_q, s_q, T_d, T_s, w, d_t)
    return ProfileCells(profile, of_cell, int(cells.starts[keys.n_shared]))


def blocks(starts: Integers) -> Iterator[slice]:
    """Key combinations in pieces of about equally many cells."""
    past, n_q = 0, len(starts) - 1
    if not n_q:
        yield slice(0, 0)
    while past < n_q:
        # Sought in the type of the starts, or all of them would be converted.
        enough = starts.dtype.type(min(int(starts[past]) + CHUNK, int(starts[-1])))
        first, past = past, max(int(np.searchsorted(starts, enough)), past + 1)
        yield slice(first, past)


def _piece(keys: Keys, cells: Cells, qs: slice) -> tuple[list[Ints], Integers]:
    """The looks of the cells of some key combinations with their number, and each cell's look."""
    starts = cells.starts[qs.start : qs.stop + 1].astype(np.int64)
    d_q, s_q = keys.counts[:, qs]
    d_tq, s_tq = cells.counts[:, starts[0] : starts[-1]]
    T_d, T_s = _levels_per_key(d_tq, s_tq, starts - starts[0])
    if len(d_tq) <= FEW_CELLS:
        of_q = np.repeat(np.arange(len(d_q)), np.diff(starts))
        letters = [d_tq, s_tq, *(letter[of_q] for letter in (d_q, s_q, T_d, T_s))]
        alone = np.ones(len(d_tq), np.int64)
        return [*(one.astype(np.int64) for one in letters), alone], np.arange(len(d_tq))
    # First the looks of the key combinations, few of them; then those of the cells within.
    looks_of_q, look_of_q, _ = distinct([d_q, s_q, T_d, T_s])
    of_cell = np.repeat(look_of_q, np.diff(starts))
    (d_tq, s_tq, look), ids, w = distinct([d_tq, s_tq, of_cell])
    return [d_tq, s_tq, *(letter[look] for letter in looks_of_q), w], ids


def _levels_per_key(d_tq: Integers, s_tq: Integers, starts: Ints) -> tuple[Ints, Ints]:
    """How many cells of each key combination have records, on either side."""
    occurs = (s_tq > 0).astype(np.int64)  # both sides in one sum: the copy's above 32 bits
    occurs <<= 32
    occurs += d_tq > 0
    both = np.add.reduceat(occurs, starts[:-1]) if len(occurs) else occurs
    return both & (2**32 - 1), both >> 32


def distinct(
    letters: Sequence[Integers], w: Ints | None = None
) -> tuple[list[Ints], Integers, Ints]:
    """The distinct combinations of letters, the number of each one's, and how often each occurs."""
    digits = [(letter, int(letter.max(initial=0)) + 1) for letter in letters]
    packed, space = pack(digits, len(letters[0]))
    if is_dense(space, len(packed)):
        if w is None:
            weights = count_dense(lambda rows: packed[rows], space, Sides((len(packed),)))[0]
        else:
            weights = np.bincount(packed, weights=w, minlength=space)
        numbers = np.flatnonzero(weights > 0)  # truth values are sought in a third of the time
        place = np.zeros(space, np.min_scalar_type(len(numbers)))
        place[numbers] = np.arange(len(numbers))
        bases = tuple(base for _, base in digits)
        found = np.unravel_index(numbers, bases)
        return list(found), place.take(packed), weights[numbers].astype(np.int64)
    order, in_order = sort_rows(packed, space)
    starts = run_starts(in_order)
    n_alike = np.diff(starts)
    ids = np.empty(len(packed), np.int32)
    ids[order] = np.repeat(np.arange(len(n_alike), dtype=np.int32), n_alike)
    example = order[starts[:-1]]
    weights = n_alike if w is None else np.bincount(ids, w, len(n_alike)).astype(np.int64)
    return [letter[example].astype(np.int64) for letter in letters], ids, weights
