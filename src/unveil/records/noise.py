"""What `unveil.add_noise` did: how much noise to which column, and what it changed.

Confidential but for `statement`, which is made to be published.
"""

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__


class Summary(Record, frozen=True, kw_only=True):
    """How the values of a column are distributed; all None where there is none."""

    mean: float | None
    sd: float | None
    minimum: float | None
    quarter: float | None
    median: float | None
    three_quarters: float | None
    maximum: float | None


class Displacement(Record, frozen=True, kw_only=True):
    """How far values were moved: Chapelle and Falissard, Figure 8."""

    mean: float
    sd: float
    mean_absolute: float
    largest: float  # in either direction


class Bin(Record, frozen=True, kw_only=True):
    """How many values lie in an interval: Chapelle and Falissard, Figure 9."""

    lower: float
    upper: float
    n_before: int
    n_after: int


class NoisedColumn(Record, frozen=True, kw_only=True):
    """What was done to one column."""

    column: str
    noise: str
    sigma: float
    decimals: int | None  # rounded to so many; None where not rounded
    lowest: float | None  # set to these where beyond; None where that side is not clipped
    highest: float | None
    n_values: int  # numbers that noise was added to
    n_missing: int
    n_codes: int  # codes for no answer, kept as they are
    n_changed: int
    n_clipped: int
    n_redrawn: int  # would have become codes for no answer: their noise was drawn again
    displacement: Displacement | None  # None where there was no number
    before: Summary
    after: Summary
    bins: tuple[Bin, ...]


class NotNeeded(Record, frozen=True, kw_only=True):
    """A column that the custodian declared to need no noise, and why."""

    column: str
    reason: str


class Noise(Record, frozen=True, kw_only=True):
    """Noise that was added to the numbers of a copy."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    n_rows: int
    columns: tuple[NoisedColumn, ...]
    not_needed: tuple[NotNeeded, ...]
    undeclared: tuple[str, ...]  # columns of numbers about which nothing was said
    statement: str  # public: kind and amount of noise, rounding and clipping, nothing else
    warnings: tuple[str, ...]
