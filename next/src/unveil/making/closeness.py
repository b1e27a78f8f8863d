"""Is a synthetic record nearer to a person than anybody else is?

Chapelle and Falissard (2023), Algorithm 1: a synthetic record is refused if it is nearer to its
nearest original than that original is to any other. The strict rule asks this of every original.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.columns import Coded
from unveil.errors import InputError
from unveil.study import ORIGINAL

Metric = Literal["mahalanobis", "jaccard"]
Missing = Literal["state", "worst"]
TIE = 1e-9  # distances that differ by no more, relative to them, are equal; below it they are 0
PAIRS = 2**21  # distances held at once
MOST_INFLATED = 100.0  # a column that the others explain to 99 % makes the covariance singular
MOST_AXES = 1_000
FEW_AXES, CLOSE = 16, 1e-4
SWEEPS = 200
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Axes:
    """Columns of all files as coordinates: amounts as they are, levels as 0 and 1.

    The most frequent level of the original has no coordinate. A missing coordinate is NaN.
    """

    points: Floats  # all records of all files
    columns: tuple[str, ...]  # of each coordinate
    is_amount: tuple[bool, ...]
    dropped: dict[str, str] = field(default_factory=dict)  # columns, and why


def axes_of(
    columns: Sequence[tuple[Coded, bool, tuple[float, ...]]], metric: Metric, missing: Missing
) -> Axes:
    """The coordinates of columns, each with whether it has amounts, and its special codes."""
    parts: list[Floats] = []
    names: list[str] = []
    is_amount: list[bool] = []
    for column, is_number, special in columns:
        before, counts = len(names), column.counts[ORIGINAL]
        states = np.arange(column.n_levels)
        if is_number:
            numbers, has_amount = amounts_of(column, special)
            states = np.where(has_amount, -1, states)
            if metric == "jaccard" and not np.isin(numbers[has_amount], (0, 1)).all():
                raise InputError(
                    f"'metric' jaccard is for columns of 0 and 1, and {column.name!r} has other"
                    " numbers."
                )
            known = has_amount & (counts > 0)
            mean = np.average(numbers[known], weights=counts[known]) if known.any() else 0.0
            fill = np.nan if missing == "worst" else 0.0 if metric == "jaccard" else mean
            parts.append(np.where(has_amount, numbers, fill)[column.codes][:, None])
            names.append(column.name)
        if not (is_number and missing == "worst"):
            kinds, place = np.unique(states, return_inverse=True)
            most = np.bincount(place, counts).argmax()
            if len(kinds) > MOST_AXES:
                raise InputError(
                    f"{column.name!r} has more than {MOST_AXES:,} levels to compare. Choose other"
                    " 'columns', or compare it in bands."
                )
            others = [kind for kind in range(len(kinds)) if kind != most]
            parts.append((place[column.codes][:, None] == others).astype(float))
            names += [column.name] * len(others)
        is_amount += [True] * is_number + [False] * (len(names) - before - is_number)
    return Axes(np.concatenate(parts, axis=1), tuple(names), tuple(is_amount))


def amounts_of(column: Coded, special: tuple[float, ...]) -> tuple[Floats, Mask]:
    """Each level as a number, and which are amounts; a date is a number of days."""
    if column.kind == "number":
        numbers = column.numbers
    else:
        physical = column.levels.to_physical().cast(float).to_numpy()
        numbers = physical / 86_400_000_000 if column.kind == "date" else physical
    has_amount = np.isfinite(numbers) & ~np.isin(numbers, special)
    return numbers, has_amount


@dataclass(frozen=True, eq=False)
class Space:
    """Originals as points, and how far apart two points are.

    Missing coordinates are free within `span`: whatever is kept would be kept if the values were
    known.
    """

    original: Floats
    person: Ints  # whose each original is: no one's own other record is another
    metric: Metric = "mahalanobis"
    inverse: Floats = field(default_factory=lambda: np.eye(0))  # of the covariance
    span: Floats = field(default_factory=lambda: np.zeros((0, 2)))

    @cached_property
    def root(self) -> Floats:
        return np.asarray(np.linalg.cholesky(self.inverse), float)

    @cached_property
    def rooted(self) -> Floats:
        return np.asarray(np.nan_to_num(self.original) @ self.root)

    def distances(self, points: Floats, *, is_longest: bool = False) -> Floats:
        """From some points to all originals, the shortest or the longest that they can be."""
        if self.metric == "jaccard":
            from scipy.spatial.distance import cdist

            near: Floats = cdist(points > 0, self.original > 0, "jaccard")
            return near
        d = euclidean(np.nan_to_num(points) @ self.root, self.rooted)
        for rows, others in self._incomplete(points):
            pairs = _Pairs.of(points[rows], self.original[others], self)
            d[np.ix_(rows, others)] = pairs.longest() if is_longest else pairs.shortest()
        d[d < TIE] = 0
        return d

    @cached_property
    def gaps(self) -> list[tuple[Mask, Ints]]:
        return _by_gaps(self.original)

    def _incomplete(self, points: Floats) -> Iterator[tuple[Ints, Ints]]:
        """Rows of both sides that lack the same coordinates, but for pairs that lack nothing."""
        for (gaps_a, rows), (gaps_b, others) in product(_by_gaps(points), self.gaps):
            if gaps_a.any() or gaps_b.any():
                yield rows, others

    @cached_property
    def to_others(self) -> Floats:
        """From each original to the nearest one of another person."""
        nearest = []
        for rows in self._blocks(len(self.original)):
            d = self.distances(self.original[rows], is_longest=True)
            d[self.person[rows, None] == self.person] = np.inf
            nearest.append(d.min(axis=1))
        return np.concatenate(nearest)

    def judge(self, synthetic: Floats) -> "Judged":
        """Algorithm 1 and the strict rule; nearest originals that tie all have a say."""
        parts = []
        for rows in self._blocks(len(synthetic)):
            d = self.distances(synthetic[rows])
            d_s = d.min(axis=1)
            is_nearer = d < self.to_others * (1 - TIE)
            is_nearest = d <= (d_s * (1 + TIE))[:, None]
            nearest = is_nearest.argmax(axis=1)
            parts.append((
                ~(is_nearer & is_nearest).any(axis=1), ~is_nearer.any(axis=1), nearest, d_s,
                self.to_others[nearest],
            ))  # fmt: skip
        return Judged(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _blocks(self, n: int) -> list[Ints]:
        return np.array_split(np.arange(n), max(1, n * len(self.original) // PAIRS))


def euclidean(a: Floats, b: Floats) -> Floats:
    """All distances: a product of matrices, ten times as quick as differences of many coordinates.

    |a - b|^2 = |a|^2 + |b|^2 - 2ab loses digits where a and b are close: there by differences.
    """
    if a.shape[1] <= FEW_AXES:
        from scipy.spatial.distance import cdist

        few: Floats = cdist(a, b)
        return few
    centre = b.mean(axis=0)
    a, b = a - centre, b - centre
    lengths = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)
    squares = lengths - 2 * (a @ b.T)
    rows, others = np.nonzero(squares < CLOSE * lengths)
    for part in np.array_split(np.arange(len(rows)), 1 + len(rows) * a.shape[1] // PAIRS):
        i, j = rows[part], others[part]
        squares[i, j] = ((a[i] - b[j]) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(squares))


@dataclass(frozen=True, eq=False)
class Judged:
    """What the rules say of each synthetic record."""

    keep: Mask
    keep_strictly: Mask
    nearest: Ints  # the number of an original
    d_synthetic: Floats  # to it
    d_original: Floats  # from it to the nearest original of another person

    def kept(self, rule: str) -> Mask:
        return self.keep if rule == "paper" else self.keep_strictly


def space_of(axes: Axes, original: slice, person: Ints, metric: Metric) -> tuple[Space, Mask]:
    """The space of the originals, and which coordinates span it.

    The covariance is that of the complete originals. Coordinates that do not vary are left out, and
    of those that the others explain to 99 % the most inflated, one after the other.
    """
    points = axes.points[original]
    complete = points[~np.isnan(points).any(axis=1)]
    is_used = complete.std(axis=0) > 0 if len(complete) > 1 else np.zeros(len(axes.columns), bool)
    while metric == "mahalanobis" and is_used.sum() > 1:
        correlation: Any = np.corrcoef(complete[:, is_used], rowvar=False)
        inflation = np.diag(np.linalg.inv(correlation + ROUNDING * np.eye(len(correlation))))
        if inflation.max() <= MOST_INFLATED:
            break
        is_used[np.flatnonzero(is_used)[inflation.argmax()]] = False
    if not is_used.any():
        raise InputError("No column varies among the complete records of the original.")
    for name in dict.fromkeys(axes.columns):
        if not any(used for n, used in zip(axes.columns, is_used, strict=True) if n == name):
            axes.dropped[name] = "it does not vary, or other columns explain it"
    covariance: Any = np.atleast_2d(np.cov(complete[:, is_used], rowvar=False))
    everyone = axes.points[:, is_used]
    span = np.stack([np.nanmin(everyone, axis=0), np.nanmax(everyone, axis=0)], axis=1)
    inverse: Any = np.linalg.inv(covariance) if metric == "mahalanobis" else covariance
    return Space(points[:, is_used], person, metric, inverse, span), is_used


# The worst case of missing values


def _by_gaps(points: Floats) -> list[tuple[Mask, Ints]]:
    if not np.isnan(points).any():
        return [(np.zeros(points.shape[1], bool), np.arange(len(points)))]
    gaps, group = np.unique(np.isnan(points), axis=0, return_inverse=True)
    return [(gap, np.flatnonzero(group.ravel() == number)) for number, gap in enumerate(gaps)]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Squared distances as functions of the differences in the missing coordinates.

    base + 2 slope d + d curvature d, for low <= d <= high.
    """

    base: Floats
    slope: Floats  # pairs x missing coordinates
    curvature: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, a: Floats, b: Floats, space: Space) -> "_Pairs":
        gaps = np.flatnonzero(np.isnan(a[0]) | np.isnan(b[0]))
        ends = space.span[gaps].T
        low_a, high_a = (np.where(np.isnan(a[:, gaps]), end, a[:, gaps])[:, None] for end in ends)
        low_b, high_b = (np.where(np.isnan(b[:, gaps]), end, b[:, gaps])[None] for end in ends)
        is_known = ~np.isin(np.arange(a.shape[1]), gaps)
        known_a, known_b = np.where(is_known, a, 0), np.where(is_known, b, 0)
        across, roots = space.inverse[:, gaps], (known_a @ space.root, known_b @ space.root)
        base = ((roots[0][:, None] - roots[1][None]) ** 2).sum(axis=-1)
        slope = (known_a @ across)[:, None] - (known_b @ across)[None]
        return cls(base, slope, across[gaps], low_a - high_b, high_a - low_b)

    def at(self, d: Floats) -> Floats:
        squared = self.base + 2 * (d * self.slope).sum(axis=-1)
        return np.sqrt(np.maximum(squared + ((d @ self.curvature) * d).sum(axis=-1), 0))

    def longest(self) -> Floats:
        """A convex function is largest in a corner."""
        longest: Any = 0.0
        for corner in product([False, True], repeat=len(self.curvature)):
            longest = np.maximum(longest, self.at(np.where(corner, self.high, self.low)))
        return longest

    def shortest(self) -> Floats:
        """One difference after the other is put where it is best, until nothing moves.

        Both at the same value, the paper's shortcut, is not the shortest where columns correlate.
        """
        d = np.clip(np.zeros_like(self.slope), self.low, self.high)
        for _ in range(SWEEPS):
            before = d.copy()
            for place, own in enumerate(np.diag(self.curvature)):
                others = d @ self.curvature[place] - d[..., place] * own
                best = -(self.slope[..., place] + others) / own
                d[..., place] = np.clip(best, self.low[..., place], self.high[..., place])
            if np.abs(d - before).max(initial=0) < 1e-12:
                break
        return self.at(d)
