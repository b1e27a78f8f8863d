"""One page to sign: verdict, people at risk, what was not tested, what is to be decided.

Every number stands here once, and every view shows these numbers and no others. The page is
confidential: counts of few people, and levels that checks name, may be among them.
"""

from typing import Literal

from unveil.records.alerts import Alert, NotTested
from unveil.records.base import Copy, HasView, Record, VersionedRecord
from unveil.records.disclosure import Part
from unveil.records.judgement import Audience, RulingState, Status, Unit

VerdictStatus = Literal["above", "outstanding", "review", "within", "no limit", "not assessed"]
DecisionKind = Literal[
    "alerts",
    "identity",
    "target",
    "figure",
    "review",
    "limits",
    "context",
    "measure",
    "four_eyes",
    "stale",
    "not_tested",
]


class AboveLimit(Record, frozen=True, kw_only=True):
    """One figure that exceeds its limit, or that has one and could not be measured."""

    measure: str
    target: str | None
    subject: str | None
    scenario: str | None
    value: float | None  # the worst over copies; None: not measured
    limit: float
    unit: Unit


class SummaryVerdict(Record, frozen=True, kw_only=True):
    """What the limits and alerts come to; never that something is safe."""

    status: VerdictStatus
    n_review: int  # figures between review and limit, the worst copy of each
    n_limited: int  # figures that a limit is held against, the worst copy of each
    n_alerts: int  # open alerts that stand against a release or wait for a decision
    n_accepted: int  # alerts that a named person accepted
    above: tuple[AboveLimit, ...]  # farthest from its limit first
    accepted_by: str | None  # who accepted the limits
    reason: str | None = None  # why nothing could be assessed


class IdentitySummary(Record, frozen=True, kw_only=True):
    """Who could be re-identified, in the scenario and copy with the most replicated uniques."""

    scenario: str | None
    copy: Copy
    keys: tuple[str, ...]
    unique: int  # people unique on the keys in the original
    replicated: int  # and unique in the synthetic data: possible matches, not proof
    reappearing: int  # original records that the synthetic data have, equal in all variables
    n_variables: int  # compared for it
    status: Status


class TargetSummary(Record, frozen=True, kw_only=True):
    """People for whom one value of a target is shown, in the scenario and copy with the most."""

    target: str
    scenario: str | None
    copy: Copy
    correct: int
    wrong: int
    not_most_common: int  # of the correct ones
    most_common: str | None  # None: fewer than ten people have it
    most_common_share: float  # percent of people: what naming it for everyone would get right
    is_tied: bool
    expected: float | None = None  # None: not computed
    adds: float | None = None  # correct - expected: own record or deeper pattern
    adds_low: float | None = None  # 95 %
    adds_high: float | None = None
    status: Status
    by_exclusion: bool = False  # within its limit only because of exclusions


class SensitiveSummary(Record, frozen=True, kw_only=True):
    """A value that was declared sensitive, before exclusions, in its worst scenario and copy."""

    target: str
    level: str
    scenario: str | None
    people: int
    correct: int
    falsely_shown: int


class UtilitySummary(Record, frozen=True, kw_only=True):
    """How close the synthetic data are, by the worst copy; None: not measured."""

    S_pMSE: float | None
    pair: str | None
    pair_S_pMSE: float | None
    status: Status


class RulingGroup(Record, frozen=True, kw_only=True):
    """Correct disclosures of one value that one thing explains: a single ruling covers them."""

    id: str  # "neighbour/marital=SINGLE@age": what a ruling names
    scenario: str | None
    target: str
    level: str | None  # of the target; None is the missing level
    label: str  # the same as people read it
    part: Part | None  # what explains them; None: they are flagged, and nothing explains them
    keys: tuple[str, ...]  # by whose levels
    key_levels: tuple[tuple[str | None, ...], ...]
    n: int  # people whom the part explains; where nothing does, people flagged
    flags: tuple[str, ...]  # outstanding flags that the ruling covers, as exclusions
    exclusions: tuple[str, ...]  # what "common knowledge" writes
    sentence: str


class SummaryDecision(Record, frozen=True, kw_only=True):
    """Something that a named person has to decide, once for all that belongs together."""

    kind: DecisionKind
    target: str | None = None
    targets: tuple[str, ...] = ()  # of a review: all of them
    n_flags: int = 0
    subject: str  # in a few words
    sentence: str
    choices: tuple[str, ...] = ()  # one of them is to be ticked
    commands: tuple[str, ...] = ()
    groups: tuple[RulingGroup, ...] = ()  # of a target: each may be ruled on by itself


class SummaryRuling(Record, frozen=True, kw_only=True):
    """What was ruled about a target already."""

    target: str | None  # None: a rule about all targets
    what: tuple[str, ...]  # exclusions, as text
    state: RulingState
    n_rulings: int
    by: str


class Summary(HasView, VersionedRecord, frozen=True, kw_only=True):
    """The page a director signs."""

    title: str
    run: int | None = None
    date: str | None = None  # UTC
    by: str | None = None
    audience: Audience | None = None
    run_hash: str | None = None
    n_people: int
    n_copies: int
    is_by_person: bool = False  # a column says whose row it is: people are counted, not rows
    scenarios: tuple[str, ...] = ()
    verdict: SummaryVerdict
    alerts: tuple[Alert, ...] = ()
    identity: IdentitySummary | None
    targets: tuple[TargetSummary, ...]  # most people disclosed correctly first
    any_correct: int | None  # None: fewer than two targets
    excluded: tuple[str, ...] = ()  # exclusions in force, as text
    limits: tuple[tuple[str, float], ...] = ()  # in force, by measure
    sensitive: tuple[SensitiveSummary, ...] = ()
    not_tested: tuple[NotTested, ...] = ()
    utility: UtilitySummary | None = None
    n_flags: int = 0  # outstanding
    decisions: tuple[SummaryDecision, ...] = ()
    rulings: tuple[SummaryRuling, ...] = ()
    next_command: str | None = None  # what to type next

    @property
    def outstanding(self) -> tuple[SummaryDecision, ...]:
        """Decisions without which nothing can be released; reviews and gaps hinder nothing."""
        return tuple(one for one in self.decisions if one.kind not in ("not_tested", "review"))
