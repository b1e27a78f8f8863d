"""What `unveil attack` found: all attacks that were run, on each of the copies."""

from unveil.records.attacks import Attacks
from unveil.records.base import SCHEMA, Record
from unveil.records.membership import Membership
from unveil.version import __version__


class CopyAttacked(Record, frozen=True, kw_only=True):
    """The attacks on one copy."""

    copy: int  # 1 to m
    file: str
    attacks: tuple[Attacks, ...]  # in the order of singling out, linkability, inference
    membership: Membership | None  # None where it was not run


class AttackRun(Record, frozen=True, kw_only=True):
    """All attacks of one call of the command, from one seed."""

    schema: int = SCHEMA
    version: str = __version__
    seed: int
    level: float
    control: str | None  # the file of people who were not used
    copies: tuple[CopyAttacked, ...]
    notes: tuple[str, ...]  # what was chosen without being asked for, and what could not be run
