"""What an intruder would learn who knows, or uses, only some of the keys: every set of them.

Figures count people of the original; `expected` stands beside every one, for the largest of many
figures is large by chance. Nothing is rounded, and nothing belongs to one person.
"""

from typing import Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import (
    BandedColumn,
    ClaimRow,
    Coercion,
    KeySetFigure,
    SetMeasure,
)
from unveil.records.judgement import Status


class KeySetRow(Record, frozen=True, kw_only=True):
    """One set of keys and one target, in percent of people."""

    copy: Copy
    keys: tuple[str, ...]
    matched: float  # iS
    repU: float
    target: str | None  # None: there is no target
    DiS: float | None
    DiSCO: float | None


class KeySetCeiling(Record, frozen=True, kw_only=True):
    """What all sets together say about one target, in people."""

    target: str
    copy: Copy
    most_support: ClaimRow  # of the sets that determine the value, the one with most records
    contradicted: int  # sets with equally many records state different values
    ceiling: int  # some set is correct; no intruder knows which
    ceiling_wrong: int  # some set is wrong


class KeySetVerdict(Record, frozen=True, kw_only=True):
    """A limit, held against every set of the keys."""

    measure: SetMeasure
    target: str | None
    copy: Copy
    limit: float  # percent of people
    figure: KeySetFigure  # the set that decides: beyond chance if one above the limit is
    status: Status  # above: and not by chance; review: as chance would


class KeySets(VersionedRecord, frozen=True, kw_only=True):
    """The risk on every set of the keys: the worst, by size, without each key, and all together."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_synthetic: tuple[int, ...]
    at_most: int  # keys in a set
    n_sets: int
    complete: bool  # every set was counted
    exclude: tuple[str, ...]
    rows: tuple[KeySetRow, ...]
    figures: tuple[KeySetFigure, ...]
    ceilings: tuple[KeySetCeiling, ...]
    verdicts: tuple[KeySetVerdict, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]

    def find_figures(self, kind: str) -> tuple[KeySetFigure, ...]:
        """The figures of one kind."""
        return tuple(one for one in self.figures if one.kind == kind)

    @property
    def exit_code(self) -> Literal[0, 3]:
        """3 where a set is above its limit, and not by chance."""
        return 3 if any(one.status == "above" for one in self.verdicts) else 0
