"""What was done to a finished copy: records taken out, numbers smoothed, marks put on it."""

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.written import Written
from unveil.version import __version__


class RemovalRow(Record, frozen=True, kw_only=True):
    """The four counts of synthpop's `replicated.uniques`, and what was taken out of one copy."""

    copy: int
    n_original: int
    n_synthetic: int
    uniques_original: int  # original records alone with their keys
    uniques_synthetic: int  # records of the copy alone with their keys
    uniques_in_original: int  # of those of the copy, the ones whose keys the original has
    replicated: int  # of these, the ones that are alone in the original too
    n_removed: int
    n_left: int


class Removal(Record, frozen=True, kw_only=True):
    """Which records of the copies were taken out: counts, no rows."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    uniques_of_original: bool  # whether all uniques whose keys the original has went
    rows: tuple[RemovalRow, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class SmoothedColumn(Record, frozen=True, kw_only=True):
    """How smoothing moved the numbers of one column."""

    column: str
    n_values: int  # numbers that are no special codes
    n_changed: int  # in their first six digits
    mean_before: float | None  # the figures: None of fewer than five numbers
    mean_after: float | None
    sd_before: float | None
    sd_after: float | None
    mean_shift: float | None  # of the absolute changes
    note: str | None  # why nothing was smoothed
    warning: str | None  # that the numbers moved far


class Smoothing(Record, frozen=True, kw_only=True):
    """Which columns were smoothed, and how far their numbers moved."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    rows: tuple[SmoothedColumn, ...]
    coercions: tuple[Coercion, ...]


class FakeMarks(Record, frozen=True, kw_only=True):
    """How a data set says that it is fake."""

    schema: int = SCHEMA
    version: str = __version__
    n_records: int
    marker: str | None  # the column that says so in every row
    label: str
    note: str
    written: Written | None  # None where no file was asked for
