"""How many people can be in each cell, by everything that is released together?

The published table, its margins, its total and whatever else is known limit the counts together,
and give some away: Smith and Elliot (2008), section 2.3.3 and Figures 3 to 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError, listed
from unveil.measure.tables.release import Release
from unveil.measure.tables.tightest import Bounds as Found
from unveil.measure.tables.tightest import tightest
from unveil.measure.tabular import RowsResult
from unveil.measure.uniques.at_risk import free_name
from unveil.read.given import number_in, shown
from unveil.records.bounds import Bounds, CellBounds, Solver

__all__ = ["BoundsResult", "bounds", "tightest"]


@dataclass(frozen=True, repr=False)
class BoundsResult(RowsResult[Bounds]):
    """Bounds of every cell; what the release allows, and nothing that it does not give away."""

    @property
    def rows(self) -> tuple[CellBounds, ...]:
        """The cells, in their order."""
        return self.record.cells

    @property
    def cells(self) -> tuple[CellBounds, ...]:
        """The cells, in their order."""
        return self.record.cells

    @property
    def complete(self) -> bool:
        """Whether all bounds are the tightest."""
        return self.record.complete

    def frame(self) -> pl.DataFrame:
        """One row per cell: its levels, then its figures, whose names give way to dimensions."""
        return framed(self.record.dims, [row.to_dict() for row in self.rows])


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
        A `Release`, or true counts as `Release.from_counts` takes them.
    seconds
        Stop after so long. Bounds that are not the tightest then still hold, and say so.
    progress
        Called with what is being done, how many cells are done, and how many there are.
    **asked
        With counts: what is published of them, as in `Release.from_counts`.

    Returns
    -------
    BoundsResult
        `.cells`: lower, upper (None where nothing limits the cell), whether they are the tightest,
        and whether the cell is a recovered zero.

    Notes
    -----
    lower_i = min c'_i, upper_i = max c'_i over all whole tables c' >= 0 that fit every published
    figure. A recovered zero is a possible cell of nobody whose upper bound is 0: it is given away
    before anybody is known, so that SAP is 1 for every n.

    References
    ----------
    Smith and Elliot (2008), section 2.3.3. One- and two-way tables and nested hierarchies are
    solved as flows in a network, all others as integer programmes.
    """
    opened = release_of(release, asked)
    limit = seconds_asked(seconds)
    found = tightest(opened.system, seconds=limit, progress=progress or silent)
    return BoundsResult(_record(opened, found))


def release_of(given: Any, asked: Mapping[str, Any]) -> Release:
    """The release that is given, or that of counts and what is published of them."""
    if not isinstance(given, Release):
        only_facts = asked.get("constraints") is not None and asked.get("rounding") is None
        return Release.from_counts(given, **{"table": not only_facts, **asked})
    if asked:
        raise SettingsError(
            f"A release says itself what is published; leave out {listed(asked)}, or give the"
            " counts instead."
        )
    return given


def seconds_asked(given: Any) -> float | None:
    """A time limit, or a sentence on what is wrong with it."""
    if given is None:
        return None
    found = number_in(given)
    if found is None or not found > 0:
        raise SettingsError(f"seconds is {shown(given)}. It must be a number above 0.")
    return found


def solver_of(found: Found) -> Solver:
    """Which way the bounds were found."""
    return "network" if found.network else "programme"


def loose_notes(found: Found) -> tuple[str, ...]:
    """Why some bounds are not the tightest, where that is so."""
    if found.complete:
        return ()
    why = "Counts this large are beyond the solver" if found.too_far else "Time ran out"
    return (f"{why}: some bounds hold, but may be looser than the tightest.",)


def framed(dims: tuple[str, ...], rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows with a list of levels as a frame with a column for each dimension, those first."""
    if not rows:
        return pl.DataFrame()
    figures = [name for name in rows[0] if name != "levels"]
    levels = {dim: [row["levels"][i] for row in rows] for i, dim in enumerate(dims)}
    own = {free_name(name, dims): [row[name] for row in rows] for name in figures}
    return pl.DataFrame({**levels, **own}, strict=False)


def _record(release: Release, found: Found) -> Bounds:
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


def _cells(release: Release, found: Found) -> tuple[CellBounds, ...]:
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
