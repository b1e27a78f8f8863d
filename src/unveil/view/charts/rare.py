"""What few people have is not drawn by itself: levels, bins and shares of fewer than ten people.

The record stays complete; pictures, their descriptions and tables follow one rule.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.records.comparison import LevelCount
from unveil.view.pair_tables import SMALL, is_few


@dataclass(frozen=True)
class Bar:
    """One bar on both sides, in percent of records."""

    label: str
    original: float | None  # None: few people, and no bar
    synthetic: float
    told: str  # the share of the original in words


def bar_of(label: str, people: tuple[int, int], of: tuple[int, int]) -> Bar:
    """A bar from numbers of people and of all; few people of the original are "under" a share."""
    here, there = (100 * n / total if total else 0.0 for n, total in zip(people, of, strict=True))
    if not is_few(people[0]):
        return Bar(label, here, there, f"{here:.1f}")
    most = min(100.0, math.ceil(1000 * SMALL / of[0]) / 10)
    under = f"under {most:.1f}"
    return Bar(f"{label}, original {under} %", None, there, under)


def is_rare(row: LevelCount) -> bool:
    """Whether a level is put together with others; missing keeps its name."""
    if row.kind == "missing":
        return False
    people = row.n_original or sum(row.n_synthetic)
    return row.kind == "other" or people < SMALL


def joined_bins(n_original: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Bins from the first to before the last, joined until they hold ten people or nobody.

    Few people at the end join the bins before them.
    """
    made: list[tuple[int, int]] = []
    first = n = 0
    for place, count in enumerate(n_original):
        n += count
        if not is_few(n):
            made.append((first, place + 1))
            first, n = place + 1, 0
    if n:
        while made and not sum(n_original[made[-1][0] : made[-1][1]]):
            first = made.pop()[0]
        first = made.pop()[0] if made else first
        made.append((first, len(n_original)))
    yield from made
