"""Do published files link columns, or hold a sum among their levels, that the plan does not name?

Without people's records nobody says that wards lie in districts, or that the level "England" is the
sum of the others. The values say it: sums of neighbouring wards are those of the districts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from unveil.errors import quote_text
from unveil.measure.tables.plan.plan_file import PlanSettings, TableSettings
from unveil.measure.tables.read_published import LabelledValues
from unveil.measure.tables.schemes import Published

NO_END = 10**12
SUPPRESSED = re.compile(r"suppress:(\d+)")


@dataclass(frozen=True)
class _Line:
    """Values of a file by one column, in its order, the others summed or at one level."""

    table: TableSettings
    column: str
    others: tuple[str | None, ...]
    levels: tuple[str | None, ...]
    ranges: tuple[tuple[int, int], ...]
    """The fewest and the most people by the value itself."""

    @property
    def is_margin(self) -> bool:
        """Whether it counts all people of the table."""
        return all(level is None for level in self.others)


def find_file_links(settings: PlanSettings, files: Mapping[str, LabelledValues]) -> Iterator[str]:
    """What to ask of a plan of files: sums among levels, and columns that may group others."""
    found = [
        line
        for table in settings.tables
        if table.name in files and settings.data is None
        for line in _lines(table, files[table.name])
    ]
    declared = {*settings.levels, *settings.ranges, *settings.groups}
    yield from _find_sums([line for line in found if line.column not in declared])
    crossed = {pair for table in settings.tables for pair in combinations(sorted(table.by), 2)}
    whole = [one for one in found if one.is_margin and one.column not in settings.apart]
    said = set()
    for a, b in ((a, b) for a in whole for b in whole if len(a.levels) >= len(b.levels) > 1):
        pair = tuple(sorted((a.column, b.column)))
        is_same = a.table.where == b.table.where and a.table.population == b.table.population
        one, other = settings.base(a.column), settings.base(b.column)
        if one == other or not is_same or pair in crossed or pair in said or not _adds_up(a, b):
            continue
        said.add(pair)
        yield (
            f"Values by {b.column!r} are sums of values by {a.column!r} in the order of the files"
            f" of {a.table.name!r} and {b.table.name!r}, so tables by either may be linked: declare"
            f" [columns.{b.column}] of = {a.column!r} with its groups, or apart = true if one is"
            " not within the other."
        )


def _lines(table: TableSettings, values: LabelledValues) -> Iterator[_Line]:
    publish = table.publish.get("table") if isinstance(table.publish, Mapping) else table.publish
    rule = SUPPRESSED.match(str(publish))
    if publish not in (None, "exact") and rule is None:
        return  # rounded values do not add up
    most = NO_END if rule is None or table.secondary else int(rule[1]) - 1
    for i, column in enumerate(table.by):
        made: dict[tuple[str | None, ...], dict[str | None, tuple[int, int]]] = {}
        for label, value in zip(values.labels, values.values, strict=True):
            others = (*label[:i], *label[i + 1 :])
            made.setdefault(others, {})[label[i]] = _range(value, most)
        for others, own in made.items():
            yield _Line(table, column, others, tuple(own), tuple(own.values()))


def _range(value: Published, most: int) -> tuple[int, int]:
    """The fewest and the most people; `most` of a suppressed count."""
    if value is None:
        return 0, most
    if isinstance(value, int):
        return value, value
    return value[0], NO_END if value[1] is None else value[1]


def _find_sums(lines: Sequence[_Line]) -> Iterator[str]:
    """A first or last level that may be the sum of all others wherever it stands."""
    for name, column in dict.fromkeys((line.table.name, line.column) for line in lines):
        own = [one for one in lines if (one.table.name, one.column) == (name, column)]
        for end in (0, -1):
            level = own[0].levels[end]
            if all(len(one.levels) > 2 and one.levels[end] == level for one in own) and all(
                None not in one.levels and _is_sum(one.ranges, end) for one in own
            ):
                yield (
                    f"In table {name!r} the level {quote_text(str(level))} of {column!r} may be the"
                    " sum of the others: call it Total, or declare"
                    f" [columns.{column}] levels if it is one of them."
                )
                break


def _is_sum(ranges: Sequence[tuple[int, int]], end: int) -> bool:
    others = ranges[1:] if end == 0 else ranges[:-1]
    least, most = (sum(one[side] for one in others) for side in (0, 1))
    low, high = ranges[end]
    return low == high > 0 and least <= low <= most


def _adds_up(fine: _Line, coarse: _Line) -> bool:
    """Whether each value by one column is the sum of a run of those by the other, in order."""
    at = {0}
    for low, high in coarse.ranges:
        reached = set()
        for start in at:
            least = most = 0
            for stop, (a, b) in enumerate(fine.ranges[start:], start + 1):
                least, most = least + a, most + b
                if least > high:
                    break
                if most >= low:
                    reached.add(stop)
        at = reached
    return len(fine.ranges) in at
