"""What `unveil.match_risk` found: how many share their keys with others, and who could be found."""

from typing import Literal

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.person import PeopleByKeys
from unveil.version import __version__

MatchRule = Literal["wildcard", "category"]
DiversityKind = Literal["distinct", "entropy", "recursive"]


class Anonymity(Record, frozen=True, kw_only=True):
    """Who breaks k-anonymity: records that fewer than k match by the keys, themselves included."""

    k: int
    n: int
    share: float


class AboveRisk(Record, frozen=True, kw_only=True):
    """How many records have an individual risk above a value."""

    above: float
    n: int
    share: float


class Diversity(Record, frozen=True, kw_only=True):
    """l-diversity of one kind: how varied the sensitive value is among those who match."""

    kind: DiversityKind
    lowest: float
    n_below_2: int
    n_below_3: int


class MatchRisk(Record, frozen=True, kw_only=True):
    """Frequencies and risk by keys: Franconi and Polettini 2004; Machanavajjhala et al. 2007."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    weights: str | None  # the column of sampling weights; None takes the data for the population
    sensitive: str | None
    missing: MatchRule
    alpha: float  # what a match counts that rests on a missing key of the other record
    recursive_c: float
    n_records: int
    n_q: int  # distinct key combinations, missing as a level
    n_population: float  # the sum of the weights
    people: PeopleByKeys | None = None  # None: every row is taken for a person
    k: float  # the smallest number of records that match a record, itself included
    anonymity: tuple[Anonymity, ...]
    expected_reidentifications: float  # the sum of the individual risks
    global_risk: float  # their mean
    highest_risk: float
    risks: tuple[AboveRisk, ...]
    diversity: tuple[Diversity, ...]  # empty without a sensitive column
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
