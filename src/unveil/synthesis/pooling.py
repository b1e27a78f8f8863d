"""Which levels of a predictor are too rare to be told apart, and what do models see in their place?

Models place a level by the outcomes of its own records: a tree orders levels by the target, and a
regression gives each a coefficient. The outcome of a level with one record is that person's own, so
a column of many such levels (a date kept as text) would tie people to their values. Rare levels are
therefore pooled with their neighbours in the order of the column, which knows nothing of outcomes.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.synthesis.column import Column, Part

Levels = NDArray[np.int32]

RARE = 5
"""Levels with fewer records are pooled."""

POOL = 20
"""Records of a pool, where the rare levels have as many."""


def pool_levels(sizes: NDArray[np.int64]) -> Levels:
    """The pool of every level, given its records: its own, or one with the rare levels beside it.

    Rare levels are taken in order, over frequent ones between them, until a pool is full; the rest
    joins the last pool.
    """
    rare = np.flatnonzero(sizes < RARE)
    up_to = np.cumsum(sizes[rare])
    first = np.arange(len(sizes))  # of each level, the first level of its pool
    start, before = 0, 0
    while start < len(rare):
        end = int(np.searchsorted(up_to, before + POOL)) + 1
        if end >= len(rare) or up_to[-1] - up_to[end - 1] < POOL:
            end = len(rare)
        first[rare[start:end]] = rare[start]
        start, before = end, int(up_to[end - 1])
    pools: Levels = np.unique(first, return_inverse=True)[1].astype(np.int32)
    return pools


def pool_part(part: Part, pools: Levels) -> Part:
    """A category as the pools of its levels."""
    levels = pl.Series(np.arange(pools.max(initial=-1) + 1))
    column = Column(part.column.name, "category", pl.Int64(), levels)
    return Part(column, pools[part.values])


def notes_of_pools(predictors: Iterable[Part]) -> Iterator[str]:
    """A sentence for each column with rare levels, of which models see the pools alone."""
    for part in predictors:
        name, n_levels = part.column.name, part.column.n_levels
        n_rare = int((np.bincount(part.values, minlength=n_levels) < RARE).sum()) if n_levels else 0
        if n_rare > 1:
            yield (
                f"{n_rare:,} of the {n_levels:,} levels of {name!r} have fewer than {RARE} records."
                " Where the column predicts others, these levels are pooled with their neighbours"
                f" in order, {POOL} records or more where there are as many, so that no model ties"
                " people to their values by a level of their own. Dates and numbers kept as text"
                " predict better as dates and numbers."
            )
