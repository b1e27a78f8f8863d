"""What a release pack holds, which checks it passed, why it was refused, and whether it is intact.

A public pack leaves the building: its records name members, hashes and reasons, never a figure of
disclosure risk.
"""

from typing import Literal

from unveil.records.base import HasView, Record, VersionedRecord
from unveil.records.judgement import Audience

PackForm = Literal["public", "confidential"]
PackCheckName = Literal["labelling", "disclosure", "structure", "documentation"]
LeakKind = Literal[
    "unexpected",
    "zip-metadata",
    "mark",
    "disclosure-figures",
    "seed",
    "model-details",
    "path",
    "user-name",
    "row-order",
    "blocking-alert",
    "rare-level",
    "extreme-value",
    "script",
    "address",
    "formula",
    "no-role",
    "unreadable",
]


class PackMember(Record, frozen=True, kw_only=True):
    """One file of a pack."""

    name: str
    what: str  # in a few words
    n_bytes: int
    sha256: str


class PackCheck(Record, frozen=True, kw_only=True):
    """One of the four checks: passed, or open with what is lacking."""

    name: PackCheckName
    is_passed: bool
    evidence: str
    fix: str | None = None  # what to do where it is open


class MoreReleased(Record, frozen=True, kw_only=True):
    """Something beyond the usual that a named person releases, and why."""

    release: str  # "file:method.md", "limits", or the id of a leak
    reason: str
    by: str
    on: str | None = None


class Leak(Record, frozen=True, kw_only=True):
    """Something in a finished pack that must not leave."""

    kind: LeakKind
    id: str  # "rare-level:region": what a line in the project file names to release it
    sentence: str


class PublicDecision(VersionedRecord, frozen=True, kw_only=True):
    """What the public is told of a decision: who released what for whom, and when."""

    number: int
    by: str
    on: str  # UTC
    audience: Audience | None
    exceptions: tuple[str, ...] = ()  # accepted by name, where the custodian publishes them


class Pack(HasView, VersionedRecord, frozen=True, kw_only=True):
    """A pack that was written."""

    path: str
    form: PackForm
    n_bytes: int
    sha256: str
    is_new: bool  # False: the same bytes were there already
    is_signed: bool
    members: tuple[PackMember, ...]
    checks: tuple[PackCheck, ...] = ()
    more: tuple[MoreReleased, ...] = ()
    notes: tuple[str, ...] = ()


class PackDocuments(Record, frozen=True, kw_only=True):
    """All that the page of a public pack says."""

    title: str
    description: str | None
    decision: PublicDecision
    is_low_fidelity: bool
    licence: str | None
    contact: str | None
    publisher: str | None
    method: str | None
    noise: str | None
    n_records: int  # of all data files together, in one format
    n_files: int
    n_columns: int
    differences: tuple[str, ...]
    utility: tuple[str, ...]
    checks: tuple[PackCheck, ...]
    notes: tuple[str, ...]


class PackFault(Record, frozen=True, kw_only=True):
    """One thing in a pack that is not as it was written."""

    member: str | None  # None: the archive as a whole
    sentence: str


class PackVerification(HasView, VersionedRecord, frozen=True, kw_only=True):
    """Whether a pack is as it was written, for whoever receives it."""

    file: str
    form: PackForm | None  # None: no pack of ours
    sha256: str
    n_members: int
    n_data: int
    signature: Literal["none", "valid", "by this key", "not valid", "not checked"]
    signer: str | None  # fingerprint of the key
    faults: tuple[PackFault, ...]
