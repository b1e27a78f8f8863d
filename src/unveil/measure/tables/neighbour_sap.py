"""`unveil.neighbour_sap`: what somebody who knows n neighbours learns, in every area of a table.

Smith and Elliot (2008) draw the known people from the whole table. Nobody knows five people
scattered over sixty areas: SAP within an area, `sap(given={area: level})`, draws them from one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.errors import InputError, RolesError, hint_at, list_names
from unveil.measure.result import RowsResult
from unveil.measure.tables.audit import find_exposed_cells
from unveil.measure.tables.bounds import release_of
from unveil.measure.tables.flow import Network, network_of
from unveil.measure.tables.grid import GivenLevels, Grid, parse_given_levels
from unveil.measure.tables.known_people import parse_known, remove_known
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap import parse_effort, parse_n_max
from unveil.measure.tables.sap_batch import Family, smallest
from unveil.measure.tables.sap_curve import (
    Curve,
    Effort,
    SapQuestion,
    compute_curve,
    exact_curve_from,
)
from unveil.measure.tables.sap_depth import chance_at, events_at, parse_depth
from unveil.measure.tables.sap_events import AnyOracle, oracle_of
from unveil.measure.tables.sap_exact import exact_curve, overlapping_signed_sums
from unveil.records.count_tables import AreaSap, NeighbourSap
from unveil.study.scenario import Progress, no_progress

# Which cells of an area must be full for one of them to be recovered, for all areas at once.


MOST_ENDS = 1_500
"""Nodes outside the areas whose paths are closed together; a few seconds."""


@dataclass(frozen=True)
class _Areas:
    """A network seen from its areas: every person of an area is led through one node of its own."""

    cells: Ints  # areas x categories: the numbers of the cells
    rises: Mask
    falls: Mask
    end: Ints  # the node at the other end of each cell, areas left out
    parent: Ints  # the node above each area
    up: Mask  # whether the sum of the area can rise, and fall
    down: Mask
    fixed: Mask  # steps between nodes outside the areas, by sums alone


def area_families(system: System, dim: int) -> list[Family] | None:
    """For each level of a dimension the sets of its cells that give one away, all people known.

    None where the formula does not hold: where sums do not make a network, or where sums within
    an area are published that lead its people through several nodes.

    Notes
    -----
    Only cells of the area become full. A full cell j rises iff it is below its own upper limit and
    one more person can be led back in the residual network. Such a circle meets the area's node
    once, so that it runs outside the area and returns by lowering another cell k of it that is not
    full, or by raising the area's sum. With R(j, k) for "leads from j to k outside the area", cell
    j is recovered iff all of these are full: {j} where c_j is its upper limit; never, where the
    area's sum can rise and R(j, area); else {j} and all k that can fall with R(j, k).
    """
    network = network_of(system)
    rows = np.moveaxis(np.arange(len(system.counts)).reshape(system.shape), dim, 0)
    cells = rows.reshape(system.shape[dim], -1)
    if network is None:
        return None
    seen = _seen_from_areas(network, cells, turned=False)
    seen = _seen_from_areas(network, cells, turned=True) if seen is None else seen
    return None if seen is None else list(_families(system, seen))


def _seen_from_areas(network: Network, cells: Ints, *, turned: bool) -> _Areas | None:
    """The areas at the tails of their cells, or, with all arcs turned round, at their heads."""
    arcs = [(a.head, a.tail) if turned else (a.tail, a.head) for a in network.cells]
    tails, heads = np.array(arcs).T
    rises = np.array([arc.rises for arc in network.cells])[cells]
    falls = np.array([arc.falls for arc in network.cells])[cells]
    moves = rises | falls
    first = np.take_along_axis(tails[cells], moves.argmax(axis=1)[:, None], axis=1)
    if ((tails[cells] != first) & moves).any():
        return None
    sums = [(a.head, a.tail, a) if turned else (a.tail, a.head, a) for a in network.sums]
    node = first[:, 0]
    own = _own_nodes(node, [tail for tail, _, _ in sums], network.n_nodes)
    above = {head: (tail, arc) for tail, head, arc in sums if own[head]}
    kept = np.flatnonzero(~own)
    if len(kept) > MOST_ENDS:
        return None
    place = np.full(network.n_nodes, -1)
    place[kept] = np.arange(len(kept))
    fixed = np.eye(len(kept), dtype=bool)
    for tail, head, arc in sums:
        if not own[tail] and not own[head]:
            fixed[place[tail], place[head]] |= arc.rises
            fixed[place[head], place[tail]] |= arc.falls
    # An area without a sum of its own is led through the node it shares, freely both ways.
    parents = [above.get(one, (one, None)) for one in node.tolist()]
    return _Areas(
        cells,
        rises,
        falls,
        np.where(moves, place[heads[cells]], 0),
        place[[tail for tail, _ in parents]],
        np.array([arc is None or arc.rises for _, arc in parents]),
        np.array([arc is None or arc.falls for _, arc in parents]),
        fixed,
    )


def _own_nodes(node: Ints, parents: Sequence[int], n_nodes: int) -> Mask:
    """Nodes that lead to the cells of one area and to nothing else."""
    own: Mask = np.bincount(node, minlength=n_nodes) == 1
    own[[0, *parents]] = False
    return own


def _families(system: System, areas: _Areas) -> Iterator[Family]:
    n_areas, size = len(areas.cells), len(areas.fixed)
    every = np.arange(n_areas)
    into, out = np.zeros((2, n_areas, size), dtype=bool)
    for end, rises, falls in zip(areas.end.T, areas.rises.T, areas.falls.T, strict=True):
        into[every, end] |= falls
        out[every, end] |= rises
    into[every, areas.parent] |= areas.up
    out[every, areas.parent] |= areas.down
    offered = into.T.astype(np.float32) @ out.astype(np.float32)  # by how many areas
    ways = _close((offered > 0) | areas.fixed)
    rare = (offered == 1) & ~areas.fixed
    possible = np.ones(len(system.counts), dtype=bool)
    possible[sorted(system.structural)] = False
    for area in range(n_areas):
        own = into[area][:, None] & out[area]
        outside = _close((offered - own > 0) | areas.fixed) if (own & rare).any() else ways
        yield _family_of(system, areas, area, outside, possible)


def _close(steps: Mask) -> Mask:
    """Which nodes lead to which, in any number of steps."""
    while True:
        further: Mask = steps | (steps.astype(np.float32) @ steps.astype(np.float32) > 0)
        if (further == steps).all():
            return steps
        steps = further


def _family_of(system: System, areas: _Areas, area: int, ways: Mask, possible: Mask) -> Family:
    cells, end, falls = areas.cells[area], areas.end[area], areas.falls[area]
    escapes = ways[end, areas.parent[area]] & areas.up[area]
    empty = frozenset(cell for cell in cells.tolist() if not system.counts[cell])
    found: set[frozenset[int]] = set()
    for j in np.flatnonzero(possible[cells]).tolist():
        needed = {int(cells[j])}
        if areas.rises[area, j]:
            if escapes[j]:
                continue
            needed |= set(cells[falls & ways[end[j], end]].tolist())
        found.add(frozenset(needed) - empty)
    return smallest(found)


# The curve of every area, and the record that leaves the measure.


N_KNOWN = 10  # without n_max
AT = 5  # known neighbours by which areas are ordered, unless told otherwise
MANY_LEVELS = 10  # a dimension with as many is taken for areas


def choose_area(grid: Grid) -> int | None:
    """The dimension with the most levels, if it has ten or more and is not the only one."""
    dim = max(range(len(grid.shape)), key=lambda one: grid.shape[one])
    return dim if len(grid.shape) > 1 and grid.shape[dim] >= MANY_LEVELS else None


@dataclass(frozen=True, repr=False)
class NeighbourSapResult(RowsResult[NeighbourSap]):
    """SAP within every area, worst first; confidential."""


def neighbour_sap(
    counts: Any,
    area: str | None = None,
    *,
    known: Any = None,
    depth: int | str | None = None,
    given: Any = None,
    n_max: int | None = None,
    at: int | None = None,
    nodes: int = 20_000,
    seconds: float | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> NeighbourSapResult:
    """SAP within each area: the known people are neighbours, drawn at random among its people.

    Parameters
    ----------
    counts
        A `PublishedTable`, or true counts as `PublishedTable.from_counts` takes them.
    area
        The dimension whose levels are areas; without it the one with the most levels.
    known, depth, given, nodes, seconds
        As in `unveil.sap`.
    n_max
        The largest number of known neighbours; 10 without it.
    at
        The number of known neighbours by which areas are ordered; 5 without it.
    **asked
        With counts: what is published of them, as in `PublishedTable.from_counts`.

    Returns
    -------
    NeighbourSapResult
        `.rows`, one per area with people, the worst first: area, people, exact, lower, upper; in
        `.record` the worst area and the mean over people for every n.

    Notes
    -----
    Neighbour SAP(n) is the largest SAP_a(n) over areas a; beside it the mean over people,
    sum N_a SAP_a(n) / N. Of an area of fewer than n people it is SAP_a(N_a). Exact and polynomial
    where the release is a network that leads the people of an area through one node, such as a
    two-way table with any of its margins; else each area is solved as `sap(given=)` solves it.

    References
    ----------
    Smith and Elliot (2008), section 2.3, for conditional tables.
    """
    effort = Effort(*parse_effort(nodes, seconds), progress=progress or no_progress).start()
    release = release_of(counts, asked)
    grid = release.grid
    dim = _dimension(grid, area)
    keys = () if given is None else parse_given_levels(given, grid)
    if any(one == dim for one, _ in keys):
        raise RolesError(
            f"{grid.dims[dim]!r} is given a level, so its levels are not compared as areas. Omit"
            " one of them."
        )
    d = parse_depth(depth, len(grid.dims) - len(keys))
    system = remove_known(release.system, parse_known(known, grid), grid)
    last = parse_n_max(N_KNOWN if n_max is None else n_max, system.N, is_given=False)
    sets = area_families(system, dim) if d is None and not keys else None
    asked_of = _AreaQuery(system, dim, keys, d, last, oracle=None)
    found = list(_curves(asked_of, sets, effort))
    rows = [
        _row(level, people, one)
        for level, (people, one) in zip(grid.levels[dim], found, strict=True)
        if people
    ]
    if not rows:
        raise InputError("No one is counted in any area, so that no one can become known.")
    order = min(AT if at is None else at, last)
    rows.sort(key=lambda row: (-row.upper[order], -row.lower[order], -row.people))
    return NeighbourSapResult(
        NeighbourSap(
            dims=grid.dims,
            schemes=release.schemes,
            of_sample=release.of_sample,
            area=grid.dims[dim],
            n_areas=len(rows),
            n_empty=len(found) - len(rows),
            N=sum(row.people for row in rows),
            n=tuple(range(last + 1)),
            at=order,
            worst=tuple(_worst(rows, n) for n in range(last + 1)),
            mean_lower=_mean(rows, "lower", last),
            mean_upper=_mean(rows, "upper", last),
            complete=all(row.complete for row in rows),
            rows=tuple(rows),
            notes=release.notes,
        )
    )


def _dimension(grid: Grid, area: str | None) -> int:
    if len(grid.dims) < 2:
        raise RolesError(
            "The table has one dimension, so that no area has a table of its own. Give a table of"
            " areas by something else."
        )
    if area is None:
        return max(range(len(grid.shape)), key=lambda one: grid.shape[one])
    if area not in grid.dims:
        raise RolesError(
            f"The table has no dimension {area!r} of areas.{hint_at(area, grid.dims)} Its"
            f" dimensions are: {list_names(grid.dims)}."
        )
    return grid.dims.index(area)


@dataclass(frozen=True)
class _AreaQuery:
    """What is asked of every area alike."""

    system: System
    dim: int
    keys: GivenLevels
    depth: int | None
    last: int
    oracle: AnyOracle | None

    def question(self, level: int) -> SapQuestion:
        """SAP among the people of one area."""
        given = tuple(sorted((*self.keys, (self.dim, level))))
        events = events_at(self.system, self.depth, given)
        return SapQuestion(self.system, events, chance_at(self.system, given), oracle=self.oracle)


def _curves(
    asked: _AreaQuery, sets: list[Family] | None, effort: Effort
) -> Iterator[tuple[int, Curve]]:
    """People who can become known in each area, and its curve."""
    n_areas = asked.system.shape[asked.dim]
    slow = replace(effort, nodes=max(1, effort.nodes // n_areas))
    open_cells: tuple[int, ...] | None = None
    counts = np.array(asked.system.counts, dtype=object).reshape(asked.system.shape)
    people = np.moveaxis(counts, asked.dim, 0).reshape(n_areas, -1).sum(axis=1).tolist()
    for level in range(n_areas):
        if level % 64 == 0 or sets is None:
            effort.progress("measuring the areas", level, n_areas)
        made = None if sets is None else _by_formula(asked, sets[level], people[level])
        if made is not None:
            yield people[level], made
            continue
        if asked.oracle is None:  # one oracle for all areas: what it learns of one serves others
            given_away = find_exposed_cells(asked.system, effort.remaining)
            oracle = given_away.oracle or oracle_of(asked.system)
            asked, open_cells = replace(asked, oracle=oracle), given_away.exposed or ()
        question = replace(asked.question(level), open_cells=open_cells)
        part = slow.part(1 / (n_areas - level))
        yield question.N, compute_curve(question, asked.last, part) if question.N else _NOBODY


_NOBODY = exact_curve_from((Fraction(0),))


def _by_formula(asked: _AreaQuery, sets: Family, people: int) -> Curve | None:
    last = min(people, asked.last)
    g = overlapping_signed_sums(sets, asked.system.counts, last)
    return None if g is None else exact_curve_from(exact_curve(g, people, asked.last))


def _row(level: str, people: int, found: Curve) -> AreaSap:
    return AreaSap(
        area=level,
        people=people,
        exact=found.fractions,
        lower=found.lower,
        upper=found.upper,
        complete=found.complete,
    )


def _worst(rows: Sequence[AreaSap], n: int) -> str:
    return max(rows, key=lambda row: (row.upper[n], row.lower[n], row.people)).area


def _mean(rows: Sequence[AreaSap], side: str, last: int) -> tuple[float, ...]:
    N = sum(row.people for row in rows)
    values: Floats = np.array([getattr(row, side) for row in rows])
    people = np.array([row.people for row in rows])
    return tuple(fsum(people * values[:, n]) / N for n in range(last + 1))
