"""`unveil.round_table`: which values of a table of counts could be published?

Smith and Elliot 2008, section 2.2, on rounding as protection; the schemes and what each
gives away by itself are in `schemes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any

import numpy as np
import polars as pl

from unveil.measure.result import RowsResult
from unveil.measure.tables.grid import TABLE, Counts, Grid
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.schemes import Published, parse_scheme
from unveil.records.count_tables import RoundedRow, RoundedTable


@dataclass(frozen=True, repr=False)
class Rounded(RowsResult[RoundedTable]):
    """The values to publish, and the release they make, which holds the true counts too.

    `.table`, `.part` and `.frame` hold what may be published. Everything else is confidential:
    `.release` holds the counts, and the seed and the losses in the record can betray them.
    """

    release: PublishedTable

    @property
    def table(self) -> Any:
        """The published cells, nested as the counts were; None where one is suppressed."""
        return self.part(TABLE)

    def part(self, name: str) -> Any:
        """The published values of a margin such as "sex", of the "total" or of the "table"."""
        from unveil.measure.tables.parts import parse_part

        grid = self.release.grid
        part = parse_part(grid, name)
        values = dict(self.release.published)[part]
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made.reshape(grid.shape_of(part)).tolist()

    def frame(self) -> pl.DataFrame:
        """The values to publish, one row each, with what each says of the count by itself."""
        return self.release.frame()


def round_table(
    counts: Any,
    scheme: str,
    *,
    dims: str | Iterable[str] | None = None,
    levels: Any = None,
    margins: Any = None,
    total: bool = False,
    seed: int | None = None,
    structural: Any = None,
) -> Rounded:
    """Round, perturb or suppress a table of counts, with its margins and total.

    Parameters
    ----------
    counts, dims, levels, margins, total, structural
        As in `unveil.PublishedTable.from_counts`. Impossible cells stay empty under every scheme.
    scheme
        conventional:b, random:b, controlled:b, up:b, down:b, noise:D, noise:D:zeros, suppress:k,
        suppress:k:interval, or exact. Cell keys need people's records:
        `unveil.PublishedTable.from_microdata(..., rounding="cellkey:3:2")`.
    seed
        Of the draws. Without one, one is drawn; the record holds it, and it is confidential:
        anyone who has it can undo the rounding.

    Returns
    -------
    Rounded
        `.table` and `.part(name)`, the values nested as the counts were; `.rows` and `.frame()`,
        one row per value with its trivial bounds; `.release`, for `unveil.bounds` and
        `unveil.sap`; information loss in `.record`, which is confidential.

    References
    ----------
    Smith and Elliot 2008, section 2.2. Controlled: Cox and Ernst 1982.
    """
    chosen = parse_scheme(scheme)
    release = PublishedTable.from_counts(
        counts,
        dims=dims,
        levels=levels,
        rounding=chosen.text,
        total=total,
        margins=margins,
        structural=structural,
        seed=seed,
    )
    return Rounded(_record(release, chosen.text), release)


def _record(release: PublishedTable, scheme: str) -> RoundedTable:
    grid = release.grid
    values = dict(release.published)
    counts = release.system.counts
    cells = [(c, p) for c, p in zip(counts, values[TABLE], strict=True) if isinstance(p, int)]
    return RoundedTable(
        scheme=scheme,
        seed=release.seed,
        dims=release.dims,
        levels=release.levels,
        parts=tuple(values),
        rows=tuple(_rows(release, grid)),
        n_cells=len(counts),
        n_changed=sum(c != p for c, p in cells),
        n_suppressed=len(counts) - len(cells),
        mean_absolute=sum(abs(c - p) for c, p in cells) / len(cells) if cells else None,
        hellinger=hellinger([c for c, _ in cells], [p for _, p in cells]),
        additive=_additive(grid, values),
        notes=release.notes,
    )


def _rows(release: PublishedTable, grid: Grid) -> Iterator[RoundedRow]:
    for part, values in release.published:
        dims = grid.dims_of(part)
        rows = zip(grid.labels(part), values, release.bounds_of(part), strict=True)
        for place, (label, value, (lower, upper)) in enumerate(rows):
            named = dict(zip(dims, label, strict=True))
            yield RoundedRow(
                part=part,
                cell=tuple(named.get(dim) for dim in release.dims),
                published=value if isinstance(value, int) else None,
                lower=lower,
                upper=upper,
                structural=part == TABLE and place in release.system.structural,
            )


def hellinger(counts: list[int], published: list[int]) -> float | None:
    """Distance between the shares of the counts and of the published values, 0 to 1.

    Notes
    -----
    sqrt(1 - sum of sqrt(p q)), over cells that are published; None where either adds up to 0.
    """
    n_true, n_published = sum(counts), sum(published)
    if not n_true or not n_published:
        return None
    shared = (sqrt(c * p) for c, p in zip(counts, published, strict=True))
    return sqrt(max(0.0, 1 - fsum(shared) / sqrt(n_true * n_published)))


def _additive(grid: Grid, values: dict[str, tuple[Published, ...]]) -> bool | None:
    """Whether every margin and the total are sums of published cells; None where none is shown."""
    cells = values[TABLE]
    coarser = [part for part in values if part != TABLE]
    shown = [value for part in values for value in values[part]]
    if not coarser or not all(isinstance(value, int) for value in shown):
        return None
    table: Counts = np.array(cells, dtype=np.int64)
    return all(grid.sum_part(table, part).tolist() == list(values[part]) for part in coarser)
