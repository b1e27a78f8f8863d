"""How many samples of each size lie in a box: exact polynomials, packed into whole numbers.

The samples of n people with between a_i and b_i from each cell i number
[x^n] prod_i sum_{k = a_i..b_i} C(c_i, k) x^k. A polynomial is kept as
its value at a power of two that is larger than any coefficient, so that a product of polynomials is
one product of whole numbers, and nothing is ever rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from math import comb, lgamma, log
from typing import Any

from unveil.errors import SettingsError

MOST_BYTES = 1 << 26
"""Of products that are kept for another time."""
LARGEST = 1 << 20
"""Bytes of one polynomial: a product of two that long takes about half a second."""

Factor = tuple[int, int, int]
"""People in a cell, the fewest and the most of them that are sampled."""


class Weights:
    """Polynomials up to x^n_max for samples from `people` people."""

    def __init__(self, people: int, n_max: int) -> None:
        self.n_max = min(n_max, people)
        refuse_long(people, self.n_max)
        self.totals = _binomials(people, 0, self.n_max)
        self._width = max(self.totals).bit_length() // 8 + 1  # bytes of a coefficient
        self._stride = 8 * self._width
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

    def coefficients(self, packed: int) -> list[int]:
        """How many samples of 0, 1, ..., n_max people it stands for."""
        width = self._width
        held = packed.to_bytes(width * (self.n_max + 1), "little")
        return [
            int.from_bytes(held[place : place + width], "little")
            for place in range(0, len(held), width)
        ]

    def share(self, packed: int, n: int) -> float:
        """The same as a share of all samples of n people."""
        return self.at(packed, n) / self.totals[n]

    def widest(self, packed: int) -> tuple[int, float]:
        """The size of sample at which the share is largest, and that share."""
        found = self.coefficients(packed)
        shares = [ways / total for ways, total in zip(found, self.totals, strict=True)]
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
        ways = _binomials(people, low, min(high, self.n_max))
        return int.from_bytes(
            b"".join(one.to_bytes(self._width, "little") for one in ways), "little"
        )


def refuse_long(people: int, n_max: int) -> None:
    """Refuse samples so large that to count them would take minutes and gigabytes."""
    if _n_bytes(people, n_max) <= LARGEST:
        return
    low, high = 0, n_max
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _n_bytes(people, middle) <= LARGEST else (low, middle)
    raise SettingsError(
        f"Samples of up to {n_max:,} of so many people are too large to be split into boxes, which"
        f" this release needs. Ask for at most {_rounded_down(low):,} known people."
    )


def _rounded_down(number: int) -> int:
    """Two leading digits: the limit does not tell how many people there are."""
    step = int(10 ** max(0, len(f"{number}") - 2))
    return number // step * step


def _n_bytes(people: int, n_max: int) -> float:
    """About the bytes of a polynomial, by the length of its largest coefficient."""
    n = min(n_max, people // 2)
    if people > 1e6 * max(n, 1):  # log-gamma of so many people would lose all its digits
        bits = n * log(people, 2)
    else:
        bits = (lgamma(people + 1) - lgamma(n + 1) - lgamma(people - n + 1)) / log(2)
    return (bits / 8 + 1) * (n_max + 1)


def _binomials(people: int, first: int, last: int) -> list[int]:
    """C(people, k) for k = first..last, each from the one before."""
    start = comb(people, first)
    steps = range(first, last)
    found = accumulate(steps, lambda ways, k: ways * (people - k) // (k + 1), initial=start)
    return list(found)
