"""What `unveil.differential_confidentiality` found, and what `unveil.split` did.

Shares are 0 to 1, as in Taub et al. (2018). ``None`` means not measurable; the reason stands in
`DifferentialConfidentiality.not_measured`. Nothing here is rounded, or belongs to one person.
"""

from typing import Any, Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__

Nonmatch = Literal["zero", "undefined"]


class ConfidentialityRow(Record, frozen=True, kw_only=True):
    """Included against left out, both scored against the first m copies pooled."""

    m: int
    n_included: int  # people with a score: all of them, or those found where nonmatch is undefined
    n_left_out: int
    n_match_included: int  # people whose keys occur in the pooled copies
    n_match_left_out: int
    mean_included: float | None  # mean CAP_s
    mean_left_out: float | None
    difference: float | None
    t: float | None  # Welch's, of the scores as if they were independent
    df: float | None  # Welch-Satterthwaite
    p: float | None  # indicative only
    interval: tuple[float, float] | None  # of the difference, by bootstrap over key combinations
    equivalent: bool | None  # the interval lies inside the margin; None without either of them

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

    m: int
    field: str
    reason: str


class DifferentialConfidentiality(Record, frozen=True, kw_only=True):
    """How much more often people are recognised because their record was used."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # included, left out, copies
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
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasuredAt, ...]

    @property
    def headline(self) -> ConfidentialityRow:
        """The row that an intruder would make: all copies pooled."""
        return self.rows[-1]


class Split(Record, frozen=True, kw_only=True):
    """How a file was split at random into people to be included and people to be left out."""

    schema: int = SCHEMA
    version: str = __version__
    file: str
    share: float
    seed: int
    strata: tuple[str, ...]
    n_strata: int  # 1 without strata
    n_original: int
    n_included: int
    n_left_out: int
    coercions: tuple[Coercion, ...]
