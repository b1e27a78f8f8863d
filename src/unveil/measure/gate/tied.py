"""Whose record is it? People tied to their own value, by the columns that link best.

For every column X: all other columns at once; then columns one after the other, up to four, each
the one that raises the people tied (or, while none is tied, the people linked); three times, each
time without the first column of the time before, which may be one that was drawn anew.

The search looks at about 20,000 people, chosen by whole values of the first linking column; what it
finds is counted on all.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.links import LEAST_LINKS, Links, Look, Rows
from unveil.measure.gate.values import Floats
from unveil.records.alerts import OwnValue, TiedGroup
from unveil.records.copies import Copy

MOST_LINKING = 4
STARTS = 3
SEARCHED = 20_000
CANDIDATES = 16  # columns that are tried at a step: those that link most
SIGNIFICANT = 3.0
ENOUGH = 0.2  # so large a share of people tied needs no further search
MOST_GROUPS = 60
LEAST_GROUP = 20


@dataclass(eq=False)
class TiedSearch:
    """Linking columns for every column of a file, with what one search can use of another."""

    rows: Rows
    _parts: dict[str, Rows] = field(default_factory=dict)
    _links: dict[tuple[int, frozenset[str]], Links] = field(default_factory=dict)
    _sizes: dict[tuple[int, frozenset[str]], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = {name: self.rows.effective(name) for name in self.rows.columns}
        self.names = sorted(found, key=lambda name: (-found[name], name))

    def _part(self, name: str) -> Rows:
        if self.rows.n_people <= SEARCHED:
            return self.rows
        if name not in self._parts:
            self._parts[name] = self.rows.part(name, SEARCHED)
        return self._parts[name]

    def _linked(self, rows: Rows, by: Sequence[str]) -> Links:
        key = (id(rows), frozenset(by))
        if key not in self._links:
            self._links[key] = rows.links(by)
        return self._links[key]

    def _size(self, rows: Rows, by: Sequence[str]) -> float:
        key = (id(rows), frozenset(by))
        if key not in self._sizes:
            self._sizes[key] = rows.effective_of(by)
        return self._sizes[key]

    def best(self, column: str) -> Look | None:
        """The linking columns by which most people are tied to this column; None for none."""
        rest = [name for name in self.names if name != column]
        if not rest:
            return None
        found = [self._checked(column, rest)] if len(rest) > 1 else []
        without: list[str] = []
        for _ in range(STARTS):
            top = _most_tied(found)
            left = [name for name in rest if name not in without]
            if not left or (top is not None and top.tied >= ENOUGH * self.rows.n_people):
                break
            without.append(left[0])
            by = self._greedy(column, left[0], left[1:])
            if by is not None:
                found.append(self._on_all(column, by))
        return _most_tied(found)

    def _checked(self, column: str, by: Sequence[str]) -> Look | None:
        """All other columns at once: on all people only where some of them are tied."""
        some = self._part(by[0])
        seen = self._linked(some, by).look(column)
        if some is not self.rows and self._is_tied(seen) is None and seen is not None:
            return None
        return self._on_all(column, by)

    def _on_all(self, column: str, by: Sequence[str]) -> Look | None:
        return self._is_tied(self._linked(self.rows, by).look(column))

    @staticmethod
    def _is_tied(look: Look | None) -> Look | None:
        return look if look is not None and look.z > SIGNIFICANT else None

    def _greedy(self, column: str, first: str, others: Sequence[str]) -> tuple[str, ...] | None:
        some = self._part(first)
        by, left = [first], list(others[:CANDIDATES])
        look = self._is_tied(self._linked(some, by).look(column))
        tied, size = (look.tied if look else 0.0), 0.0
        best: tuple[float, tuple[str, ...]] | None = (tied, tuple(by)) if tied > 0 else None
        while left and len(by) < MOST_LINKING:
            tried = []
            for name in left:
                one = self._is_tied(self._linked(some, [*by, name]).look(column))
                tried.append((one.tied if one else 0.0, self._size(some, [*by, name]), name))
            more_tied, more, name = max(tried)
            if (tied > 0 and more_tied <= 1.05 * tied) or (more_tied <= 0 and more <= 1.02 * size):
                break
            by.append(name)
            left.remove(name)
            tied, size = more_tied, more
            if tied > 0 and (best is None or tied > best[0]):
                best = tied, tuple(by)
        return None if best is None else best[1]

    @cached_property
    def widest(self) -> tuple[str, ...]:
        """The columns that together link most people, whatever is looked at."""
        some = self._part(self.names[0])
        by, left = [self.names[0]], list(self.names[1 : CANDIDATES + 1])
        size = self._size(some, by)
        while left and len(by) <= MOST_LINKING:
            sizes = {name: self._size(some, [*by, name]) for name in left}
            name = max(left, key=lambda one: sizes[one])
            if sizes[name] <= 1.02 * size:
                break
            by.append(name)
            left.remove(name)
            size = sizes[name]
        return tuple(by)

    def linked(self, by: Sequence[str]) -> Links:
        """All people linked by these columns."""
        return self._linked(self.rows, by)


def _most_tied(found: Sequence[Look | None]) -> Look | None:
    return max((one for one in found if one), key=lambda one: one.tied, default=None)


def own_value(copy: Copy, look: Look) -> OwnValue:
    """A look as a record."""
    return OwnValue(
        copy=copy,
        column=look.column,
        linked_by=look.by,
        links=look.links,
        own=look.own,
        neighbour=look.neighbour,
        twin=look.twin,
        z=look.z,
        tied=look.tied,
    )


@dataclass(frozen=True, eq=False)
class _Grouped:
    """The own value of one column, by the levels of another."""

    links: Links
    column: str
    own: NDArray[np.bool_]
    theirs: Floats
    twin: float | None

    @classmethod
    def of(cls, links: Links, column: str) -> "_Grouped":
        own, theirs = links.shown(column)
        n, agree = links.twin_agreement(column)
        return cls(links, column, own, theirs, agree if n >= LEAST_LINKS else None)

    def looks(self, group: LinkColumn) -> Iterator[tuple[int, Look, float]]:
        """For each level with enough people linked: its look, and the own value in the others."""
        links, n = self.links, group.n_levels
        codes = links.rows.people[group.name][links.person]
        gain = links.weight * (self.own - self.theirs)
        weights = (links.weight, links.weight * self.own, links.weight * self.theirs, gain**2)
        total, mine, beside, square = (np.bincount(codes, one, n) for one in weights)
        people = np.bincount(links.rows.people[group.name], minlength=n)
        for code in np.flatnonzero((total >= LEAST_LINKS) & (people >= LEAST_GROUP)):
            here = float(total[code])
            others = links.total - here
            rest = float(mine.sum() - mine[code]) / others if others >= LEAST_LINKS else 0.0
            z = float(mine[code] - beside[code]) / math.sqrt(max(float(square[code]), 1e-9))
            shares = float(mine[code]) / here, float(beside[code]) / here
            yield int(code), Look(self.column, links.by, here, *shares, self.twin, z), rest


def tied_groups(search: TiedSearch, looks: dict[str, Look], copy: Copy) -> Iterator[TiedGroup]:
    """For every level of a column with few levels, its strongest own value of another column.

    p is the binomial tail of the own values, with the larger of the yardstick and of the own value
    in all other levels.
    """
    from scipy.special import bdtrc

    columns = search.rows.columns.values()
    grouping = [one for one in columns if 2 <= one.n_original_levels <= MOST_GROUPS]
    found: dict[tuple[LinkColumn, int], tuple[float, float, Look]] = {}
    for grouped in _all_grouped(search, looks):
        for group in grouping:
            if group.name == grouped.column:
                continue
            for code, look, rest in grouped.looks(group):
                expected = min(0.999, max(look.yardstick, rest))
                p = float(bdtrc(round(look.own * look.links) - 1, round(look.links), expected))
                if (group, code) not in found or p < found[group, code][0]:
                    found[group, code] = p, expected, look
    for (group, code), (p, expected, look) in found.items():
        yield TiedGroup(
            copy=copy,
            column=group.name,
            level=group.level(code) or "",
            n_people=int(group.counts[ORIGINAL][code]),
            own=own_value(copy, look),
            expected=expected,
            p=p,
            n_tested=len(found),
        )


def _all_grouped(search: TiedSearch, looks: dict[str, Look]) -> Iterator[_Grouped]:
    """Every column, linked by all others, and by the columns that tie most people to it."""
    for name in search.names:
        rest = tuple(one for one in search.names if one != name)
        sets = [rest] if rest else []
        if name in looks and set(looks[name].by) != set(rest):
            sets.append(looks[name].by)
        for by in sets:
            links = search.linked(by)
            if links.total >= LEAST_LINKS:
                yield _Grouped.of(links, name)


def control_own(
    rows: Rows, n_original: int, column: str, by: Sequence[str]
) -> tuple[float, float, float, float]:
    """Own value of original and control people, linked alike: shares and people linked of both.

    `rows` holds the original's people first, then those of the control sample; a person is unique
    among both, so that either could have been the other.
    """
    links = rows.links(by)
    if not len(links.person):
        return 0.0, 0.0, 0.0, 0.0
    own, _ = links.shown(column)
    is_original: NDArray[np.bool_] = links.person < n_original
    shares = []
    for mask in (is_original, ~is_original):
        total = float(links.weight[mask].sum())
        shares += [float((links.weight * own)[mask].sum()) / total if total else 0.0, total]
    return shares[0], shares[1], shares[2], shares[3]
