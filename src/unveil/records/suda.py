"""What `unveil.suda` found: how many people are alone, with how few keys, and through which."""

from typing import Literal

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.person import PeopleByKeys
from unveil.version import __version__

ScoreKind = Literal["original", "normalised"]
MissingRule = Literal["exclude", "category"]


class KeyContribution(Record, frozen=True, kw_only=True):
    """How much one key takes part in what makes people unique."""

    key: str
    n_msu: int  # minimal sample uniques the key is in
    percent: float | None  # of the sum of scores; None where nobody has a score


class MsuSize(Record, frozen=True, kw_only=True):
    """The minimal sample uniques of one size."""

    size: int  # keys in the set
    n_msu: int
    n_records: int  # records with at least one of this size and none that is smaller


class SudaNotMeasured(Record, frozen=True, kw_only=True):
    """Why a DIS is None."""

    field: str
    reason: str


class Suda(Record, frozen=True, kw_only=True):
    """Special uniques of one data set: Elliot, Manning and Ford 2002; Elliot 2000 for DIS."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    scores: ScoreKind
    missing: MissingRule
    max_msu: int | None  # the largest size searched for; None is all
    dis_fraction: float  # the share of the population that is taken to be in the data
    quantile: float  # from which on a score is special, among those above 0
    n_records: int
    n_q: int  # distinct key combinations
    n_uniques: int  # records alone with all their keys, missing counted as a level
    people: PeopleByKeys | None = None  # None: every row is taken for a person
    n_in_pairs: int  # records whose keys exactly one other has
    n_scored: int  # records with a score above 0
    n_special: int
    special_threshold: float | None  # None where nobody has a score
    n_msu: int
    sizes: tuple[MsuSize, ...]
    dis_file: float | None  # None where nobody is alone or in a pair
    dis_highest: float | None  # None where records have no DIS: more than 27 keys
    contributions: tuple[KeyContribution, ...]
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[SudaNotMeasured, ...]
