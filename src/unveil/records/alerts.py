"""What a release gate found: figures about the files, what was not tested, and alerts.

`GateEvidence` holds counts and shares only. Names of columns and levels may occur; no record of a
person does. Counts of people are of the confidential side, so all of it stays with the custodian.
"""

from typing import Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.person import PersonColumn

AlertStatus = Literal["block", "decide", "review"]
AlertKind = Literal[
    "limit",
    "key_sets",
    "real_records",
    "own_value",
    "near_copies",
    "single_holder",
    "identifier",
    "extra_column",
    "beside",
    "group",
    "coding",
    "sensitive_value",
    "roles",
    "person",
    "given_back",
    "plan",
    "recognition",
    "unchecked",
]
CodingKind = Literal[
    "spelling",
    "dust",
    "format",
    "missing",
    "near",
    "shift",
    "factor",
    "coarser",
    "renamed",
    "replaced",
]
Untested = Literal[
    "control",
    "columns",
    "check",
    "sampling",
    "part",
    "person",
    "recognition",
    "scenario",
    "numbers",
    "weights",
]
ColumnReason = Literal[
    "identifier", "free text", "repeats", "recodes", "new text", "nothing new", "unknown"
]


class Acceptance(Record, frozen=True, kw_only=True):
    """Why a named person accepts one alert, and for which files."""

    alert: str  # the id of the alert
    reason: str
    by: str
    on: str | None = None
    files_sha256: str | None = None  # of all files together; None: given with these very files


class Alert(Record, frozen=True, kw_only=True):
    """One thing that stands against a release, or that a person has to look at."""

    id: str  # stable: "real-records", "group:district=Opole"
    kind: AlertKind
    columns: tuple[str, ...]  # what it is about, at most three
    level: str | None = None
    figure: float | None = None  # in percent of people where the sentence says so
    expected: float | None = None  # the same figure for a release without the problem
    status: AlertStatus
    sentence: str
    action: str
    accepted: Acceptance | None = None
    void: str | None = None  # why what a person accepted does not count, in a sentence


class NotTested(Record, frozen=True, kw_only=True):
    """Something that no figure of this assessment covers."""

    what: Untested
    columns: tuple[str, ...] = ()
    sentence: str


class ReappearingPeople(Record, frozen=True, kw_only=True):
    """People with a row that no one else has and that reappears."""

    n_people: int  # of the original
    n_reappearing: int
    n_rows: int  # of theirs that reappear


class WholeRecords(Record, frozen=True, kw_only=True):
    """People whose whole record is unique in the original and reappears."""

    copy: Copy
    n_columns: int
    n_unique: int  # people whose record no one else has
    n_reappearing: int  # of these, whose record the synthetic data have
    n_people: int
    expected: float  # people of whom another sample of the same population would have it, by chance
    control_share: float | None = None  # the same share among people of the control sample
    excess: float | None = None  # lower 95 % limit of the difference to it, a share
    people: ReappearingPeople | None = None  # with them each person's distinct rows are counted
    least_own: float | None = None  # own value of a column, of people linked by all the others


class OwnValue(Record, frozen=True, kw_only=True):
    """How often records linked to a person show that person's own value of a column."""

    copy: Copy
    column: str
    linked_by: tuple[str, ...]
    links: float  # people linked
    own: float  # share of linked records with the person's own value
    neighbour: float  # the same for the people next to them in the original
    twin: float | None  # how often two people with the same linking values agree; None: too few
    z: float
    tied: float  # people: (own - yardstick) * links
    control_own: float | None = None  # own value of people of the control sample, linked alike
    excess: float | None = None  # people tied beyond the control sample, lower 95 % limit

    @property
    def yardstick(self) -> float:
        """What honest synthetic data would show: the neighbour's or the twin's value."""
        return max(self.neighbour, self.twin or 0.0)


class NearCopies(Record, frozen=True, kw_only=True):
    """People with a synthetic record far nearer than any other person."""

    copy: Copy
    columns: tuple[str, ...]
    ratio: float  # nearer than this times the distance to the nearest other person
    share: float
    expected: float  # the same between two random parts of the original
    within_files: bool = False  # by ranks within each file, which are the same in any unit


class SingleHolder(Record, frozen=True, kw_only=True):
    """Values of a column that one person has, and that reappear."""

    copy: Copy
    column: str
    n_held: int  # people with a value that no one else has
    n_reappearing: int
    expected: float  # share of them that would reappear in another sample of the same people
    is_running: bool  # whole numbers without gaps in both files: most likely record numbers
    computed_from: tuple[str, ...] = ()  # not as published, but as these columns give it
    within: float | None = None  # how near these typically are, where they give no value exactly
    moved: float | None = None  # how far the published values typically are from what they give


class CopiedColumn(Record, frozen=True, kw_only=True):
    """A column of the synthetic data that identifies people, or that the original does not have."""

    copy: Copy
    column: str
    reason: ColumnReason
    like: str | None = None  # the column of the original that it repeats or recodes
    detail: str  # why it is thought so, in words; no value of the data
    n_real: int = 0  # records that hold a value of the original
    n_records: int = 0
    expected: float = 0.0  # share of records that would hold one by chance
    is_declared: bool = False  # a person gave it the role identifier
    is_running: bool = False


class BesideTable(Record, frozen=True, kw_only=True):
    """Something that a synthetic file holds beside its table, or says by the order of its rows."""

    copy: Copy
    detail: str  # what it is and how much, in a sentence; no value of it
    is_much: bool  # whether people's records could be in it


class TiedGroup(Record, frozen=True, kw_only=True):
    """The own value inside one level of a column, against what the other levels predict."""

    copy: Copy
    column: str
    beside: str | None = None  # the other column, where it is the overlap of two
    level: str
    n_people: int
    own: OwnValue
    expected: float
    p: float
    n_tested: int  # levels tested


class CodingRow(Record, frozen=True, kw_only=True):
    """A column that seems to be coded differently in the original and in a synthetic file."""

    copy: Copy
    column: str
    coding: CodingKind
    share: float  # of the synthetic records, or of the linked people, that the mapping explains
    expected: float  # the same where nothing is coded differently
    joint: bool  # by linked records, not by values alone
    sentence: str  # what speaks for it; no level that fewer than ten people have
    is_measured: bool = True  # False: no value in common, where other people would have some
    target: str | None = None  # whose DiSCO the mapping raises most
    DiSCO: float | None = None  # as the files are written; None: they could not be compared
    DiSCO_mapped: float | None = None  # with all mappings of this file


class GateEvidence(VersionedRecord, frozen=True, kw_only=True):
    """All that the checks of a release counted, before any threshold."""

    files: tuple[str, ...]
    n_original: int
    n_synthetic: tuple[int, ...]
    n_control: int | None = None
    compared: tuple[str, ...]  # columns in common
    checks: tuple[str, ...]  # what was done: "whole records", "own values", ...
    whole: tuple[WholeRecords, ...] = ()
    own: tuple[OwnValue, ...] = ()
    near: tuple[NearCopies, ...] = ()
    single: tuple[SingleHolder, ...] = ()
    copied: tuple[CopiedColumn, ...] = ()
    beside: tuple[BesideTable, ...] = ()
    groups: tuple[TiedGroup, ...] = ()
    codings: tuple[CodingRow, ...] = ()
    person: PersonColumn | None = None  # people have several rows, by the column declared
    undeclared: PersonColumn | None = None  # people have several rows, and no column was declared
    not_tested: tuple[NotTested, ...] = ()


class Assessment(VersionedRecord, frozen=True, kw_only=True):
    """The evidence, the alerts drawn from it, and what they come to."""

    evidence: GateEvidence  # what the checks counted
    alerts: tuple[Alert, ...]  # what stands against the release, the gravest first
    not_tested: tuple[NotTested, ...]  # what no figure here covers
    files_sha256: str | None = None
    is_gate: bool  # whether a limit was set: otherwise this is not a verdict
    exit_code: Literal[0, 3, 4]  # 3 where something blocks, 4 where only a person can answer
