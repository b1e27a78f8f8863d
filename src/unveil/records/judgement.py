"""What a run means against the custodian's own limits, who has ruled on what, what was decided.

The tool gives evidence and never says "safe": a verdict is always against limits that a named
person accepted. Until then every status is "no limit".
"""

from typing import Literal

from unveil.records.alerts import Acceptance, Alert, NotTested
from unveil.records.base import Copy, HasView, Record, VersionedRecord

Audience = Literal["closed", "registered", "open"]
Status = Literal["within", "review", "above", "no limit", "not measured"]
Unit = Literal["percent", "share", "ratio", "count"]
RulingState = Literal["open", "common knowledge", "keep", "not needed"]
MissingKind = Literal["limits", "finding", "context", "measure", "four_eyes"]
FactorName = Literal[
    "release_context", "taken_for_real", "other_sources", "intruder_knowledge", "method_released"
]


class Limit(Record, frozen=True, kw_only=True):
    """From where on a figure is looked at, and from where on it is too high."""

    measure: str
    review: float
    limit: float
    unit: Unit
    origin: str  # where the values come from, or "no published value: your decision"


class FigureRow(Record, frozen=True, kw_only=True):
    """One figure that a limit can be held against, out of the record of its part."""

    measure: str  # as limits name it: "DiSCO", "repU", "GTCAP", "R", "S_pMSE"
    part: str
    scenario: str | None = None
    target: str | None = None
    subject: str | None = None  # of what else: a pair of columns, an attack, n known people
    copy: Copy | None = None
    value: float | None  # None: not measured
    companion: float | None = None  # the same with the original: Dorig, UiO, CAPd
    high: float | None = None  # the upper end, where the value is the lower end of an interval


class LimitCheck(FigureRow, frozen=True, kw_only=True):
    """One figure beside its limit."""

    review: float | None  # None: no limit
    limit: float | None
    status: Status
    reason: str | None = None  # why a figure that has a limit is not measured


class FlagRuling(Record, frozen=True, kw_only=True):
    """One flag of a one-way or two-way check, and how it was ruled."""

    id: str  # "neighbour/workab=NO": what a ruling names
    scenario: str
    target: str
    kind: Literal["one_way", "two_way"]
    exclusion: str
    n: int  # disclosures that it accounts for, in the worst copy
    sentence: str
    state: RulingState
    reason: str | None = None
    by: str | None = None
    on: str | None = None


class Outstanding(Record, frozen=True, kw_only=True):
    """Something that a person has to state before a release can be decided."""

    kind: MissingKind
    sentence: str
    fix: str  # a command to type


class Judgement(HasView, VersionedRecord, frozen=True, kw_only=True):
    """A run against the project as it is now."""

    run: int
    audience: Audience | None
    rule: str  # what this audience asks for, in words
    accepted_by: str | None
    accepted_on: str | None
    limits: tuple[Limit, ...]
    alerts: tuple[Alert, ...] = ()  # what stands against the release, the gravest first
    not_tested: tuple[NotTested, ...] = ()  # what no figure covers
    void: tuple[str, ...] = ()  # exceptions that do not count, and why, in sentences
    files_sha256: str | None = None  # of original, synthetic data and control sample together
    figures: tuple[LimitCheck, ...]
    findings: tuple[FlagRuling, ...]
    missing: tuple[Outstanding, ...]
    n_above: int
    n_review: int
    n_not_measured: int
    is_current: bool  # files and settings are still those of the run
    stale: tuple[str, ...]  # what is not, in sentences
    exit_code: Literal[0, 3, 4]
    headline: str  # one sentence


class Decision(HasView, VersionedRecord, frozen=True, kw_only=True):
    """What a named person decided about a run, and on what they saw."""

    number: int
    release: bool
    by: str
    on: str  # UTC
    note: str
    despite: tuple[Acceptance, ...] = ()  # of each alert, why it is released all the same
    run: int
    results_sha256: str
    project_sha256: str
    log_head: str
    judgement: Judgement | None  # None: a refusal about a run that is not as it was written
    warnings: tuple[str, ...] = ()  # what was not as it was written but did not hinder


class LogLine(Record, frozen=True, kw_only=True):
    """One change of a project. No value of the data and no free text stands here."""

    n: int
    at: str
    by: str | None
    event: Literal[
        "init",
        "edited",
        "synthesise",
        "protect",
        "run",
        "exclude",
        "ruling",
        "exception",
        "limits",
        "context",
        "settings",
        "decision",
        "report",
        "records",
        "pack",
    ]
    subject: str | None  # names of columns, scenarios, measures, numbers of runs
    project_sha256: str | None
    file_sha256: str | None  # of results.json of a run, or of a decision
    previous: str
    hash: str


class LogFault(Record, frozen=True, kw_only=True):
    """One thing that is not as it was written."""

    line: int | None
    file: str | None
    sentence: str
    run: int | None = None  # the run it is about; None: the log or a decision
    fix: str | None = None  # what to do about it


class LogCheck(HasView, VersionedRecord, frozen=True, kw_only=True):
    """Whether log, runs and decisions are as they were written."""

    n_lines: int
    n_runs: int
    n_decisions: int
    head: str
    faults: tuple[LogFault, ...]
    is_edited: bool = False  # the project file was edited by hand since the last line: no error
    since_release: tuple[str, ...] = ()  # files that are not those that were released: no error


# Why a target stands where it stands: sentences, figures step by step, flags, what to type.


class DisclosureStep(Record, frozen=True, kw_only=True):
    """One step from the original to what the synthetic data disclose, in percent of people."""

    measure: str
    value: float | None
    what: str


class ExplainedFlag(Record, frozen=True, kw_only=True):
    """A flag with its level, and what to type about it."""

    finding: FlagRuling
    level: str | None  # of the target; None is the missing level
    key: str | None  # None in a one-way check
    key_level: str | None
    whatif: str  # the command that shows what would change
    toml: str  # the same exclusion to paste into project.toml
    accept: str  # the command that rules it common knowledge
    keep: str  # the command that keeps it as a risk


class ExplainedScenario(Record, frozen=True, kw_only=True):
    """The target in one scenario, in the synthetic file (or mean of copies) that stands for all."""

    scenario: str
    keys: tuple[str, ...]
    copy: Copy
    sentences: tuple[str, ...]
    ladder: tuple[DisclosureStep, ...]
    findings: tuple[ExplainedFlag, ...]


class Explanation(HasView, VersionedRecord, frozen=True, kw_only=True):
    """One target of a run."""

    run: int
    target: str
    scenarios: tuple[ExplainedScenario, ...]
    figures: tuple[LimitCheck, ...]  # every judged figure about the target, attacks among them
    stale: tuple[str, ...]  # what has changed since the run


# What would change if something were common knowledge: every figure that moves, before and after.
#
# Percentages are 0 to 100; R is a share. Nothing here belongs to one person.


class WhatIfRow(Record, frozen=True, kw_only=True):
    """One figure that changes; of an identity figure the target is None."""

    scenario: str
    target: str | None
    measure: str
    copy: Copy
    before: float | None  # with the exclusions in force
    after: float | None  # with those asked about too
    R: float | None  # (before - after) / (100 - after): the share that they explain
    status_before: Status | None  # None: a mean over copies, which is not judged
    status_after: Status | None


class WhatIfScenario(Record, frozen=True, kw_only=True):
    """What the exclusions do in one scenario."""

    scenario: str
    in_force: tuple[str, ...]  # exclusions before, as text
    added: tuple[str, ...]  # those asked about that act here
    n_targets: int
    headline_copy: Copy
    closes: tuple[str, ...]  # ids of flags that are cleared
    opens: tuple[str, ...]  # ids of flags that are raised only then
    sentences: tuple[str, ...]


class BandsLikeness(Record, frozen=True, kw_only=True):
    """How alike the files are in one key and one target, as they are and in bands."""

    scenario: str
    key: str
    target: str
    copy: int
    S_pMSE_before: float | None  # None: one cell
    S_pMSE_after: float | None
    detail: float  # percent of the original's entropy of the key that the bands keep


class WhatIf(HasView, VersionedRecord, frozen=True, kw_only=True):
    """Figures before and after; nothing is stored unless it is kept."""

    exclude: tuple[str, ...]  # what was asked about
    bands: tuple[str, ...] = ()  # columns put into bands in all files, as they were asked for
    scenarios: tuple[WhatIfScenario, ...]
    rows: tuple[WhatIfRow, ...]
    likeness: tuple[BandsLikeness, ...] = ()  # of keys in bands
    kept: bool = False
    by: str | None = None
