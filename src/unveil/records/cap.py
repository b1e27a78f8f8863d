"""What `unveil.cap` and `unveil.cap_table` found: correct attribution by copies pooled.

Shares are 0 to 1, as in Taub et al. (2018). ``None`` means not measurable; the reason stands in
`Cap.not_measured`. Nothing here is rounded, and nothing here belongs to one person.
"""

from typing import Literal

from unveil.errors import SettingsError
from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.tcap import GcapRow, Target, TcapRow
from unveil.version import __version__

NonMatch = Literal["zero", "undefined"]
"""What a person without a match counts: a wrong guess, or nothing."""


class CapRow(Record, frozen=True, kw_only=True):
    """CAP with copies 1 to m of one method pooled: Taub et al. 2018, equations 3 to 6."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    scenario: str  # full, uniques, special, or mask
    n: int  # original records in the scenario
    n_match: int  # those of them whose keys the pooled copies have
    match_rate: float | None
    cap_original: float | None
    cap_baseline: float | None
    cap_synthetic_zero: float | None  # a person without a match counts as a wrong guess
    cap_synthetic_undefined: float | None  # a person without a match does not count
    cap_original_matched: float | None  # of those matched alone, to compare the former with
    cap_baseline_matched: float | None
    n_settled: int  # records whose matches all agree with each other
    n_right: int  # those of them whose matches agree with the truth


class OnM(Record, frozen=True, kw_only=True):
    """CAP regressed on the number of copies: intercept + slope m, by ordinary least squares."""

    method: str
    keys: tuple[str, ...]
    target: Target
    scenario: str
    nonmatch: NonMatch
    n_points: int  # the m at which the CAP is defined
    intercept: float | None
    slope: float | None
    se_intercept: float | None
    se_slope: float | None
    t_intercept: float | None
    t_slope: float | None
    p_intercept: float | None
    p_slope: float | None
    df: int | None


class Method(Record, frozen=True, kw_only=True):
    """A way of making copies, and the records of each copy."""

    name: str
    n_synthetic: tuple[int, ...]


class KeySet(Record, frozen=True, kw_only=True):
    """What one intruder knows, and what to call it in a table."""

    name: str
    keys: tuple[str, ...]


class Tolerance(Record, frozen=True, kw_only=True):
    """Values of a target that differ by no more than this agree."""

    target: str
    radius: float


class CapNotMeasured(Record, frozen=True, kw_only=True):
    """Why a field of a row is None."""

    method: str
    keys: tuple[str, ...]
    m: int
    scenario: str | None  # None for a row of `tcap`
    field: str
    reason: str


class Cap(Record, frozen=True, kw_only=True):
    """Correct attribution for methods, key sets and scenarios, m = 1 to M copies pooled."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # the original, then the copies, method by method
    methods: tuple[Method, ...]
    key_sets: tuple[KeySet, ...]
    target: Target
    n_original: int
    scenarios: tuple[str, ...]
    baseline: str
    tolerance: tuple[Tolerance, ...]
    rows: tuple[CapRow, ...]
    on_m: tuple[OnM, ...]
    tau: float | None = None  # with these, the measures below were asked for
    tcap: tuple[TcapRow, ...] = ()
    gcap: tuple[GcapRow, ...] = ()
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[CapNotMeasured, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """The target's columns."""
        return (self.target,) if isinstance(self.target, str) else self.target

    def rows_of(self, method: str, keys: tuple[str, ...], scenario: str) -> tuple[CapRow, ...]:
        """The rows of one method, key set and scenario, m = 1, 2, ..."""
        wanted = (method, keys, scenario)
        return tuple(row for row in self.rows if (row.method, row.keys, row.scenario) == wanted)

    def fit(self, method: str, keys: tuple[str, ...], scenario: str, nonmatch: NonMatch) -> OnM:
        """The regression on m of one method, key set, scenario and rule for non-matches."""
        wanted = (method, keys, scenario, nonmatch)
        for row in self.on_m:
            if (row.method, row.keys, row.scenario, row.nonmatch) == wanted:
                return row
        raise SettingsError(f"There is no regression for non-matches as {nonmatch!r}.")
