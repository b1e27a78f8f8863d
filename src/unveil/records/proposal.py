"""What `unveil init` proposes for a project; nothing of it is decided.

Nothing here is a value of the data: names, counts of people, reasons, codes that mean no answer.
"""

from unveil.records.base import SCHEMA, Record
from unveil.records.judgement import Audience
from unveil.records.recoding import Suggestions
from unveil.records.suggestion import Suggestion
from unveil.version import __version__


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
    """Numbers of a column that seem to stand for no answer."""

    column: str
    codes: tuple[float, ...]
    reason: str


class ProjectProposal(Record, frozen=True, kw_only=True):
    """Everything that a new project file says, and why."""

    schema: int = SCHEMA
    version: str = __version__
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
