"""Are disclosures common knowledge? One-way and two-way checks.

Raab (2024), end of section 3.4 and section 4, with the rules of synthpop 1.9-3. A one-way check
asks whether one target level accounts for almost all disclosures (DiSCO records); a two-way check,
whether disclosures shared by several people come from a key level at which almost everyone has the
same target level. Footnote 13 of the paper: within segments such as areas they see more.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec.structs import force_setattr

from unveil.arguments import is_list, number_in
from unveil.count.codes import CodedColumn, label, label_beside
from unveil.count.packing import run_starts
from unveil.errors import SettingsError
from unveil.records.base import Copy
from unveil.records.disclosure import Checks, Flag, SmallCells
from unveil.records.exclusions import Exclusion
from unveil.study.disclosed_records import DisclosedRecords, RecordSums
from unveil.study.scenario import CountedScenario
from unveil.view.flags import flag_sentence

# When do the checks raise a flag? The thresholds a user sets, and whether they mean anything.


def parse_checks(one_way: Sequence[float], two_way: Sequence[float], by: str | None) -> Checks:
    """The checks as records, or a sentence on what is wrong with them."""
    if by is not None and not isinstance(by, str):
        raise SettingsError(
            f"checks_by must be the name of one column, as text; given is {type(by).__name__}."
        )
    return Checks(one_way=_pair(one_way, "one_way"), two_way=_pair(two_way, "two_way"), by=by)


def _pair(given: Any, name: str) -> tuple[float, float]:
    example = "50,90" if name == "one_way" else "4,80"
    pair = [number_in(one) for one in given] if is_list(given) else []
    if len(pair) != 2 or any(one is None or not math.isfinite(one) for one in pair):
        raise SettingsError(
            f"The thresholds {name} must be two numbers, of records and of percent, such as"
            f" {example}."
        )
    records, percent = (one or 0 for one in pair)
    if records < 0 or not 0 <= percent <= 100:
        raise SettingsError(
            f"The thresholds {name} are {records:g} records and {percent:g} percent. The first must"
            " be 0 or more, the second from 0 to 100."
        )
    return (records, percent)


LEAST_PEOPLE = 10
"""A level of fewer people is no common knowledge, whatever all of them have."""


def find_flags(
    scenario: CountedScenario,
    target: int,
    copy: Copy,
    checks: Checks,
    found: DisclosedRecords,
    *,
    segment: CodedColumn | None = None,
) -> Iterator[Flag]:
    """What the checks raise about one target in a copy, or in all of them, by what is found."""
    search = _FlagSearch(scenario, target, copy, checks, found, segment)
    if len(found.sums().n):
        yield from search.one_way()
        yield from search.two_way()


def count_small_cells(
    scenario: CountedScenario, target: int, copy: Copy, checks: Checks, found: DisclosedRecords
) -> Iterator[SmallCells]:
    """Pairs that only cells of few people keep from a two-way flag; nothing where there are none.

    Notes
    -----
    The threshold of synthpop, more than 4 people in a cell, passes over what is common knowledge
    where keys are fine: of SD2011, 19 pairs of marital have 80 % or more, and 4 are raised. Without
    it, flags would be about single people; so pairs are counted here, not listed.
    """
    if not len(found.sums().n) or not checks.two_way[0]:
        return
    n_pairs = n = 0
    for key, column in enumerate(scenario.key_columns):
        if column.counts[0].max(initial=0) < LEAST_PEOPLE:
            continue
        pairs = _may_be_common(scenario, target, key, found.sums(key), checks)
        if not len(pairs.n):
            continue
        raised = found.sums(key, shared=True)
        n_all, n_level = found.people(key, pairs)
        is_small = (100 * n_level > checks.two_way[1] * n_all) & (n_all >= LEAST_PEOPLE)
        n_k = column.n_levels
        is_small &= ~np.isin(pairs.t * n_k + pairs.k, raised.t * n_k + raised.k)
        n_pairs, n = n_pairs + int(is_small.sum()), n + int(pairs.n[is_small].sum())
    if n_pairs:
        name = scenario.target_names[target]
        yield SmallCells(target=name, copy=copy, n_pairs=n_pairs, n=n)


def _may_be_common(
    scenario: CountedScenario, target: int, key: int, pairs: RecordSums, checks: Checks
) -> RecordSums:
    """The pairs whose target level has as many people as a flag takes, wherever they are."""
    n_level = scenario.target_columns[target].counts[0][pairs.t].astype(np.int64)
    n_all = scenario.key_columns[key].counts[0][pairs.k].astype(np.int64)
    may_be = 100 * n_level > checks.two_way[1] * n_all
    return RecordSums(*(one[may_be] for one in (pairs.segment, pairs.t, pairs.k, pairs.n)))


@dataclass(frozen=True)
class _FlagSearch:
    """The disclosures about one target, and how they are summed into flags."""

    scenario: CountedScenario
    target: int
    copy: Copy
    checks: Checks
    found: DisclosedRecords
    segment: CodedColumn | None

    @property
    def column(self) -> CodedColumn:
        return self.scenario.target_columns[self.target]

    def one_way(self) -> Iterator[Flag]:
        """The level with the most disclosures, if more than so many and so many percent."""
        at_least, above = self.checks.one_way
        found = self.found.sums()
        for start, stop in pairwise(run_starts(found.segment).tolist()):
            n, n_disclosive = int(found.n[start:stop].max()), int(found.n[start:stop].sum())
            percent = 100 * n / n_disclosive
            if n > at_least and percent > above:
                most = start + int(found.n[start:stop].argmax())
                segment, level = int(found.segment[most]), int(found.t[most])
                n_all, n_level = self._kept_sums.of(segment, level)
                yield self._flag(
                    kind="one_way",
                    level=level,
                    segment=segment,
                    n=n,
                    n_disclosive=n_disclosive,
                    n_level=n_level,
                    n_all=n_all,
                    percent=percent,
                    percent_all=100 * n_level / n_all,
                )

    def two_way(self) -> Iterator[Flag]:
        """Pairs of target level and key level behind disclosures that several people share."""
        above = self.checks.two_way[1]
        raised: list[Flag] = []
        if not len(self.found.sums(shared=True).n):
            return
        for key in range(len(self.scenario.key_columns)):
            raised += list(self._pairs(key, above))
        yield from sorted(raised, key=lambda flag: -flag.n)

    def _pairs(self, key: int, above: float) -> Iterator[Flag]:
        """The pairs with one key, where most people with the key level have the target level."""
        pairs, found = self.found.sums(key, shared=True), self.found.sums()
        if self.segment is None:
            pairs = _may_be_common(self.scenario, self.target, key, pairs, self.checks)
        if not len(pairs.n):
            return
        n_all, n_level = self.found.people(key, pairs)
        n_disclosive = np.bincount(found.segment, weights=found.n)
        for i in np.flatnonzero(100 * n_level > above * n_all):
            yield self._flag(
                kind="two_way",
                level=int(pairs.t[i]),
                key=key,
                key_level=int(pairs.k[i]),
                segment=int(pairs.segment[i]),
                n=int(pairs.n[i]),
                n_disclosive=int(n_disclosive[pairs.segment[i]]),
                n_level=int(n_level[i]),
                n_all=int(n_all[i]),
                percent=100 * int(n_level[i]) / int(n_all[i]),
                percent_all=None,
            )

    @cached_property
    def _kept_sums(self) -> RecordSums:
        """The original records that exclusions leave."""
        return self.found.kept_sums()

    def _flag(
        self,
        *,
        level: int,
        segment: int,
        key: int | None = None,
        key_level: int | None = None,
        **figures: Any,
    ) -> Flag:
        columns = [self.column]
        codes = [level]
        if key is not None and key_level is not None:
            columns.append(self.scenario.key_columns[key])
            codes.append(key_level)
        shown = [label(column, code) for column, code in zip(columns, codes, strict=True)]
        read = [label_beside(column, code) for column, code in zip(columns, codes, strict=True)]
        by = None if self.segment is None else label(self.segment, segment)
        flag = Flag(
            target=self.column.name,
            copy=self.copy,
            level=shown[0],
            key=None if key is None else columns[1].name,
            key_level=None if key is None else shown[1],
            level_label=read[0],
            key_level_label=None if key is None else read[1],
            by=None if self.segment is None else self.segment.name,
            segment=by,
            segment_label=None if self.segment is None else label_beside(self.segment, segment),
            exclusion=self._exclusion([column.name for column in columns], shown, by),
            **figures,
        )
        force_setattr(flag, "sentence", flag_sentence(flag))  # no one has seen it yet
        return flag

    def _exclusion(
        self, names: Sequence[str], levels: Sequence[str | None], segment: str | None
    ) -> str:
        """What to exclude if this is common knowledge; in the segment alone, if that is a key."""
        conditions = dict(zip(names[1:], levels[1:], strict=True))
        if self.segment is not None and self.segment.name in self.scenario.key_names:
            conditions[self.segment.name] = segment
        return Exclusion(
            rule="pair" if conditions else "level",
            target=names[0],
            level=levels[0] or "",
            keys=tuple(conditions),
            key_levels=tuple(level or "" for level in conditions.values()),
        ).text
