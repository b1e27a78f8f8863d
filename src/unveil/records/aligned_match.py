"""What `unveil.match_risk` found of copies whose rows stand for the rows of the original."""

from typing import Literal

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__


class KeyTolerance(Record, frozen=True, kw_only=True):
    """By how much a number may be off and still be taken for a match."""

    key: str
    tolerance: float


class AlignedMatchRow(Record, frozen=True, kw_only=True):
    """Matches of every original record in one copy, or in all copies together."""

    copy: int | Literal["pooled"]
    n_matched: int  # records that have at least one candidate
    n_unique: int  # records that have exactly one
    n_true: int  # of these, the one is their own row
    n_false: int  # of these, it is another
    expected_match_risk: float  # how many would rightly be found: the sum of I / c
    expected_match_rate: float  # the same, as a share of all records
    perceived_match_rate: float  # n_unique as a share of all records
    true_match_rate: float  # n_true as a share of all records
    false_match_rate: float | None  # n_false as a share of n_unique; None where there is none


class AlignedMatch(Record, frozen=True, kw_only=True):
    """Identification risk of partially synthetic copies: Reiter and Mitra (2009)."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # the original's, then the copies'
    keys: tuple[str, ...]
    tolerances: tuple[KeyTolerance, ...]
    n_records: int
    n_copies: int
    rows: tuple[AlignedMatchRow, ...]  # one for each copy; of several copies also all pooled
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]

    @property
    def headline(self) -> AlignedMatchRow:
        """The row of an intruder who has all copies."""
        return self.rows[-1]
