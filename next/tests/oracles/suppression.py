"""Which counts of a small two-way table to suppress, at least cost: by trying every set of them.

Row and column sums are published. A reader knows the rule: a suppressed small count is from 1 to
k - 1, one suppressed to protect others k or more, and zeros are published.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

Rows = Sequence[Sequence[int]]


def with_sum(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All rows of whole numbers with this sum, none above its column's."""
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    for first in range(min(total, most[0]) + 1):
        yield from ((first, *rest) for rest in with_sum(total - first, most[1:]))


def tables(sums: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All tables with these row and column sums, flat."""
    if len(sums) == 1:
        if sum(columns) == sums[0]:
            yield tuple(columns)
        return
    for row in with_sum(sums[0], columns):
        left = [column - one for column, one in zip(columns, row, strict=True)]
        yield from (row + rest for rest in tables(sums[1:], left))


def readable(counts: Rows, k: int) -> list[tuple[int, ...]]:
    """All tables with the sums in which each count is on its side of the rule."""
    flat = [one for row in counts for one in row]
    every = tables([sum(row) for row in counts], [sum(one) for one in zip(*counts, strict=True)])
    return [
        table
        for table in every
        if all(
            one == 0 if n == 0 else 1 <= one < k if n < k else one >= k
            for one, n in zip(table, flat, strict=True)
        )
    ]


def intervals(
    counts: Rows, hidden: set[int], k: int, every: list[tuple[int, ...]] | None = None
) -> dict[int, tuple[int, int]]:
    """The least and the most of each suppressed count, over all tables that fit."""
    flat = [one for row in counts for one in row]
    shown = [(i, n) for i, n in enumerate(flat) if i not in hidden]
    every = readable(counts, k) if every is None else every
    fitting = [table for table in every if all(table[i] == n for i, n in shown)]
    return {i: (min(t[i] for t in fitting), max(t[i] for t in fitting)) for i in sorted(hidden)}


def cheapest(counts: Rows, k: int, width: int) -> int | None:
    """The fewest people in counts of k or more that protect all small ones; None: nothing does."""
    flat = [one for row in counts for one in row]
    small = {i for i, n in enumerate(flat) if 0 < n < k}
    others = [i for i, n in enumerate(flat) if n >= k]
    sets = (some for size in range(len(others) + 1) for some in combinations(others, size))
    every = readable(counts, k)
    for cost, some in sorted((sum(flat[i] for i in some), some) for some in sets):
        found = intervals(counts, small | set(some), k, every)
        if all(found[i][1] - found[i][0] >= width for i in small):
            return cost
    return None
