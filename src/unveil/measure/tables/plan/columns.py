"""In which order do the levels of a column stand, so that every set a plan names is a run of them?

Numbers such as ages have such an order: they are cut wherever some table cuts them. Levels with
names take that of a hierarchy, depth first. Sets that cross each other (some levels in common, and
neither within the other) need an order that the plan declares.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import is_list, quote_value
from unveil.arrays import Ints
from unveil.count.codes import CodedColumn
from unveil.errors import RolesError, SettingsError, hint_at, list_names, quote_text
from unveil.measure.tables.from_records import MISSING, texts
from unveil.measure.tables.plan.plan_file import PlanSettings
from unveil.measure.tables.read_published import LabelledValues

Run = tuple[int, int]
"""The first level of a set, and the one after its last."""
LEAST, MOST = -(10**12), 10**12
"""Numbers of a column lie between these."""

_NUMBER = r"(-?\d{1,12})"
_RANGES = (
    (
        re.compile(rf">=\s*{_NUMBER}|{_NUMBER}\s*(?:\+|or (?:more|over|older)|and (?:over|older))"),
        0,
    ),
    (re.compile(rf">\s*{_NUMBER}|over {_NUMBER}"), 1),
    (re.compile(rf"<\s*{_NUMBER}|(?:under|below) {_NUMBER}"), 2),
    (re.compile(rf"<=\s*{_NUMBER}|up to {_NUMBER}|{_NUMBER} or (?:less|under|younger)"), 3),
    (re.compile(rf"{_NUMBER}\s*(?:to|-|\u2013)\s*{_NUMBER}"), 4),
    (re.compile(_NUMBER), 5),
)
_COMPARISON = re.compile(r"[<>]")


def parse_range(given: Any) -> Run | None:
    """Which whole numbers a text means, from the first to the one after the last; None: none."""
    text = str(given).strip()
    for pattern, kind in _RANGES:
        found = pattern.fullmatch(text)
        if found is not None:
            numbers = [int(one) for one in found.groups() if one is not None]
            first, last = numbers[0], numbers[-1]
            return (
                (first, MOST),
                (first + 1, MOST),
                (LEAST, first),
                (LEAST, first + 1),
                (first, last + 1),
                (first, first + 1),
            )[kind]
    return None


def is_comparison(given: Any) -> bool:
    """Whether a filter compares numbers: ">= 16"."""
    return isinstance(given, str) and _COMPARISON.match(given.strip()) is not None


@dataclass
class ColumnDraft:
    """What a plan says of a column, before its levels are put into an order."""

    name: str
    coded: CodedColumn | None = None
    is_number: bool = False
    order: tuple[str, ...] | None = None
    """Levels in the order that the plan declares."""
    levels: dict[str, None] = field(default_factory=dict)
    sets: dict[frozenset[str], str] = field(default_factory=dict)
    """Sets of levels, and what each is called."""
    ranges: set[Run] = field(default_factory=set)
    reach: Run | None = None
    """The least number and the one after the largest, where the plan declares them."""

    def finish(self) -> PlanColumn:
        """The column with its levels in order."""
        return self._finish_numbers() if self.is_number else self._finish_names()

    def _finish_numbers(self) -> PlanColumn:
        coded = self.coded
        held = np.zeros(0, np.int64) if coded is None else _whole_numbers(self.name, coded)
        has_missing = MISSING in self.levels if coded is None else coded.has_missing
        first, after = self.reach or (LEAST, MOST)
        cuts = sorted(end for one in self.ranges for end in one if first < end < after)
        cuts = [*dict.fromkeys(cuts)]
        # Beyond the outermost cuts that only "everybody" reaches: there is no one there.
        reach = [(LEAST, MOST)] if not self.ranges else sorted(self.ranges)
        if cuts and min(a for a, _ in reach) > LEAST and not (held < cuts[0]).any():
            cuts = cuts[1:]
        if cuts and max(b for _, b in reach) < MOST and not (held >= cuts[-1]).any():
            cuts = cuts[:-1]
        starts = (LEAST, *cuts)
        named = [_name_range(a, b) for a, b in zip(starts, (*cuts, MOST), strict=True)]
        codes = None
        if coded is not None:
            of_level = np.searchsorted(np.array(cuts, np.int64), held, side="right")
            codes = np.append(of_level, len(starts))[coded.codes].astype(np.int64)
        levels = (*named, MISSING) if has_missing else tuple(named)
        return PlanColumn(self.name, levels, codes, starts=starts)

    def _finish_names(self) -> PlanColumn:
        found = dict.fromkeys(() if self.coded is None else texts(self.coded)) | self.levels
        if self.order is not None:
            for level in found:
                if level not in self.order:
                    raise SettingsError(
                        f"The levels declared for column {self.name!r} are not all it has."
                        " Declare every level that occurs, missing as '(missing)'."
                    )
            found = dict.fromkeys(self.order)
        levels = _arrange(self.name, list(found), [*self.sets], is_declared=self.order is not None)
        place = {level: i for i, level in enumerate(levels)}
        codes = None
        if self.coded is not None:
            own = np.array([place[level] for level in texts(self.coded)], np.int64)
            codes = own[self.coded.codes]
        runs = {_run(place[one] for one in members): name for members, name in self.sets.items()}
        return PlanColumn(self.name, tuple(levels), codes, names=runs)


def _whole_numbers(name: str, coded: CodedColumn) -> Ints:
    """The values of a column of numbers, in their order, but for the missing one."""
    if not coded.levels.dtype.is_numeric():
        raise SettingsError(
            f"Column {name!r} is filtered or banded as numbers, but it does not hold numbers."
        )
    values = coded.levels.cast(float).drop_nulls().to_numpy()
    if ((values % 1 != 0) | (abs(values) >= MOST)).any():
        raise SettingsError(
            f"Column {name!r} holds numbers that are not whole. A plan cuts whole numbers: round"
            " the column first."
        )
    return values.astype(np.int64)


def _name_range(start: int, stop: int) -> str:
    if start <= LEAST:
        return "all" if stop >= MOST else f"under {stop}"
    if stop >= MOST:
        return f"{start} or more"
    return f"{start}" if stop == start + 1 else f"{start} to {stop - 1}"


def _run(places: Iterable[int]) -> Run:
    found = sorted(places)
    return found[0], found[-1] + 1


def _is_run(members: frozenset[str], place: Mapping[str, int]) -> bool:
    start, stop = _run(place[one] for one in members)
    return stop - start == len(members)


def _arrange(
    name: str, levels: list[str], sets: Sequence[frozenset[str]], *, is_declared: bool
) -> list[str]:
    """The levels in an order in which every set is a run: their own, or that of a hierarchy."""
    place = {level: i for i, level in enumerate(levels)}
    if all(_is_run(one, place) for one in sets):
        return levels
    if not is_declared:
        for one, other in combinations(sets, 2):
            if one & other and not (one <= other or other <= one):
                break
        else:
            return _depth_first(levels, sorted(sets, key=len, reverse=True))
    raise SettingsError(
        f"Sets of levels of column {name!r} cross each other: they share levels, and neither is"
        f" within the other. Declare an order in which each is a run: [columns.{name}] levels ="
        " [...]; or split the tables that name them."
    )


def _depth_first(levels: Sequence[str], sets: Sequence[frozenset[str]]) -> list[str]:
    """Each set together, where it first occurs; sets are nested, the largest first."""
    made: dict[str, None] = {}
    for level in levels:
        if level in made:
            continue
        around = next((one for one in sets if level in one and len(one) > 1), None)
        if around is None:
            made[level] = None
        else:
            inside = [one for one in sets if one < around]
            within = [one for one in levels if one in around]
            made.update(dict.fromkeys(_depth_first(within, inside)))
    return [*made]


@dataclass(frozen=True)
class PlanColumn:
    """A column of a plan: its levels in an order in which every set that is named is a run."""

    name: str
    levels: tuple[str, ...]
    codes: Ints | None = None
    """Of each person, the level."""
    names: Mapping[Run, str] = field(default_factory=dict)
    """What runs of levels are called."""
    starts: tuple[int, ...] | None = None
    """Of numbers: where each level begins."""

    @property
    def whole(self) -> Run:
        """All levels."""
        return 0, len(self.levels)

    def run_of(self, given: Any, where: str) -> Run:
        """The run of levels that a filter or a label names, or a sentence on why there is none."""
        if self.starts is not None:
            found = self._run_of_range(given)
        else:
            wanted = [*given] if is_list(given) else [given]
            places = [self.levels.index(str(one)) for one in wanted if str(one) in self.levels]
            found = _run(places) if places and len(places) == len(wanted) else None
            if found is not None and found[1] - found[0] != len(set(places)):
                found = None
        if found is None:
            hint = hint_at(str(given), self.levels) if self.codes is None else ""
            raise SettingsError(
                f"{where} names {describe(given)}, which column {self.name!r} does not have.{hint}"
                " Write >= 16, < 18, 16 to 17, a level or a list of levels."
            )
        return found

    def _run_of_range(self, given: Any) -> Run | None:
        starts = self.starts or ()
        if str(given) == MISSING and MISSING in self.levels:
            return len(starts), len(starts) + 1
        ranges = [parse_range(one) for one in (given if is_list(given) else [given])]
        if not ranges or any(one is None for one in ranges):
            return None
        kept = sorted(one for one in ranges if one is not None)
        if any(b != a for (_, b), (a, _) in pairwise(kept)):
            return None
        ends = np.searchsorted(starts, [max(kept[0][0], LEAST), kept[-1][1]])
        start = int(ends[0])
        if start == len(starts) or starts[start] != kept[0][0]:
            start = 0  # the cut was dropped: nobody is below it
        return start, int(ends[1])

    def name_run(self, run: Run) -> str:
        """What a run of levels is called."""
        start, stop = run
        if run in self.names:
            return self.names[run]
        if stop - start == 1:
            return self.levels[start]
        if self.starts is not None and stop <= len(self.starts):
            end = self.starts[stop] if stop < len(self.starts) else MOST
            return _name_range(self.starts[start], end)
        return list_names(self.levels[start:stop], 4)


def describe(given: Any) -> str:
    """What stands in a filter, in a sentence."""
    if is_list(given):
        return quote_text(", ".join(str(one) for one in given))
    return quote_value(given)


# What a plan says of its columns, and what its files and people show.


def order_columns(
    settings: PlanSettings,
    coded: Mapping[str, CodedColumn],
    files: Mapping[str, LabelledValues],
) -> tuple[dict[str, PlanColumn], dict[str, Members]]:
    """The columns that tables use, in order; and what groups of levels consist of."""
    drafts = _draft_columns(settings, coded, files)
    groups = {name: _members(settings, name, coded, drafts) for name in settings.groups}
    for name, of in groups.items():
        draft = drafts[settings.base(name)]
        if not draft.is_number:
            draft.sets.update({frozenset(own): group for group, own in of.items() if len(own) > 1})
    _draft_filters(settings, drafts, groups)
    for name, of in groups.items():
        draft = drafts[settings.base(name)]
        if draft.is_number:
            groups[name] = _as_ranges(name, of, {end for run in draft.ranges for end in run})
            _draft_filter(draft, [text for one in groups[name].values() for text in one], None)
    return {name: draft.finish() for name, draft in drafts.items()}, groups


def _draft_columns(
    settings: PlanSettings,
    coded: Mapping[str, CodedColumn],
    files: Mapping[str, LabelledValues],
) -> dict[str, ColumnDraft]:
    """The columns that tables use, with the levels that their files name."""
    drafts: dict[str, ColumnDraft] = {}
    for table in settings.tables:
        for name in (*table.by, *table.where, *table.bands):
            base = settings.base(name)
            draft = drafts.setdefault(
                base,
                ColumnDraft(
                    base,
                    coded.get(base),
                    order=settings.levels.get(base),
                    reach=settings.ranges.get(base),
                ),
            )
            given = table.where.get(name)
            is_cut = name in table.bands or is_comparison(given) or _is_range(given, draft)
            draft.is_number |= is_cut or draft.reach is not None
    for name in (*settings.groups, *settings.levels, *settings.ranges):
        if settings.base(name) not in drafts:
            raise RolesError(
                f"The plan declares column {name!r}, which no table uses.{hint_at(name, [*drafts])}"
            )
    _draft_labels(settings, drafts, files)
    return drafts


def _is_range(given: Any, draft: ColumnDraft) -> bool:
    """Whether a filter names several numbers of a column of numbers: 16 to 30."""
    is_of_numbers = draft.coded is not None and draft.coded.levels.dtype.is_numeric()
    found = parse_range(given) if is_of_numbers and isinstance(given, str) else None
    return found is not None and found[1] - found[0] > 1


def _draft_labels(
    settings: PlanSettings,
    drafts: Mapping[str, ColumnDraft],
    files: Mapping[str, LabelledValues],
) -> None:
    """The levels that files name; where all are ranges, a column is one of numbers."""
    labels: dict[str, dict[str, None]] = {name: {} for name in drafts}
    for table in settings.tables:
        for dim, name in enumerate(table.by):
            if name in drafts and table.name in files:
                seen = dict.fromkeys(one[dim] for one in files[table.name].labels)
                labels[name] |= {one: None for one in seen if one is not None}
    for name, draft in drafts.items():
        ranges = [parse_range(one) for one in labels[name] if one != MISSING]
        found = {one for one in ranges if one is not None}
        if found and len(found) == len({*labels[name]} - {MISSING}):
            is_of_numbers = draft.coded is None or draft.coded.levels.dtype.is_numeric()
            draft.is_number |= is_of_numbers and any(one[1] - one[0] > 1 for one in found)
        if draft.is_number:
            draft.ranges |= found
            draft.levels |= {one: None for one in labels[name] if one == MISSING}
        elif draft.coded is None:
            draft.levels |= labels[name]


Members = dict[str, tuple[str, ...]]
"""Of a column of groups: the levels of the base column in each."""


def _members(
    settings: PlanSettings,
    name: str,
    coded: Mapping[str, CodedColumn],
    drafts: Mapping[str, ColumnDraft],
) -> Members:
    declared = settings.groups[name]
    if declared.groups is None:
        return _members_by_data(settings, name, coded)
    known = drafts[settings.base(name)]
    finer = (
        _members(settings, declared.of, coded, drafts) if declared.of in settings.groups else None
    )
    levels = [*texts(known.coded)] if known.coded is not None else [*known.levels]
    made: Members = {}
    for group, members in declared.groups.items():
        for level in members:
            if finer is not None and level not in finer:
                raise SettingsError(_not_in_hierarchy(level, declared.of, [*finer]))
            if finer is None and known.coded is not None and level not in levels:
                raise SettingsError(_not_in_hierarchy(level, declared.of, ()))
            if finer is None:
                known.levels[level] = None
        made[group] = tuple(
            base for one in members for base in ((one,) if finer is None else finer[one])
        )
    grouped = {level for one in made.values() for level in one}
    lacking = [level for level in levels if level not in grouped]
    if lacking:
        raise SettingsError(
            f"{len(lacking):,} levels of column {settings.base(name)!r} are in no group of"
            f" {name!r}. Put every level into a group."
        )
    return made


def _as_ranges(name: str, groups: Members, cuts: set[int]) -> Members:
    """Groups of numbers as ranges, cut between two groups where a table cuts already, if one does.

    Else they are cut where the second begins.
    """
    runs = {
        group: [run for one in members if (run := parse_range(one)) is not None]
        for group, members in groups.items()
        if members != (MISSING,)
    }
    ordered = sorted((min(run), max(run), group) for group, run in runs.items() if run)
    if len(ordered) < len(groups) - ((MISSING,) in groups.values()) or any(
        last >= first for (_, last, _), (first, _, _) in pairwise(ordered)
    ):
        raise SettingsError(
            f"Column {name!r} of the plan groups numbers, but its groups are not ranges that follow"
            " each other."
        )
    starts = [LEAST]
    for (_, (_, after), _), ((start, _), _, _) in pairwise(ordered):
        starts.append(min((cut for cut in cuts if after <= cut <= start), default=start))
    starts.append(MOST)
    texts_ = {
        group: (_name_range(a, b),)
        for (a, b), (_, _, group) in zip(pairwise(starts), ordered, strict=True)
    }
    return {group: texts_.get(group, (MISSING,)) for group in groups}


INFORMATIVE = 20
"""People beyond the first of each level: fewer may agree by chance."""
LOG_CHANCE = math.log(1e-6)
"""Of two columns and a third, of which there are many: so unlikely is chance."""
FIRST_LOOK = 20_000
"""People among whom most columns are seen not to be linked."""


def find_links(settings: PlanSettings, coded: Mapping[str, CodedColumn]) -> Iterator[str]:
    """Columns of which the data say that one groups the other, and the plan does not."""
    own = [name for name in coded if name not in {*settings.groups, *settings.apart}]
    used = {name for table in settings.tables for name in (*table.by, *table.where)}
    many = [name for name in own if name in used and coded[name].n_levels > 1]
    linked = {
        (fine, coarse)
        for fine, coarse in permutations(many, 2)
        if _groups(coded[fine].codes, coded[coarse].codes)
    }
    for fine, coarse in permutations(many, 2):
        a, b = coded[fine], coded[coarse]
        is_first = a.n_levels > b.n_levels or (a.n_levels == b.n_levels and fine < coarse)
        if is_first and (fine, coarse) in linked:
            yield (
                f"In the data every level of {fine!r} has one level of {coarse!r}, so tables by"
                f" either may be linked: declare [columns.{coarse}] of = {fine!r}, or apart = true"
                " if no reader can know that."
            )
    said: set[frozenset[str]] = set()
    for one, two, third in permutations(many, 3):
        pairs = {(one, third), (two, third), (one, two), (two, one)}
        if one > two or pairs & linked or {one, two, third} in said:
            continue
        if _determine(coded[one], coded[two], coded[third]):
            said.add(frozenset((one, two, third)))
            yield (
                f"In the data {one!r} and {two!r} together tell {third!r}, as age and year tell the"
                " year of birth, so tables by them may be linked: use the same columns in all"
                f" tables, or declare [columns.{third}] apart = true if no reader can know that."
            )


def _determine(a: CodedColumn, b: CodedColumn, other: CodedColumn) -> bool:
    """Whether two columns have one level of another together, beyond what chance explains."""
    both = a.codes.astype(np.int64) * (int(b.codes.max()) + 1) + b.codes
    few = slice(None, FIRST_LOOK)
    if not _groups(both[few], other.codes[few]) or not _groups(both, other.codes):
        return False
    shares = np.bincount(other.codes) / len(other.codes)
    n_repeated = len(both) - len(np.unique(both))
    return n_repeated * math.log(float((shares**2).sum())) < LOG_CHANCE


def _groups(fine: NDArray[np.integer[Any]], coarse: NDArray[np.integer[Any]]) -> bool:
    """Whether each level of a column has one level of the other, and not by chance."""
    fine = np.unique(fine, return_inverse=True)[1]
    n_fine = np.bincount(fine)
    if len(fine) - len(n_fine) < INFORMATIVE:
        return False
    pairs = np.unique(fine * (int(coarse.max()) + 1) + coarse)
    of, group = np.divmod(pairs, int(coarse.max()) + 1)
    shared = group[n_fine[of] > 1]
    return len(pairs) == len(n_fine) and len(np.unique(shared)) > 1


def _not_in_hierarchy(level: str, column: str, known: Sequence[str]) -> str:
    return (
        f"A group of the plan has the level {quote_value(level)}, which column {column!r} does not"
        f" have.{hint_at(level, known)}"
    )


def _members_by_data(
    settings: PlanSettings, name: str, coded: Mapping[str, CodedColumn]
) -> Members:
    base = settings.base(name)
    if name not in coded:
        raise SettingsError(
            f"Column {name!r} groups {base!r}, but its groups are not given. Without data, write"
            f" [columns.{name}] groups = {{ ... }}."
        )
    fine, coarse = coded[base], coded[name]
    pairs = np.unique(np.stack([fine.codes, coarse.codes]).astype(np.int64), axis=1)
    if len(np.unique(pairs[0])) < pairs.shape[1]:
        raise SettingsError(
            f"Column {name!r} does not group {base!r}: some level of {base!r} occurs with two of"
            f" its levels in the data. Omit [columns.{name}]."
        )
    fine_names, coarse_names = texts(fine), texts(coarse)
    made: dict[str, list[str]] = {}
    for level, group in pairs.T.tolist():
        made.setdefault(coarse_names[group], []).append(fine_names[level])
    return {group: tuple(levels) for group, levels in made.items()}


def _draft_filters(
    settings: PlanSettings, drafts: Mapping[str, ColumnDraft], groups: Mapping[str, Members]
) -> None:
    """The sets and cuts that filters, bands and unbanded numbers make."""
    for table in settings.tables:
        for name, given in table.where.items():
            _draft_filter(drafts[settings.base(name)], given, groups.get(name))
        for name, breaks in table.bands.items():
            draft = drafts[settings.base(name)]
            draft.ranges |= {*pairwise((*breaks, MOST))}
            if draft.coded is None or (_whole_numbers(draft.name, draft.coded) < breaks[0]).any():
                draft.ranges.add((LEAST, breaks[0]))
        for name in table.by:
            draft = drafts[settings.base(name)]
            is_counted = draft.is_number and draft.coded is not None and table.file is None
            if is_counted and name not in table.bands and draft.coded is not None:
                values = _whole_numbers(draft.name, draft.coded)
                draft.ranges |= {(one, one + 1) for one in values.tolist()}
    for draft in drafts.values():
        if any(level not in _known(draft) for members in draft.sets for level in members):
            raise SettingsError(
                f"A filter on column {draft.name!r} names a level that it does not have."
            )


def _draft_filter(draft: ColumnDraft, given: Any, groups: Members | None) -> None:
    wanted = [*given] if is_list(given) else [given]
    texts_ = [str(one) for one in wanted]
    if groups is not None:
        members = frozenset(level for one in texts_ for level in groups.get(one, ()))
        if members and not draft.is_number:
            draft.sets.setdefault(members, ", ".join(texts_))
    elif draft.is_number:
        draft.ranges |= {one for one in map(parse_range, wanted) if one is not None}
    else:
        if len(texts_) > 1:
            draft.sets.setdefault(frozenset(texts_), ", ".join(texts_))
        if draft.coded is None:
            draft.levels |= dict.fromkeys(texts_)


def _known(draft: ColumnDraft) -> set[str]:
    return {*draft.levels, *(() if draft.coded is None else texts(draft.coded))}
