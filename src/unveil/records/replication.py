"""What `unveil.replicate` found: published results on the original, and on the copies.

Prevalences and tables are percentages, means are in the column's own unit, coefficients as fitted.
All of it is computed on the original too: for the custodian alone.
"""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion

ResultKind = Literal["prevalence", "mean", "table", "regression"]
Unit = Literal["percent", "value", "coefficient"]
CopyOrAll = int | Literal["combined"]


class ReplicationRow(Record, frozen=True, kw_only=True):
    """One figure of a finding on the original and on synthetic data, or on all copies combined."""

    finding: str
    term: str  # the level, cell or coefficient
    unit: Unit
    copy: CopyOrAll
    original: float | None
    original_se: float | None
    original_low: float | None
    original_high: float | None
    original_n: int | None  # records it rests on
    original_count: int | None  # of them with the level
    synthetic: float | None
    synthetic_se: float | None  # scaled to the size of the original: sqrt(v k/n)
    synthetic_low: float | None
    synthetic_high: float | None
    synthetic_n: float | None  # means over copies where they are combined
    synthetic_count: float | None
    population_se: float | None  # for inference about the population, by the rule of the record
    population_low: float | None
    population_high: float | None
    difference: float | None  # synthetic - original
    ratio_of_counts: float | None  # the smaller over the larger
    overlap: float | None  # of the two intervals: 1 the same, negative where they are apart
    standardised_difference: float | None  # difference / original_se


class ReplicationCopy(Record, frozen=True, kw_only=True):
    """How well a synthetic file, or all combined, replicates a finding: means over its terms."""

    copy: CopyOrAll
    n_terms: int
    n_compared: int
    mean_overlap: float | None
    mean_standardised_difference: float | None  # of absolute values
    mean_ratio_of_counts: float | None


class ReplicatedResult(Record, frozen=True, kw_only=True):
    """A finding as it was declared, and how well it is replicated."""

    name: str
    kind: ResultKind
    where: str | None
    formula: str | None
    model: str | None  # of a regression
    copies: tuple[ReplicationCopy, ...]


class ReplicationNotMeasured(Record, frozen=True, kw_only=True):
    """Why a figure is None."""

    finding: str
    term: str | None  # None: the whole finding in this file
    copy: int | Literal["original", "combined"]
    reason: str


class Replication(VersionedRecord, frozen=True, kw_only=True):
    """Published results replicated on copies: the method of Purdam and Elliot 2007."""

    files: tuple[str, ...]
    n_original: int
    n_synthetic: tuple[int, ...]
    level: float
    synthesis: Literal["simple", "proper", "incomplete"]
    rule: str  # the variance for inference about the population
    stages: tuple[str, ...] = ()  # names of the files, where each is reported by itself
    findings: tuple[ReplicatedResult, ...]
    rows: tuple[ReplicationRow, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[ReplicationNotMeasured, ...]

    @property
    def headline_copy(self) -> CopyOrAll:
        """The synthetic file whose figures stand for all: the only one, or all combined."""
        return 1 if len(self.n_synthetic) == 1 else "combined"

    @property
    def headline_rows(self) -> tuple[ReplicationRow, ...]:
        """The rows of that copy; of every file where each is reported by itself."""
        if self.stages:
            return self.rows
        return tuple(row for row in self.rows if row.copy == self.headline_copy)

    def name_of(self, row: ReplicationRow, text: str) -> str:
        """What a row is called: with its stage, where files are reported by themselves."""
        return f"{text}, {self.stages[int(row.copy) - 1]}" if self.stages else text
