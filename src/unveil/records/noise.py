"""What `unveil.add_noise` did: how much noise to which column, and what it changed.

Confidential but for `statement`, which is made to be published.
"""

from typing import Any, Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.person import PersonColumn

# What `unveil.ecap` and `unveil.choose_noise` found: how sure a claim of membership would be.
#
# ECAP values must not be published (Chapelle and Falissard): an attacker could turn Equation 1
# round.


class Ecap(VersionedRecord, frozen=True, kw_only=True):
    """ECAP of released values under one amount of noise: Chapelle and Falissard, Equation 1."""

    population: str
    N: int
    n: int
    noise: str
    sigma: float
    discrete: bool
    sampling: str = "equation 1"  # people drawn with replacement, or without
    limit: float  # what no noise can go below
    n_values: int
    n_missing: int
    n_distinct: int
    n_undefined: int  # values where nothing could be claimed: p = b = 0
    worst: float | None  # the highest ECAP; None where all are undefined
    worst_place: int | None  # the first of them, from 0
    threshold: float | None
    n_above: int | None  # values above the threshold
    top_code: float | None  # the highest value within the threshold, where some are beyond
    bottom_code: float | None
    warnings: tuple[str, ...]  # what should be known before these figures are relied on


class CurveRow(Record, frozen=True, kw_only=True):
    """The highest ECAP at one amount of noise."""

    sigma: float
    ecap: float
    quotient: float | None  # (ecap - the one before) / (sigma - the one before)


class SensitivityRow(Record, frozen=True, kw_only=True):
    """How much noise another population would need: Chapelle and Falissard, Figures 6 and 7."""

    what: Literal["N", "spread"]
    factor: float
    N: int
    population: str
    sigma: float | None  # None: see reason
    reason: str | None
    curve: tuple[CurveRow, ...]  # at every second amount of the choice's own curve


class NoiseChoice(VersionedRecord, frozen=True, kw_only=True):
    """The least noise with which no released value has an ECAP above the threshold."""

    population: str
    N: int
    n: int
    noise: str
    discrete: bool
    threshold: float
    sampling: str = "equation 1"
    limit: float
    n_values: int
    n_missing: int
    n_distinct: int
    sigma: float | None  # None where no noise is enough
    sigma_to_use: float | None  # the next of 1, 2, 5, 10, ...: the exact one would tell too much
    worst: float | None  # the highest ECAP at sigma
    worst_place: int | None
    sigma_without_tail: float | None  # what all but the tail values need, where they need far less
    n_tail: int
    tail_places: tuple[int, ...]  # the first of them, from 0
    top_code: float | None  # with values cut off here sigma_without_tail is enough for all
    bottom_code: float | None
    curve: tuple[CurveRow, ...]
    sensitivity: tuple[SensitivityRow, ...]
    warnings: tuple[str, ...]  # what should be known before the noise is relied on


class LevelEcap(Record, frozen=True, kw_only=True):
    """ECAP of one whole number."""

    level: int
    p: float
    b: float
    ecap: float | None


class DiscreteEcap(VersionedRecord, frozen=True, kw_only=True):
    """ECAP of whole numbers under integer noise."""

    N: int
    n: int
    sampling: str = "equation 1"
    limit: float  # what no noise can go below
    worst: float | None
    levels: tuple[LevelEcap, ...]


class KnownColumn(Record, frozen=True, kw_only=True):
    """A column that an intruder knows, its noise, and the highest ECAP if it alone is known."""

    column: str
    noise: str
    sigma: float
    keeps_variance: bool
    decimals: int | None
    worst: float | None


class EcapRecords(VersionedRecord, frozen=True, kw_only=True):
    """ECAP of records of which several columns are known together, among people who are known."""

    files: tuple[str, ...]
    person: PersonColumn | None  # whose row each row is; None: rows are people
    N: int
    n: int
    n_people: int  # who are known: all N, or a sample that stands for them
    is_listed: bool  # all are known, and every sample of them is counted
    sampling: str
    limit: float
    n_records: int
    n_undefined: int
    columns: tuple[KnownColumn, ...]
    worst: float | None
    worst_place: int | None
    threshold: float | None
    n_above: int | None
    factor: float | None  # so many times the noise of every column is enough; None: none is
    warnings: tuple[str, ...]


class NumberSummary(Record, frozen=True, kw_only=True):
    """How the values of a column are distributed; all None where there is none."""

    mean: float | None
    sd: float | None
    minimum: float | None
    quarter: float | None
    median: float | None
    three_quarters: float | None
    maximum: float | None


class Displacement(Record, frozen=True, kw_only=True):
    """How far values were moved: Chapelle and Falissard, Figure 8."""

    mean: float
    sd: float
    mean_absolute: float
    largest: float  # in either direction


class Bin(Record, frozen=True, kw_only=True):
    """How many values lie in an interval: Chapelle and Falissard, Figure 9."""

    lower: float
    upper: float
    n_before: int
    n_after: int


class NoisedColumn(Record, frozen=True, kw_only=True):
    """What was done to one column."""

    column: str
    noise: str
    sigma: float
    keeps_variance: bool = False  # drawn towards the mean so that the variance is kept
    decimals: int | None  # rounded to so many; None where not rounded
    lowest: float | None  # set to these where beyond; None where that side is not clipped
    highest: float | None
    n_values: int  # numbers that noise was added to
    n_missing: int
    n_codes: int  # codes for missing values, kept as they are
    n_changed: int
    n_clipped: int
    n_redrawn: int  # would have become codes for missing values: their noise was drawn again
    displacement: Displacement | None  # None where there was no number
    before: NumberSummary
    after: NumberSummary
    bins: tuple[Bin, ...]

    def flat(self) -> dict[str, Any]:
        """What was done, the displacement beside; without the two distributions."""
        row = self.to_dict()
        for nested in ("before", "after", "bins"):
            row.pop(nested)
        return {**row, **(row.pop("displacement") or {})}


class NotNeeded(Record, frozen=True, kw_only=True):
    """A column that the custodian declared to need no noise, and why."""

    column: str
    reason: str


class Noise(VersionedRecord, frozen=True, kw_only=True):
    """Noise that was added to the numbers of a synthetic file."""

    files: tuple[str, ...]
    n_rows: int
    columns: tuple[NoisedColumn, ...]
    not_needed: tuple[NotNeeded, ...]
    undeclared: tuple[str, ...]  # columns of numbers about which nothing was said
    statement: str  # public: kind and amount of noise, rounding and clipping, nothing else
    warnings: tuple[str, ...]
