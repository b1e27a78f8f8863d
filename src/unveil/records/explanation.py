"""Why a target stands where it stands: sentences, figures step by step, findings, what to type."""

from unveil.records.base import SCHEMA, Record
from unveil.records.copies import Copy
from unveil.records.judgement import Finding, Judged
from unveil.records.viewed import Viewed
from unveil.version import __version__


class Rung(Record, frozen=True, kw_only=True):
    """One step from the original to what the copy gives away, in percent of people."""

    measure: str
    value: float | None
    what: str


class ExplainedFinding(Record, frozen=True, kw_only=True):
    """A finding with its level, and what to type about it."""

    finding: Finding
    level: str | None  # of the target; None is the missing level
    key: str | None  # None in a one-way check
    key_level: str | None
    whatif: str  # the command that shows what would change
    toml: str  # the same exclusion to paste into project.toml
    accept: str  # the command that rules it common knowledge
    keep: str  # the command that keeps it as a risk


class ExplainedScenario(Record, frozen=True, kw_only=True):
    """The target in one scenario, in the copy (or mean of copies) that stands for all."""

    scenario: str
    keys: tuple[str, ...]
    copy: Copy
    sentences: tuple[str, ...]
    ladder: tuple[Rung, ...]
    findings: tuple[ExplainedFinding, ...]


class Explanation(Viewed, frozen=True, kw_only=True):
    """One target of a run."""

    schema: int = SCHEMA
    version: str = __version__
    run: int
    target: str
    scenarios: tuple[ExplainedScenario, ...]
    figures: tuple[Judged, ...]  # every judged figure about the target, attacks among them
    stale: tuple[str, ...]  # what has changed since the run
