"""What `unveil.exclusion_table` found: the figures under one set of exclusions after another."""

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__


class ExclusionColumn(Record, frozen=True, kw_only=True):
    """One column of Raab's Table 2: what is left out."""

    column: int
    title: str
    exclude: tuple[str, ...]


class ExclusionTableRow(Record, frozen=True, kw_only=True):
    """One target in one column: what the original gives away, and what the copy does."""

    target: str
    column: int
    original: float | None
    synthetic: float | None
    n: float | None  # people behind `synthetic`; a mean over copies may be no whole number


class ExclusionTable(Record, frozen=True, kw_only=True):
    """Raab 2024, Table 2: five sets of exclusions side by side."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    measure: str  # of the copy
    measure_original: str  # of the original: Dorig, or CAPd beside DCAP
    n_original: int
    n_synthetic: tuple[int, ...]
    columns: tuple[ExclusionColumn, ...]
    rows: tuple[ExclusionTableRow, ...]
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
