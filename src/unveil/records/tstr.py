"""What `unveil.tstr` found: how well a model made on copies predicts real people's outcome."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.copies import Copy
from unveil.records.disclosure import Coercion, NotMeasured
from unveil.version import __version__

OutcomeKind = Literal["classification", "regression"]
ModelKind = Literal["logistic", "linear", "tree"]
TrainedOn = Literal["synthetic", "original", "constant"]


class TstrRow(Record, frozen=True, kw_only=True):
    """How well one model predicts; None where the measure does not apply or is not defined."""

    trained_on: TrainedOn  # "constant": no model, the commonest class or the mean of the original
    copy: Copy | None  # None unless made on a copy
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


class Tstr(Record, frozen=True, kw_only=True):
    """Train on synthetic, test on real, beside train on real and beside a constant guess."""

    schema: int = SCHEMA
    version: str = __version__
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
