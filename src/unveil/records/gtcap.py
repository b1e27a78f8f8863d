"""What `unveil.gtcap` found: figures over all statistical uniques, none of a single one.

Shares and scores, not percentages; 0 is a guess by frequencies and 1 what the original gives away.
"""

from typing import Literal

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.copies import Copy
from unveil.records.disclosure import Coercion, NotMeasured
from unveil.version import __version__

UniqueRule = Literal["all_keys", "key", "joint", "equal"]
Coefficient = Literal["mean", "product", "minimum"]


class Radius(Record, frozen=True, kw_only=True):
    """How far apart two values of a column may be and still count as near."""

    column: str
    radius: float


class GtcapCopy(Record, frozen=True, kw_only=True):
    """The figures of one copy, of the mean over copies, or of all copies pooled."""

    copy: Copy
    n_unmatched: int | float  # uniques with no record near: their score is 0
    mean_synthetic: float | None  # means over all uniques
    mean_baseline: float | None
    mean_original: float | None
    mean: float | None  # of the normalised scores, over the uniques that are not dropped
    ratio_of_means: float | None  # of the three means, over all uniques


class GtcapBin(Record, frozen=True, kw_only=True):
    """How many uniques have a normalised score from `low` up to, and without, `high`."""

    low: float | None  # None: no end
    high: float | None
    n: int


class UniqueScore(Record, frozen=True, kw_only=True):
    """The scores of one statistical unique: for the custodian's eyes only, and in no view."""

    row: int  # its place in the original, from 0
    synthetic: float
    baseline: float
    original: float
    normalised: float | None  # None: dropped, because original and baseline are the same


class Gtcap(Record, frozen=True, kw_only=True):
    """GTCAP of a copy, or of several pooled: Chapelle and Falissard 2023, Algorithm 2."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: tuple[str, ...]  # taken jointly
    radii: tuple[Radius, ...]
    unique_rule: UniqueRule
    coefficient: Coefficient
    n_original: int
    n_synthetic: tuple[int, ...]
    n_unique: int
    n_dropped: int
    n_unmatched: int
    mean: float | None
    ratio_of_means: float | None
    copies: tuple[GtcapCopy, ...]
    histogram: tuple[GtcapBin, ...]  # of the normalised scores that `mean` is the mean of
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    @property
    def headline_copy(self) -> Copy:
        """The copy that the figures of the record are of: the only one, or all pooled."""
        return 1 if len(self.n_synthetic) == 1 else "pooled"

    def of_copy(self, copy: Copy) -> GtcapCopy:
        """The figures of one copy, of the mean, or of all pooled."""
        return next(row for row in self.copies if row.copy == copy)
