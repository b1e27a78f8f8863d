"""What the tables of `unveil.tables` say: how far do counts of a copy lie from the original's?

Figures over tables and cells of tables; cells can be small and are for the custodian's eyes.
"""

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion, NotMeasured
from unveil.version import __version__


class TableRow(Record, frozen=True, kw_only=True):
    """One table of the original beside that of a copy: Raab, Nowok and Dibben 2021."""

    copy: int
    variables: tuple[str, ...]
    df: int  # cells that are not empty in both, less one
    VW: float
    FT: float
    JSD: float
    G: float | None  # None: no cell is filled in both
    dfG: int | None
    pMSE: float
    S_pMSE: float | None  # None: one cell only
    SPECKS: float
    PO50: float
    U: float
    MabsDD: float
    WMabsDD: float
    dBhatt: float
    S_FT: float | None
    S_JSD: float | None
    S_G: float | None
    S_WMabsDD: float | None

    def __post_init__(self) -> None:
        """Nothing to make plain: rows come by the thousand, from lists of plain numbers."""


class VariableScore(Record, frozen=True, kw_only=True):
    """The mean of S_pMSE over all tables a variable is in."""

    copy: int
    variable: str
    n_tables: int  # so many have an S_pMSE
    S_pMSE: float | None


class TableCell(Record, frozen=True, kw_only=True):
    """One cell of a table; None among its levels is missing."""

    levels: tuple[str | None, ...]
    n_original: int
    n_synthetic: int
    expected: float  # in the copy, if it were like the original
    z: float  # (n_synthetic - original's count, scaled) / root of what both together let expect

    def __post_init__(self) -> None:
        """Nothing to make plain: cells come by the hundred, plain."""


class WorstTable(Record, frozen=True, kw_only=True):
    """One of the tables with the highest S_pMSE, and its cells, the farthest apart first."""

    copy: int
    variables: tuple[str, ...]
    S_pMSE: float
    n_cells: int
    cells: tuple[TableCell, ...]  # no more than 100


class Grouping(Record, frozen=True, kw_only=True):
    """Into which groups the numbers of a column were put."""

    variable: str
    breaks: tuple[float, ...]  # dates in days from 1970
    levels: tuple[str | None, ...]


class PairTables(Record, frozen=True, kw_only=True):
    """All one-, two- or three-way tables of original and copies, compared."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    variables: tuple[str, ...]
    ways: int
    groups: int
    n_original: int
    n_synthetic: tuple[int, ...]
    rows: tuple[TableRow, ...]
    scores: tuple[VariableScore, ...]  # the highest first, by copy
    worst: tuple[WorstTable, ...]
    groupings: tuple[Grouping, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    def of_copy(self, copy: int) -> tuple[TableRow, ...]:
        """The tables of one copy."""
        return tuple(row for row in self.rows if row.copy == copy)
