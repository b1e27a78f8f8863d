"""Rows grouped by which of their values are missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.protection.distance.settings import Floats


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which values are missing, and in which rows exactly these are."""

    missing: Mask
    rows: Whole

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing.any()

    def pieces(self, size: int) -> Iterator[Whole]:
        """The rows, some at a time."""
        for start in range(0, len(self.rows), size):
            yield self.rows[start : start + size]


def patterns(raw: Floats) -> list[Pattern]:
    """The patterns that occur; the complete rows first, where there are any."""
    missing = np.isnan(raw)
    if not len(raw):
        return []
    bits = np.packbits(missing, axis=1)
    _, first, of_row = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    order = np.argsort(of_row, kind="stable")
    ends = np.cumsum(np.bincount(of_row, minlength=len(first)))
    rows = np.split(order, ends[:-1])
    return [Pattern(missing[place], some) for place, some in zip(first, rows, strict=True)]


def numbered(groups: Sequence[Pattern], n_rows: int) -> Whole:
    """The number of each row's pattern."""
    found = np.zeros(n_rows, np.int64)
    for number, group in enumerate(groups):
        found[group.rows] = number
    return found


def by_pattern(of_row: Whole, i: Whole, j: Whole) -> Iterator[tuple[int, int, Whole]]:
    """Pairs of rows by their pair of patterns: its numbers, and the places of the pairs."""
    n_patterns = int(of_row.max(initial=0)) + 1
    code = of_row[i] * n_patterns + of_row[j]
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    for some in np.split(order, starts[1:]) if len(order) else ():
        mine, theirs = divmod(int(code[some[0]]), n_patterns)
        yield mine, theirs, some
