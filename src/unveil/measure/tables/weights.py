"""How many samples of each size lie in a box: exact polynomials, packed into whole numbers.

The samples of n people with between a_i and b_i from each cell i number
[x^n] prod_i sum_{k = a_i..b_i} C(c_i, k) x^k. A polynomial is kept as
its value at a power of two that is larger than any coefficient, so that a product of polynomials is
one product of whole numbers, and nothing is ever rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import comb
from typing import Any

MOST_BYTES = 1 << 26
"""Of products that are kept for another time."""

Factor = tuple[int, int, int]
"""People in a cell, the fewest and the most of them that are sampled."""


class Weights:
    """Polynomials up to x^n_max for samples from `people` people."""

    def __init__(self, people: int, n_max: int) -> None:
        self.n_max = min(n_max, people)
        self.totals = [comb(people, n) for n in range(self.n_max + 1)]
        self._stride = max(self.totals).bit_length() + 1
        self._all = (1 << self._stride * (self.n_max + 1)) - 1
        self._coefficient = (1 << self._stride) - 1
        self.n_bytes = self._stride * (self.n_max + 1) // 8
        self._powers: dict[tuple[Factor, int], int] = {}
        self._free: dict[int, int] = {}

    def product(self, factors: Iterable[Factor]) -> int:
        """The packed polynomial of a box; 0 where all its samples are larger than n_max."""
        shift, free, others = 0, 0, Counter[Factor]()
        for people, low, high in factors:
            shift += low
            if low == 0 and high == people:
                free += people
            elif low < high or 0 < low < people:
                others[people, low, high] += 1
        if shift > self.n_max:
            return 0
        found = self._binomial(free)
        for factor, times in others.items():
            found = found * self._power(factor, times) & self._all
        return found << self._stride * shift & self._all

    def at(self, packed: int, n: int) -> int:
        """How many samples of n people a packed polynomial stands for."""
        return packed >> self._stride * n & self._coefficient

    def share(self, packed: int, n: int) -> float:
        """The same as a share of all samples of n people."""
        return self.at(packed, n) / self.totals[n]

    def widest(self, packed: int) -> tuple[int, float]:
        """The size of sample at which the share is largest, and that share."""
        shares = [self.share(packed, n) for n in range(self.n_max + 1)]
        largest = max(shares)
        return shares.index(largest), largest

    def _binomial(self, people: int) -> int:
        if people not in self._free:
            self._make_room(self._free)
            self._free[people] = self._packed((people, 0, people))
        return self._free[people]

    def _power(self, factor: Factor, times: int) -> int:
        """A factor to a power, without its lowest power of x, which `product` sees to."""
        key = factor, times
        if key not in self._powers:
            self._make_room(self._powers)
            if times == 1:
                self._powers[key] = self._packed(factor)
            else:
                half = times // 2
                both = self._power(factor, half) * self._power(factor, times - half)
                self._powers[key] = both & self._all
        return self._powers[key]

    def _make_room(self, kept: dict[Any, int]) -> None:
        if len(kept) * self.n_bytes > MOST_BYTES:
            kept.clear()

    def _packed(self, factor: Factor) -> int:
        people, low, high = factor
        most = min(high - low, self.n_max)
        return sum(comb(people, low + k) << self._stride * k for k in range(most + 1))
