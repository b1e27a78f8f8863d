"""What `unveil.differential_confidentiality` found, and what `unveil.split` did.

Shares are 0 to 1, as in Taub et al. (2018). ``None`` means not measurable; the reason stands in
`DifferentialConfidentiality.not_measured`. Nothing here is rounded, or belongs to one person.
"""

from typing import Any, Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.records.person import PersonColumn

Nonmatch = Literal["zero", "undefined"]

FEWEST_CLASSES = 20
"""Key combinations that each group needs before anything is concluded from an interval of theirs.

Where the simulation of docs/measures/differential_confidentiality.md had 20, an interval of 95 %
held the true difference 91 % of the time, with 3 about 80 %. With fewer it is too narrow, and too
narrow an interval lies inside a margin too easily.
"""
ROUNDING = 1e-12
"""What differs by less is the same: it was added up from different terms."""
NO_WIDTH = "the interval has no width, so it does not show the uncertainty"
FEW_TO_DRAW = (
    f"a group has people in fewer than {FEWEST_CLASSES} key combinations, with which intervals are"
    " too narrow"
)


class ConfidentialityRow(Record, frozen=True, kw_only=True):
    """Included against excluded, both scored against the first m copies pooled."""

    method: str  # whose copies; "" where no method is named
    m: int
    n_included: int  # people with a score: all of them, or those found where nonmatch is undefined
    n_left_out: int
    n_match_included: int  # people whose keys occur in the pooled copies
    n_match_left_out: int
    n_keys_included: int  # key combinations in which people with a score are
    n_keys_left_out: int
    mean_included: float | None  # mean CAP_s
    mean_left_out: float | None
    difference: float | None
    t: float | None  # Welch's, of the scores as if they were independent
    df: float | None  # Welch-Satterthwaite
    p: float | None  # indicative only
    interval: tuple[float, float] | None  # of the difference, by bootstrap over key combinations
    equivalent: bool | None  # the interval lies inside the margin; None without, or with a doubt

    @property
    def doubt(self) -> str | None:
        """Why nothing can be concluded from the interval; None where something can, or has none."""
        if self.interval is None:
            return None
        low, high = self.interval
        if high - low < ROUNDING:
            return NO_WIDTH
        few = min(self.n_keys_included, self.n_keys_left_out) < FEWEST_CLASSES
        return FEW_TO_DRAW if few else None

    def flat(self) -> dict[str, Any]:
        """The row as single figures, the interval as its two ends."""
        row = self.to_dict()
        low, high = row["interval"] or (None, None)
        ends = {"interval_low": low, "interval_high": high}
        return {
            name: value
            for field, given in row.items()
            for name, value in (ends if field == "interval" else {field: given}).items()
        }


class NotMeasuredAt(Record, frozen=True, kw_only=True):
    """Why a field is None in the row of m pooled copies."""

    method: str
    m: int
    field: str
    reason: str


class DifferentialConfidentiality(VersionedRecord, frozen=True, kw_only=True):
    """How much more often people are recognised because their record was used."""

    files: tuple[str, ...]  # included, excluded, copies, method by method
    keys: tuple[str, ...]
    target: tuple[str, ...]  # one name, or several taken jointly
    nonmatch: Nonmatch
    margin: float | None
    confidence: float
    n_bootstrap: int
    seed: int
    n_included: int
    n_left_out: int
    n_synthetic: tuple[int, ...]
    rows: tuple[ConfidentialityRow, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasuredAt, ...]

    @property
    def methods(self) -> dict[str, tuple[int, ...]]:
        """The records of each copy, by method."""
        sizes: dict[str, tuple[int, ...]] = {}
        for row, n in zip(self.rows, self.n_synthetic, strict=True):
            sizes[row.method] = (*sizes.get(row.method, ()), n)
        return sizes

    def headline(self, method: str) -> ConfidentialityRow:
        """The row that an intruder would make: all copies of a method pooled."""
        return [row for row in self.rows if row.method == method][-1]


class Split(VersionedRecord, frozen=True, kw_only=True):
    """How a file was split at random into people to be included and people to be excluded."""

    file: str
    share: float
    seed: int
    strata: tuple[str, ...]
    n_strata: int  # 1 without strata
    n_original: int
    n_included: int
    n_left_out: int
    person: PersonColumn | None = None  # None: every row is a person
    n_people_included: int | None = None
    n_people_left_out: int | None = None
    coercions: tuple[Coercion, ...]
