"""How many people can be in each cell, by everything that is released together?

The published table, its margins, its total and whatever else is known limit the counts together,
and give some away: Smith and Elliot (2008), section 2.3.3 and Figures 3 to 6.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.arguments import parse_number_within
from unveil.errors import SettingsError, list_names
from unveil.measure.result import RowsResult
from unveil.measure.tables.flow import MOST_NODES, Flow, network_of
from unveil.measure.tables.integer_programme import Extreme, OutOfTime, Programme
from unveil.measure.tables.parts import Sums, System, sums_of
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.uniques.suda_result import free_name
from unveil.records.count_tables import Bounds, CellBounds, Solver
from unveil.study.scenario import Progress, no_progress

# The fewest and the most that each cell can have, over all whole tables that fit a system.
#
# Each fact limits some sum of cells. Together they say more than each alone: Smith and Elliot
# (2008), Figures 5 and 6.


ROUNDS = 100
"""Of propagation: each is cheap, and what it does not settle is solved for."""


@dataclass(frozen=True)
class CertifiedBounds:
    """Certified bounds of every cell; the tightest where `settled`."""

    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    """None: nothing limits the cell from above."""
    settled: tuple[bool, ...]
    network: bool
    """Whether flows in a network found them; integer programmes did elsewhere."""
    n_solves: int
    too_far: bool = False
    """Whether some bound is not settled because the solver's numbers grew too large."""

    @property
    def complete(self) -> bool:
        """Whether every bound is the tightest."""
        return all(self.settled)


def find_tightest(
    system: System,
    *,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> CertifiedBounds:
    """The smallest and largest count of every cell over all whole tables that fit the system.

    Parameters
    ----------
    seconds
        Stop after so long. What is not settled then has bounds that hold, but may be loose: those
        of the relaxation, or of sums taken one by one.

    Notes
    -----
    lower_i = min c'_i and upper_i = max c'_i over whole c' >= 0 that fit every fact. A cell
    has no upper bound iff no fact with one counts it: cells are not negative, so that any such
    fact limits it. Every table found moves the inner bounds of all cells, and a cell whose inner
    and outer bound meet needs no search of its own.
    """
    search = _BoundSearch(system, None if seconds is None else time.monotonic() + seconds)
    return search.run(progress)


class _BoundSearch:
    """Outer bounds that hold and inner bounds that tables reach, until they meet."""

    def __init__(self, system: System, until: float | None) -> None:
        self._until = until
        sums = sums_of(system)
        self.lower, self.upper = propagate_bounds(sums)
        # Sums that share no cell say nothing about each other: one at a time is the tightest.
        members = [cell for entry in sums.sums for cell in entry.cells]
        self._apart = len(members) == len(set(members))
        self._inner_lower, self._inner_upper = [*system.counts], [*system.counts]
        network = network_of(system)
        self._is_network = network is not None
        self._solver: Flow | Programme = (
            Flow(network)
            if network is not None and network.n_nodes <= MOST_NODES
            else Programme(system)
        )
        self._n_solves = 0
        self._too_far = False

    def run(self, progress: Progress) -> CertifiedBounds:
        """Settle cell after cell, from above and from below, until done or out of time."""
        size = len(self.lower)
        for cell in range(0 if self._apart else size):
            if cell % 16 == 0:
                progress("bounding the cells", cell, size)
            if not self._settle(cell, up=True) or not self._settle(cell, up=False):
                break  # no time is left
        settled = tuple(self._apart or self._is_settled(cell) for cell in range(size))
        return CertifiedBounds(
            tuple(self.lower),
            tuple(self.upper),
            settled,
            self._is_network,
            self._n_solves,
            self._too_far and not all(settled),
        )

    def _is_settled(self, cell: int) -> bool:
        return self._meets(cell, up=True) and self._meets(cell, up=False)

    def _meets(self, cell: int, *, up: bool) -> bool:
        """Whether a table reaches the outer bound; one that does not exist is reached too."""
        if up:
            return self.upper[cell] in (None, self._inner_upper[cell])
        return self.lower[cell] == self._inner_lower[cell]

    def _settle(self, cell: int, *, up: bool) -> bool:
        """Make one bound the tightest; False where time has run out."""
        if self._meets(cell, up=up):
            return True
        outer = self.upper[cell] if up else self.lower[cell]
        if outer is None or (self._until is not None and time.monotonic() >= self._until):
            return False
        self._n_solves += 1
        try:
            found = self._extreme(cell, outer, up=up)
        except OutOfTime:
            return False
        if up:
            self.upper[cell] = found.value
        else:
            self.lower[cell] = found.value
        self._learn(found)
        self._too_far |= found.too_far
        return found.reached or found.too_far

    def _extreme(self, cell: int, outer: int, *, up: bool) -> Extreme:
        if isinstance(self._solver, Flow):
            return self._solver.extreme(cell, up=up, outer=outer)
        return self._solver.extreme((cell,), up=up, outer=outer, until=self._until)

    def _learn(self, found: Extreme) -> None:
        """What a table shows about all the other cells."""
        if found.table is not None:
            self._inner_lower = list(map(min, self._inner_lower, found.table))
            self._inner_upper = list(map(max, self._inner_upper, found.table))


def propagate_bounds(sums: Sums) -> tuple[list[int], list[int | None]]:
    """Bounds by taking one sum at a time, again and again: certified, and often the tightest."""
    lower, upper = [*sums.lo], [*sums.hi]
    for _ in range(ROUNDS):
        before = [*lower], [*upper]
        for entry in sums.sums:
            _tighten(entry.cells, entry.lo, entry.hi, lower, upper)
        if before == (lower, upper):
            break
    return lower, upper


def _tighten(
    cells: Sequence[int], lo: int, hi: int | None, lower: list[int], upper: list[int | None]
) -> None:
    """What one sum leaves to each of its cells, given the bounds of the others."""
    if hi is not None:
        spare = hi - sum(lower[cell] for cell in cells)
        for cell in cells:
            own, most = upper[cell], lower[cell] + spare
            upper[cell] = most if own is None else min(own, most)
    tops = [upper[cell] for cell in cells]
    finite = [top for top in tops if top is not None]
    if len(finite) < len(tops) - 1:
        return
    needed = lo - sum(finite)
    for cell, top in zip(cells, tops, strict=True):
        if len(finite) == len(tops):
            lower[cell] = max(lower[cell], needed + (top or 0))
        elif top is None:
            lower[cell] = max(lower[cell], needed)


__all__ = ["BoundsResult", "bounds", "find_tightest"]


@dataclass(frozen=True, repr=False)
class BoundsResult(RowsResult[Bounds]):
    """Bounds of every cell; what the release allows, and nothing that it does not give away."""

    @property
    def rows(self) -> tuple[CellBounds, ...]:
        """The cells, in their order."""
        return self.record.cells

    def frame(self) -> pl.DataFrame:
        """One row per cell: its levels, then its figures, whose names give way to dimensions."""
        return rows_to_frame(self.record.dims, [row.to_dict() for row in self.rows])


def bounds(
    release: Any,
    *,
    seconds: float | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> BoundsResult:
    """The tightest whole-number bounds on every cell by everything released together.

    Parameters
    ----------
    release
        A `PublishedTable`, or true counts as `PublishedTable.from_counts` takes them.
    seconds
        Stop after so long. Bounds that are not the tightest then still hold, and say so.
    progress
        Called with what is being done, how many cells are done, and how many there are.
    **asked
        With counts: what is published of them, as in `PublishedTable.from_counts`.

    Returns
    -------
    BoundsResult
        `.cells`: lower, upper (None where nothing limits the cell), whether they are the tightest,
        and whether the cell is a recovered zero.

    Notes
    -----
    lower_i = min c'_i, upper_i = max c'_i over all whole tables c' >= 0 that fit every published
    figure. A recovered zero is a possible cell with no one whose upper bound is 0: it
    is disclosed before anyone is known, so that SAP is 1 for every n.

    References
    ----------
    Smith and Elliot (2008), section 2.3.3. One- and two-way tables and nested hierarchies are
    solved as flows in a network, all others as integer programmes.
    """
    opened = release_of(release, asked)
    limit = parse_seconds(seconds)
    found = find_tightest(opened.system, seconds=limit, progress=progress or no_progress)
    return BoundsResult(_record(opened, found))


def release_of(given: Any, asked: Mapping[str, Any]) -> PublishedTable:
    """The release that is given, or that of counts and what is published of them."""
    if not isinstance(given, PublishedTable):
        only_facts = asked.get("constraints") is not None and asked.get("rounding") is None
        return PublishedTable.from_counts(given, **{"table": not only_facts, **asked})
    if asked:
        raise SettingsError(
            f"A published table states itself what is published; omit {list_names(asked)}, or give"
            " the counts instead."
        )
    return given


def parse_seconds(given: Any) -> float | None:
    """A time limit, or a sentence on what is wrong with it."""
    return None if given is None else parse_number_within("seconds", given, "(0, inf)")


def solver_of(found: CertifiedBounds) -> Solver:
    """Which way the bounds were found."""
    return "network" if found.network else "programme"


def loose_notes(found: CertifiedBounds) -> tuple[str, ...]:
    """Why some bounds are not the tightest, where that is so."""
    if found.complete:
        return ()
    why = "Counts this large are beyond the solver" if found.too_far else "Time ran out"
    return (f"{why}: some bounds hold, but may be looser than the tightest.",)


def rows_to_frame(dims: tuple[str, ...], rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows with a list of levels as a frame with a column for each dimension, those first."""
    if not rows:
        return pl.DataFrame()
    figures = [name for name in rows[0] if name != "levels"]
    levels = {dim: [row["levels"][i] for row in rows] for i, dim in enumerate(dims)}
    own = {free_name(name, dims): [row[name] for row in rows] for name in figures}
    return pl.DataFrame({**levels, **own}, strict=False)


def _record(release: PublishedTable, found: CertifiedBounds) -> Bounds:
    cells = _cells(release, found)
    possible = [row for row in cells if not row.structural]
    return Bounds(
        dims=release.dims,
        schemes=release.schemes,
        of_sample=release.of_sample,
        cells=cells,
        n_cells=len(cells),
        n_determined=sum(row.lower == row.upper for row in possible),
        n_recovered=sum(row.recovered for row in possible),
        n_unbounded=sum(row.upper is None for row in possible),
        solver=solver_of(found),
        n_solves=found.n_solves,
        complete=found.complete,
        notes=(*release.notes, *loose_notes(found)),
    )


def _cells(release: PublishedTable, found: CertifiedBounds) -> tuple[CellBounds, ...]:
    impossible = release.system.structural
    labels = release.grid.labels("table")
    rows = zip(labels, found.lower, found.upper, found.settled, strict=True)
    return tuple(
        CellBounds(
            cell=cell,
            levels=label,
            lower=lower,
            upper=upper,
            tightest=settled,
            recovered=upper == 0 and cell not in impossible,
            structural=cell in impossible,
        )
        for cell, (label, lower, upper, settled) in enumerate(rows)
    )
