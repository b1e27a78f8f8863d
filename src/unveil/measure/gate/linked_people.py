"""Whose record is it? People tied to their own value, by the columns that link best.

For every column X: all other columns at once; those of them in which people agree with the records
most like them, for the rest may have been drawn anew; then columns one after the other, up to four,
each the one that raises the people tied (or, while none is tied, the people linked); three times,
each time without the first column of the time before, which may be one that was drawn anew.

The search looks at about 20,000 people, chosen by whole values of the first linking column; what it
finds is counted on all.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.links import LEAST_LINKS, Bits, LinkRows, Links, LinkView
from unveil.records.alerts import OwnValue, TiedGroup
from unveil.records.base import Copy

MOST_LINKING = 4
STARTS = 3
SEARCHED = 20_000
CANDIDATES = 16  # columns that are tried at a step: those that link most
SIGNIFICANT = 3.0
ENOUGH = 0.2  # so large a share of people tied needs no further search
MOST_GROUPS = 1_000
FINE = 60
BANDS = 20
QUARTERS = 4
"""A number with more values than FINE is looked at in bands of the original's ranks; beside another
column in quarters."""
TELLING = 0.5  # a column in which fewer people agree by nature tells them apart
LEAST_TELLING = 3
MOST_PAIRED = 8  # key variables whose pairs are looked at
LEAST_GROUP = 20
LEAST_GROUP_LINKS = 10
LEAST_ALIKE = (0.75, 0.8, 0.85, 0.85, 0.85, 0.85)
"""So many of the best quarter of pairs agree in a column that is kept, round by round."""
FEW_PEOPLE = (100, 400)  # are compared with all records, in as many columns as time allows
MOST_ALIKE = 200
PAIRS = 1_000_000_000
IN_TURN = 4_000_000  # pairs at a time


_TiedShare = tuple[float, tuple[str, ...]]
"""The share of people tied, among those looked at, and the columns that link them."""
_NONE: _TiedShare = (0.0, ())


@dataclass(eq=False)
class TiedSearch:
    """Linking columns for every column of a file, with what one search can use of another."""

    rows: LinkRows
    _parts: dict[str, LinkRows] = field(default_factory=dict)
    _links: dict[tuple[int, frozenset[str]], Links] = field(default_factory=dict)
    _sizes: dict[tuple[int, frozenset[str]], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = {name: self.rows.effective(name) for name in self.rows.columns}
        self.names = sorted(found, key=lambda name: (-found[name], name))

    def _part(self, name: str) -> LinkRows:
        if self.rows.n_people <= SEARCHED:
            return self.rows
        if name not in self._parts:
            self._parts[name] = self.rows.part(name, SEARCHED)
        return self._parts[name]

    def _link_rows(self, rows: LinkRows, by: Sequence[str]) -> Links:
        if rows is self.rows and rows.n_people > SEARCHED:
            return rows.links(by)  # not kept: links of all people are as large as the data
        key = (id(rows), frozenset(by))
        if key not in self._links:
            self._links[key] = rows.links(by)
        return self._links[key]

    def _size(self, rows: LinkRows, by: Sequence[str]) -> float:
        key = (id(rows), frozenset(by))
        if key not in self._sizes:
            self._sizes[key] = rows.effective_of(by)
        return self._sizes[key]

    def best(self, column: str) -> LinkView | None:
        """The linking columns by which most people are tied to this column; None for none."""
        rest = [name for name in self.names if name != column]
        alike = ([name for name in rest if name in one] for one in self.alike if column in one)
        sets = [rest, *alike]
        found = [self._all_others(column, one) for one in sets if len(one) > 1]
        without: list[str] = []
        for _ in range(STARTS):
            left = [name for name in rest if name not in without]
            if not left or max(found, default=_NONE)[0] >= ENOUGH:
                break
            without.append(left[0])
            found.append(self._greedy(column, left[0], left[1:]))
        for share, by in sorted(found, reverse=True):
            if share > 0 and (look := self._on_all(column, by)) is not None:
                return look
        return None

    def _all_others(self, column: str, rest: Sequence[str]) -> _TiedShare:
        """All other columns at once, on some people."""
        some = self._part(rest[0])
        look = self._is_tied(self._link_rows(some, rest).look(column))
        if (
            look is None
            and some is not self.rows
            and self._link_rows(some, rest).total < LEAST_LINKS
        ):
            look = self._on_all(column, rest)  # few of few may be enough of all
            return (look.tied_people / self.rows.n_people, tuple(rest)) if look else _NONE
        return (look.tied_people / some.n_people, tuple(rest)) if look else _NONE

    def _on_all(self, column: str, by: Sequence[str]) -> LinkView | None:
        return self._is_tied(self._link_rows(self.rows, by).look(column))

    @staticmethod
    def _is_tied(look: LinkView | None) -> LinkView | None:
        return look if look is not None and look.z > SIGNIFICANT and look.tied_people > 0 else None

    def _greedy(self, column: str, first: str, others: Sequence[str]) -> _TiedShare:
        """From the first column on, one more at a time; the share of people tied, and by which."""
        some = self._part(first)
        by, left = [first], list(others[:CANDIDATES])
        look = self._is_tied(self._link_rows(some, by).look(column))
        tied, size = (look.tied_people if look else 0.0), 0.0
        best: tuple[float, tuple[str, ...]] | None = (tied, tuple(by)) if tied > 0 else None
        while left and len(by) < MOST_LINKING:
            tried = []
            for name in left:
                one = self._is_tied(self._link_rows(some, [*by, name]).look(column))
                tried.append((one.tied_people if one else 0.0, self._size(some, [*by, name]), name))
            more_tied, more, name = max(tried)
            if (tied > 0 and more_tied <= 1.05 * tied) or (more_tied <= 0 and more <= 1.02 * size):
                break
            by.append(name)
            left.remove(name)
            tied, size = more_tied, more
            if tied > 0 and (best is None or tied > best[0]):
                best = tied, tuple(by)
        return _NONE if best is None else (best[0] / max(some.n_people, 1), best[1])

    def least_own(self) -> float | None:
        """The lowest share of own values of a column, of people linked by all other columns.

        A copied record is equal in the last column too, whichever that is. Synthetic data that
        agree with a person in all columns but the one drawn last agree in that one as others do.
        None where fewer than three columns tell people apart, or hardly anyone is linked.
        """
        found = []
        for name in self.names:
            rest = [other for other in self.names if other != name]
            # A record that is there many times is one copy.
            part = self._part(rest[0]).with_distinct_records() if rest else None
            look = None if part is None else part.links(rest).look(name)
            if look is not None and look.links >= LEAST_LINKS and look.yardstick <= TELLING:
                found.append(look.own)
        return min(found) if len(found) >= LEAST_TELLING else None

    @cached_property
    def alike(self) -> tuple[frozenset[str], ...]:
        """Sets of columns in which people agree with the records most like them; not all columns.

        From all columns on, and from either of two groups, for a record may be made of two people:
        the columns in which the same pairs of a person and a record agree.
        """
        rows, few = self.rows, FEW_PEOPLE[0]
        n_records = len(next(iter(rows.records.values()), ()))
        names = self.names[: min(MOST_ALIKE, 2 * PAIRS // (few * max(n_records, 1)))]
        if len(names) <= MOST_LINKING + 1:
            return ()
        some, bits = rows.spread(PAIRS // len(names), FEW_PEOPLE), rows.bits
        record, _ = some.find_nearest(names, bits, IN_TURN)
        agree = np.array([some.people[name] == some.records[name][record] for name in names], float)
        agree -= agree.mean(axis=1, keepdims=True)
        is_first = np.linalg.eigh(agree @ agree.T)[1][:, -1] > 0
        groups = [
            [name for name, one in zip(names, is_first, strict=True) if one == k] for k in (0, 1)
        ]
        starts = (start for start in (names, *groups) if start)
        found = (_columns_alike(some, bits, names, start) for start in starts)
        return tuple(dict.fromkeys(one for one in found if MOST_LINKING < len(one) < len(names)))

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

    def link_people(self, by: Sequence[str]) -> Links:
        """All people linked by these columns."""
        return self._link_rows(self.rows, by)


def _columns_alike(
    some: LinkRows, bits: Bits, names: Sequence[str], start: Sequence[str]
) -> frozenset[str]:
    """Columns in which pairs agree that agree best in all others; records are sought by these."""
    kept, before = list(start), [""]
    for least in LEAST_ALIKE:
        if kept not in ([], before):
            record, score = some.find_nearest(kept, bits, IN_TURN)
        before, shares = kept, {}
        for name in names:
            mine = some.people[name]
            is_equal = mine == some.records[name][record]
            others = score - is_equal * bits[name][mine] * (name in kept)
            best = np.argsort(-others, kind="stable")[: max(len(others) // 4, 50)]
            shares[name] = float(is_equal[best].mean())
        kept = [name for name in names if shares[name] >= least]
    return frozenset(kept)


def own_value_record(copy: Copy, look: LinkView) -> OwnValue:
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
        tied=look.tied_people,
    )


@dataclass(frozen=True, eq=False)
class _Grouping:
    """People in groups: by the levels of a column, by bands of its ranks, or by two of these."""

    column: LinkColumn
    codes: Ints
    n_people: Ints
    n_bands: int = 0
    parts: tuple["_Grouping", ...] = ()

    @classmethod
    def of(cls, column: LinkColumn, n_bands: int = BANDS) -> Iterator["_Grouping"]:
        codes = column.select_side(ORIGINAL).astype(np.int64)
        if 2 <= column.n_original_levels <= MOST_GROUPS:
            yield cls(column, codes, np.bincount(codes))
        if column.is_number and column.n_original_levels > FINE:
            bands = np.floor(np.minimum(column.ranks, 1 - 0.5 / n_bands) * n_bands).astype(np.int64)
            banded = np.maximum(bands, -1)[codes] + 1
            yield cls(column, banded, np.bincount(banded), n_bands)

    @classmethod
    def pair(cls, first: "_Grouping", second: "_Grouping") -> "_Grouping":
        """Both at once: women of one district, while neither women nor the district stand out."""
        codes = first.codes * len(second.n_people) + second.codes
        return cls(first.column, codes, np.bincount(codes), parts=(first, second))

    def split(self, code: int) -> tuple[tuple["_Grouping", int], ...]:
        """The groups of the two columns that a group of a pair is the overlap of."""
        if not self.parts:
            return ()
        first, second = self.parts
        of_first, of_second = divmod(code, len(second.n_people))
        return (first, of_first), (second, of_second)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(one.column.name for one in self.parts or (self,))

    def commonest(self, code: int, rows: LinkRows, column: str) -> float:
        """The share of the commonest value of another column in a group."""
        values = rows.people[column][self.codes == code]
        return float(np.bincount(values).max() / max(len(values), 1))

    def label(self, code: int) -> str:
        if self.parts:
            (first, of_first), (second, of_second) = self.split(code)
            return f"{first.label(of_first)}, {second.column.name} = {second.label(of_second)}"
        if not self.n_bands:
            return self.column.level(code) or "missing"
        step = 100 // self.n_bands
        return f"ranks {step * (code - 1)} to {step * code} %" if code else "missing"


@dataclass(frozen=True, eq=False)
class _GroupedValue:
    """The own value of one column, by the levels of another."""

    links: Links
    column: str
    own: NDArray[np.bool_]
    theirs: Floats
    twin: float | None

    @classmethod
    def of(cls, links: Links, column: str) -> "_GroupedValue":
        own, theirs = links.compare_values(column)
        n, agree = links.twin_agreement(column)
        return cls(links, column, own, theirs, agree if n >= LEAST_LINKS else None)

    def looks(self, group: _Grouping) -> Iterator[tuple[int, LinkView, float]]:
        """For each group with enough people linked: its look, and the own value in the others."""
        links, n = self.links, len(group.n_people)
        codes = group.codes[links.person]
        gain = links.weight * (self.own - self.theirs)
        weights = (links.weight, links.weight * self.own, links.weight * self.theirs, gain**2)
        total, mine, beside, square = (np.bincount(codes, one, n) for one in weights)
        for code in np.flatnonzero((total >= LEAST_GROUP_LINKS) & (group.n_people >= LEAST_GROUP)):
            here = float(total[code])
            others = links.total - here
            rest = float(mine.sum() - mine[code]) / others if others >= LEAST_LINKS else 0.0
            z = float(mine[code] - beside[code]) / math.sqrt(max(float(square[code]), 1e-9))
            shares = float(mine[code]) / here, float(beside[code]) / here
            yield int(code), LinkView(self.column, links.by, here, *shares, self.twin, z), rest


_Groups = dict[tuple[_Grouping, int], tuple[float, float, LinkView]]
"""For each group: p, the expected share, and the look with the smallest p."""


def find_tied_groups(
    search: TiedSearch,
    looks: dict[str, LinkView],
    copy: Copy,
    key_sets: Sequence[Sequence[str]] = (),
) -> Iterator[TiedGroup]:
    """For every level of a column with few levels, its strongest own value of another column.

    p is the binomial tail of the own values, with the larger of the yardstick and of the own value
    in all other levels. Overlaps of two key variables are groups as well, where they say more than
    either: their p is smaller.
    """
    columns = search.rows.columns
    known = [tuple(key for key in keys if key in columns) for keys in key_sets]
    single = {name: list(_Grouping.of(column)) for name, column in columns.items()}
    paired = [
        last if not last.n_bands else list(_Grouping.of(columns[name], QUARTERS))[-1]
        for name in [*dict.fromkeys(name for keys in known for name in keys)][:MOST_PAIRED]
        for last in single[name][-1:]
    ]
    pairs = [_Grouping.pair(a, b) for a, b in combinations(paired, 2)]
    found: _Groups = {}
    groupings = [one for groups in single.values() for one in groups]
    for grouped in _group_all(search, looks):
        _keep_strongest(found, grouped, groupings, search.rows)
    for grouped in _group_by_keys(search, looks, known):
        _keep_strongest(
            found,
            grouped,
            [*groupings, *(one for one in paired if one.n_bands), *pairs],
            search.rows,
        )
    for (group, code), (p, expected, look) in found.items():
        if any(part in found and found[part][0] <= p for part in group.split(code)):
            continue
        yield TiedGroup(
            copy=copy,
            column=group.columns[0],
            beside=group.columns[1] if group.parts else None,
            level=group.label(code),
            n_people=int(group.n_people[code]),
            own=own_value_record(copy, look),
            expected=expected,
            p=p,
            n_tested=len(found),
        )


def _keep_strongest(
    found: _Groups, grouped: _GroupedValue, groupings: Sequence[_Grouping], rows: LinkRows
) -> None:
    from scipy.special import bdtrc

    for group in groupings:
        if grouped.column in group.columns:
            continue
        for code, look, rest in grouped.looks(group):
            expected = max(look.yardstick, rest)
            if look.own > expected:  # what most of a group have is no sign of a person
                expected = max(expected, group.commonest(code, rows, grouped.column))
            expected = min(0.999, expected)
            p = float(bdtrc(round(look.own * look.links) - 1, round(look.links), expected))
            if (group, code) not in found or p < found[group, code][0]:
                found[group, code] = p, expected, look


def _group_all(search: TiedSearch, looks: dict[str, LinkView]) -> Iterator[_GroupedValue]:
    """Every column, linked by all others, and by the columns that tie most people to it."""
    for name in search.names:
        rest = tuple(one for one in search.names if one != name)
        sets = [rest] if rest else []
        if name in looks and set(looks[name].by) != set(rest):
            sets.append(looks[name].by)
        yield from _group_by(search, looks, name, sets)


def _group_by_keys(
    search: TiedSearch, looks: dict[str, LinkView], key_sets: Sequence[tuple[str, ...]]
) -> Iterator[_GroupedValue]:
    """Every column that is no key, linked by the keys that an intruder is assumed to know."""
    for keys in key_sets:
        for name in search.names if keys else ():
            if name not in keys:
                yield from _group_by(search, looks, name, [keys])


def _group_by(
    search: TiedSearch, looks: dict[str, LinkView], name: str, sets: Sequence[tuple[str, ...]]
) -> Iterator[_GroupedValue]:
    if name in looks and looks[name].tied_people >= ENOUGH * search.rows.n_people:
        return  # the whole file is the group
    for by in sets:
        links = search.link_people(by)
        if links.total >= LEAST_LINKS:
            yield _GroupedValue.of(links, name)


def control_own(
    rows: LinkRows, n_original: int, column: str, by: Sequence[str]
) -> tuple[float, float, float, float]:
    """Own value of original and control people, linked alike: shares and people linked of both.

    `rows` holds the original's people first, then those of the control sample; a person is unique
    among both, so that either could have been the other.
    """
    links = rows.links(by)
    if not len(links.person):
        return 0.0, 0.0, 0.0, 0.0
    own, _ = links.compare_values(column)
    is_original: NDArray[np.bool_] = links.person < n_original
    shares = []
    for mask in (is_original, ~is_original):
        total = float(links.weight[mask].sum())
        shares += [float((links.weight * own)[mask].sum()) / total if total else 0.0, total]
    return shares[0], shares[1], shares[2], shares[3]
