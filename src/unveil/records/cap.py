"""What `unveil.cap` and `unveil.cap_table` found: correct attribution by copies pooled.

Shares are 0 to 1, as in Taub et al. (2018). ``None`` means not measurable; the reason stands in
`Cap.not_measured`. Nothing here is rounded, and nothing here belongs to one person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from unveil.errors import SettingsError
from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.disclosure import BandedColumn, Coercion, NotMeasured

# What `unveil.gtcap` found: figures over all statistical uniques, none of a single one.
#
# Shares and scores, not percentages; 0 is a guess by frequencies and 1 what the original gives
# away.


UniqueRule = Literal["all_keys", "key", "joint", "equal"]
Coefficient = Literal["mean", "product", "minimum"]


class Radius(Record, frozen=True, kw_only=True):
    """How far apart two values of a column may be and still count as near."""

    column: str
    radius: float


class GtcapCopy(Record, frozen=True, kw_only=True):
    """The figures of one copy, of the mean over copies, or of all copies pooled."""

    copy: Copy
    n_unmatched: int | float  # uniques with no record near: their score is 0
    mean_synthetic: float | None  # means over all uniques
    mean_baseline: float | None
    mean_original: float | None
    mean: float | None  # of the normalised scores, over the uniques that are not dropped
    ratio_of_means: float | None  # of the three means, over all uniques


class GtcapBin(Record, frozen=True, kw_only=True):
    """How many uniques have a normalised score from `low` up to, and without, `high`."""

    low: float | None  # None: no end
    high: float | None
    n: int


class UniqueScore(Record, frozen=True, kw_only=True):
    """The scores of one statistical unique: for the custodian alone, and in no view."""

    row: int  # its place in the original, from 0
    synthetic: float
    baseline: float
    original: float
    normalised: float | None  # None: dropped, because original and baseline are the same


class Gtcap(VersionedRecord, frozen=True, kw_only=True):
    """GTCAP of a synthetic file, or of several pooled: Chapelle and Falissard 2023, Algorithm 2."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: tuple[str, ...]  # taken jointly
    radii: tuple[Radius, ...]
    unique_rule: UniqueRule
    coefficient: Coefficient
    n_original: int
    n_synthetic: tuple[int, ...]
    n_unique: int  # original records that are statistical uniques
    n_dropped: int  # of them without a scale: original and baseline are the same
    n_unmatched: int
    mean: float | None  # of the normalised scores
    ratio_of_means: float | None  # the same ratio from the means of all uniques
    copies: tuple[GtcapCopy, ...]
    histogram: tuple[GtcapBin, ...]  # of the normalised scores that `mean` is the mean of
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    @property
    def headline_copy(self) -> Copy:
        """The synthetic file that the figures of the record are of: the only one, or all pooled."""
        return 1 if len(self.n_synthetic) == 1 else "pooled"

    def find_copy(self, copy: Copy) -> GtcapCopy:
        """The figures of one copy, of the mean, or of all pooled."""
        return next(row for row in self.copies if row.copy == copy)


# What `unveil.tcap` and `unveil.gcap` found.
#
# Four measures are called TCAP; each has its own field here, and beside it a baseline: how often
# the same would be correct of people taken at random. None of them is DiSCO. Shares are 0 to 1, but
# for Raab's and Little's, which are percentages as in unveil.disclosure. ``None`` means not
# measurable; the reason stands in `Tcap.not_measured`. GCAP is always measurable.


Target = str | tuple[str, ...]
"""One target, or several disclosed jointly."""


class TcapRow(Record, frozen=True, kw_only=True):
    """The four with copies 1 to m of one method pooled."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    n_synthetic: int  # records of the pooled copies
    n_selected: int  # those with WEAP of at least tau
    n_undefined: int  # those of them whose keys the original does not have
    tcap: float | None  # Taub and Elliot: mean over those selected that are defined
    tcap_zero: float | None  # the same with the undefined counted as 0
    tcap_baseline: float | None  # of those that are defined, the share of their target among all
    tcap_raab: float | None  # Raab 2024, equation 13: a percentage, as in unveil.disclosure
    tcap_raab_baseline: float | None  # a percentage
    tcap_uniques: float | None  # Chen et al., Chapelle and Falissard: CAP on key uniques
    tcap_uniques_baseline: float | None
    n_uniques: int  # original records alone with their keys
    correct_if_determined: float | None  # Little et al. 2025: 100 DiSCO / DiS, a percentage
    correct_if_determined_baseline: float | None  # a percentage
    n_determined: int  # original records whose keys show a single target


class TcapNotMeasured(Record, frozen=True, kw_only=True):
    """Why a field is None in the row of m pooled copies."""

    m: int
    field: str
    reason: str


class Tcap(VersionedRecord, frozen=True, kw_only=True):
    """Targeted correct attribution of all copies pooled; `rows` has m = 1 to M."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: Target
    tau: float
    n_original: int
    n_synthetic: tuple[int, ...]
    n_selected: int
    n_undefined: int
    tcap: float | None
    tcap_zero: float | None
    tcap_baseline: float | None
    tcap_raab: float | None
    tcap_raab_baseline: float | None
    tcap_uniques: float | None
    tcap_uniques_baseline: float | None
    n_uniques: int
    correct_if_determined: float | None
    correct_if_determined_baseline: float | None
    n_determined: int
    rows: tuple[TcapRow, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[TcapNotMeasured, ...]


class GcapRow(Record, frozen=True, kw_only=True):
    """GCAP with copies 1 to m of one method pooled."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    n: int  # original records
    n_match: int  # those whose keys the pooled copies have
    mean_distance: float  # keys in which the nearest records differ, mean over original records
    gcap: float


class Gcap(VersionedRecord, frozen=True, kw_only=True):
    """Correct attribution from the nearest keys, all copies pooled; `rows` has m = 1 to M."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: Target
    n_original: int
    n_synthetic: tuple[int, ...]
    n_match: int
    mean_distance: float
    gcap: float
    rows: tuple[GcapRow, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]


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


class WeightedCapRow(Record, frozen=True, kw_only=True):
    """The same means over the same people, each with their sampling weight."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    scenario: str
    weight: float  # of the original records in the scenario
    weight_matched: float
    match_rate: float | None
    cap_original: float | None
    cap_baseline: float | None
    cap_synthetic_zero: float | None
    cap_synthetic_undefined: float | None
    cap_original_matched: float | None
    cap_baseline_matched: float | None
    weight_determined: float
    weight_correct: float


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


class Cap(VersionedRecord, frozen=True, kw_only=True):
    """Correct attribution for methods, key sets and scenarios, m = 1 to M copies pooled."""

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
    weights: str | None = None  # the column of sampling weights of the original
    weighted: tuple[WeightedCapRow, ...] = ()  # the rows again, with these weights
    tau: float | None = None  # with these, the measures below were asked for
    tcap: tuple[TcapRow, ...] = ()
    gcap: tuple[GcapRow, ...] = ()
    bands: tuple[BandedColumn, ...]
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


# CAP as Taub et al. (2018) print it: Tables 1, 5 and 6.
#
# Rows for the original and the baseline, then one for each method and m; columns for each rule for
# non-matches, scenario and key set.


ORIGINAL, BASELINE = "original", "baseline"


@dataclass(frozen=True)
class Head:
    """What a column is of."""

    rule: NonMatch
    scenario: str
    key_set: KeySet


@dataclass(frozen=True)
class LayoutLine:
    """One row: the original, the baseline (m is None), or a method with m copies pooled."""

    label: str
    m: int | None
    cells: tuple[float | None, ...]


def heads(record: Cap) -> list[Head]:
    """The columns, those of one rule together."""
    return [
        Head(rule, scenario, key_set)
        for rule in get_args(NonMatch)
        for scenario in record.scenarios
        for key_set in record.key_sets
    ]


def lines(record: Cap, columns: list[Head]) -> Iterator[LayoutLine]:
    """The rows, with a cell for each of these columns."""
    found = {(row.method, row.keys, row.scenario, row.m): row for row in record.rows}

    def row_of(method: str, head: Head, m: int) -> CapRow:
        return found[method, head.key_set.keys, head.scenario, m]

    first = record.methods[0].name
    for label in (ORIGINAL, BASELINE):
        cells = (getattr(row_of(first, head, 1), f"cap_{label}") for head in columns)
        yield LayoutLine(label, None, tuple(cells))
    for method in record.methods:
        for m in range(1, len(method.n_synthetic) + 1):
            rows = ((head, row_of(method.name, head, m)) for head in columns)
            cells = (getattr(row, f"cap_synthetic_{head.rule}") for head, row in rows)
            yield LayoutLine(method.name, m, tuple(cells))
