"""What `unveil.protect` did: every step with its own record, and what it left of the data.

All of it is confidential but for `statement`. Seeds stand in a record of their own, so that what a
custodian prints or keeps does not hold them by accident.
"""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion
from unveil.records.noise import Ecap, EcapRecords, Noise, NoiseChoice
from unveil.records.person import PersonColumn
from unveil.records.recoding import Recoding, Step
from unveil.records.synthesis import Synthesis, WrittenFile
from unveil.records.utility import Projection

# What `unveil.distance_filter` and `unveil.refill` did: figures over all rows, none of one row.


Metric = Literal["mahalanobis", "jaccard", "gower"]
Rule = Literal["paper", "strict"]
Ties = Literal["any", "first"]
Fill = Literal["exact", "simple", "pattern"]
Drop = Literal["auto", "refuse"]
Fault = Literal["constant", "all missing", "too many levels", "explained by others"]


class UnusableColumn(Record, frozen=True, kw_only=True):
    """A column that distances could not be taken on, and why."""

    column: str
    fault: Fault
    inflation: float | None = None  # variance inflation; None: infinite, or not the error
    condition: float | None = (
        None  # of the correlation matrix before it was dropped; None: likewise
    )
    partners: tuple[str, ...] = ()  # the columns that disclose it
    sentence: str


class UsedColumn(Record, frozen=True, kw_only=True):
    """A column that distances are taken on."""

    column: str
    kind: Literal["number", "ordinal", "category"]
    n_dimensions: int  # of a category: its levels less one
    inflation: float | None = None  # None where no covariance was estimated


class Shift(Record, frozen=True, kw_only=True):
    """One column of the synthetic file before and after the filter."""

    column: str
    kind: Literal["number", "category"]
    level: str | None  # of a category: the level whose share moved most
    before: float | None  # mean, or share of the level among the answers
    after: float | None
    difference: float | None  # in standard deviations before the filter
    missing_before: float | None  # shares
    missing_after: float | None
    is_large: bool


class DistanceFilter(VersionedRecord, frozen=True, kw_only=True):
    """What a filter kept: Chapelle and Falissard 2023, Algorithm 1."""

    files: tuple[str, ...]
    metric: Metric
    rule: Rule
    ties: Ties
    missing: Fill
    columns: tuple[str, ...]
    used: tuple[UsedColumn, ...]
    dropped_columns: tuple[UnusableColumn, ...]
    condition: float | None  # of the correlation matrix of what is used
    n_original: int
    person: PersonColumn | None = None  # whose row each original row is; None: rows are people
    time: str | None = None  # people with their rows in its order are the units, not rows
    n_people_near: int | None = None  # whose row is nearest to a refused one; None without person
    n_synthetic: int
    n_incomplete_original: int  # rows with a missing value in a column used
    n_incomplete_synthetic: int
    n_kept: int
    acceptance: float | None  # share kept; None of no rows
    n_refused_by_strict: int  # rows kept that the strict rule would refuse
    share_refused_by_strict: float | None  # of the rows kept
    n_close_unfiltered: float | None = None  # rows refused in a file as long without the filter
    shifts: tuple[Shift, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class RefillRound(Record, frozen=True, kw_only=True):
    """One round: rows drawn, and rows that the filter kept."""

    round: int
    drawn: int
    kept: int
    acceptance: float


class Refill(VersionedRecord, frozen=True, kw_only=True):
    """A synthetic file drawn and filtered in rounds until it had enough rows, or could not."""

    rows_wanted: int
    n_rows: int
    is_finished: bool
    stopped: Literal["enough rows", "nothing is kept", "cannot finish", "last round"]
    rows_to_draw: int | None  # expected to be needed for the rows still wanting; None: endless
    max_rounds: int
    rounds: tuple[RefillRound, ...]
    acceptance: float | None  # over all rounds
    metric: Metric
    rule: Rule
    ties: Ties
    missing: Fill
    columns: tuple[str, ...]
    dropped_columns: tuple[UnusableColumn, ...]
    n_original: int
    person: PersonColumn | None = None  # whose row each original row is; None: rows are people
    time: str | None = None  # people with their rows in its order are the units, not rows
    n_people_near: int | None = None  # whose row is nearest to a refused one; None without person
    n_refused_by_strict: int
    share_refused_by_strict: float | None
    n_close_unfiltered: float | None = None
    shifts: tuple[Shift, ...]  # all rows drawn, and the rows kept
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


# What was done to a finished copy: records taken out, numbers smoothed, marks put on it.


class RemovalRow(Record, frozen=True, kw_only=True):
    """The four counts of synthpop's `replicated.uniques`, and what was taken out of one copy."""

    copy: int
    n_original: int
    n_synthetic: int
    uniques_original: int  # original records, or people, alone with their keys
    uniques_synthetic: int  # records of the synthetic file alone with their keys
    uniques_in_original: int  # of those of the synthetic file, the ones whose keys the original has
    replicated: int  # of these, the ones that are alone in the original too
    n_removed: int
    n_left: int


class Removal(VersionedRecord, frozen=True, kw_only=True):
    """Which records of the copies were taken out: counts, no rows."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    uniques_of_original: bool  # whether all uniques whose keys the original has went
    person: PersonColumn | None = None  # whose keys of the original are counted; None: of records
    rows: tuple[RemovalRow, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class SmoothedColumn(Record, frozen=True, kw_only=True):
    """How smoothing moved the numbers of one column."""

    column: str
    n_values: int  # numbers that are no special codes
    n_changed: int  # in their first six digits
    mean_before: float | None  # the figures: None of fewer than five numbers
    mean_after: float | None
    sd_before: float | None
    sd_after: float | None
    mean_shift: float | None  # of the absolute changes
    note: str | None  # why nothing was smoothed
    warning: str | None  # that the numbers moved far


class Smoothing(VersionedRecord, frozen=True, kw_only=True):
    """Which columns were smoothed, and how far their numbers moved."""

    files: tuple[str, ...]
    rows: tuple[SmoothedColumn, ...]
    coercions: tuple[Coercion, ...]


class FakeMarks(VersionedRecord, frozen=True, kw_only=True):
    """How a data set says that it is fake."""

    n_records: int
    marker: str | None  # the column that says so in every row
    label: str
    note: str
    written: WrittenFile | None  # None where no file was asked for


Audience = Literal["closed", "registered", "open"]


class ProtectStep(Record, frozen=True, kw_only=True):
    """One step of the plan, and what it did in a sentence."""

    number: int
    do: str
    column: str | None  # None where the step is about more than one
    n_rows: int  # after it: of the original before the synthesis, of synthetic data from there on
    n_columns: int
    sentence: str


ProtectedBy = Literal["add_noise", "smooth", "recode", "drop"]


class GivenBack(Record, frozen=True, kw_only=True):
    """A column that a step protected and that columns beside it, or a later step, give back."""

    column: str
    by: ProtectedBy
    sources: tuple[str, ...]
    kind: Literal[
        "copy",
        "linear",
        "product",
        "terms",
        "curve",
        "lookup",
        "coarse",
        "together",
        "rule",
        "rounding",
    ]
    relation: str  # as the original obeys it, or the rule that set the column back
    n_rows: int  # that the step changed
    share: float  # of these, the rows that come back
    expected: float  # the same by a guess from the protected column alone
    hidden: float | None = None  # by how much the step typically moved a number
    error: float | None = None  # how far what comes back typically is from what was hidden
    sentence: str


class NoiseReason(Record, frozen=True, kw_only=True):
    """Why one column got as much noise as it did."""

    column: str
    sigma: float
    choice: NoiseChoice | None  # None where the custodian gave the amount
    ecap: Ecap | None  # with the noise that was added; None where no population was given


class SweepRow(Record, frozen=True, kw_only=True):
    """What copies by leaves of one size disclose, and how like the original they are."""

    min_leaf: int
    min_split: int
    is_used: bool  # whether the synthetic file was made with these leaves
    repU: float | None  # None without keys
    DiSCO: float | None  # mean over the targets; None without keys
    worst_DiSCO: float | None
    worst_target: str | None
    S_pMSE: float | None  # median over all pairs of columns; None where there is no pair


class StageAttack(Record, frozen=True, kw_only=True):
    """A simulated attack on one stage: means over secrets, or over both kinds of singling out."""

    attack: str
    n: int = 0  # attacks that the means are over
    success: float | None = None
    on_control: float | None = None  # None without a control sample
    R: float | None = None
    reason: str | None = None  # why it was not measured


class StageRow(Record, frozen=True, kw_only=True):
    """One stage: S1, S2, S3, or as much of S1 as S2 has rows."""

    stage: str
    n_rows: int
    too_close: float | None = None  # share that the filter refuses; None where none was used
    repU: float | None
    DiSCO: float | None  # mean over targets
    DiSCO_max: float | None
    DiSCO_max_target: str | None
    R: float | None  # of DiSCO; None without a control sample
    pMSE: float | None
    S_pMSE: float | None  # median over pairs of columns
    S_pMSE_max: float | None
    attacks: tuple[StageAttack, ...]
    overlap: float | None  # of intervals, mean over published results
    n_results: int


class StageTable(VersionedRecord, frozen=True, kw_only=True):
    """Risk, attacks, utility and replication after each step: Chapelle and Falissard 2023."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_control: int | None
    rows: tuple[StageRow, ...]
    projection: Projection | None = None  # retained and filtered people on the original's axes


class Protection(VersionedRecord, frozen=True, kw_only=True):
    """The four steps of Chapelle and Falissard 2023: recoding, synthesis, filter, noise."""

    files: tuple[str, ...]
    audience: Audience | None
    preset: str | None  # which leaves were proposed and why; None where the custodian's own count
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_recoded: int
    rows_wanted: int
    n_s1: int  # synthesis alone
    n_s2: int  # after the distance filter, and what else was done before noise
    n_s3: int  # the synthetic file
    steps: tuple[ProtectStep, ...]
    recoding: Recoding | None
    synthesis: Synthesis
    refill: Refill | None
    projection: Projection | None = None  # first rows drawn, retained and filtered; aggregates
    removal: Removal | None
    smoothing: tuple[Smoothing, ...]
    noise: Noise | None
    reasons: tuple[NoiseReason, ...]
    together: EcapRecords | None = None  # noised columns known together, or people by their rows
    given_back: tuple[GivenBack, ...] = ()  # what published columns undo
    n_close_after: int | None = None  # rows that steps after the filter brought too close again
    n_close_removed: int | None = (
        None  # of these taken out; the others got other noise. None: not asked
    )
    sweep: tuple[SweepRow, ...]
    stages: StageTable | None = None  # where they were measured
    is_seeded: bool  # whether the user gave a seed; seeds are in the confidential record alone
    statement: str  # public: class of method, kind and amount of noise; nothing else
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class ProtectionSeeds(Record, frozen=True, kw_only=True):
    """With these and the original the synthetic file can be made again."""

    seed: int  # the others come from it, unless the synthesis was given its own
    recode: int
    synthesise: int
    distance_filter: int
    add_noise: int
    sweep: int


class ConfidentialProtection(VersionedRecord, frozen=True, kw_only=True):
    """Everything about a protected copy, seeds and ECAP values among it."""

    note: str = "CONFIDENTIAL: keep this where the original is kept. It must not be released."
    seeds: ProtectionSeeds
    protection: Protection
    recipe: tuple[Step, ...] = ()  # the recodings with the limits and levels that were found
    copy_sha256: str | None = (
        None  # of the file of the synthetic file; None where none was written, or long ago
    )

    def is_of(self, n_rows: int, sha256: str) -> bool:
        """Whether a synthetic file is the one that this is the record of."""
        if self.copy_sha256 is None:
            return self.protection.n_s3 == n_rows
        return self.copy_sha256 == sha256
