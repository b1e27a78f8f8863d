"""What `unveil.membership` found: who is taken for a member, and how close records come.

Shares are 0 to 1. ``None`` means not measurable. Nothing here is rounded, or belongs to one person.
"""

from typing import Any, Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.person import PersonColumn
from unveil.version import __version__

Pair = Literal["synthetic to original", "synthetic to control", "control to original"]
Interval = tuple[float, float]


class MembershipRow(Record, frozen=True, kw_only=True):
    """An attacker who calls everybody a member who has a synthetic record within a threshold."""

    threshold: float
    recall: float  # share of original records called members
    false_positive_rate: float  # share of control records called members
    precision: float | None  # of those called members; None where nobody is
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


class Membership(Record, frozen=True, kw_only=True):
    """Membership by nearest neighbours: El Emam et al. (2022); distances to closest records."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # the original's, the copy's, the control's
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
    naive_F1: float  # of calling everybody a member: 2 prevalence / (1 + prevalence)
    threshold: float | None  # the one declared; None: the best was chosen afterwards
    headline: MembershipRow  # at the threshold declared, or at the best of all
    rows: tuple[MembershipRow, ...]  # by threshold
    n_exact: int  # synthetic records equal to an original record in every compared column
    share_exact: float
    closest: tuple[ClosestRow, ...]
    closer_to_original: float  # synthetic records closer to the original than to the control
    closer_interval: Interval  # Wilson, as if synthetic records were independent
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]
