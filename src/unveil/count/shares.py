"""Sums of quotients that come out the same, to the last digit, in whatever order they are taken."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unveil.count.packing import Whole


@dataclass(frozen=True)
class Shares:
    """A sum of quotients: whole numbers, added up for each divisor before anything is divided.

    The result does not depend on the order of the terms (while sums stay below 2^53).
    """

    divisors: Whole
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Whole, per: Whole) -> Self:
        """The sum of counts / per; terms per nothing are left out."""
        if len(per) and int(per.max()) <= 4 * len(per):
            sums = np.bincount(per, weights=counts).astype(np.float64)
            sums[0] = 0
            divisors = np.flatnonzero(sums)
            return cls(divisors, sums[divisors])
        here = per > 0
        divisors, place = np.unique(per[here], return_inverse=True)
        added = np.bincount(place, weights=counts[here], minlength=len(divisors))
        return cls(divisors, added.astype(np.float64))

    @classmethod
    def together(cls, parts: list[Self]) -> Self:
        """Several such sums as one."""
        divisors, place = np.unique(
            np.concatenate([part.divisors for part in parts]), return_inverse=True
        )
        sums = np.concatenate([part.sums for part in parts])
        added = np.bincount(place, weights=sums, minlength=len(divisors))
        return cls(divisors, added.astype(np.float64))

    def percent(self, *, of: int) -> float | None:
        """100 times the sum, divided by `of`; None of nobody."""
        return 100 * math.fsum(self.sums / self.divisors) / of if of else None
