"""Which original values stand in each leaf, and how is one drawn, as it is or smoothed?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.synthesis.column import Values
from unveil.synthesis.tree import Nodes


@dataclass(frozen=True)
class Donors:
    """The values of all leaves in one array, sorted by leaf; each leaf is a stretch of it.

    `start` and `size` have an entry for every node of the tree; a node that is no leaf has none.
    """

    values: Values
    start: NDArray[np.int64]
    size: NDArray[np.int32]

    @classmethod
    def of(cls, values: Values, leaves: Nodes, n_nodes: int) -> Self:
        """The donors of every leaf."""
        size = np.bincount(leaves, minlength=n_nodes)
        start = np.cumsum(size) - size
        return cls(values[np.argsort(leaves, kind="stable")], start, size.astype(np.int32))

    def places(self, leaves: Nodes, rng: np.random.Generator) -> NDArray[np.int64]:
        """One donor drawn evenly from each row's leaf: its place in `values`."""
        within = (rng.random(len(leaves)) * self.size[leaves]).astype(np.int64)
        return self.start[leaves] + within

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {"values": self.values, "start": self.start, "size": self.size}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The donors that `to_arrays` wrote."""
        return cls(arrays["values"], arrays["start"], arrays["size"])


@dataclass(frozen=True)
class Smoothing:
    """A Gaussian kernel around each donor, as wide as its leaf asks, within the column's range.

    Notes
    -----
    The width in a leaf of n values is 0.9 min(sd, IQR / 1.34) n^(-1/5) (Silverman 1986, equation
    3.31), with the standard deviation alone where the quartiles fall together. The kernel is cut
    off at the smallest and the largest value of the column, so that no value lies beyond them.
    Reiter (2005) draws from the same density. Values are rounded to the decimals of the column.
    """

    width: NDArray[np.float64]  # of every node
    low: float  # a whole number where values are, lest the last digits be lost
    high: float
    decimals: int | None

    @classmethod
    def of(cls, donors: Donors) -> Self:
        """The widths of every leaf."""
        values = donors.values.astype(float)
        decimals = 0 if donors.values.dtype.kind == "i" else _decimals(values)
        low, high = donors.values.min().item(), donors.values.max().item()
        return cls(_widths(values, donors), low, high, decimals)

    def around(self, centre: Values, leaves: Nodes, rng: np.random.Generator) -> Values:
        """One value from the kernel around each donor, by the inverse of its distribution."""
        from scipy.special import ndtr, ndtri

        width = self.width[leaves]
        moved = width > 0
        h, x = width[moved], centre[moved].astype(float)
        below, above = ndtr((self.low - x) / h), ndtr((self.high - x) / h)
        drawn = x + h * ndtri(below + rng.random(len(x)) * (above - below))
        if self.decimals is not None:
            drawn = drawn.round(self.decimals)
        made = centre.copy()
        made[moved] = np.clip(_in_64_bits(drawn, made.dtype), self.low, self.high)
        return made

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {
            "width": self.width, "low": self.low, "high": self.high, "decimals": self.decimals,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The smoothing that `to_arrays` wrote."""
        return cls(arrays["width"], arrays["low"], arrays["high"], arrays["decimals"])


def _in_64_bits(drawn: NDArray[np.float64], dtype: np.dtype[Any]) -> Values:
    """Whole numbers, none beyond the largest of 64 bits, where the column has such."""
    if dtype.kind != "i":
        return drawn
    largest = np.nextafter(2.0**63, 0)
    whole: Values = np.clip(drawn, -largest, largest).astype(np.int64)
    return whole


def _widths(values: NDArray[np.float64], donors: Donors) -> NDArray[np.float64]:
    size, start = donors.size.astype(np.int64), donors.start
    leaf = np.repeat(np.arange(len(size)), size)
    full = np.maximum(size, 1)
    mean = np.bincount(leaf, values, len(size)) / full
    squares = np.bincount(leaf, (values - mean[leaf]) ** 2, len(size))
    sd = np.sqrt(squares / np.maximum(size - 1, 1))
    in_order = values[np.lexsort((values, leaf))]
    last = len(values) - 1
    quartile = [in_order[np.minimum(start + size * q // 4, last)] for q in (1, 3)]
    spread = (quartile[1] - quartile[0]) / 1.34
    narrow = np.where(spread > 0, np.minimum(sd, spread), sd)
    return np.where(size > 1, 0.9 * narrow * full ** (-0.2), 0.0)


def _decimals(values: NDArray[np.float64], most: int = 6) -> int | None:
    """Decimals that all values are written with; None where more than `most`."""
    return next((d for d in range(most + 1) if np.array_equal(values.round(d), values)), None)
