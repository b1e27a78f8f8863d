"""What SUDA and match risk found: who is unique, through which keys, and who could be matched."""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.records.person import PeopleByKeys

# What `unveil.match_risk` found of copies whose rows stand for the rows of the original.


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
    expected_match_risk: float  # how many would correctly be found: the sum of I / c
    expected_match_rate: float  # the same, as a share of all records
    perceived_match_rate: float  # n_unique as a share of all records
    true_match_rate: float  # n_true as a share of all records
    false_match_rate: float | None  # n_false as a share of n_unique; None where there is none


class AlignedMatch(VersionedRecord, frozen=True, kw_only=True):
    """Identification risk of partially synthetic copies: Reiter and Mitra (2009)."""

    files: tuple[str, ...]  # the original's, then the copies'
    keys: tuple[str, ...]
    tolerances: tuple[KeyTolerance, ...]
    n_records: int
    n_copies: int
    rows: tuple[AlignedMatchRow, ...]  # one for each copy; of several copies also all pooled
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]

    @property
    def headline(self) -> AlignedMatchRow:
        """The row of all copies pooled, or of the only one."""
        return self.rows[-1]


# What `unveil.match_risk` found: how many share their keys with others, and who could be found.


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


class MatchRisk(VersionedRecord, frozen=True, kw_only=True):
    """Frequencies and risk by keys: Franconi and Polettini 2004; Machanavajjhala et al. 2007."""

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
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]


# What `unveil.suda` found: how many people are alone, with how few keys, and through which.


ScoreKind = Literal["original", "normalised"]
MissingRule = Literal["exclude", "category"]


class KeyContribution(Record, frozen=True, kw_only=True):
    """How much one key takes part in what makes people unique."""

    key: str
    n_msu: int  # minimal sample uniques the key is in
    percent: float | None  # of the sum of scores; None where no one has a score


class MsuSize(Record, frozen=True, kw_only=True):
    """The minimal sample uniques of one size."""

    size: int  # keys in the set
    n_msu: int
    n_records: int  # records with at least one of this size and none that is smaller


class SudaNotMeasured(Record, frozen=True, kw_only=True):
    """Why a DIS is None."""

    field: str
    reason: str


class Suda(VersionedRecord, frozen=True, kw_only=True):
    """Special uniques of one data set: Elliot, Manning and Ford 2002; Elliot 2000 for DIS."""

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
    special_threshold: float | None  # None where no one has a score
    n_msu: int
    sizes: tuple[MsuSize, ...]
    dis_file: float | None  # None where no one is alone or in a pair
    dis_highest: float | None  # None where records have no DIS: more than 27 keys
    contributions: tuple[KeyContribution, ...]  # part of each key in what makes people unique
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[SudaNotMeasured, ...]
