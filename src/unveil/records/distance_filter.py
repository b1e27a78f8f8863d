"""What `unveil.distance_filter` and `unveil.refill` did: figures over all rows, none of one row."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__

Metric = Literal["mahalanobis", "jaccard", "gower"]
Rule = Literal["paper", "strict"]
Ties = Literal["any", "first"]
Fill = Literal["exact", "simple"]
Drop = Literal["auto", "refuse"]
Fault = Literal["constant", "all missing", "too many levels", "explained by others"]


class DroppedColumn(Record, frozen=True, kw_only=True):
    """A column that distances could not be taken on, and why."""

    column: str
    fault: Fault
    inflation: float | None = None  # variance inflation; None: infinite, or not the fault
    condition: float | None = (
        None  # of the correlation matrix before it was dropped; None: likewise
    )
    partners: tuple[str, ...] = ()  # the columns that give it away
    sentence: str


class UsedColumn(Record, frozen=True, kw_only=True):
    """A column that distances are taken on."""

    column: str
    kind: Literal["number", "ordinal", "category"]
    n_dimensions: int  # of a category: its levels less one
    inflation: float | None = None  # None where no covariance was estimated


class Shift(Record, frozen=True, kw_only=True):
    """One column of the copy before and after the filter."""

    column: str
    kind: Literal["number", "category"]
    level: str | None  # of a category: the level whose share moved most
    before: float | None  # mean, or share of the level among the answers
    after: float | None
    difference: float | None  # in standard deviations before the filter
    missing_before: float | None  # shares
    missing_after: float | None
    is_large: bool


class DistanceFilter(Record, frozen=True, kw_only=True):
    """What a filter kept: Chapelle and Falissard 2023, Algorithm 1."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    metric: Metric
    rule: Rule
    ties: Ties
    missing: Fill
    columns: tuple[str, ...]
    used: tuple[UsedColumn, ...]
    dropped_columns: tuple[DroppedColumn, ...]
    condition: float | None  # of the correlation matrix of what is used
    n_original: int
    n_synthetic: int
    n_incomplete_original: int  # rows with a missing value in a column used
    n_incomplete_synthetic: int
    n_kept: int
    acceptance: float | None  # share kept; None of no rows
    n_refused_by_strict: int  # rows kept that the strict rule would refuse
    share_refused_by_strict: float | None  # of the rows kept
    shifts: tuple[Shift, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class RefillRound(Record, frozen=True, kw_only=True):
    """One round: rows drawn, and rows that the filter kept."""

    round: int
    drawn: int
    kept: int
    acceptance: float


class Refill(Record, frozen=True, kw_only=True):
    """A copy drawn and filtered in rounds until it had enough rows, or could not."""

    schema: int = SCHEMA
    version: str = __version__
    rows_wanted: int
    n_rows: int
    is_finished: bool
    stopped: Literal["enough rows", "nothing is kept", "cannot finish", "last round"]
    rows_to_draw: int | None  # expected to be needed for the rows still wanting; None: endless
    max_rounds: int
    rounds: tuple[RefillRound, ...]
    acceptance: float | None  # over all rounds
    metric: Metric
    rule: Rule
    ties: Ties
    missing: Fill
    columns: tuple[str, ...]
    dropped_columns: tuple[DroppedColumn, ...]
    n_original: int
    n_refused_by_strict: int
    share_refused_by_strict: float | None
    shifts: tuple[Shift, ...]  # all rows drawn, and the rows kept
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]
