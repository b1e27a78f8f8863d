"""From two tables to a space in which distances between their rows are known."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import Codes
from unveil.errors import SettingsError, list_names
from unveil.io.table import Table
from unveil.models.neighbours.coding import (
    INFINITE,
    Collinearity,
    DistanceColumn,
    Matrix,
    PersonSequences,
    code_columns,
    constant,
    drop_redundant,
    new_levels,
    unusable,
)
from unveil.models.neighbours.distances import (
    BinaryRows,
    Distance,
    Geometry,
    Gower,
    GowerAxis,
    Jaccard,
    Mahalanobis,
    Points,
    Unplaced,
    number_apart,
)
from unveil.models.neighbours.missing import (
    OwnDistances,
    Pattern,
    near_leads,
    near_within,
    patterns,
)
from unveil.models.neighbours.originals import NearestOriginals, Originals, distinct
from unveil.models.neighbours.search import find_nearest, find_nearest_other, find_within
from unveil.models.neighbours.settings import DistanceSettings, parse_ranges
from unveil.records.disclosure import Coercion
from unveil.records.protection import UnusableColumn, UsedColumn


class Space(Protocol):
    """Who is near whom."""

    is_bounded: bool

    def find_nearest(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""

    def find_own_distances(self, rows: Ints) -> Floats:
        """How far the nearest other original is from these originals."""

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are closer to any original than an original is."""


@dataclass(frozen=True)
class PreparedSpace:
    """A space, the columns it is made of, and what was excluded or noticed."""

    space: Space
    renewed: "Renewed"  # the same originals beside another copy
    used: tuple[UsedColumn, ...]
    dropped: tuple[UnusableColumn, ...]
    condition: float | None
    n_incomplete: tuple[int, int]
    gaps: tuple[str, ...]  # columns with missing values in the original, and how many
    notes: tuple[Coercion, ...]

    def again(
        self,
        tables: Sequence[Table],
        settings: DistanceSettings,
        beside: PersonSequences | None = None,
    ) -> "PreparedSpace":
        """The same original beside another copy: its geometry, ranges and distances stay.

        The settings must name the columns used, in their order.
        """
        columns, notes = code_columns(tables, settings)
        notes = (*notes, *new_levels(columns)) if settings.metric == "mahalanobis" else notes
        space = self.renewed(columns, beside)
        return replace(self, space=space, n_incomplete=_holes(columns), notes=notes)


Renewed = Callable[[Sequence[DistanceColumn], PersonSequences | None], Space]

MOST_DIMENSIONS = 2_000
"""Of people with their rows side by side."""


def prepare_space(
    tables: Sequence[Table],
    settings: DistanceSettings,
    people: Sequence[PersonSequences] | None = None,
) -> PreparedSpace:
    """Code, screen and whiten what both tables have in common; rows, or people with their rows."""
    columns, notes = code_columns(tables, settings)
    low, high = _ranges(columns, parse_ranges(settings.ranges, [c.name for c in columns]))
    if tables[0].frame.height == 1 and settings.inverse_covariance is None:
        used = tuple(_used_column(column, 1, None) for column in columns)
        alone = _SingleRowSpace.beside(columns, None if people is None else people[1])
        return PreparedSpace(
            alone, _SingleRowSpace.beside, used, (), None, _holes(columns), (), notes
        )
    faults = [] if settings.inverse_covariance is not None else unusable(columns, settings.metric)
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
        return _mahalanobis(columns, ends, settings, faults, notes, people=people)
    if settings.metric == "jaccard":
        _check_yes_and_no(columns)
    distance = _jaccard if settings.metric == "jaccard" else partial(_gower, low, high)
    used = tuple(_used_column(column, 1, None) for column in columns)
    holes, gaps = _holes(columns), _gaps(columns)
    left = used, tuple(faults), None, holes, gaps, notes
    if people is not None or (settings.fill == "pattern" and any(holes)):
        n = 1 if people is None else people[0].n_places
        shared = _shared_columns([*columns] * n, settings.metric, np.tile(low, n), np.tile(high, n))
        apart = PatternSpace(shared, *_put_side_by_side(_as_matrices(columns), people))
        return PreparedSpace(
            apart,
            lambda other, beside: apart.against(_widen(_as_matrices(other)[1], beside, n)),
            *left,
        )
    space = PlainSpace(distance, columns)
    return PreparedSpace(space, lambda other, _: space.against(other), *left)


def _put_side_by_side(
    sides: tuple[Floats, Floats], people: Sequence[PersonSequences] | None
) -> tuple[Floats, Floats]:
    """Rows of both sides; where people have several, a row for each person."""
    if people is None:
        return sides
    n = people[0].n_places
    if n * sides[0].shape[1] > MOST_DIMENSIONS:
        raise SettingsError(
            f"People have so many rows that more than {MOST_DIMENSIONS:,} values would be compared"
            " at once. Take distances on fewer columns (columns=...)."
        )
    return _widen(sides[0], people[0], n), _widen(sides[1], people[1], n)


def _widen(rows: Floats, people: PersonSequences | None, n_places: int) -> Floats:
    return rows if people is None else people.side_by_side(rows, n_places)


def _as_matrices(columns: Sequence[DistanceColumn]) -> tuple[Floats, Floats]:
    return (
        np.column_stack([column.original for column in columns]),
        np.column_stack([column.synthetic for column in columns]),
    )


def _shared_columns(
    columns: Sequence[DistanceColumn], metric: str, low: Floats, high: Floats
) -> "SubSpace":
    """Rows under Gower's or Jaccard's distance on some of the columns."""

    def make(shared: Ints, original: Floats, copy: Floats) -> PlainSpace:
        some = [
            replace(columns[p], original=original[:, place], synthetic=copy[:, place])
            for place, p in enumerate(shared)
        ]
        of_some = partial(_gower, low[shared], high[shared])
        return PlainSpace(_jaccard if metric == "jaccard" else of_some, some)

    return make


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
    """Refuse columns that may not be dropped, with every error found."""
    if settings.drop == "refuse" and faults:
        said = "\n".join(fault.sentence for fault in faults)
        raise SettingsError(f"{said}\nOmit these columns, or have them dropped with drop='auto'.")
    guarded = [fault for fault in faults if fault.column in settings.protect_columns]
    if guarded:
        said = "\n".join(fault.sentence for fault in guarded)
        raise SettingsError(f"{said}\nIt cannot be protected: remove it from protect_columns.")


def _mahalanobis(
    columns: Sequence[DistanceColumn],
    by_name: dict[str, tuple[float, float]],
    settings: DistanceSettings,
    faults: list[UnusableColumn],
    notes: tuple[Coercion, ...],
    *,
    people: Sequence[PersonSequences] | None,
) -> PreparedSpace:
    matrix, found = Matrix.of(columns), None
    if settings.inverse_covariance is None:
        matrix, found, more = _regular(matrix, settings)
        faults = [*faults, *more]
    low, high = _ends(matrix, by_name)
    if settings.inverse_covariance is None:
        geometry = Geometry.from_rows(matrix.complete, low, high, matrix.categories)
    else:
        geometry = Geometry.from_precision(
            settings.inverse_covariance, low, high, matrix.categories
        )
    is_exact = settings.fill != "simple"
    space: PatternSpace | MahalanobisSpace
    n = 1
    if people is not None or (settings.fill == "pattern" and any(_holes(matrix.columns))):
        n = 1 if people is None else people[0].n_places
        sides = _put_side_by_side((matrix.original, matrix.synthetic), people)
        wide = geometry.repeat(n)
        space = PatternSpace(
            lambda shared, original, copy: MahalanobisSpace(
                wide.select(shared), original, copy, is_exact=True
            ),
            *sides,
        )
    else:
        space = MahalanobisSpace(geometry, matrix.original, matrix.synthetic, is_exact=is_exact)
    return PreparedSpace(
        space,
        lambda columns, beside: space.against(_widen(matrix.encode_copy(columns), beside, n)),
        _used_columns(matrix, found),
        tuple(faults),
        None if found is None or found.condition > INFINITE else found.condition,
        _holes(matrix.columns),
        _gaps(matrix.columns),
        (*notes, *new_levels(matrix.columns)),
    )


def _used_columns(matrix: Matrix, found: Collinearity | None) -> tuple[UsedColumn, ...]:
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
) -> tuple[Matrix, Collinearity, list[UnusableColumn]]:
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
    matrix, found, more = drop_redundant(
        matrix.with_dimensions(varies, kept), settings.protect_columns
    )
    _check(more, settings)
    return matrix, found, [*faults, *more]


def _too_few(matrix: Matrix, n_complete: int) -> str:
    rows = "1 row" if n_complete == 1 else f"{n_complete:,} rows"
    return (
        f"Only {rows} of the original have a value in every column, too few for a covariance."
        f" Omit the columns with most missing values: {list_names(_gaps(matrix.columns)[:3])}."
    )


class MahalanobisSpace:
    """Original and synthetic rows under one geometry.

    Original rows that are the same stand for each other: of complete ones the nearest other is no
    distance away, for "other" is another row, not another value (SPEC E).
    """

    def __init__(
        self, geometry: Geometry, original: Floats, synthetic: Floats, *, is_exact: bool
    ) -> None:
        self._geometry, self._is_exact = geometry, is_exact
        self._synthetic = synthetic
        self._position, self._counts = distinct(original)
        self._original = original[self._position]
        self._groups = patterns(self._original)
        self._copied = patterns(synthetic)
        self.is_bounded = False

    def against(self, synthetic: Floats) -> "MahalanobisSpace":
        """The same originals, and what is known of them, beside other synthetic rows."""
        other = copy(self)
        other._synthetic, other._copied = synthetic, patterns(synthetic)
        return other

    @cached_property
    def _complete(self) -> Points:
        return Points.of(self._geometry, self._original[_complete_rows(self._groups)])

    def _own_of_complete(self, rows: Ints) -> Floats:
        """How far the nearest other complete row is from some of them."""
        return find_nearest_other(Mahalanobis(self._complete, self._complete), rows, rows)

    @property
    def originals(self) -> Originals:
        """The distinct originals."""
        return self._originals

    @cached_property
    def _originals(self) -> Originals:
        """The distinct originals, and how far the nearest other original is from each."""
        is_whole = all(group.is_complete for group in self._groups)
        return Originals(self._position, self._own_complete if is_whole else self._own_worst)

    def _own_complete(self, rows: Ints) -> Floats:
        """The distance to the nearest other of some rows, where no row misses a value."""
        own = np.zeros(len(rows))
        alone = self._counts[rows] == 1
        own[alone] = self._own_of_complete(rows[alone])
        return own

    def _own_worst(self, rows: Ints) -> Floats:
        """The same at its longest, where rows miss values: found for all at once."""
        own = np.full(len(self._original), np.inf)
        here = _complete_rows(self._groups)
        if len(here):
            own[here] = self._own_of_complete(np.arange(len(here)))
            own[here[self._counts[here] > 1]] = 0.0
        far = OwnDistances(self._geometry, self._original, self._groups, own)
        far.shorten(self._counts)
        self.is_bounded |= far.is_bounded
        self._originals.fill(own)
        return own[rows]

    def find_own_distances(self, rows: Ints) -> Floats:
        """How far the nearest other original is from the originals that first stand here."""
        return self._originals.own(np.searchsorted(self._position, rows))

    def find_nearest(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""
        leads = NearestOriginals.none(len(self._synthetic))
        mine, theirs = _complete_rows(self._copied), _complete_rows(self._groups)
        if len(mine) and len(theirs):
            points = Points.of(self._geometry, self._synthetic[mine])
            pairs = find_nearest(Mahalanobis(points, self._complete), np.arange(len(mine)))
            for row, at, distance in pairs:
                leads.take(mine[row], theirs[at], distance, self._originals)
        self.is_bounded |= near_leads(
            self._geometry,
            (self._synthetic, self._copied),
            (self._original, self._groups),
            self._originals,
            leads,
            is_exact=self._is_exact,
        )
        return leads

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        synthetic, own = self._synthetic[rows], self._originals.all_own
        groups = patterns(synthetic)
        refused = np.zeros(len(rows), bool)
        mine, theirs = _complete_rows(groups), _complete_rows(self._groups)
        if len(mine) and len(theirs):
            points = Points.of(self._geometry, synthetic[mine])
            complete = Mahalanobis(points, self._complete)
            refused[mine] = find_within(complete, np.arange(len(mine)), own[theirs])
        left = np.flatnonzero(~refused)
        refused[left] |= near_within(
            self._geometry,
            (synthetic[left], patterns(synthetic[left])),
            (self._original, self._groups),
            own,
            is_exact=self._is_exact,
        )
        return refused


def _complete_rows(groups: list[Pattern]) -> Ints:
    """The rows without a missing value; their pattern comes first."""
    if groups and groups[0].is_complete:
        return groups[0].rows
    return np.empty(0, np.int64)


class PlainSpace:
    """Rows under a distance that has no geometry: every pair is looked at.

    The distance between two originals is taken as long, that between a synthetic row and an
    original as short, as their missing values allow.
    """

    is_bounded = False

    def __init__(self, distance: "PlainDistance", columns: Sequence[DistanceColumn]) -> None:
        self._n, self._distance = len(columns[0].original), distance
        between = distance(columns, "far")
        self._originals = Originals(
            np.arange(self._n), lambda rows: find_nearest_other(between, rows, rows)
        )
        self._put_beside(columns)

    @property
    def originals(self) -> Originals:
        """The originals, each by itself."""
        return self._originals

    def _put_beside(self, columns: Sequence[DistanceColumn]) -> None:
        self._shortest = self._distance(columns, "near")
        self._n_synthetic = len(columns[0].synthetic)

    def against(self, columns: Sequence[DistanceColumn]) -> "PlainSpace":
        """The same originals, and what is known of them, beside another copy."""
        other = copy(self)
        other._put_beside(columns)
        return other

    def find_own_distances(self, rows: Ints) -> Floats:
        """How far the nearest other original is from these."""
        return self._originals.own(rows)

    def find_nearest(self) -> NearestOriginals:
        """The nearest originals of each synthetic row."""
        leads = NearestOriginals.none(self._n_synthetic)
        rows = self._n + np.arange(self._n_synthetic)
        for row, at, distance in find_nearest(self._shortest, rows):
            leads.take(row, at, distance, self._originals)
        return leads

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        return find_within(self._shortest, self._n + rows, self._originals.all_own)


PlainDistance = Callable[[Sequence[DistanceColumn], Unplaced], Distance]
"""From columns, and what a missing value is, to the distance of both sides to the originals."""


def _gower(
    low: Floats, high: Floats, columns: Sequence[DistanceColumn], unplaced: Unplaced
) -> Gower:
    axes = []
    for column, a, b in zip(columns, low, high, strict=True):
        levels, place = np.unique(column.both, return_inverse=True)
        missing = np.isnan(levels)
        places = None if column.is_category else np.where(missing, 0.0, (levels - a) / (b - a))
        codes: Codes = place.astype(np.min_scalar_type(len(levels)))
        apart = number_apart(missing)
        axes.append(GowerAxis(column.name, codes, len(levels), places, apart, unplaced))
    return Gower(axes, slice(0, len(columns[0].original)), len(axes))


def _jaccard(columns: Sequence[DistanceColumn], unplaced: Unplaced) -> Jaccard:
    rows = BinaryRows.of(np.column_stack([column.both for column in columns]))
    originals = rows.at(slice(0, len(columns[0].original)))
    return Jaccard(rows, originals, is_longest=unplaced == "far")


def _check_yes_and_no(columns: Sequence[DistanceColumn]) -> None:
    others = [
        column.name for column in columns if column.kind != "number" or not _is_binary(column.both)
    ]
    if others:
        raise SettingsError(
            f"The metric jaccard is for columns of yes and no, but {list_names(others)}"
            f" {'holds' if len(others) == 1 else 'hold'} other values. Code them as 1 and 0 (or"
            " true and false), omit them, or use the metric gower."
        )


def _is_binary(values: Floats) -> bool:
    answers = values[~np.isnan(values)]
    return bool(np.isin(answers, (0, 1)).all())


MOST_PATTERNS = 10_000
"""Pairs of patterns of missing values that are compared."""

SubSpace = Callable[[Ints, Floats, Floats], "MahalanobisSpace | PlainSpace"]
"""Complete original and synthetic rows on some dimensions, in the space of these alone."""


class PatternSpace:
    """Rows compared on the columns that both have, by pattern of missing values.

    A synthetic row and an original share a set B of columns. On B the filter is that of complete
    rows: the others of an original are all originals that have B, and the originals asked are those
    who share exactly B with the row. What is missing is taken to say nothing about a person. A row
    that shares no column with an original is compared with nothing.
    """

    is_bounded = False

    def __init__(self, make: SubSpace, original: Floats, synthetic: Floats) -> None:
        self._make, self._original, self._synthetic = make, original, synthetic
        self._groups = patterns(original)
        self._own: dict[bytes, Floats] = {}  # by B: how far the nearest other original is

    def against(self, synthetic: Floats) -> "PatternSpace":
        """The same originals, and what is known of them, beside other synthetic rows."""
        other = copy(self)
        other._synthetic = synthetic
        return other

    def _parts(self, rows: Ints) -> Iterator[tuple[Ints, Ints, "MahalanobisSpace | PlainSpace"]]:
        """Synthetic rows of one pattern, originals that have B, and both in the space of B."""
        found = patterns(self._synthetic[rows])
        if len(found) * len(self._groups) > MOST_PATTERNS:
            raise SettingsError(
                f"Values are missing in {len(self._groups):,} patterns in the original and"
                f" {len(found):,} in the synthetic data, too many to compare each with each. Take"
                " distances on fewer columns (columns=...), or the worst case (missing='exact')."
            )
        for mine in found:
            shares = [~(mine.missing | group.missing) for group in self._groups]
            for number, shared in enumerate(shares):
                first = next(i for i, other in enumerate(shares) if (other == shared).all())
                if first == number and shared.any():
                    yield self._part(rows[mine.rows], shared, [(s == shared).all() for s in shares])

    def _part(
        self, rows: Ints, shared: Mask, is_asked: Sequence[bool]
    ) -> tuple[Ints, Ints, "MahalanobisSpace | PlainSpace"]:
        places = np.flatnonzero(shared)
        has = [not (group.missing & shared).any() for group in self._groups]
        have = np.sort(
            np.concatenate([g.rows for g, h in zip(self._groups, has, strict=True) if h])
        )
        asked = np.zeros(len(self._original), bool)
        for group, is_it in zip(self._groups, is_asked, strict=True):
            asked[group.rows] = is_it
        space = self._make(
            places, self._original[np.ix_(have, places)], self._synthetic[np.ix_(rows, places)]
        )
        known = self._own.setdefault(shared.tobytes(), np.full(len(self._original), np.nan))
        at = have[space.originals.position]
        # No row is closer than nothing: originals who are not asked refuse no one.
        space.originals.fill(np.where(asked[at], known[at], 0.0))
        own = space.originals.all_own if len(have) > 1 else np.full(len(at), np.inf)
        space.originals.fill(own)
        known[at[asked[at]]] = own[asked[at]]
        return rows, have, space

    def find_nearest(self) -> NearestOriginals:
        """Of each row the nearest original of the pattern that is closest for its limit."""
        n_rows = len(self._synthetic)
        found = replace(NearestOriginals.none(n_rows), own=np.zeros(n_rows))
        assert found.own is not None
        best = np.full(n_rows, np.inf)
        for rows, have, space in self._parts(np.arange(n_rows)):
            leads = space.find_nearest()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(leads.distance / leads.limit, nan=1e300, posinf=1e300)
            closer = ratio < best[rows]
            at = rows[closer]
            best[at] = ratio[closer]
            found.distance[at], found.limit[at] = leads.distance[closer], leads.limit[closer]
            found.first[at] = have[leads.first[closer]]
            found.own[at] = space.find_own_distances(leads.first[closer])
        found.first[np.isinf(best)] = -1
        return found

    def find_own_distances(self, rows: Ints) -> Floats:
        """Not one number here: it depends on what a row shares with the original."""
        return np.full(len(rows), np.nan)

    def within(self, rows: Ints) -> Mask:
        """Which of these synthetic rows are too close to any original."""
        refused = np.zeros(len(self._synthetic), bool)
        for mine, _, space in self._parts(rows):
            refused[mine] |= space.within(np.arange(len(mine)))
        return refused[rows]


class _SingleRowSpace:
    """One original row: there is no other for it to be compared with, so nothing can be kept."""

    is_bounded = False

    def __init__(self, n_synthetic: int) -> None:
        self._n_synthetic = n_synthetic

    @classmethod
    def beside(
        cls, columns: Sequence[DistanceColumn], people: PersonSequences | None
    ) -> "_SingleRowSpace":
        return cls(len(columns[0].synthetic) if people is None else people.n_people)

    def find_nearest(self) -> NearestOriginals:
        n = self._n_synthetic
        return NearestOriginals(np.full(n, np.nan), np.zeros(n, np.int64), np.full(n, np.inf))

    def find_own_distances(self, rows: Ints) -> Floats:
        return np.full(len(rows), np.inf)

    def within(self, rows: Ints) -> Mask:
        return np.ones(len(rows), bool)
