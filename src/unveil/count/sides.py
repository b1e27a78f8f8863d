"""Original and copies stacked into one: where does each side stand?"""

from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True)
class Sides:
    """Where each side's rows stand in a stacked column: the original first, then the copies."""

    rows: tuple[int, ...]

    @property
    def n_rows(self) -> int:
        """Rows of all sides together."""
        return sum(self.rows)

    @property
    def slices(self) -> list[slice]:
        """One slice a side."""
        return [slice(a, b) for a, b in pairwise(accumulate(self.rows, initial=0))]
