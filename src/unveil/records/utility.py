"""What `unveil.utility` found: can a model tell the records of a copy from those of the original?

Figures over all records, none of a single one.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion, NotMeasured
from unveil.version import __version__

Model = Literal["cart", "logit"]


class UtilityRow(Record, frozen=True, kw_only=True):
    """How well one copy and the original are told apart: Raab, Nowok and Dibben 2021."""

    copy: int
    model: Model
    pMSE: float
    S_pMSE: float | None  # 1 is what chance gives a copy drawn from the true model
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


class Utility(Record, frozen=True, kw_only=True):
    """How well copies and original are told apart, a row for each copy."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    columns: tuple[str, ...]
    model: Model
    interactions: int  # how many variables a term of the logistic model joins at most
    seed: int | None  # None: nothing was drawn
    n_original: int
    n_synthetic: tuple[int, ...]
    rows: tuple[UtilityRow, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]
