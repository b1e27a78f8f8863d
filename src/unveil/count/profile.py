"""The notation of Raab (2024), Appendix 1: all that a formula of this family needs to know.

A profile lists how cells (q, t) look from the original and from one copy (or all copies pooled),
each look once, with the number of cells that have it. Formulas are sums over it: they neither count
nor know where the counts came from.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.count.packing import Integers, Whole
from unveil.count.shares import Shares

Mask = NDArray[np.bool_]


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

    d_tq: Whole
    s_tq: Whole
    d_q: Whole
    s_q: Whole
    T_d: Whole
    T_s: Whole
    w: Whole
    d_t: Integers
    x_d: Integers | None = None
    x_s: Integers | None = None
    struck: Renormalised | None = None

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

    @property
    def marks(self) -> tuple[Integers, Integers]:
        """The rule that excludes each look from sums over the original, and over the copy."""
        none = np.zeros_like(self.w)
        return (none if self.x_d is None else self.x_d, none if self.x_s is None else self.x_s)

    @cached_property
    def d_kept(self) -> Whole:
        """d_tq, or 0 where the cell is excluded."""
        return self.d_tq if self.x_d is None else np.where(self.x_d == 0, self.d_tq, 0)

    @cached_property
    def s_kept(self) -> Whole:
        """s_tq, or 0 where the cell is excluded."""
        return self.s_tq if self.x_s is None else np.where(self.x_s == 0, self.s_tq, 0)

    @cached_property
    def renormalised(self) -> Renormalised:
        """Sums over key combinations from which excluded cells are struck out."""
        return self.struck or Renormalised(
            dd_per_d=self.shares(self.d_tq * self.d_tq, per=self.d_q),
            ss_per_s=self.shares(self.s_tq * self.s_tq, per=self.s_q),
            ds_per_s=self.shares(self.d_tq * self.s_tq, per=self.s_q),
            d_found=self.N_d_both,
        )

    def n_cells(self, given: Mask) -> int:
        """How many cells look as given."""
        return int(self.w[given].sum())

    def total(self, count: Whole, *, given: Mask | None = None) -> int:
        """Sum a count over the cells, or over those given; exact."""
        weighted = count * self.w
        if given is not None:  # a product, which is five times as fast as picking out
            weighted *= given
        return int(weighted.sum())

    def totals(self, count: Whole, *, by: Integers, given: Mask | None = None) -> Whole:
        """The same sum, apart for each of the numbers in `by`: 0, 1, ..."""
        weighted = count * self.w
        if given is not None:
            weighted *= given
        return np.bincount(by, weights=weighted).astype(np.int64)

    def percent(self, count: Whole, *, of: int, given: Mask | None = None) -> float | None:
        """100 times the sum of a count over the cells given, divided by `of`; None of nobody."""
        return 100 * self.total(count, given=given) / of if of else None

    def shares(self, count: Whole, *, per: Whole) -> Shares:
        """The sum of count / per over the cells."""
        return Shares.of(count * self.w, per)
