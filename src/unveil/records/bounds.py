"""What `unveil.bounds` and `unveil.audit` found: what a release allows, cell by cell."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__

Solver = Literal["network", "programme"]


class CellBounds(Record, frozen=True, kw_only=True):
    """One cell: how few and how many people the release allows in it."""

    cell: int  # its number, from 0, the last dimension fastest
    levels: tuple[str, ...]  # its level of each dimension
    lower: int
    upper: int | None  # None: nothing limits it from above
    tightest: bool  # whether both bounds are reached by tables that fit; False: time ran out
    recovered: bool  # nobody is in it, and the release gives that away
    structural: bool  # impossible; known to be empty, and no disclosure


class Bounds(Record, frozen=True, kw_only=True):
    """Tightest bounds of every cell of a release: Smith and Elliot 2008, section 2.3.3."""

    schema: int = SCHEMA
    version: str = __version__
    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]  # what is published, and how
    of_sample: bool
    cells: tuple[CellBounds, ...]
    n_cells: int
    n_determined: int  # possible cells whose count the release gives away
    n_recovered: int  # of them, those with nobody
    n_unbounded: int
    solver: Solver
    n_solves: int
    complete: bool  # whether all bounds are the tightest
    notes: tuple[str, ...]


class Audited(Record, frozen=True, kw_only=True):
    """One suppressed value, and how near the rest of the release leads to it."""

    part: str  # "table", "total", or the dimensions of a margin, joined by commas
    levels: tuple[str | None, ...]  # of each dimension; None where it is summed over
    lower: int
    upper: int | None
    exact: bool  # can be recomputed exactly
    within: bool  # can be estimated within the percentage that was asked for
    percent: (
        float | None
    )  # the largest error, of its count, of one who takes the bounds; None: none
    tightest: bool


class Audit(Record, frozen=True, kw_only=True):
    """Whether what a table suppresses can be recomputed from what it publishes."""

    schema: int = SCHEMA
    version: str = __version__
    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]
    of_sample: bool
    protection: float  # the percentage asked for
    rows: tuple[Audited, ...]
    n_suppressed: int
    n_exact: int
    n_within: int  # those recomputed exactly among them
    solver: Solver
    complete: bool
    notes: tuple[str, ...]
