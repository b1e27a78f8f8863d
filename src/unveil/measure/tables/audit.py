"""Can what a table suppresses be recomputed from what it publishes?

A suppressed value is given away where all tables that fit the release agree on it, and nearly so
where they all come within a few percent of it: secondary suppression that is missing or too weak.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import polars as pl

from unveil.arguments import parse_number_within
from unveil.measure.result import RowsResult
from unveil.measure.tables.bounds import CertifiedBounds as Found
from unveil.measure.tables.bounds import (
    find_tightest,
    loose_notes,
    parse_seconds,
    release_of,
    rows_to_frame,
    solver_of,
)
from unveil.measure.tables.grid import TABLE
from unveil.measure.tables.integer_programme import OutOfTime, Programme
from unveil.measure.tables.parts import System
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap_batch import SeparateFacts, needed_cells, separate
from unveil.measure.tables.sap_events import AnyOracle, ProgrammeOracle, oracle_of
from unveil.measure.tables.schemes import parse_scheme
from unveil.records.count_tables import Audit, AuditedValue
from unveil.study.scenario import Progress, no_progress

# Which cells does a release leave open to subtraction, and which are given away already?


SHARE = 0.25
"""Of the time for a curve: as much may be spent on what stands beside it."""


@dataclass(frozen=True)
class Exposure:
    """What a release gives away by itself, and to whoever knows one cell; None: the time was up."""

    exposed: tuple[int, ...] | None
    recovered: tuple[int, ...] | None
    oracle: AnyOracle | None  # where one was needed


def find_exposed_cells(system: System, left: float | None) -> Exposure:
    """The cells that are exposed and, of nobody, those that are recovered, asked about once."""
    until = None if left is None else time.monotonic() + SHARE * left
    parts = separate(system)
    asked = oracle_of(system) if parts is None else parts
    empty = _exposing_cells(system, _empty(system), until, asked)
    full = None
    if empty is not None:
        others = [cell for cell, n in enumerate(system.counts) if n]
        full = _exposing_cells(system, others, until, asked)
    oracle = None if isinstance(asked, SeparateFacts) else asked
    if empty is None or full is None:
        return Exposure(None, empty, oracle)
    return Exposure(tuple(sorted((*empty, *full))), empty, oracle)


def search_exposed_cells(
    system: System, seconds: float | None = None, *, oracle: AnyOracle | None = None
) -> tuple[int, ...] | None:
    """Cells that are recovered as soon as all their own people are known.

    Of one rounded table these are the cells whose upper bound is their count: X of section 2.3.1.
    None where that takes longer than `seconds`. `oracle` is that of the system, if there is one.
    """
    until = None if seconds is None else time.monotonic() + seconds
    asked = oracle or separate(system) or oracle_of(system)
    return _exposing_cells(system, range(len(system.counts)), until, asked)


def _empty(system: System) -> list[int]:
    return [cell for cell, n in enumerate(system.counts) if n == 0]


def _exposing_cells(
    system: System, cells: Iterable[int], until: float | None, asked: AnyOracle | SeparateFacts
) -> tuple[int, ...] | None:
    possible = [cell for cell in cells if cell not in system.structural]
    if not isinstance(asked, SeparateFacts):
        return _by_oracle(possible, until, asked)
    counts = system.counts
    found = []
    for cell in possible:
        all_full = needed_cells(system, asked, (cell,))
        if all_full is not None and all(one == cell or counts[one] == 0 for one in all_full):
            found.append(cell)
    return tuple(found)


def _by_oracle(
    cells: Sequence[int], until: float | None, oracle: AnyOracle
) -> tuple[int, ...] | None:
    if isinstance(oracle, ProgrammeOracle):
        oracle.until = until
    found = []
    try:
        if isinstance(oracle, ProgrammeOracle):
            oracle.raise_together(cell for cell in cells if not oracle.system.counts[cell])
        for cell in cells:
            if until is not None and time.monotonic() >= until:
                return None
            if oracle.is_exposed(cell):
                found.append(cell)
    except OutOfTime:
        return None
    return tuple(found)


@dataclass(frozen=True, repr=False)
class AuditResult(RowsResult[Audit]):
    """Every suppressed value: confidential, for it says how near each estimate comes."""

    def frame(self) -> pl.DataFrame:
        """One row per suppressed value: its levels of each dimension, then its figures."""
        return rows_to_frame(self.record.dims, [row.to_dict() for row in self.rows])


@dataclass(frozen=True)
class _Hidden:
    """A suppressed value: where it stands, and which cells it adds up."""

    part: str
    levels: tuple[str | None, ...]
    cells: tuple[int, ...]
    what: str


def audit(
    release: Any,
    *,
    percent: float = 0.0,
    seconds: float | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> AuditResult:
    """Which suppressed values of a release can be recomputed, exactly or within some percent.

    Parameters
    ----------
    release
        A `PublishedTable`, or true counts as `Release.from_counts` takes them.
    percent
        An estimate this near to the true count is too near: 10 is within a tenth of it.
    seconds, progress
        As in `unveil.bounds`. Values that time ran out for are not reported as protected: see
        `tightest`.
    **asked
        With counts: what is published of them, such as `rounding="suppress:5"`, `margins="all"`.

    Notes
    -----
    With the tightest bounds [l, u] of a suppressed count c: exact iff l = u; within p percent iff
    c - l and u - c are both at most p c / 100. Of a count of 0 nothing but 0 is within any
    percent. A suppressed margin is bounded as the sum of its cells. A reader is taken to know the
    rule of `suppress:k`; `n_exact_unknown` counts what one could recompute who does not.
    """
    why = ", such as 10 for estimates within a tenth of the count"
    near = parse_number_within("percent", percent, "[0, inf)", why)
    opened = release_of(release, asked)
    limit = parse_seconds(seconds)
    until = None if limit is None else monotonic() + limit
    report = progress or no_progress
    hidden = tuple(_list_hidden(opened))
    found = find_tightest(opened.system, seconds=limit, progress=report)
    rows = tuple(_audit_value(opened, found, one, near, until) for one in hidden)
    unread = _without_rule(opened, hidden)
    n_unread = None
    if unread is not None:
        weaker = find_tightest(unread.system, seconds=limit, progress=report)
        values = (_bounds(unread, weaker, one, until) for one in hidden)
        n_unread = sum(lower == upper for lower, upper, _ in values)
    return AuditResult(
        Audit(
            dims=opened.dims,
            schemes=opened.schemes,
            of_sample=opened.of_sample,
            protection=near,
            rows=rows,
            n_suppressed=len(rows),
            n_exact=sum(row.exact for row in rows),
            n_exact_unknown=n_unread,
            n_within=sum(row.within for row in rows),
            solver=solver_of(found),
            complete=all(row.tightest for row in rows),
            notes=(*opened.notes, *(loose_notes(found) if rows else ("Nothing is suppressed.",))),
        )
    )


def _list_hidden(release: PublishedTable) -> Iterator[_Hidden]:
    """The suppressed values of all parts; impossible cells are none."""
    grid = release.grid
    for part, values in release.published:
        members, kept = grid.members(part).tolist(), grid.dims_of(part)
        rows = zip(values, grid.labels(part), members, grid.whats(part), strict=True)
        for value, label, cells, what in rows:
            if value is None and not release.system.structural.issuperset(cells):
                named = dict(zip(kept, label, strict=True))
                yield _Hidden(part, tuple(map(named.get, grid.dims)), tuple(cells), what)


def _without_rule(release: PublishedTable, hidden: Sequence[_Hidden]) -> PublishedTable | None:
    """The same to a reader who does not know why values are suppressed; None where it is said."""
    rules = {part for part, scheme in release.schemes if _is_rule(scheme)}
    unsaid = {(one.cells, one.what) for one in hidden if one.part in rules}
    if not unsaid:
        return None
    facts = (fact for fact in release.system.facts if (fact.cells, fact.what) not in unsaid)
    return replace(release, system=replace(release.system, facts=tuple(facts)))


def _is_rule(scheme: str) -> bool:
    chosen = parse_scheme(scheme)
    return chosen.kind == "suppress" and not (chosen.unknown or chosen.interval)


def _audit_value(
    release: PublishedTable, found: Found, hidden: _Hidden, near: float, until: float | None
) -> AuditedValue:
    lower, upper, settled = _bounds(release, found, hidden, until)
    count = sum(release.system.counts[cell] for cell in hidden.cells)
    error = None if upper is None else max(count - lower, upper - count)
    return AuditedValue(
        part=hidden.part,
        levels=hidden.levels,
        lower=lower,
        upper=upper,
        exact=lower == upper,
        within=error is not None and 100 * error <= near * count,
        percent=_share(error, count),
        tightest=settled,
    )


def _share(error: int | None, count: int) -> float | None:
    if error is None:
        return None
    if count == 0:
        return None if error else 0.0
    return 100 * error / count


def _bounds(
    release: PublishedTable, found: Found, hidden: _Hidden, until: float | None
) -> tuple[int, int | None, bool]:
    """The tightest bounds of a cell, or of a sum of cells."""
    if hidden.part == TABLE:
        (cell,) = hidden.cells
        return found.lower[cell], found.upper[cell], found.settled[cell]
    outer = sum(found.lower[cell] for cell in hidden.cells)
    tops = [found.upper[cell] for cell in hidden.cells]
    finite = [top for top in tops if top is not None]
    top = sum(finite) if len(finite) == len(tops) else None
    return _sum_bounds(release, hidden.cells, outer, top, until)


def _sum_bounds(
    release: PublishedTable, cells: Sequence[int], low: int, high: int | None, until: float | None
) -> tuple[int, int | None, bool]:
    programme = Programme(release.system)
    try:
        below = programme.extreme(cells, up=False, outer=low, until=until)
        if high is None:  # a cell that nothing limits makes its sums as large as one likes
            return below.value, None, below.reached
        above = programme.extreme(cells, up=True, outer=high, until=until)
    except OutOfTime:
        return low, high, False
    return below.value, above.value, below.reached and above.reached
