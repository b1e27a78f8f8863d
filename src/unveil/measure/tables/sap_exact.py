"""SAP for all n at once, exactly, in time polynomial in cells and n.

Smith and Elliot (2008), section 2.3.1, sum over all sets of exposed cells: 2^k terms. The same
probability is a coefficient of a product of polynomials, one factor a cell: see `safe_counts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, nextafter
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.measure.tables.sap_batch import Family, smallest

# SAP for all n at once in floating point, where exact numbers would take minutes.
#
# All terms are positive, so that nothing cancels, and what rounding can do is bounded.


EPS = 2.0**-53
DIRECT = 500  # up to this count weights are products that neither overflow nor vanish
AT_ONCE = 1 << 20  # weights that are held together
IN_CACHE = 4_096  # numbers of known people that are worked on together
TINY = nextafter(0.0, 1.0)  # what is above 0 is never said to be 0
NEGLIGIBLE = 1e-15  # of large cells together: as much may be left out of the lower bound


@dataclass(frozen=True)
class Stable:
    """SAP(0..n_max) between two bounds; `first` is the smallest n with one above 0."""

    lower: Floats
    upper: Floats
    first: int | None


def stable_curve(
    totals: Sequence[int], N: int, n_max: int, *, until: float | None = None
) -> Stable:
    """SAP(0..n_max) in floating point for exposed totals apart from each other, with its error.

    Notes
    -----
    W(m) is the probability that a block of cells is safe given that m of its people are known. It
    starts with everybody outside the exposed cells, W = 1; a cell of c people joins a block of A by
    W'(m) = sum over j < c of W(m - j) H(j; m), where H is hypergeometric. All terms are positive,
    so that nothing cancels; the signed sum of `safe_counts` is not safe in floating
    point. Large cells that hardly matter do not join: they add at most the sum of (n / N)^c, which
    is above the chance that all c are known. Where the time is up, the bounds are those of cells
    one by one.
    """
    last = min(N, n_max)
    exposed = sorted(total for total in totals if total <= last)
    n_joined = _worth_joining(exposed, last, N)
    joined = _join_all(exposed[:n_joined], N, last, until)
    lower, upper = (
        _one_by_one(exposed, last, N)
        if joined is None
        else _bounds(*joined, _at_most(exposed[n_joined:], last, N))
    )
    first = exposed[0] if exposed else None
    _settle_start(lower, upper, first)
    beyond = n_max - last
    return Stable(_extend(lower, beyond), _extend(upper, beyond), first)


def _join_all(
    exposed: Sequence[int], N: int, last: int, until: float | None
) -> tuple[Floats, float] | None:
    """SAP(0..last) of some cells among all people, and its error; None where the time is up."""
    block = N - sum(exposed)
    W, error = np.ones(last + 1), 0.0
    for total in exposed:
        joined = _add_cell(W, block, total, until)
        if joined is None:
            return None
        W = joined
        block += total
        error += _error_of(total)
    return 1.0 - W, error


def _one_by_one(totals: Sequence[int], last: int, N: int) -> tuple[Floats, Floats]:
    """Bounds of SAP(0..last) by the chance p of each cell to be full, whatever the others are.

    Notes
    -----
    At most the sum of p, and at least 1 - prod (1 - p): numbers of people drawn without replacement
    are negatively associated (Joag-Dev and Proschan 1983), so that no cell is full no more often
    than if cells were apart. p is at least ((n - c + 1) / (N - c + 1))^c.
    """
    known = np.arange(last + 1, dtype=np.float64)
    safe = np.zeros(last + 1)  # logarithm of the product
    with np.errstate(divide="ignore"):
        for total, times in Counter(totals).items():
            chance = np.maximum(known - total + 1, 0.0) / max(N - total + 1, 1)
            safe += times * np.log1p(-np.power(chance, float(total)))
    return -np.expm1(safe) * (1 - 1e-9), np.minimum(_at_most(totals, last, N), 1.0)


def _worth_joining(exposed: Sequence[int], last: int, N: int) -> int:
    """How many of the smallest cells to join, so that the others together are negligible."""
    if not exposed:
        return 0
    shares = np.power(last / N if N else 1.0, np.array(exposed, np.float64))
    beyond = np.cumsum(shares[::-1])[::-1]  # of each cell and all larger ones
    return int(np.count_nonzero(beyond > NEGLIGIBLE))


def _at_most(totals: Iterable[int], last: int, N: int) -> Floats:
    """The sum of (n / N)^c: at most what cells add to SAP(0..last)."""
    known = np.arange(last + 1) / max(N, 1)
    added = np.zeros(last + 1)
    for total, times in Counter(totals).items():
        if known[-1] ** total:
            added += times * np.power(known, float(total))
        else:  # too small for a float at every n
            added[total:] += times * TINY
    return added * (1 + 1e-9)  # more than all the rounding in it


def _bounds(values: Floats, error: float, added: Floats) -> tuple[Floats, Floats]:
    lower = np.maximum.accumulate(np.clip(values - error, 0.0, 1.0))
    upper = np.clip(values + error + added, 0.0, 1.0)
    return lower, np.minimum.accumulate(upper[::-1])[::-1]


def _settle_start(lower: Floats, upper: Floats, first: int | None) -> None:
    """Exactly 0 before the smallest exposed cell can be full, and above 0 from there on."""
    start = len(lower) if first is None else first
    lower[:start] = upper[:start] = 0.0
    np.maximum(lower[start:], TINY, out=lower[start:])
    np.maximum(upper[start:], TINY, out=upper[start:])


def _extend(values: Floats, beyond: int) -> Floats:
    return np.concatenate([values, np.repeat(values[-1:], beyond)])


def _add_cell(W: Floats, block: int, total: int, until: float | None) -> Floats | None:
    """W of a block and one more cell; None where the time is up."""
    size = len(W)
    joined = np.zeros(size)
    step = max(1, min(IN_CACHE, AT_ONCE // max(total, 1)))
    for start in range(0, size, step):
        if until is not None and monotonic() >= until:
            return None
        stop = min(start + step, size)
        known = np.arange(start, stop, dtype=np.float64)
        for j, weight in enumerate(_weights(known, block, total)):
            low = max(start, j)
            joined[low:stop] += W[low - j : stop - j] * weight[low - start :]
    # m of a block cannot exceed its size: there W is 0, and no later weight reaches it.
    return joined


def _weights(m: Floats, block: int, total: int) -> Iterable[Floats]:
    """H(j; m) for j = 0..total - 1: j of m known people are in the cell, the others outside."""
    return _from_the_mode(m, block, total) if total > DIRECT else _by_products(m, block, total)


def _by_products(m: Floats, block: int, total: int) -> Iterator[Floats]:
    whole, first = block + total, block + 1
    in_block = [np.ones(len(m))]  # the part of H that belongs to those who are not known
    for i in range(total):
        in_block.append(in_block[i] * np.maximum(whole - m - i, 0.0) / (first + i))
    known = np.ones(len(m))
    for j in range(total):
        yield known * in_block[total - j]
        known = known * np.maximum(m - j, 0.0) * ((total - j) / (j + 1)) / (whole - j)


def _from_the_mode(m: Floats, block: int, total: int) -> Iterator[Floats]:
    """The same by ratios of neighbours, 1 at the mode, and divided by their sum.

    Notes
    -----
    H(j + 1; m) / H(j; m) = (c - j) (m - j) / ((j + 1) (A - m + j + 1)). Products of these, away
    from the mode, fall all the way: they cannot overflow, and what vanishes is below 1e-300.
    """
    j = np.arange(total, dtype=np.float64)[:, None]
    up = (total - j) * np.maximum(m - j, 0.0)
    down = (j + 1) * np.maximum(block - m + j + 1, 0.0)
    rises = up > down  # of j + 1 over j: true below the mode, and nowhere above it
    above = np.ones((total + 1, len(m)))
    np.divide(up, down, out=above[1:], where=~rises & (down > 0))
    below = np.ones((total + 1, len(m)))
    np.divide(down, up, out=below[:-1], where=rises)
    H = np.cumprod(above, axis=0) * np.cumprod(below[::-1], axis=0)[::-1]
    H /= H.sum(axis=0)
    yield from H[:total]


def _error_of(total: int) -> float:
    """A bound on the relative rounding error of one join."""
    if total <= DIRECT:
        return EPS * (5 * total + 4)
    # Five roundings a ratio, as many in the sum that is divided by, and both sums themselves.
    return EPS * (14 * total + 64)


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


def overlapping_signed_sums(
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
    blocks = _overlapping_blocks(within)
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


def _overlapping_blocks(family: Sequence[frozenset[int]]) -> list[list[frozenset[int]]]:
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
        for block in _overlapping_blocks(within):
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
