"""What `unveil.utility` found: can a model tell synthetic records from those of the original?

Figures over all records, none of a single one.
"""

from typing import Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import Coercion, NotMeasured

# What the tables of `unveil.pair_tables` say: how far are synthetic counts from the original's?
#
# Figures over tables and cells of tables; cells can be small and are for the custodian alone.


class TableRow(Record, frozen=True, kw_only=True):
    """One table of the original beside that of a synthetic file: Raab, Nowok and Dibben 2021."""

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
    expected: float  # in the synthetic file, if it were like the original
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


class PairTables(VersionedRecord, frozen=True, kw_only=True):
    """All one-, two- or three-way tables of original and copies, compared."""

    files: tuple[str, ...]
    variables: tuple[str, ...]
    ways: int
    groups: int
    n_original: int
    n_synthetic: tuple[int, ...]
    rows: tuple[TableRow, ...]
    scores: tuple[VariableScore, ...]  # the highest first, by copy
    worst: tuple[WorstTable, ...]  # the tables with the highest S_pMSE, and their cells
    groupings: tuple[Grouping, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    def list_tables(self, copy: int) -> tuple[TableRow, ...]:
        """The tables of one copy."""
        return tuple(row for row in self.rows if row.copy == copy)


# What `unveil.projection` found: two axes of the original, and where files lie on them.
#
# Places of single records are in the result's frame, never in here.


Mark = Literal["retained", "filtered"]


class Component(Record, frozen=True, kw_only=True):
    """One axis: how much of the original's spread it explains, and how it was found."""

    number: int
    explained: float  # share of the sum of squares, 0 to 1
    n_iterations: int
    converged: bool


class Loading(Record, frozen=True, kw_only=True):
    """How much a number, or a level of a category, pulls along the two axes."""

    column: str
    level: str | None  # None: a number
    PC1: float
    PC2: float


class DroppedColumn(Record, frozen=True, kw_only=True):
    """A column that takes no part, and why."""

    column: str
    reason: str


class ProjectedGroup(Record, frozen=True, kw_only=True):
    """Where one file lies on the axes, or the marked units of one."""

    side: Literal["original", "synthetic"]
    copy: int | None  # None for the original
    mark: Mark | None  # None: all of them
    n: int
    n_unplaced: int  # records with nothing but missing values
    mean_1: float | None
    mean_2: float | None
    sd_1: float | None
    sd_2: float | None


class Projection(VersionedRecord, frozen=True, kw_only=True):
    """Original and copies on the first two principal components of the original."""

    files: tuple[str, ...]
    columns: tuple[str, ...]  # that take part
    dropped_columns: tuple[DroppedColumn, ...]
    n_original: int
    n_synthetic: tuple[int, ...]
    n_missing: int  # cells of the original that are missing in the columns that take part
    n_fitted: int  # records of the original that the axes were found from; fewer in a large one
    components: tuple[Component, Component]
    loadings: tuple[Loading, ...]
    rows: tuple[ProjectedGroup, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


# What `unveil.tstr` found: how well a model made on copies predicts real people's outcome.


OutcomeKind = Literal["classification", "regression"]
ModelKind = Literal["logistic", "linear", "tree"]
TrainedOn = Literal["synthetic", "original", "constant"]


class TstrRow(Record, frozen=True, kw_only=True):
    """How well one model predicts; None where the measure does not apply or is not defined."""

    trained_on: TrainedOn  # "constant": no model, the commonest class or the mean of the original
    copy: Copy | None  # None unless made on a synthetic file
    n_trained: int | float
    n_tested: int
    accuracy: float | None
    balanced_accuracy: float | None
    AUC: float | None
    log_loss: float | None
    R2: float | None
    RMSE: float | None
    MAE: float | None
    headline_sd: float | None  # of AUC or R2 over folds; None with a control


class Tstr(VersionedRecord, frozen=True, kw_only=True):
    """Train on synthetic, test on real, beside train on real and beside a constant guess."""

    files: tuple[str, ...]
    outcome: str
    predictors: tuple[str, ...]
    kind: OutcomeKind
    model: ModelKind
    tested_on: Literal["control", "folds"]
    folds: int | None  # None with a control
    seed: int
    n_original: int
    n_synthetic: tuple[int, ...]
    n_control: int | None
    n_left_out: tuple[int, ...]  # records without the outcome: original, copies, control
    n_classes: int | None
    rows: tuple[TstrRow, ...]
    headline: Literal["AUC", "R2"]
    lost: float | None  # headline of the original's model less that of the copies', on average
    share_kept: float | None  # of what the original's model gains over a guess; None: it gains none
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    def row_of(self, trained_on: TrainedOn, copy: Copy | None = None) -> TstrRow:
        """One of the rows."""
        found = (row for row in self.rows if row.trained_on == trained_on and row.copy == copy)
        return next(found)


Model = Literal["cart", "logit"]


class UtilityRow(Record, frozen=True, kw_only=True):
    """How well one copy and the original are told apart: Raab, Nowok and Dibben 2021."""

    copy: int
    model: Model
    pMSE: float
    pMSE_error: float | None = None  # of a sample: how much it varies; None: all were compared
    S_pMSE: float | None  # 1 is what chance gives a synthetic file drawn from the true model
    S_pMSE_error: float | None  # its Monte Carlo error; 0 for the closed form
    S_pMSE_pairs: float | None  # against the other copies, where there are several
    SPECKS: float
    PO50: float  # percentage points above 50
    U: float
    S_SPECKS_pairs: float | None  # these three are standardised by pairs of copies only
    S_PO50_pairs: float | None
    S_U_pairs: float | None
    df: int | None  # parameters of the logistic model without the intercept
    n_leaves: int | None
    n_permutations: int | None
    is_separated: bool  # logistic model: some records are told apart with certainty; tree: all are


class Utility(VersionedRecord, frozen=True, kw_only=True):
    """How well copies and original are told apart, a row for each copy."""

    files: tuple[str, ...]
    columns: tuple[str, ...]
    model: Model
    interactions: int  # how many variables a term of the logistic model joins at most
    seed: int | None  # None: nothing was drawn
    sample: int | None = None  # records of the largest file that were compared; None: all of them
    n_original: int
    n_synthetic: tuple[int, ...]
    rows: tuple[UtilityRow, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]
