"""SAP for all n at once in floating point, where exact numbers would take minutes.

All terms are positive, so that nothing cancels, and what rounding can do is bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nextafter
from time import monotonic

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
    so that nothing cancels; the signed sum of `polynomial.safe_counts` is not safe in floating
    point. Large cells that hardly matter do not join: they add at most the sum of (n / N)^c, which
    is above the chance that all c are known. Where the time is up, the bounds are those of cells
    one by one.
    """
    last = min(N, n_max)
    exposed = sorted(total for total in totals if total <= last)
    n_joined = _worth_joining(exposed, last, N)
    joined = _all_joined(exposed[:n_joined], N, last, until)
    lower, upper = (
        _one_by_one(exposed, last, N)
        if joined is None
        else _bounds(*joined, _at_most(exposed[n_joined:], last, N))
    )
    first = exposed[0] if exposed else None
    _settle_start(lower, upper, first)
    beyond = n_max - last
    return Stable(_lengthened(lower, beyond), _lengthened(upper, beyond), first)


def _all_joined(
    exposed: Sequence[int], N: int, last: int, until: float | None
) -> tuple[Floats, float] | None:
    """SAP(0..last) of some cells among all people, and its error; None where the time is up."""
    block = N - sum(exposed)
    W, error = np.ones(last + 1), 0.0
    for total in exposed:
        joined = _joined(W, block, total, until)
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


def _lengthened(values: Floats, beyond: int) -> Floats:
    return np.concatenate([values, np.repeat(values[-1:], beyond)])


def _joined(W: Floats, block: int, total: int, until: float | None) -> Floats | None:
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
