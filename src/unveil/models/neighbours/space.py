"""From two tables to a space in which distances between their rows are known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.errors import SettingsError, list_names
from unveil.io.table import Table
from unveil.models.neighbours.coding import (
    INFINITE,
    DistanceColumn,
    Health,
    Matrix,
    code_columns,
    constant,
    drop_redundant,
    new_levels,
    unusable,
)
from unveil.models.neighbours.gower import Dense, Gower, Jaccard
from unveil.models.neighbours.mahalanobis import Mahalanobis
from unveil.models.neighbours.settings import DistanceSettings, parse_ranges
from unveil.models.neighbours.whitening import Geometry, NearestOriginals
from unveil.records.disclosure import Coercion
from unveil.records.protection import UnusableColumn, UsedColumn


class Space(Protocol):
    """Who is near whom."""

    is_bounded: bool

    def leads(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""

    def own_of(self, rows: Ints) -> Floats:
        """How far the nearest other original is from these originals."""

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are closer to any original than an original is."""


@dataclass(frozen=True)
class Prepared:
    """A space, the columns it is made of, and what was left out or noticed."""

    space: Space
    renewed: Callable[[Sequence[DistanceColumn]], Space]  # the same originals beside another copy
    used: tuple[UsedColumn, ...]
    dropped: tuple[UnusableColumn, ...]
    condition: float | None
    n_incomplete: tuple[int, int]
    gaps: tuple[str, ...]  # columns with missing values in the original, and how many
    notes: tuple[Coercion, ...]

    def again(self, tables: Sequence[Table], settings: DistanceSettings) -> "Prepared":
        """The same original beside another copy: its geometry, ranges and distances stay.

        The settings must name the columns used, in their order.
        """
        columns, notes = code_columns(tables, settings)
        notes = (*notes, *new_levels(columns)) if settings.metric == "mahalanobis" else notes
        return replace(self, space=self.renewed(columns), n_incomplete=_holes(columns), notes=notes)


def prepare_space(tables: Sequence[Table], settings: DistanceSettings) -> Prepared:
    """Code, screen and whiten what both tables have in common."""
    columns, notes = code_columns(tables, settings)
    low, high = _ranges(columns, parse_ranges(settings.ranges, [c.name for c in columns]))
    if tables[0].frame.height == 1 and settings.precision is None:
        used = tuple(_used_column(column, 1, None) for column in columns)
        alone = _Alone.beside(columns)
        return Prepared(alone, _Alone.beside, used, (), None, _holes(columns), (), notes)
    faults = [] if settings.precision is not None else unusable(columns, settings.metric)
    _check(faults, settings)
    kept = [p for p, c in enumerate(columns) if c.name not in {fault.column for fault in faults}]
    if not kept:
        raise SettingsError(
            "No column is left to take distances on:\n"
            + "\n".join(fault.sentence for fault in faults)
        )
    columns, low, high = tuple(columns[p] for p in kept), low[kept], high[kept]
    if settings.metric == "mahalanobis":
        ends = {c.name: (a, b) for c, a, b in zip(columns, low, high, strict=True)}
        return _mahalanobis(columns, ends, settings, faults, notes)
    pairs = Jaccard(columns) if settings.metric == "jaccard" else Gower(columns, low, high)
    used = tuple(_used_column(column, 1, None) for column in columns)
    space = Dense(pairs)
    holes, gaps = _holes(columns), _gaps(columns)
    return Prepared(space, space.against, used, tuple(faults), None, holes, gaps, notes)


def _ranges(columns: Sequence[DistanceColumn], ranges: Floats | None) -> tuple[Floats, Floats]:
    """The lowest and highest value of each column: as given, or over both files."""
    if ranges is not None:
        return ranges[:, 0], ranges[:, 1]
    both = [column.both[~np.isnan(column.both)] for column in columns]
    low = np.array([values.min(initial=np.inf) for values in both])
    high = np.array([values.max(initial=-np.inf) for values in both])
    return low, high


def _holes(columns: Sequence[DistanceColumn]) -> tuple[int, int]:
    """How many rows of either side miss a value."""
    return (
        int(np.any([np.isnan(column.original) for column in columns], axis=0).sum()),
        int(np.any([np.isnan(column.synthetic) for column in columns], axis=0).sum()),
    )


def _gaps(columns: Sequence[DistanceColumn]) -> tuple[str, ...]:
    """The columns that miss values in the original, and how many; those that miss most first."""
    missing = [int(np.isnan(column.original).sum()) for column in columns]
    worst = np.argsort([-n for n in missing], kind="stable")
    return tuple(f"{columns[p].name} ({missing[p]:,})" for p in worst if missing[p])


def _used_column(column: DistanceColumn, n_dimensions: int, inflation: float | None) -> UsedColumn:
    return UsedColumn(
        column=column.name, kind=column.kind, n_dimensions=n_dimensions, inflation=inflation
    )


def _check(faults: Sequence[UnusableColumn], settings: DistanceSettings) -> None:
    """Refuse columns that may not be dropped, with every fault found."""
    if settings.drop == "refuse" and faults:
        said = "\n".join(fault.sentence for fault in faults)
        raise SettingsError(f"{said}\nLeave these columns out, or let them go with drop='auto'.")
    guarded = [fault for fault in faults if fault.column in settings.protected]
    if guarded:
        said = "\n".join(fault.sentence for fault in guarded)
        raise SettingsError(f"{said}\nIt cannot be protected: remove it from protect_columns.")


def _mahalanobis(
    columns: Sequence[DistanceColumn],
    by_name: dict[str, tuple[float, float]],
    settings: DistanceSettings,
    faults: list[UnusableColumn],
    notes: tuple[Coercion, ...],
) -> Prepared:
    matrix, found = Matrix.of(columns), None
    if settings.precision is None:
        matrix, found, more = _regular(matrix, settings)
        faults = [*faults, *more]
    low, high = _ends(matrix, by_name)
    if settings.precision is None:
        geometry = Geometry.from_rows(matrix.complete, low, high, matrix.categories)
    else:
        geometry = Geometry.from_precision(settings.precision, low, high, matrix.categories)
    is_exact = settings.fill == "exact"
    space = Mahalanobis(geometry, matrix.original, matrix.synthetic, is_exact=is_exact)
    return Prepared(
        space,
        lambda columns: space.against(matrix.encode_copy(columns)),
        _used_columns(matrix, found),
        tuple(faults),
        None if found is None or found.condition > INFINITE else found.condition,
        _holes(matrix.columns),
        _gaps(matrix.columns),
        (*notes, *new_levels(matrix.columns)),
    )


def _used_columns(matrix: Matrix, found: Health | None) -> tuple[UsedColumn, ...]:
    widths = np.bincount(matrix.owner, minlength=len(matrix.columns))
    inflation = [None] * len(widths) if found is None else found.inflation.tolist()
    parts = zip(matrix.columns, widths, inflation, strict=True)
    return tuple(_used_column(column, int(width), one) for column, width, one in parts)


def _ends(matrix: Matrix, by_name: dict[str, tuple[float, float]]) -> tuple[Floats, Floats]:
    """The range of each dimension: of a column of numbers its own, of a level 0 to 1."""
    columns = [matrix.columns[place] for place in matrix.owner]
    ends = [(0.0, 1.0) if column.is_category else by_name[column.name] for column in columns]
    low, high = np.array(ends).T
    if not np.isfinite(low).all():
        empty = [c.name for c, end in zip(columns, low, strict=True) if not np.isfinite(end)]
        raise SettingsError(f"{list_names(empty)} is missing in every row. Omit it.")
    return low, high


def _regular(
    matrix: Matrix, settings: DistanceSettings
) -> tuple[Matrix, Health, list[UnusableColumn]]:
    """The matrix without what makes its covariance singular, or nearly so."""
    rows = matrix.complete
    if len(rows) < 2:
        raise SettingsError(_too_few(matrix, len(rows)))
    varies = np.ptp(rows, axis=0) > 0
    kept = [p for p in range(len(matrix.columns)) if varies[matrix.owner == p].any()]
    gone = [c.name for p, c in enumerate(matrix.columns) if p not in kept]
    faults = [constant(name, "of the original that is complete") for name in gone]
    _check(faults, settings)
    if not kept:
        raise SettingsError(_too_few(matrix, len(rows)))
    matrix, found, more = drop_redundant(matrix.with_dimensions(varies, kept), settings.protected)
    _check(more, settings)
    return matrix, found, [*faults, *more]


def _too_few(matrix: Matrix, n_complete: int) -> str:
    rows = "1 row" if n_complete == 1 else f"{n_complete:,} rows"
    return (
        f"Only {rows} of the original have a value in every column, too few for a covariance."
        f" Omit the columns with most missing values: {list_names(_gaps(matrix.columns)[:3])}."
    )


class _Alone:
    """One original row: there is no other for it to be compared with, so nothing can be kept."""

    is_bounded = False

    def __init__(self, n_synthetic: int) -> None:
        self._n_synthetic = n_synthetic

    @classmethod
    def beside(cls, columns: Sequence[DistanceColumn]) -> "_Alone":
        return cls(len(columns[0].synthetic))

    def leads(self) -> NearestOriginals:
        n = self._n_synthetic
        return NearestOriginals(np.full(n, np.nan), np.zeros(n, np.int64), np.full(n, np.inf))

    def own_of(self, rows: Ints) -> Floats:
        return np.full(len(rows), np.inf)

    def within(self, rows: Ints) -> Mask:
        return np.ones(len(rows), bool)
