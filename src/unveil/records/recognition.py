"""What `unveil.recognition` found: can it be told that a person was in the data?

Figures over all tested people, none of a single one: who was tested and who is recognised stay in
the result of the call (`people()`), which no view and no file of a run holds.
"""

from typing import Literal

from unveil.records.attacks import Interval
from unveil.records.base import Record, VersionedRecord

Intruder = Literal["others", "population"]
"""Knows everyone else of the original, or only people of the same kind."""
Absent = Literal["replace", "remove"]
"""Who is out of a world has a person in the place, or no one."""
Reason = Literal["auc", "hit rate"]


class HitRate(Record, frozen=True, kw_only=True):
    """Of worlds with the person, the share called so, at a rate of false alarms: all people."""

    false_alarms: float  # 0.01 or 0.001
    rate: float | None
    interval: Interval | None  # by bootstrap over people
    exposed: float | None  # at the same threshold, the most exposed alone
    random: float | None  # those drawn at random
    phantoms: float | None  # people in no world, at a threshold of their own


class SelfTest(Record, frozen=True, kw_only=True):
    """The same figures for people who are in no world: what a guess would give, if all is well."""

    n_people: int
    auc_mean: float | None
    auc_sd: float | None
    margin: float  # the mean may be so far from 0.5
    hit_rate: float | None  # at 1 % false alarms
    passed: bool
    failed: tuple[Reason, ...] = ()


class Recognition(VersionedRecord, frozen=True, kw_only=True):
    """Membership by worlds with and without a person; figures are None if the self-test failed."""

    files: tuple[str, ...]  # the original's, the reference's, the released ones
    columns: tuple[str, ...]
    procedure: str  # how the release is made, in a few words
    intruder: Intruder
    out: Absent
    level: float
    n_original: int
    n_reference: int | None
    n_rows: int  # of each synthetic file
    n_files: int  # synthetic files in one release
    n_people: int
    n_exposed: int
    n_doubles: int  # tested people with an equal record among the others
    n_worlds: int
    n_tested: int  # worlds that figures are counted in; the attack learned from the others
    n_failed: int  # worlds that no release could be made of
    self_test: SelfTest
    auc_mean: float | None = None
    auc_interval: Interval | None = None  # of the mean, by bootstrap over people
    auc_median: float | None = None
    auc_highest: float | None = None
    auc_exposed: float | None = None  # mean of the most exposed
    auc_random: float | None = None  # mean of those drawn at random
    auc_found: float | None = None  # the least AUC of a person that is shown 8 times in 10
    n_shown: int | None = None  # people with p <= 1 - level, all judged together
    hit_rates: tuple[HitRate, ...] = ()
    epsilon: float | None = None  # at least so large, over all people together
    epsilon_most: float | None = None  # the most that so many worlds could show
    claimed_epsilon: float | None = None
    n_recognised: int | None = None  # in the released files, at 1 % false alarms
    n_by_chance: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def exceeds_claim(self) -> bool | None:
        """Whether epsilon is shown to be larger than claimed; None where nothing is claimed."""
        if self.claimed_epsilon is None or self.epsilon is None:
            return None
        return self.epsilon > self.claimed_epsilon

    @property
    def percent_recognised(self) -> float | None:
        """Of the tested people those recognised in the released files."""
        return None if self.n_recognised is None else 100 * self.n_recognised / self.n_people
