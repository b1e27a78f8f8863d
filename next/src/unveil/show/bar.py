"""A figure of people as a bar of three parts: told by shares, by others' records, and beyond."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Bar(NamedTuple):
    """Lengths in percent of the longest bar, in their order, and where the limit stands."""

    parts: tuple[tuple[str, float], ...]
    limit: float | None


def bars_of(lines: Iterable[Any]) -> Callable[[Any], Bar | None]:
    """Draws rows on one scale, that of these."""
    longest = max((_end(line.row) for line in lines), default=0) or 1

    def percent(people: float) -> float:
        return round(100 * people / longest, 2)

    def bar(line: Any) -> Bar | None:
        row = line.row
        if row.people is None or row.beyond is None:
            return None
        expected = row.people - row.beyond
        known = min(row.people, expected)
        # a sensitive value stands beside what the shares alone give
        shares = known if row.kind == "sensitive" else min(row.shares or 0, known)
        parts = (("shares", shares), ("others", known - shares), ("beyond", row.people - known))
        limit = None if row.limit is None else percent(expected + row.limit)
        return Bar(tuple((name, percent(people)) for name, people in parts),
                   None if limit is None or limit > 100 else limit)  # fmt: skip

    return bar


def _end(row: Any) -> float:
    """How far a bar and its limit reach."""
    if row.people is None or row.beyond is None:
        return 0
    return max(row.people, row.people - row.beyond + (row.limit or 0))
