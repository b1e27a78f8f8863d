"""How close do the records of one data set come to those of another?

DCR, the distance to the closest record, and NNDR, the distance to the closest over that to the
second closest. Distances are those of `unveil.measure.attacks.distances`. A larger reference holds
closer records whatever it holds, so references of one size are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.count.packing import Ids, Whole
from unveil.count.scenario import Progress
from unveil.measure.attacks.distances import ROUNDING, Axis, Floats, distances
from unveil.measure.attacks.nearest import find, in_pieces
from unveil.records.membership import ClosestRow, Pair

N_DRAWS = 5
"""Samples of the larger reference over which figures are averaged."""
LOW = 0.05


@dataclass(frozen=True)
class Closest:
    """Of each record the distance to the closest of a reference, and to the second closest."""

    first: Floats
    second: Floats | None  # None where the reference has one record
    share_exact: float  # of records that the reference has with all their values

    @property
    def ratios(self) -> Floats | None:
        """NNDR: 1 where the two are equally far, both at distance 0 included."""
        if self.second is None:
            return None
        return np.divide(
            self.first, self.second, out=np.ones(len(self.first)), where=self.second > 0
        )


def closest(
    axes: Sequence[Axis],
    row_ids: Ids,
    records: Whole,
    reference: Whole,
    *,
    progress: Progress,
    what: str,
) -> Closest:
    """The two smallest distances of each record to a reference; both are stacked rows.

    Which are equal is told by their values: numbers may be at distance 0 and differ, where the
    range is very large.
    """
    # Neighbours are looked for in a run of rows, so these are put side by side.
    stacked = np.concatenate((records, reference))
    restacked = [replace(axis, codes=axis.codes[stacked]) for axis in axes]
    run = slice(len(records), len(stacked))
    k = min(2, len(reference))

    def task(persons: Whole) -> Floats:
        (found,) = find(restacked, persons, run, k=k)
        rows = run.start + found.row.astype(np.int64)
        apart = distances(restacked, persons[found.person], rows)
        in_order = np.lexsort((apart, found.person))
        starts = np.searchsorted(found.person, np.arange(found.n_persons))
        return np.stack([apart[in_order][starts + place] for place in range(k)])

    made = in_pieces(np.arange(len(records)), len(reference), task, what=what, progress=progress)
    is_exact = np.isin(row_ids[records], row_ids[reference])
    return Closest(made[0], made[1] if k > 1 else None, float(is_exact.mean()))


def closest_row(pair: Pair, draws: Sequence[Closest], n_reference: int) -> ClosestRow:
    """The figures of one pair of data sets, each a mean over the draws.

    Notes
    -----
    Percentiles are those of numpy: linear between neighbours.
    """
    ratios = [draw.ratios for draw in draws]
    known = [each for each in ratios if each is not None]
    return ClosestRow(
        pair=pair,
        n=len(draws[0].first),
        n_reference=n_reference,
        n_draws=len(draws),
        share_exact=_mean([draw.share_exact for draw in draws]),
        dcr_5=_mean([float(np.quantile(draw.first, LOW)) for draw in draws]),
        dcr_median=_mean([float(np.median(draw.first)) for draw in draws]),
        dcr_mean=_mean([float(draw.first.mean()) for draw in draws]),
        nndr_5=_mean([float(np.quantile(each, LOW)) for each in known]) if known else None,
        nndr_median=_mean([float(np.median(each)) for each in known]) if known else None,
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def closer_share(first: Sequence[Closest], second: Sequence[Closest]) -> float:
    """The share of records closer to the first reference than to the second; ties are half.

    Where both are as many and the records owe nothing to either, it is 0.5 on average.
    """
    shares = [
        float((np.sign(np.round((other.first - one.first) / ROUNDING)) / 2 + 0.5).mean())
        for one in first
        for other in second
    ]
    return _mean(shares)
