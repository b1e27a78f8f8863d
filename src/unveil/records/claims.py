"""What claim rules would state about people, how often correctly, and what synthetic data add.

A claim rule reads the synthetic data and nothing else, and states a value about some people. Counts
are of people, of all `n_original`; nothing is rounded. All of it counts people of the original, and
stays with the custodian.
"""

from unveil.records.base import Copy, VersionedRecord
from unveil.records.disclosure import (
    BandedColumn,
    ClaimGroup,
    ClaimRow,
    ClaimRule,
    Coercion,
    PartsRow,
)


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
        """The synthetic file whose figures stand for all: the only one, or all of them pooled."""
        return 1 if len(self.n_synthetic) == 1 else "pooled"

    def row_of(self, target: str, copy: Copy, rule: ClaimRule = "single_value") -> ClaimRow:
        """The first row of a rule about one target in one copy."""
        return next(
            row for row in self.rows if (row.target, row.copy, row.rule) == (target, copy, rule)
        )
