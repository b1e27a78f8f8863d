"""What one run of a project measured: which parts, of which files, with what, in what time.

A run is `runs/0001/results.json` (a `Run`) with one file below `parts/` for each part, which holds
the whole record of its measure. Nothing here is a record of a person; alerts may name levels.
"""

from typing import Literal

from unveil.records.alerts import Alert, NotTested
from unveil.records.base import Copy, HasView, Record, VersionedRecord
from unveil.records.judgement import FigureRow
from unveil.records.summary import Summary

Kind = Literal[
    "gate",
    "disclosure",
    "exclusion_table",
    "cap",
    "tcap",
    "gtcap",
    "suda",
    "match_risk",
    "excess",
    "singling_out",
    "linkability",
    "inference",
    "membership",
    "recognition",
    "structure",
    "utility",
    "tables",
    "compare",
    "findings",
    "projection",
    "sap",
    "plan",
    "protection",
]
FileRole = Literal["original", "synthetic", "control", "labels", "published", "table", "protection"]
PartState = Literal["measured", "reused", "not measured"]


class InputFile(Record, frozen=True, kw_only=True):
    """One file that was read, by its content."""

    role: FileRole
    copy: int | None = None  # 1 to m for a synthetic file
    path: str  # as the project file names it
    n_bytes: int
    sha256: str


class PackageVersion(Record, frozen=True, kw_only=True):
    """One library that figures may depend on."""

    package: str
    version: str


class RunPart(Record, frozen=True, kw_only=True):
    """One measure of a run: what was asked, and where its record is."""

    name: str  # "disclosure neighbour", "cap neighbour income": unique within a run
    kind: Kind
    scenario: str | None = None  # None where it is about the files as a whole
    target: str | None = None  # None where it is about all targets, or about none
    settings: str  # the arguments, as JSON with its names in order; no seed
    fingerprint: str  # of settings, version and files: the same asks for the same figures
    state: PartState
    reused_from: int | None = None  # the run that measured it
    reason: str | None = None  # why it is not measured
    file: str | None = None  # below the run's folder; None where it is not measured
    sha256: str | None = None  # of that file
    seconds: float | None = None  # that measuring took, also where it is reused
    notes: tuple[str, ...] = ()  # what was set aside to measure it, in sentences


class Run(VersionedRecord, frozen=True, kw_only=True):
    """Everything about one run but the records of its parts."""

    number: int
    title: str  # of the project
    by: str | None  # who ran it, as the project names the analyst
    started: str  # UTC, 2026-11-16T11:30:00Z
    finished: str
    seconds: float
    n_resumed: int  # parts that an interrupted run had finished
    project_sha256: str  # of the project file as it was
    settings_sha256: str  # of what in it decides figures: data, scenarios, exclusions, ...
    log_head: str  # hash of the last line of the log when the run began
    seed_file: str | None  # below the project: the seed itself is confidential
    seed_sha256: str | None
    python: str
    packages: tuple[PackageVersion, ...]
    files: tuple[InputFile, ...]
    n_original: int | None
    n_synthetic: tuple[int, ...]
    parts: tuple[RunPart, ...]
    figures: tuple[FigureRow, ...]
    warnings: tuple[str, ...]
    alerts: tuple[Alert, ...] = ()  # as they stood when the run was made
    not_tested: tuple[NotTested, ...] = ()
    summary: Summary | None = None  # as it stood when the run was made
    only: tuple[Kind, ...] = ()  # the kinds that were asked for; empty: all that is declared
    engine: str = "memory"  # who counted; with others, parts that need the records are not measured

    def part(self, name: str) -> RunPart:
        """One part by its name."""
        return next(part for part in self.parts if part.name == name)

    def list_parts(self, kind: Kind) -> tuple[RunPart, ...]:
        """The parts of one measure that have a record, in the order of the project."""
        return tuple(part for part in self.parts if part.kind == kind and part.file is not None)


class CoverageRow(Record, frozen=True, kw_only=True):
    """Something that a run measured, could not measure, or did not test."""

    what: str  # a part of the run, or what was not tested
    state: Literal["measured", "not measured", "not tested"]
    reason: str | None = None  # why not, and what it needs


class SettingChange(Record, frozen=True, kw_only=True):
    """One setting that is not the same in all compared runs; None where a run has it not."""

    part: str | None  # None: about the run as a whole
    setting: str
    values: tuple[str | None, ...]  # one for each run


class FigureChange(Record, frozen=True, kw_only=True):
    """One figure in every compared run; None where it was not measured."""

    measure: str
    scenario: str | None
    target: str | None
    subject: str | None
    copy: Copy | None
    values: tuple[float | None, ...]
    change: float | None  # last - first of those measured; None with fewer than two
    statuses: tuple[str, ...]  # against the limits now in force


class RunComparison(HasView, VersionedRecord, frozen=True, kw_only=True):
    """Runs side by side: what changed in settings, in risk and in utility."""

    runs: tuple[int, ...]
    started: tuple[str, ...]
    settings: tuple[SettingChange, ...]
    risk: tuple[FigureChange, ...]
    utility: tuple[FigureChange, ...]
