"""SAP for all n at once, exactly, in time polynomial in cells and n.

Smith and Elliot (2008), section 2.3.1, sum over all sets of exposed cells: 2^k terms. The same
probability is a coefficient of a product of polynomials, one factor a cell: see `safe_counts`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measure.tables.families import Family, smallest

Integers = NDArray[Any]  # Python's own whole numbers, of any length

BRANCHES = 20_000  # how often overlapping sets may be told apart


def signed_sums(totals: Iterable[int], n_max: int) -> Integers:
    """G = prod (1 - y^c) over exposed totals c, up to y^n_max: the signed number of subsets by sum.

    Equal totals are taken together. A total of 0 makes g vanish: SAP is 1 from n = 0 on.
    """
    g = _unit(n_max)
    for total, times in sorted(Counter(totals).items()):
        if total == 0:
            return g * 0
        g = _times(g, total, times)
    return g


def _unit(n_max: int) -> Integers:
    g: Integers = np.zeros(n_max + 1, dtype=object)
    g[0] = 1
    return g


def _times(g: Integers, total: int, times: int) -> Integers:
    """The product of g and (1 - y^total)^times."""
    made = g.copy()
    for power in range(1, min(times, (len(g) - 1) // total) + 1):
        shift = power * total
        made[shift:] += (-1) ** power * comb(times, power) * g[: len(g) - shift]
    return made


def signed_sums_of(
    family: Family, counts: Sequence[int], n_max: int, until: float | None = None
) -> Integers | None:
    """G for sets of cells that may overlap; None where that takes too many branches, or too long.

    Notes
    -----
    g = sum over sub-families A of (-1)^|A| y^(people in the union of A). Sets apart from each
    other multiply. Of sets that overlap one is told apart: g(F) = g(F without f) - y^|f| g(F
    without f, the cells of f taken out of each set).
    """
    within = [cells for cells in family if sum(counts[cell] for cell in cells) <= n_max]
    blocks = _overlapping(within)
    g = signed_sums((_people(block[0], counts) for block in blocks if len(block) == 1), n_max)
    branches = _Branches(counts, n_max, until)
    for block in blocks:
        if len(block) > 1 and g.any():
            factor = branches.of(block)
            if factor is None:
                return None
            g = _product(g, factor)
    return g


def _people(cells: Iterable[int], counts: Sequence[int]) -> int:
    return sum(counts[cell] for cell in cells)


def _overlapping(family: Sequence[frozenset[int]]) -> list[list[frozenset[int]]]:
    """The sets in blocks that share no cell with each other."""
    block_of: dict[int, list[frozenset[int]]] = {}
    for cells in family:
        met = {id(block_of[cell]): block_of[cell] for cell in cells if cell in block_of}
        merged = [cells, *(one for block in met.values() for one in block)]
        for cell in frozenset().union(*merged):
            block_of[cell] = merged
    without_cells = [[cells] for cells in family if not cells]
    return without_cells + list({id(block): block for block in block_of.values()}.values())


def _product(a: Integers, b: Integers) -> Integers:
    made: Integers = a * 0
    for power in np.flatnonzero(b):
        made[power:] += b[power] * a[: len(a) - power]
    return made


class _Branches:
    """Overlapping sets, told apart one by one; the number of times is limited."""

    def __init__(self, counts: Sequence[int], n_max: int, until: float | None) -> None:
        self.counts, self.n_max, self.left, self.until = counts, n_max, BRANCHES, until

    def of(self, family: Sequence[frozenset[int]]) -> Integers | None:
        """G of these sets, or None when the branches are used up."""
        within = [cells for cells in family if _people(cells, self.counts) <= self.n_max]
        g = _unit(self.n_max)
        for block in _overlapping(within):
            factor = self._block(block)
            if factor is None:
                return None
            g = _product(g, factor)
        return g

    def _block(self, block: Sequence[frozenset[int]]) -> Integers | None:
        if len(block) == 1:
            return signed_sums([_people(block[0], self.counts)], self.n_max)
        self.left -= 1
        if self.left < 0 or (self.until is not None and monotonic() >= self.until):
            return None
        chosen = max(block, key=lambda cells: sum(bool(cells & other) for other in block))
        others = [cells for cells in block if cells is not chosen]
        without = self.of(others)
        beside = self.of(smallest({cells - chosen for cells in others}))
        if without is None or beside is None:
            return None
        people = _people(chosen, self.counts)
        without[people:] -= beside[: self.n_max + 1 - people]
        return without


def safe_counts(g: Integers, N: int, n_max: int) -> list[int]:
    """How many samples of n = 0..n_max of N people give nothing away: of C(N, n).

    Notes
    -----
    [x^n] prod over exposed cells of ((1+x)^c - x^c), times (1+x)^(people elsewhere), which is the
    sum over k of g_k C(N - k, n - k). Smith and Elliot (2008), the display of SAP(n) in 2.3.1.
    Errata: the display before it divides by C(N, x), which must be C(N, n); and the outer sum runs
    to the number of cells, not to n.
    """
    ways = _unit(n_max)  # C(N - k, n - k) for every k
    places = np.arange(n_max + 1).astype(object)
    found = []
    for n in range(n_max + 1):
        if n:
            ways[:n] = ways[:n] * (N - n + 1) // (n - places[:n])
            ways[n] = 1
        found.append(int((g[: n + 1] * ways[: n + 1]).sum()))
        if found[-1] == 0:  # risky samples stay risky when people are added
            return found + [0] * (n_max - n)
    return found


def exact_curve(g: Integers, N: int, n_max: int) -> tuple[Fraction, ...]:
    """SAP(0..n_max) as fractions; beyond N it is SAP(N)."""
    last = min(N, n_max)
    safe = safe_counts(g[: last + 1], N, last)
    curve = [1 - Fraction(ways, comb(N, n)) if ways else Fraction(1) for n, ways in enumerate(safe)]
    return (*curve, *[curve[-1]] * (n_max - last))
