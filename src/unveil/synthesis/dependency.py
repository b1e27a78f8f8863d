"""Which columns tell most about one another? An order in which each follows those it depends on."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.count.streams import stream
from unveil.synthesis.column import Part

_MOST_ROWS = 20_000
_GROUPS = 12

Whole = NDArray[np.int64]


def by_dependency(parts: Mapping[str, Part], names: Sequence[str], seed: int) -> tuple[str, ...]:
    """The columns, from the one that tells most of all others, each next by what is told of it.

    Notes
    -----
    Dependency is mutual information over the smaller of the two entropies, less what chance alone
    would give (Miller 1955: (r - 1)(c - 1) / 2n), between groups of at most 12 levels or ranks, on
    at most 20,000 rows. The first column has the largest sum; the next is the one with the largest
    dependency on any column already placed. Ties follow the order of the original.
    """
    if len(names) < 3:
        return tuple(names)
    rows = _some_rows(len(parts[names[0]]), seed)
    table = _dependencies([_grouped(parts[name], rows) for name in names])
    placed = [int(table.sum(axis=1).argmax())]
    while len(placed) < len(names):
        strongest = table[:, placed].max(axis=1)
        strongest[placed] = -1
        placed.append(int(strongest.argmax()))
    return tuple(names[place] for place in placed)


def _some_rows(n_rows: int, seed: int) -> Whole:
    if n_rows <= _MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(seed, "order").choice(n_rows, _MOST_ROWS, replace=False))


def _grouped(part: Part, rows: Whole) -> Whole:
    """Few groups of a column: its frequent levels, or stretches of its ranks, and its states."""
    if part.column.is_fixed:
        return np.zeros(len(rows), dtype=np.int64)
    if part.column.is_category:
        codes = part.values[rows]
        rank = np.argsort(np.argsort(-np.bincount(codes, minlength=part.column.n_levels)))
        return np.minimum(rank[codes], _GROUPS - 1)
    ranks = part.ranks[rows]
    plain = ranks >= 0
    if not plain.any():
        return -ranks.astype(np.int64)
    cuts = np.unique(np.quantile(ranks[plain], np.arange(1, _GROUPS) / _GROUPS))
    return np.where(plain, np.searchsorted(cuts, ranks), _GROUPS - ranks).astype(np.int64)


def _dependencies(groups: Sequence[Whole]) -> NDArray[np.float64]:
    table = np.zeros((len(groups), len(groups)))
    for a, one in enumerate(groups):
        for b in range(a):
            table[a, b] = table[b, a] = _dependency(one, groups[b])
    return table


def _dependency(one: Whole, other: Whole) -> float:
    width = int(other.max()) + 1
    joint = np.bincount(one * width + other, minlength=(int(one.max()) + 1) * width)
    counts = joint.reshape(-1, width)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    smaller = min(_entropy(rows), _entropy(columns))
    if smaller == 0:
        return 0.0
    shared = _entropy(rows) + _entropy(columns) - _entropy(counts.ravel())
    by_chance = (len(rows) - 1) * (len(columns) - 1) / (2 * len(one))
    return max(0.0, shared - by_chance) / smaller


def _entropy(counts: Whole) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
