"""Which records can be compared at all? Those in one bucket: alike in every categorical column.

Buckets are numbers over the stacked records of all sides, so that the same combination has the same
number in the original and in every copy.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.codes import Column
from unveil.count.packing import Ids, Integers, Whole, number, pack
from unveil.measure.attribution.windows import Axis


@dataclass(frozen=True)
class Buckets:
    """The bucket of every stacked record."""

    ids: Ids
    n: int

    def split(self, digits: Sequence[tuple[Integers, int]]) -> "Buckets":
        """Finer buckets: alike in these codes too, each given with its number of levels."""
        if not digits:
            return self
        return Buckets(*number(*pack([(self.ids, self.n), *digits], len(self.ids))))

    def counts(self, rows: slice) -> Whole:
        """How many of these records each bucket holds."""
        return np.bincount(self.ids[rows], minlength=self.n)


@dataclass(frozen=True)
class Columns:
    """Some columns of all stacked records: buckets of the categorical ones, and the other axes."""

    buckets: Buckets
    axes: tuple[Axis, ...]

    def and_also(self, others: "Columns") -> "Columns":
        """These columns and others together."""
        cells = self.buckets.split([(others.buckets.ids, others.buckets.n)])
        return Columns(cells, self.axes + others.axes)

    def folded(self) -> "Columns":
        """The same for pairs that are near on every axis, with fewer axes left to look at.

        An axis on which only equals are near parts records as a category does; and on any other,
        numbers are not near what is no number.
        """
        digits: list[tuple[Integers, int]] = []
        for axis in self.axes:
            if axis.is_equality:
                digits.append((axis.codes, axis.n_levels))
            elif axis.n_numbers < axis.n_levels:
                digits.append(axis.apart())
        left = tuple(axis for axis in self.axes if not axis.is_equality)
        return Columns(self.buckets.split(digits), left)


def columns_of(n_rows: int, categorical: Iterable[Column], axes: Iterable[Axis]) -> Columns:
    """Columns of so many stacked records, by their kind."""
    together = Buckets(np.zeros(n_rows, np.int32), 1)
    digits = [(column.codes, column.n_levels) for column in categorical]
    return Columns(together.split(digits), tuple(axes))
