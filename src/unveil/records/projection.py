"""What `unveil.projection` found: two axes of the original, and where files lie on them.

Places of single records are in the result's frame, never in here.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__

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


class Projection(Record, frozen=True, kw_only=True):
    """Original and copies on the first two principal components of the original."""

    schema: int = SCHEMA
    version: str = __version__
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
