"""What `unveil.compare` found: distributions side by side, distances, associations.

Everything here shows figures of the original: it is confidential, and none of it is published
unless the custodian has chosen to.
"""

from typing import Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import Coercion, NotMeasured

ColumnKind = Literal["number", "date", "category"]
LevelKind = Literal["level", "special", "missing", "other"]
Association = Literal["pearson", "spearman", "cramer_v", "correlation_ratio"]


class LevelCount(Record, frozen=True, kw_only=True):
    """One level on every side: of a category, or what is no number in a column of numbers."""

    level: str | None  # None: missing, or several merged
    kind: LevelKind
    n_levels: int  # 1, or how many are merged into "other"
    n_original: int
    percent_original: float | None  # None where the side has no record
    n_synthetic: tuple[int, ...]
    percent_synthetic: tuple[float | None, ...]


class Histogram(Record, frozen=True, kw_only=True):
    """Numbers of every side in the same bins; a bin holds its lower edge and not its upper one.

    The first count is of numbers below all edges and the last of those above: single people there
    have no bar of their own.
    """

    edges: tuple[float, ...]
    is_whole: bool  # one bin for each whole number
    n_original: tuple[int, ...]
    n_synthetic: tuple[tuple[int, ...], ...]


class Density(Record, frozen=True, kw_only=True):
    """Kernel densities of every side at the same places, with the bandwidth of the original."""

    bandwidth: float
    at: tuple[float, ...]
    original: tuple[float, ...]
    synthetic: tuple[tuple[float, ...] | None, ...]  # None: a synthetic file without a number


class Distribution(Record, frozen=True, kw_only=True):
    """One column on every side."""

    column: str
    kind: ColumnKind
    levels: tuple[LevelCount, ...]  # of numbers only special codes and missing
    histogram: Histogram | None
    density: Density | None  # None for categories, and for few whole numbers
    mean_original: float | None
    sd_original: float | None
    mean_synthetic: tuple[float | None, ...]
    sd_synthetic: tuple[float | None, ...]


class DistanceRow(Record, frozen=True, kw_only=True):
    """How far one column of a synthetic file is from the original's."""

    column: str
    kind: ColumnKind
    copy: Copy
    hellinger: float | None
    total_variation: float | None
    wasserstein: float | None  # in the column's unit, dates in days; None for categories
    wasserstein_sd: float | None  # in standard deviations of the original
    missing_difference: float | None  # percentage points of missing values and special codes


class AssociationRow(Record, frozen=True, kw_only=True):
    """How strongly two columns go together in the original and in a synthetic file."""

    a: str
    b: str
    measure: Association
    copy: Copy
    original: float | None
    synthetic: float | None
    difference: float | None  # synthetic - original


class AssociationChange(Record, frozen=True, kw_only=True):
    """How much the associations of one column have changed."""

    column: str
    copy: Copy
    mean_difference: float | None  # mean of the sizes of its differences
    largest_difference: float | None
    largest_with: str | None


class Comparison(VersionedRecord, frozen=True, kw_only=True):
    """Original and copies side by side, column by column and pair by pair."""

    files: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[str, ...]  # compared as numbers, dates among them
    n_original: int
    n_synthetic: tuple[int, ...]
    distributions: tuple[Distribution, ...]
    rows: tuple[DistanceRow, ...]
    associations: tuple[AssociationRow, ...]
    changes: tuple[AssociationChange, ...]
    most_changed: AssociationRow | None  # the largest difference; None where none is measured
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    @property
    def headline_copy(self) -> Copy:
        """The synthetic file that headlines are of: the only one, or the mean of all."""
        return 1 if len(self.n_synthetic) == 1 else "mean"

    def distribution_of(self, column: str) -> Distribution:
        """One column on every side."""
        return next(one for one in self.distributions if one.column == column)


class PairCounts(VersionedRecord, frozen=True, kw_only=True):
    """Two columns of numbers in hexagons: how many people of each side are in each."""

    a: str
    b: str
    kind_a: ColumnKind
    kind_b: ColumnKind
    range_a: tuple[float, float]
    range_b: tuple[float, float]
    n_across: int  # hexagons side by side
    x: tuple[float, ...]  # centres of the hexagons that a person is in
    y: tuple[float, ...]
    n_original: tuple[int, ...]
    n_synthetic: tuple[int, ...]  # all copies together
    n_outside_original: int  # beyond the ranges, which exclude the outermost people
    n_outside_synthetic: int


class Cloud(VersionedRecord, frozen=True, kw_only=True):
    """Points of single records, thinned: for the custodian alone, and in no other record."""

    a: str
    b: str
    side: tuple[Literal["original", "synthetic", "retained", "filtered"], ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    n_original: int  # points there are, before thinning
    n_synthetic: int
