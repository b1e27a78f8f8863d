"""What claim rules would state about people, how often correctly, and what synthetic data add.

A claim rule reads the synthetic data and nothing else, and states a value about some people. Counts
are of people, of all `n_original`; nothing is rounded. All of it counts people of the original, and
stays with the custodian.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Copy, Record
from unveil.records.disclosure import BandedColumn, Coercion, Number
from unveil.version import __version__

Rule = Literal[
    "single_value",  # all matching records have one value: DiS, and correct is DiSCO
    "near_certain",  # at least `certainty` of the matching records have it
    "most_common",  # the most common value of the matching records; ties at random
    "agreed",  # determined by some file, and by no file otherwise
    "best_of_copies",  # near-certain, by as many files as serve the intruder best
    "some_file",  # determined by some file: no intruder knows which, so this is a ceiling
    "most_support",  # of the sets of keys that determine it, the one with most records
]
Part = Literal["excluded", "declared", "marginal", "one_key", "two_keys", "pattern", "rest"]


class ClaimRow(Record, frozen=True, kw_only=True):
    """One rule about one target: what is claimed, and how much of it the synthetic data add."""

    target: str
    copy: Copy
    rule: Rule
    certainty: float | None = None  # of near-certain claims
    keys: tuple[str, ...]
    n: int  # people in the original
    claimed: Number
    correct: Number  # of them, those who have the value; of the single value: DiSCO
    at_random: float  # correct if the same values were stated of people taken at random
    expected: float  # correct if claims were as good as what other people's records teach
    adds: float  # correct - expected: own record or deeper pattern
    low: float  # its 95 % interval
    high: float

    @property
    def correct_if_determined(self) -> float | None:
        """Percent of claims that are correct; of the single value: 100 DiSCO / DiS."""
        return 100 * self.correct / self.claimed if self.claimed else None

    def percent(self, field: str) -> float:
        """One of the counts in percent of all people."""
        value: float = getattr(self, field)
        return 100 * value / self.n if self.n else 0.0


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


class Claims(Record, frozen=True, kw_only=True):
    """Claims of every rule about every target, their parts, and what is to be ruled on."""

    schema: int = SCHEMA
    version: str = __version__
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

    def row_of(self, target: str, copy: Copy, rule: Rule = "single_value") -> ClaimRow:
        """The first row of a rule about one target in one copy."""
        return next(
            row for row in self.rows if (row.target, row.copy, row.rule) == (target, copy, rule)
        )
