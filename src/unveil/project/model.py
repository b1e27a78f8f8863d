"""What does a project file say? Its sections as frozen values, read and checked elsewhere.

Paths are as they are written, and start at the folder of the file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from unveil.errors import RolesError, unknown_name
from unveil.project.toml import Lines, sort_faults
from unveil.protection.plan import FileError, ProtectionPlan
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import Audience, FactorName
from unveil.records.pack import MoreReleased
from unveil.records.synthesis import Ending
from unveil.study.engine import EngineSettings, current_engine, parse_engine

# Are the limits of a project file those that somebody accepted? A mark beside the name tells.
#
# The mark is a hash over the values and the name. It is no signature: it shows a change by hand,
# and that nobody typed a name instead of asking its bearer.


_LENGTH = 12


def limits_mark(values: Mapping[str, tuple[float, float]], accepted_by: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the name and the sorted values."""
    lines = [
        accepted_by,
        *(f"{name} = {float(a)!r}, {float(b)!r}" for name, (a, b) in sorted(values.items())),
    ]
    return sha256("\n".join(lines).encode()).hexdigest()[:_LENGTH]


@dataclass(frozen=True)
class Data:
    """`[data]`: the files, and how they are read."""

    original: str
    synthetic: tuple[str, ...] = ()
    control: str | None = None
    labels: str | None = None
    special_codes: Mapping[str, Any] = field(default_factory=dict)
    missing_values: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    sampling_fraction: float | None = None  # of the population, in the original; None: unknown
    utility_sample: int | str | None = None  # records, or "all"; None: as `unveil.utility` has it


@dataclass(frozen=True)
class Answer:
    """What a named person answered to one of the five factors."""

    answer: str
    by: str
    on: str | None


@dataclass(frozen=True)
class Context:
    """`[context]`: to whom, under what rules, and Raab's five factors."""

    audience: Audience | None = None
    four_eyes: bool = False
    analyst: str | None = None
    factors: Mapping[FactorName, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class RoleLists:
    """`[roles]`: what each column is."""

    identifier: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    weight: str | None = None
    person: str | None = None  # whose row it is, an identifier too; "none": every row is a person
    time: str | None = None  # by which the rows of a person follow; it may have another role too
    sensitive: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # levels, by target


@dataclass(frozen=True)
class ScenarioEntry:
    """One `[[scenario]]`: what an intruder knows, and might learn."""

    name: str
    keys: tuple[str, ...]
    targets: tuple[str, ...] | None = None  # None: "all", every other column that is no identifier
    template: str | None = None  # neighbour, colleague, co-owner or prosecutor
    bands: Mapping[str, Any] = field(default_factory=dict)
    radii: Mapping[str, float] = field(default_factory=dict)  # of GTCAP, by column
    tolerance: Mapping[str, float] | None = None  # of disclosure, by target
    measures: tuple[str, ...] | None = None  # None: all that can be had


def check_scenario(given: str, known: Sequence[str]) -> str:
    """The name of a scenario that is there, or a refusal that names the nearest."""
    if given not in known:
        raise RolesError(unknown_name("There is no scenario", given, known, "The scenarios are"))
    return given


@dataclass(frozen=True)
class ExcludeEntry:
    """One `[[exclude]]`: what is no real risk, why, and who says so."""

    exclusion: Exclusion
    reason: str
    by: str
    on: str | None = None
    scenario: str | None = None  # None: every scenario


@dataclass(frozen=True)
class LimitsEntry:
    """`[limits]`: review and limit by measure, and who accepted them as they are.

    A name in the file counts only beside the mark of these very values (`mark_of`).
    """

    values: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    accepted_by: str | None = None  # None: nobody, or not these values
    on: str | None = None
    written_by: str | None = None  # the name in the file, whether it counts or not
    is_marked: bool = False  # whether a mark stands beside it, of these values or of others


@dataclass(frozen=True)
class RulingEntry:
    """One `[[ruling]]`: accept is "it is common knowledge", otherwise it is kept as a risk."""

    finding: str  # "neighbour/workab=NO"
    accept: bool
    reason: str
    by: str
    on: str | None = None


@dataclass(frozen=True)
class ExceptionEntry:
    """One `[[exceptions]]`: an alert that a named person accepts, for these files alone."""

    alert: str
    reason: str
    by: str
    on: str | None
    files: str  # the SHA-256 of all files of the release together


@dataclass(frozen=True)
class PublishedEntry:
    """One `[[published]]`: a table that anybody can know already."""

    table: str
    count: str | None = None  # the column of counts or shares; found where it is not said


@dataclass(frozen=True)
class PackEntry:
    """`[pack]`: what the public pack says, beside what is known of the files themselves."""

    formats: tuple[Ending, ...] = ()  # none: that of the synthetic file
    marker: str | None = None
    title: str | None = None
    description: str | None = None
    licence: str | None = None
    contact: str | None = None
    publisher: str | None = None  # an organisation
    method: str | None = None  # the class of method, of files that were made elsewhere
    noise: str | None = None  # likewise
    utility: tuple[str, ...] = ()  # figures that the custodian publishes
    differences: tuple[str, ...] = ()  # known ones, in sentences
    exceptions: bool = False  # whether accepted alerts are published
    is_low_fidelity: bool = False
    more: tuple[MoreReleased, ...] = ()

    @property
    def released(self) -> frozenset[str]:
        """What `[[pack.more]]` releases beyond the usual."""
        return frozenset(one.release for one in self.more)


@dataclass(frozen=True)
class ProjectFile:
    """A whole project file that has no fault."""

    path: Path
    text: str
    title: str
    data: Data
    context: Context = Context()
    roles: RoleLists = RoleLists()
    scenarios: tuple[ScenarioEntry, ...] = ()
    excludes: tuple[ExcludeEntry, ...] = ()
    limits: LimitsEntry = LimitsEntry()
    rulings: tuple[RulingEntry, ...] = ()
    exceptions: tuple[ExceptionEntry, ...] = ()
    published: tuple[PublishedEntry, ...] = ()
    synthesis: Mapping[str, Any] | None = None
    steps: tuple[Mapping[str, Any], ...] = ()  # of [[protect.step]], as they are written
    plan: ProtectionPlan | None = None  # of [synthesis] and the steps
    recognition: Mapping[str, Any] | None = None  # None: membership of single people is not tested
    findings: tuple[Mapping[str, Any], ...] = ()
    tables: tuple[Mapping[str, Any], ...] = ()
    publication: Mapping[str, Any] | None = None  # [publication]: many tables, as a plan
    engine: Mapping[str, str] = field(default_factory=dict)  # [engine]: name, memory, spill ...
    pack: PackEntry = PackEntry()

    @property
    def folder(self) -> Path:
        """Where paths start, and where runs are kept."""
        return self.path.parent

    def engine_settings(self) -> EngineSettings:
        """Which engine counts: as it is asked for here, else as `[engine]` says."""
        declared = dict(self.engine)
        if "spill" in declared:
            declared["spill"] = str(self.folder / declared["spill"])
        return current_engine().beside(parse_engine(**declared))

    @cached_property
    def lines(self) -> Lines:
        """Where things stand in the file."""
        return Lines(self.text)

    def locate(self, faults: Iterable[FileError]) -> str:
        """Faults with their lines, in the order of the lines, one below the other."""
        return "\n".join(sort_faults(self.path.name, self.lines, [*faults]))
