"""Can what a table suppresses be recomputed from what it publishes?

A suppressed value is given away where all tables that fit the release agree on it, and nearly so
where they all come within a few percent of it: secondary suppression that is missing or too weak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.tables.bounds import framed, loose_notes, release_of, seconds_asked, solver_of
from unveil.measure.tables.grid import TABLE
from unveil.measure.tables.programme import OutOfTime, Programme
from unveil.measure.tables.release import Release
from unveil.measure.tables.tightest import Bounds as Found
from unveil.measure.tables.tightest import tightest
from unveil.measure.tabular import RowsResult
from unveil.read.given import number_in, shown
from unveil.records.bounds import Audit, Audited


@dataclass(frozen=True, repr=False)
class AuditResult(RowsResult[Audit]):
    """Every suppressed value: confidential, for it says how near each estimate comes."""

    @property
    def complete(self) -> bool:
        """Whether every bound is the tightest, so that nothing given away is overlooked."""
        return self.record.complete

    def frame(self) -> pl.DataFrame:
        """One row per suppressed value: its levels of each dimension, then its figures."""
        return framed(self.record.dims, [row.to_dict() for row in self.rows])


@dataclass(frozen=True)
class _Hidden:
    """A suppressed value: where it stands, and which cells it adds up."""

    part: str
    levels: tuple[str | None, ...]
    cells: tuple[int, ...]


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
        A `Release`, or true counts as `Release.from_counts` takes them.
    percent
        An estimate this near to the true count is too near: 10 is within a tenth of it.
    seconds, progress
        As in `unveil.bounds`. Values that time ran out for are not said to be safe: see `tightest`.
    **asked
        With counts: what is published of them, such as `rounding="suppress:5"`, `margins="all"`.

    Notes
    -----
    With the tightest bounds [l, u] of a suppressed count c: exact iff l = u; within p percent iff
    c - l and u - c are both at most p c / 100. Of a count of 0 nothing but 0 is within any percent.
    A suppressed margin is bounded as the sum of its cells.
    """
    near = _percent(percent)
    opened = release_of(release, asked)
    limit = seconds_asked(seconds)
    until = None if limit is None else monotonic() + limit
    found = tightest(opened.system, seconds=limit, progress=progress or silent)
    rows = tuple(_audited(opened, found, hidden, near, until) for hidden in _hidden(opened))
    return AuditResult(
        Audit(
            dims=opened.dims,
            schemes=opened.schemes,
            of_sample=opened.of_sample,
            protection=near,
            rows=rows,
            n_suppressed=len(rows),
            n_exact=sum(row.exact for row in rows),
            n_within=sum(row.within for row in rows),
            solver=solver_of(found),
            complete=all(row.tightest for row in rows),
            notes=(*opened.notes, *(loose_notes(found) if rows else ("Nothing is suppressed.",))),
        )
    )


def _percent(given: Any) -> float:
    found = number_in(given)
    if found is None or not 0 <= found < float("inf"):
        raise SettingsError(
            f"percent is {shown(given)}. It must be a number from 0, such as 10 for estimates"
            " within a tenth of the count."
        )
    return found


def _hidden(release: Release) -> Iterator[_Hidden]:
    """The suppressed values of all parts; impossible cells are none."""
    grid = release.grid
    for part, values in release.published:
        members, kept = grid.members(part).tolist(), grid.dims_of(part)
        for value, label, cells in zip(values, grid.labels(part), members, strict=True):
            if value is None and not release.system.structural.issuperset(cells):
                named = dict(zip(kept, label, strict=True))
                yield _Hidden(part, tuple(map(named.get, grid.dims)), tuple(cells))


def _audited(
    release: Release, found: Found, hidden: _Hidden, near: float, until: float | None
) -> Audited:
    lower, upper, settled = _bounds(release, found, hidden, until)
    count = sum(release.system.counts[cell] for cell in hidden.cells)
    error = None if upper is None else max(count - lower, upper - count)
    return Audited(
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
    release: Release, found: Found, hidden: _Hidden, until: float | None
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
    release: Release, cells: Sequence[int], low: int, high: int | None, until: float | None
) -> tuple[int, int | None, bool]:
    programme, nobody = Programme(release.system), [0] * len(release.system.counts)
    try:
        below = programme.extreme(cells, nobody, up=False, outer=low, until=until)
        if high is None:  # a cell that nothing limits makes its sums as large as one likes
            return below.value, None, below.reached
        above = programme.extreme(cells, nobody, up=True, outer=high, until=until)
    except OutOfTime:
        return low, high, False
    return below.value, above.value, below.reached and above.reached
