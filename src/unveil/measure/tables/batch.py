"""SAP of many tables at once: cells with bounds, with or without a total, in whole numbers.

The polynomial of `polynomial.safe_counts` for all tables together. Every number is whole and below
2^62, so that each figure is the float nearest to the exact one, as `sap` has it; tables for which
that is not sure are left to the slow way.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

UNBOUNDED = -1
LARGEST = 2**62
EXACT_FLOATS = 2**53  # whole numbers up to here are floats, and a quotient is rounded once


@dataclass(frozen=True)
class Tables:
    """Tables of equally many cells, one row a table, and what is published of them."""

    counts: Whole
    lo: Whole
    hi: Whole  # UNBOUNDED: no upper bound
    total_hi: Whole | None  # None: no total is published
    possible: Mask  # cells that are not structural


def curves(tables: Tables, n_max: int) -> tuple[Floats, Mask]:
    """SAP(0..n_max) of every table, and for which tables it is known: one row a table."""
    sets = _exposed(tables)
    N = tables.counts.sum(axis=1)
    g = _signed_sums(sets, n_max)
    sure = _sure(g, N, n_max)
    made = np.full((len(N), n_max + 1), np.nan)
    for people in np.unique(N[sure]).tolist():
        rows = np.flatnonzero(sure & (people == N))
        made[rows] = _of_one_size(g[rows], people, n_max)
    return made, sure


def _exposed(tables: Tables) -> Whole:
    """People of each set that gives a zero away, -1 where there is none: `families.family`.

    The last column is for the cells above their lower bounds, all together, of a total that is at
    its upper bound.
    """
    counts, possible = tables.counts, tables.possible
    exposed = (tables.hi == counts) & possible
    together = np.full(len(counts), -1, np.int64)
    if tables.total_hi is not None:
        movable = (counts > tables.lo) & possible
        tight = tables.total_hi == counts.sum(axis=1)
        exposed |= (tight & ~movable.any(axis=1))[:, None] & possible
        apart = tight & movable.any(axis=1) & ~(movable & exposed).any(axis=1)
        together = np.where(apart, (counts * movable).sum(axis=1), -1)
    return np.column_stack([np.where(exposed, counts, -1), together])


def _signed_sums(sets: Whole, n_max: int) -> Whole:
    g = np.zeros((len(sets), n_max + 1), np.int64)
    g[:, 0] = 1
    g[(sets == 0).any(axis=1)] = 0
    for column in sets.T:
        for total in np.unique(column[(column > 0) & (column <= n_max)]).tolist():
            rows = np.flatnonzero(column == total)
            g[rows, total:] -= g[rows, :-total]
    return g


def _sure(g: Whole, N: Whole, n_max: int) -> Mask:
    """Whether every sum stays below 2^62: no term exceeds C(N, n) times its weight."""
    largest = {people: _most_ways(people, n_max) for people in np.unique(N).tolist()}
    ways = np.array([largest[people] for people in N.tolist()], np.float64)
    weight = np.abs(g).sum(axis=1, dtype=np.float64)
    sure: Mask = np.maximum(weight, 1.0) * ways < float(LARGEST)
    return sure


def _most_ways(people: int, n_max: int) -> int:
    """The largest C(people, n) up to n_max, but no more than 2^62: it may have a million digits."""
    ways = 1
    for n in range(min(n_max, people // 2)):
        ways = ways * (people - n) // (n + 1)
        if ways >= LARGEST:
            return LARGEST
    return ways


def _of_one_size(g: Whole, N: int, n_max: int) -> Floats:
    last = min(N, n_max)
    every = range(last + 1)
    ways = np.array([[comb(N - k, n - k) if k <= n else 0 for n in every] for k in every], np.int64)
    safe = g[:, : last + 1] @ ways
    made: Floats = (ways[0] - safe) / ways[0]
    for n in np.flatnonzero(ways[0] > EXACT_FLOATS).tolist():
        every_way = int(ways[0, n])
        made[:, n] = [(every_way - one) / every_way for one in safe[:, n].tolist()]
    return made[:, np.minimum(np.arange(n_max + 1), last)]
