"""What `unveil.suggest` proposes: a role for every column, and what an intruder may know.

Nothing here is a value of the data: counts of people and of different values, names and reasons.
"""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion
from unveil.records.judgement import Audience
from unveil.records.person import PersonColumn
from unveil.records.recoding import Suggestions

Role = Literal["identifier", "person", "key", "target", "weight", "ignore"]
Grade = Literal["visible", "often", "sometimes", "sensitive"]
Source = Literal["name", "label", "values", "given"]
Stop = Literal["given", "no_candidate", "enough", "small_gain", "most_keys", "no_more"]


class RoleRow(Record, frozen=True, kw_only=True):
    """The role proposed for one column, why, and what that rests on."""

    column: str
    role: Role
    grade: Grade | None  # None: no word says how well it is known, or that it is sensitive
    topic: str | None  # what the word is about
    source: Source  # where the role was seen
    reason: str
    n_distinct: int | None  # values, missing ones not counted; None for lists and the like
    n_alone: int | None  # people made unique by this column alone
    n_gained: int | None  # people made unique beyond the keys before it, or beyond all keys
    function_of: tuple[str, ...]  # keys whose value settles the value of this column


class KeyStep(Record, frozen=True, kw_only=True):
    """One proposed key, in the order in which they were added."""

    key: str
    n_gained: int
    n_unique: int  # people who are unique with this key and those before it
    percent: float


class Suggestion(VersionedRecord, frozen=True, kw_only=True):
    """Proposed roles of all columns of one data set, and one scenario."""

    files: tuple[str, ...]
    n_records: int
    person: PersonColumn | None = None  # where rows are not people: the column that says whose
    keys: tuple[str, ...]  # in the order in which they were added
    targets: tuple[str, ...]  # sensitive ones first
    n_unique: int  # people who are unique with all keys
    steps: tuple[KeyStep, ...]
    enough_percent: float  # unique people from which on no further grade is opened
    least_gain_percent: float  # what a further key must add from there on
    most_keys: int
    stop: Stop
    stopped_at: str | None  # the candidate that added too little, or had no room
    rows: tuple[RoleRow, ...]  # in the order of the file
    coercions: tuple[Coercion, ...]

    def row_of(self, column: str) -> RoleRow:
        """What is proposed for one column."""
        return next(row for row in self.rows if row.column == column)

    def list_columns(self, role: Role) -> tuple[str, ...]:
        """The columns of one role: keys and targets in their order, others in that of the file."""
        if role == "key":
            return self.keys
        if role == "target":
            return self.targets
        return tuple(row.column for row in self.rows if row.role == role)


# What `unveil init` proposes for a project; nothing of it is decided.
#
# Nothing here is a value of the data: names, counts of people, reasons, codes that mean missing.


class ProposedScenario(Record, frozen=True, kw_only=True):
    """One scenario: what an intruder of a template would know."""

    name: str
    template: str
    keys: tuple[str, ...]
    targets: tuple[str, ...] | None  # None: "all"
    n_unique: int | None  # people who are unique with these keys; None where not counted
    sentence: str
    measures: tuple[str, ...] | None = None  # None: all that can be had


class ProposedRadius(Record, frozen=True, kw_only=True):
    """How far apart two numbers of a column may be and still count as near, for GTCAP."""

    column: str
    radius: float
    reason: str


class ProposedCodes(Record, frozen=True, kw_only=True):
    """Numbers of a column that seem to stand for missing values."""

    column: str
    codes: tuple[float, ...]
    reason: str


class ProposedSmoothing(Record, frozen=True, kw_only=True):
    """A number that the synthesis smooths, and why."""

    column: str
    reason: str


class ProjectProposal(VersionedRecord, frozen=True, kw_only=True):
    """Everything that a new project file says, and why."""

    file: str | None  # the project file, where it was written
    original: str
    title: str
    audience: Audience
    n_records: int
    scenarios: tuple[ProposedScenario, ...]
    radii: tuple[ProposedRadius, ...]
    special_codes: tuple[ProposedCodes, ...]
    roles: Suggestion
    codings: Suggestions
    rules: tuple[str, ...] = ()  # between columns, which the original obeys without exception
    smooth: tuple[ProposedSmoothing, ...] = ()
    time: str | None = None  # by which the rows of a person follow one another
