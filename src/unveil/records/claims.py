"""What claim rules would state about people, how often correctly, and what synthetic data add.

A claim rule reads the synthetic data and nothing else, and states a value about some people. Counts
are of people, of all `n_original`; nothing is rounded. All of it counts people of the original, and
stays with the custodian.
"""

from typing import Literal

from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import BandedColumn, ClaimRow, ClaimRule, Coercion

Part = Literal["excluded", "declared", "marginal", "one_key", "two_keys", "pattern", "rest"]


class PartsRow(Record, frozen=True, kw_only=True):
    """What explains the correct single values of one target; the parts add up to `correct`."""

    target: str
    copy: Copy
    correct: int  # DiSCO before exclusions, in people
    excluded: int
    declared: int  # by tables declared public
    marginal: int  # by the share of the value among all
    one_key: int  # by its share at a level of one key
    two_keys: int
    pattern: int  # by all keys together, each by its own table
    rest: int  # by none of these
    rest_expected: float
    rest_adds: float  # own record or deeper pattern
    rest_low: float
    rest_high: float
    # With a control sample: of the rest, how many would be correct about other people, too.
    population_inference: float | None = None
    own_record: float | None = None
    own_record_low: float | None = None
    own_record_high: float | None = None


class ClaimGroup(Record, frozen=True, kw_only=True):
    """Correct single values explained alike: one thing to rule on, common knowledge or not."""

    target: str
    copy: Copy
    part: Part
    level: str | None  # of the target; None is the missing level
    keys: tuple[str, ...]  # whose table explains them
    key_levels: tuple[tuple[str | None, ...], ...]  # at which levels of these keys
    n: int  # people
    percent: float  # of the target's correct single values
    exclusions: tuple[str, ...]  # what a ruling "common knowledge" writes


class Claims(VersionedRecord, frozen=True, kw_only=True):
    """Claims of every rule about every target, their parts, and what is to be ruled on."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_control: int | None = None
    n_synthetic: tuple[int, ...]
    public: tuple[str, ...]  # tables declared public, as given
    certainty: float  # from which share on something explains a value
    at_least: int  # people: a smaller group teaches nothing
    folds: int
    seed: int
    exclude: tuple[str, ...]
    rows: tuple[ClaimRow, ...]
    parts: tuple[PartsRow, ...]
    groups: tuple[ClaimGroup, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]

    @property
    def headline_copy(self) -> Copy:
        """The copy whose figures stand for all: the only one, or all of them pooled."""
        return 1 if len(self.n_synthetic) == 1 else "pooled"

    def row_of(self, target: str, copy: Copy, rule: ClaimRule = "single_value") -> ClaimRow:
        """The first row of a rule about one target in one copy."""
        return next(
            row for row in self.rows if (row.target, row.copy, row.rule) == (target, copy, rule)
        )
