"""What is compared with what: keys and targets, categorical or with a radius, on every side."""

from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.count.sides import Sides
from unveil.measure.attribution.buckets import Columns


@dataclass(frozen=True)
class Problem:
    """Keys and targets of the original and its copies, stacked."""

    sides: Sides
    keys: Columns
    targets: Columns

    @property
    def original(self) -> slice:
        """The original records."""
        return self.sides.slices[0]

    @property
    def copies(self) -> list[slice]:
        """The records of each copy."""
        return self.sides.slices[1:]

    @property
    def everyone(self) -> Whole:
        """The place of every original record."""
        return np.arange(self.original.stop)
