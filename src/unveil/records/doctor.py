"""What `unveil doctor` found: versions and what works, and nothing of the data, user or machine.

No path, no name of a user or a host is in it, so that it can be sent to whoever helps.
"""

from typing import Literal

from unveil.records.base import Record, VersionedRecord


class Package(Record, frozen=True, kw_only=True):
    """A package that unveil uses: always, or with an extra."""

    name: str
    version: str | None  # None: not installed
    wants: str | None  # the lowest version that will do
    extra: str | None  # None: always needed
    is_enough: bool


class ReaderCheck(Record, frozen=True, kw_only=True):
    """Whether files of one ending can be read here."""

    ending: str
    status: Literal["works", "fails", "not installed", "not tried"]
    why: str | None = None


class Folder(Record, frozen=True, kw_only=True):
    """Whether a folder can be written to, and how many bytes are free on its disk."""

    which: Literal["current", "temporary"]
    writable: bool
    free: int | None


class Examination(VersionedRecord, frozen=True, kw_only=True):
    """What unveil stands on here; `errors` are what is needed and missing, a sentence each."""

    python: str
    system: str
    machine: str
    n_cores: int | None
    memory_free: int | None
    memory_total: int | None
    terminal_width: int
    encoding: str | None
    network: str
    folders: tuple[Folder, ...]
    packages: tuple[Package, ...]
    readers: tuple[ReaderCheck, ...]
    faults: tuple[str, ...]
    remarks: tuple[str, ...]
