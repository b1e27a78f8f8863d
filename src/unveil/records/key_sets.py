"""What an intruder would learn who knows, or uses, only some of the keys: every set of them.

Figures count people of the original; `expected` stands beside every one, for the largest of many
figures is large by chance. Nothing is rounded, and nothing belongs to one person.
"""

from typing import Any, Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import BandedColumn, ClaimRow, Coercion
from unveil.records.judgement import Status

SetMeasure = Literal["DiSCO", "repU"]


class KeySetRow(Record, frozen=True, kw_only=True):
    """One set of keys and one target, in percent of people."""

    copy: Copy
    keys: tuple[str, ...]
    matched: float  # iS
    repU: float
    target: str | None  # None: there is no target
    DiS: float | None
    DiSCO: float | None


class KeySetFigure(Record, frozen=True, kw_only=True):
    """The worst set of keys of some kind, beside what is expected of it; counts of people."""

    measure: SetMeasure
    target: str | None  # None: repU
    copy: Copy
    kind: Literal["all_keys", "worst", "size", "without"]
    without: str | None = None  # the key that the intruder lacks
    keys: tuple[str, ...]  # empty: no set is left
    n: int  # people in the original
    claimed: int  # people whose value is determined; of repU: people unique in the original
    correct: int  # of them, correctly (DiSCO); of repU: unique in the synthetic data too
    expected: float
    adds: float  # own record or deeper pattern
    low: float  # 95 %
    high: float
    low_of_all: float  # lower end corrected for the number of sets

    def flat(self) -> dict[str, Any]:
        """The figure as one row of a table."""
        return {**self.to_dict(), "keys": " ".join(self.keys)}

    def percent(self, field: str) -> float:
        """One of the counts in percent of all people."""
        value: float = getattr(self, field)
        return 100 * value / self.n if self.n else 0.0


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
    n_above: int  # sets above it
    figure: KeySetFigure  # the set that decides: most beyond what is expected, of those above
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
