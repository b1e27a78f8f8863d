"""What simulated attacks found: one row for each attack, the same fields for all of them.

Rates and risks are shares, 0 to 1. ``None`` means not measurable; the row's warnings say why.
Successes are expectations where ties are broken at random, so they need not be whole numbers.
"""

from typing import Any, Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion
from unveil.records.person import PersonColumn

AttackName = Literal[
    "singling_out_univariate", "singling_out_multivariate", "linkability", "inference"
]
Interval = tuple[float, float]

_INTERVALS = ("main_interval", "naive_interval", "control_interval", "interval", "interval_delta")


class AttackRow(Record, frozen=True, kw_only=True):
    """One attack: against the original (main), uninformed (naive), and against others (control)."""

    attack: AttackName
    target: str | None = None  # the secret that is guessed; None where there is none
    group: str | None = None  # the value of the secret, where the row is of those who have it
    keys: tuple[str, ...] = ()  # what the intruder knows; for linkability, in the first file
    other_keys: tuple[str, ...] = ()  # for linkability, what they know in the second file
    n_requested: int | None  # None: as many as there are
    n_found: int  # attacks made: records attacked, or predicates found
    n_control: int | None  # attacks on the control; None without one
    main_successes: float
    naive_successes: float
    control_successes: float | None
    main: float | None  # Wilson centres; None where nothing was attacked
    naive: float | None
    control: float | None
    main_interval: Interval | None  # Wilson
    naive_interval: Interval | None
    control_interval: Interval | None
    R: float | None  # (main - control) / (1 - control), below 0 where it falls there
    interval: Interval | None  # of R by bootstrap over what is attacked; without control, of main
    interval_delta: Interval | None  # of R by the delta method; without control, Wilson's of main
    level: float
    method: str  # how the successes were found, in a word or two
    warnings: tuple[str, ...] = ()

    @property
    def risk(self) -> float | None:
        """R where there is a control, else the rate of the main attack."""
        return self.main if self.control is None else self.R

    def flat(self) -> dict[str, Any]:
        """The row as single figures, each interval as its two ends."""
        row = self.to_dict()
        for name in _INTERVALS:
            low, high = row.pop(name) or (None, None)
            row |= {f"{name}_low": low, f"{name}_high": high}
        row |= {name: ", ".join(row[name]) for name in ("keys", "other_keys")}
        return {**row, "warnings": " ".join(self.warnings)}


class Attacks(VersionedRecord, frozen=True, kw_only=True):
    """Simulated attacks on one copy, after Giomi et al. (2023)."""

    files: tuple[str, ...]  # the original's, the synthetic file's, the control's
    seed: int
    level: float
    person: PersonColumn | None = None  # whose attack each is; None: rows are attacked
    n_original: int
    n_synthetic: int
    n_control: int | None
    n_shared_with_control: int | None  # control records that stand in the original, all columns
    k: int | None = None  # neighbours looked at; None where none are
    n_bootstrap: int
    rows: tuple[AttackRow, ...]
    warnings: tuple[str, ...] = ()  # of the data as a whole
    coercions: tuple[Coercion, ...] = ()


# What `unveil.membership` found: who is taken for a member, and how close records come.
#
# Shares are 0 to 1. ``None`` means not measurable. Nothing here is rounded, or belongs to one
# person.


Pair = Literal["synthetic to original", "synthetic to control", "control to original"]


class MembershipRow(Record, frozen=True, kw_only=True):
    """An attacker who calls everyone a member who has a synthetic record within a threshold."""

    threshold: float
    recall: float  # share of original records called members
    false_positive_rate: float  # share of control records called members
    precision: float | None  # of those called members; None where no one is
    advantage: float  # recall - false_positive_rate
    F1: float
    relative_F1: float  # (F1 - naive_F1) / (1 - naive_F1)
    interval: Interval  # of relative_F1, by bootstrap over records

    def flat(self) -> dict[str, Any]:
        """The row as single figures, the interval as its two ends."""
        row = self.to_dict()
        low, high = row.pop("interval")
        return {**row, "interval_low": low, "interval_high": high}


class ClosestRow(Record, frozen=True, kw_only=True):
    """Distances of the records of one data set to the closest of another."""

    pair: Pair
    n: int
    n_reference: int  # records looked among
    n_draws: int  # samples of the reference that the figures are means over; 1 where it is whole
    share_exact: float  # records that the reference has with all their values
    dcr_5: float  # distance to the closest record: 5th percentile
    dcr_median: float
    dcr_mean: float
    nndr_5: float | None  # distance to the closest over that to the second; None with one record
    nndr_median: float | None


class Membership(VersionedRecord, frozen=True, kw_only=True):
    """Membership by nearest neighbours: El Emam et al. (2022); distances to closest records."""

    files: tuple[str, ...]  # the original's, the synthetic file's, the control's
    columns: tuple[str, ...]
    seed: int
    level: float
    prevalence: float  # share of members among those the attacker looks at
    person: PersonColumn | None = None  # whose attack each is; None: rows are attacked
    n_original: int
    n_synthetic: int
    n_control: int
    n_shared_with_control: int  # control records that stand in the original, all columns
    n_attacked_original: int
    n_attacked_control: int
    n_bootstrap: int
    naive_F1: float  # of calling everyone a member: 2 prevalence / (1 + prevalence)
    threshold: float | None  # the one declared; None: the best was chosen afterwards
    headline: MembershipRow  # at the threshold declared, or at the best of all
    rows: tuple[MembershipRow, ...]  # by threshold
    n_exact: int  # synthetic records equal to an original record in every compared column
    share_exact: float
    closest: tuple[ClosestRow, ...]
    people_auc: float  # the chance that a member is closer to the synthetic data than another
    people_auc_interval: Interval  # DeLong et al. (1988)
    recall_at_1: float | None  # members closer than all but 1 % of the control; None below 100
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


# What `unveil attack` found: all attacks that were run, on each of the copies.


class CopyAttacks(Record, frozen=True, kw_only=True):
    """The attacks on one copy."""

    copy: int  # 1 to m
    file: str
    attacks: tuple[Attacks, ...]  # in the order of singling out, linkability, inference
    membership: Membership | None  # None where it was not run


class AttackRun(VersionedRecord, frozen=True, kw_only=True):
    """All attacks of one call of the command, from one seed."""

    seed: int
    level: float
    control: str | None  # the file of people who were not used
    copies: tuple[CopyAttacks, ...]
    notes: tuple[str, ...]  # what was chosen without being asked for, and what could not be run
