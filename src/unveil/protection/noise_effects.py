"""What did the noise change? How far values moved, and how they lie before and after."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.measure.membership.shapes import Floats
from unveil.protection.noise_asked import Wanted
from unveil.records.noise import Bin, Displacement, NoisedColumn, Summary

_MOST_BINS = 20


@dataclass(frozen=True)
class Done:
    """What happened on the way."""

    n_clipped: int
    n_redrawn: int
    n_undone: int  # are where rounding alone would have put them


def noised_column(
    asked: Wanted,
    values: tuple[Floats, Floats],
    done: Done,
    given: tuple[pl.Series, np.ndarray],
) -> NoisedColumn:
    """The record of one column, from its numbers before and after."""
    before, after = values
    column, is_code = given
    n_codes = int(is_code.sum())
    return NoisedColumn(
        column=asked.column,
        noise=asked.noise,
        sigma=asked.sigma,
        decimals=asked.decimals,
        lowest=asked.clip[0],
        highest=asked.clip[1],
        n_values=len(before),
        n_missing=len(column) - len(before) - n_codes,
        n_codes=n_codes,
        n_changed=int((before != after).sum()),
        n_clipped=done.n_clipped,
        n_redrawn=done.n_redrawn,
        displacement=_displacement(after - before),
        before=_summary(before),
        after=_summary(after),
        bins=_bins(before, after),
    )


def _displacement(moved: Floats) -> Displacement | None:
    if not len(moved):
        return None
    return Displacement(
        mean=float(moved.mean()),
        sd=float(moved.std()),
        mean_absolute=float(np.abs(moved).mean()),
        largest=float(np.abs(moved).max()),
    )


def _summary(values: Floats) -> Summary:
    if not len(values):
        nothing = dict.fromkeys(Summary.__struct_fields__)
        return Summary(**nothing)
    ends = [float(one) for one in np.quantile(values, [0, 0.25, 0.5, 0.75, 1])]
    return Summary(
        mean=float(values.mean()),
        sd=float(values.std()),
        minimum=ends[0],
        quarter=ends[1],
        median=ends[2],
        three_quarters=ends[3],
        maximum=ends[4],
    )


def _bins(before: Floats, after: Floats) -> tuple[Bin, ...]:
    """Equal intervals over both, for a picture of the distribution before and after."""
    if not len(before):
        return ()
    low, high = min(before.min(), after.min()), max(before.max(), after.max())
    n_bins = _MOST_BINS if high > low else 1
    edges = np.linspace(low, high, n_bins + 1)
    counts = [
        np.histogram(values, edges)[0] if high > low else [len(values)]
        for values in (before, after)
    ]
    return tuple(
        Bin(
            lower=float(edges[i]),
            upper=float(edges[i + 1]),
            n_before=int(counts[0][i]),
            n_after=int(counts[1][i]),
        )
        for i in range(n_bins)
    )
