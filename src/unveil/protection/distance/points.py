"""Complete rows, as given and whitened, and how far two of them are apart."""

from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import Geometry


@dataclass(frozen=True, eq=False)
class Points:
    """Rows without a missing value: `raw` as given, `white` whitened around one centre."""

    geometry: Geometry
    raw: Floats
    white: Floats

    @classmethod
    def of(cls, geometry: Geometry, raw: Floats) -> "Points":
        """Rows whitened; the centre is the middle of the ranges, so that no digits are lost."""
        return cls(geometry, raw, np.ascontiguousarray((raw - geometry.middle) @ geometry.whitener))

    def __len__(self) -> int:
        return len(self.raw)

    def some(self, rows: Whole) -> "Points":
        """Some of the rows."""
        return Points(self.geometry, self.raw[rows], self.white[rows])

    def apart(self, others: "Points", row: Whole, at: Whole) -> Floats:
        """How far each of these rows is from one of the others, from the values as given."""
        return self.geometry.lengths(self.raw[row] - others.raw[at])

    def slack(self, others: "Points") -> float:
        """How far rounding may move a distance between whitened rows."""
        largest = max(np.abs(p.white).max(initial=0) for p in (self, others))
        return float(largest * 64 * np.finfo(float).eps * max(self.white.shape[1], 1))


def distinct(raw: Floats) -> tuple[Whole, Whole]:
    """Where each distinct row first stands, and how often it occurs; missing equals missing.

    Rows are sorted by one number made of their values and compared with their neighbours; two
    different rows with one number only cost time, for they then stay apart.
    """
    weights: Floats = np.random.default_rng(0).random((raw.shape[1],)) + 0.5
    key = np.zeros(len(raw))
    for values, weight in zip(raw.T, weights, strict=True):
        key += np.where(np.isnan(values), np.pi**9, values) * weight
    order = np.argsort(key, kind="stable")
    key = key[order]
    if (key[1:] != key[:-1]).all():
        return np.arange(len(raw)), np.ones(len(raw), np.int64)
    ordered = raw[order]
    above, below = ordered[1:], ordered[:-1]
    differs = ((above != below) & ~(np.isnan(above) & np.isnan(below))).any(axis=1)
    starts = np.flatnonzero(np.concatenate(([True], differs)))
    counts = np.diff(np.concatenate((starts, [len(raw)])))
    by_place = np.argsort(order[starts])
    return order[starts][by_place], counts[by_place]
