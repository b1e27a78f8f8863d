"""SAP of many tables at once: cells with bounds, with or without a total, in whole numbers.

The polynomial of `sap_exact.safe_counts` for all tables together. Every number is whole and below
2^62, so that each figure is the float nearest to the exact one, as `sap` has it; tables for which
that is not sure are left to the slow way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.measure.tables.parts import Sum, Sums, System, sums_of

# Which sets of cells give a zero away when all their people are known, where that can be listed.
#
# Smith and Elliot (2008), sections 2.3.1 and 2.3.2, and one step further: cells with bounds, and
# totals over groups of cells that do not overlap (one margin, or the grand total). Other releases
# have no such list, and `sap_boxes` splits the samples instead.


Family = tuple[frozenset[int], ...]
"""A sample is risky where it holds everybody of all the cells of at least one of these sets."""


@dataclass(frozen=True)
class BoundedCells:
    """Cells whose sum has an upper bound that the true counts reach."""

    movable: frozenset[int]  # cells above their lower bound: U in the definition


@dataclass(frozen=True)
class SeparateFacts:
    """A release whose facts are on single cells and on groups that do not overlap."""

    lo: tuple[int, ...]
    hi: tuple[int | None, ...]
    group_of: dict[int, BoundedCells]  # only groups at their upper bound; others allow everything


def separate(system: System) -> SeparateFacts | None:
    """The release as bounds on cells and on groups apart, or None where groups overlap."""
    known = sums_of(system)
    groups = [one for one in known.sums if not _is_implied(one, known)]
    if sum(len(one.cells) for one in groups) != len({c for one in groups for c in one.cells}):
        return None
    group_of: dict[int, BoundedCells] = {}
    for one in groups:
        if one.hi == sum(system.counts[cell] for cell in one.cells):
            above = (cell for cell in one.cells if system.counts[cell] > known.lo[cell])
            group_of |= dict.fromkeys(one.cells, BoundedCells(frozenset(above)))
    return SeparateFacts(known.lo, known.hi, group_of)


def _is_implied(one: Sum, known: Sums) -> bool:
    """Whether the bounds of the cells say as much already."""
    if one.lo > sum(known.lo[cell] for cell in one.cells):
        return False
    most = [known.hi[cell] for cell in one.cells]
    return one.hi is None or (None not in most and one.hi >= sum(hi or 0 for hi in most))


def family(
    system: System,
    parts: SeparateFacts,
    *,
    events: Iterable[Sequence[int]] | None = None,
    chance: Sequence[int] | None = None,
) -> Family:
    """The smallest sets of cells whose people, all known, give an event away.

    Parameters
    ----------
    events
        Sets of cells, each recovered when all its cells are; every possible cell by itself if None.
    chance
        How many people of each cell can become known; all of them if None. A cell with fewer than
        its count is never full.

    Notes
    -----
    A full cell j is recovered where its upper bound is its count, or where its group is at its
    upper bound and every other cell of the group is full or at its lower bound (nobody can be
    moved out of it). So j needs itself, and in the second case U, the cells of the group above
    their lower bounds. Lemma 1 of the paper is the case where a cell of U has its bound reached.
    Errata (section 2.3.2): with U empty every cell is determined, and the release is an exact
    table, not SAP = 1 for all n; where U and the cells at their bounds have nothing in common
    (counts left unperturbed), U is one more set, which Lemma 1 overlooks.
    """
    everywhere = range(len(system.counts))
    if events is None:
        events = ((cell,) for cell in everywhere if cell not in system.structural)
    full_never = (
        frozenset[int]()
        if chance is None
        else frozenset(cell for cell in everywhere if chance[cell] < system.counts[cell])
    )
    empty = frozenset(cell for cell in everywhere if system.counts[cell] == 0)
    found: set[frozenset[int]] = set()
    for event in events:
        all_full = needed_cells(system, parts, event)
        if all_full is not None and not all_full & full_never:
            found.add(all_full - empty)
    return smallest(found)


def needed_cells(
    system: System, parts: SeparateFacts, event: Sequence[int]
) -> frozenset[int] | None:
    """All cells that must be full for an event; None where no sample does it."""
    needed = frozenset(event)
    for cell in event:
        if parts.hi[cell] != system.counts[cell]:
            if cell not in parts.group_of:
                return None
            needed |= parts.group_of[cell].movable
    return needed


def smallest(sets: Iterable[frozenset[int]]) -> Family:
    """Those sets that hold no other; in an order of their own."""
    ordered = sorted(sets, key=lambda cells: (len(cells), sorted(cells)))
    singles = {cell for cells in ordered if len(cells) == 1 for cell in cells}
    kept = [cells for cells in ordered if len(cells) < 2]
    larger: list[frozenset[int]] = []
    for cells in ordered[len(kept) :]:
        if not cells & singles and not any(less <= cells for less in larger):
            larger.append(cells)
    return (frozenset(),) if kept and not kept[0] else (*kept, *larger)


UNBOUNDED = -1
LARGEST = 2**62
EXACT_FLOATS = 2**53  # whole numbers up to here are floats, and a quotient is rounded once


@dataclass(frozen=True)
class TableBatch:
    """Tables of equally many cells, one row a table, and what is published of them."""

    counts: Ints
    lo: Ints
    hi: Ints  # UNBOUNDED: no upper bound
    total_hi: Ints | None  # None: no total is published
    possible: Mask  # cells that are not structural


def compute_curves(tables: TableBatch, n_max: int) -> tuple[Floats, Mask]:
    """SAP(0..n_max) of every table, and for which tables it is known: one row a table."""
    sets = _exposed_people(tables)
    N = tables.counts.sum(axis=1)
    g = _signed_sums(sets, n_max)
    sure = _sure(g, N, n_max)
    made = np.full((len(N), n_max + 1), np.nan)
    for people in np.unique(N[sure]).tolist():
        rows = np.flatnonzero(sure & (people == N))
        made[rows] = _sap_of_one_size(g[rows], people, n_max)
    return made, sure


def _exposed_people(tables: TableBatch) -> Ints:
    """People of each set that gives a zero away, -1 where there is none: `family`.

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


def _signed_sums(sets: Ints, n_max: int) -> Ints:
    g = np.zeros((len(sets), n_max + 1), np.int64)
    g[:, 0] = 1
    g[(sets == 0).any(axis=1)] = 0
    for column in sets.T:
        for total in np.unique(column[(column > 0) & (column <= n_max)]).tolist():
            rows = np.flatnonzero(column == total)
            g[rows, total:] -= g[rows, :-total]
    return g


def _sure(g: Ints, N: Ints, n_max: int) -> Mask:
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


def _sap_of_one_size(g: Ints, N: int, n_max: int) -> Floats:
    last = min(N, n_max)
    every = range(last + 1)
    ways = np.array([[comb(N - k, n - k) if k <= n else 0 for n in every] for k in every], np.int64)
    safe = g[:, : last + 1] @ ways
    made: Floats = (ways[0] - safe) / ways[0]
    for n in np.flatnonzero(ways[0] > EXACT_FLOATS).tolist():
        every_way = int(ways[0, n])
        made[:, n] = [(every_way - one) / every_way for one in safe[:, n].tolist()]
    return made[:, np.minimum(np.arange(n_max + 1), last)]
