"""What `unveil.compare_rounding` found: the risk and the loss of ways to publish, side by side."""

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__


class SchemeRow(Record, frozen=True, kw_only=True):
    """One table under one scheme; over draws of the scheme, where it draws."""

    table: str
    scheme: str
    N: int
    n_cells: int
    n_draws: int
    first_risk: int | None  # the smallest n at which `lower` is above 0 in some draw; None: none
    passes: int | None  # the smallest n at which `lower`, the mean over draws, is above threshold
    lower: tuple[float, ...]  # SAP(0..n_max), the mean over draws; certified from below
    upper: tuple[float, ...]
    spread: tuple[float, ...]  # its standard deviation over draws
    complete: bool  # whether every curve is exact
    mean_absolute: float | None  # of published against true cells; None where none is published
    hellinger: float | None
    n_suppressed: float  # cells, the mean over draws


class BandRow(Record, frozen=True, kw_only=True):
    """How many tables have a SAP in each band, for one scheme and one number of known people."""

    scheme: str
    n: int
    zero: int  # exactly 0
    bands: tuple[int, ...]  # above 0 and below 0.1; from 0.1 and below 0.2; ...; from 0.9 below 1
    one: int  # exactly 1
    n_open: int  # counted by their lower bound, for the upper one lies in another band


class SchemeSummary(Record, frozen=True, kw_only=True):
    """All tables under one scheme."""

    scheme: str
    n_tables: int
    first_risk: int | None  # the smallest over tables; earlier, perhaps, where not all is complete
    passes: int | None
    n_passing: int  # tables whose SAP certainly passes the threshold for some n up to n_max
    mean_sap: tuple[float, ...]  # the mean over tables of the lower bounds, for each n
    mean_absolute: float | None  # the mean over tables
    hellinger: float | None


class RoundingComparison(Record, frozen=True, kw_only=True):
    """Schemes on one table or on many: Smith and Elliot 2008, section 2.4 and Table 3."""

    schema: int = SCHEMA
    version: str = __version__
    schemes: tuple[str, ...]
    margins: tuple[str, ...]  # margins that are published as well, under the same scheme
    total: bool
    n_max: int
    threshold: float
    draws: int  # of schemes that draw
    seed: int | None  # None where nothing was drawn
    n_tables: int
    summaries: tuple[SchemeSummary, ...]
    rows: tuple[SchemeRow, ...]
    bands: tuple[BandRow, ...]
    notes: tuple[str, ...]
