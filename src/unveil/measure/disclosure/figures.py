"""Every measure for every target and copy, their mean, and all pooled; with exclusions or without.

The figures without exclusions are measured once and kept. A what-if measures anew only the targets
that its exclusions act on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, label, label_beside, labels_or_none
from unveil.count.packing import count_people
from unveil.count.profile import Profile
from unveil.measure.disclosure import attribute, identity
from unveil.measure.disclosure.find_flags import count_small_cells, find_flags
from unveil.measure.disclosure.measures import Figure, figures_of
from unveil.records.base import Copy, Record
from unveil.records.disclosure import (
    AnyCorrect,
    Checks,
    Flag,
    GroupRow,
    SingleValueCounts,
    SingleValues,
    SmallCells,
    ValueRow,
)
from unveil.records.exclusions import ExcludedCount, ExcludedIdentity
from unveil.study.disclosed_records import DisclosedRecords
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.people import People
from unveil.study.scenario import CountedScenario, Progress, no_progress

# How many records did each exclusion take out of each sum?
#
# A record that several rules hit is counted for the first of them, in the order they act.


def count_removed_records(
    p: Profile, copy: Copy, target: int, exclusions: Exclusions
) -> Iterator[ExcludedCount]:
    """For each rule about this target, what it took out; then what is left."""
    sums = {
        "original": p.totals(p.d_tq, by=p.x_d),
        "synthetic": p.totals(p.s_tq, by=p.x_s),
        "Dsyn": p.totals(p.s_tq, by=p.x_s, given=p.ps_is_1),
    }
    for symbol, counted in attribute.COUNTED.items():
        sums[symbol] = p.totals(p.d_tq, by=p.x_d, given=counted(p))
    name = exclusions.scenario.target_names[target]
    for number in (*exclusions.concerning(target), 0):
        rule = exclusions.texts[number - 1] if number else None
        yield ExcludedCount(target=name, copy=copy, rule=rule, **_under(number, sums))


def count_removed_identity(
    p: Profile, copy: Copy, exclusions: Exclusions
) -> Iterator[ExcludedIdentity]:
    """For each rule about missing keys, what it took out; then what is left."""
    sums = {
        "original": p.totals(p.d_tq, by=p.x_d),
        "synthetic": p.totals(p.s_tq, by=p.x_d),
        "UiS": p.totals(p.s_tq, by=p.x_d, given=p.s_q == 1),
    }
    for symbol, counted in identity.COUNTED.items():
        sums[symbol] = p.totals(p.d_tq, by=p.x_d, given=counted(p))
    for number in (*exclusions.key_rules, 0):
        rule = exclusions.texts[number - 1] if number else None
        yield ExcludedIdentity(copy=copy, rule=rule, **_under(number, sums))


def _under(number: int, sums: Mapping[str, Ints]) -> dict[str, int]:
    """The sums under one number; a rule that hits no one is under none."""
    return {symbol: int(by[number]) if number < len(by) else 0 for symbol, by in sums.items()}


# Is one group disclosed while the average looks low? DiSCO within every level of every key.


LEAST_PEOPLE = 20
LEAST_DISCLOSED = 10
SIGNIFICANT = 0.001


def rows_by_group(
    scenario: CountedScenario, place: int, copy: Copy, found: DisclosedRecords
) -> Iterator[GroupRow]:
    """Levels of keys in which more people are disclosed correctly than all others predict.

    Notes
    -----
    Expected is the larger of DiSCO among all other people and of the share of the group with its
    commonest value, which needs no data to be guessed. A row is given where at least ten of at
    least twenty people are disclosed correctly, and the binomial tail is below 0.001 / levels
    tested.

    References
    ----------
    Raab (2024), equation 11, within the levels of a key.
    """
    if int(found.sums().n.sum()) < LEAST_DISCLOSED:
        return
    for key in range(len(scenario.key_columns)):
        yield from _group_rows(scenario, place, key, copy=copy, found=found)


def _group_rows(
    scenario: CountedScenario, place: int, key: int, *, copy: Copy, found: DisclosedRecords
) -> Iterator[GroupRow]:
    """Levels of one key that stand out against what all others predict."""
    column, target = scenario.key_columns[key], scenario.target_columns[place]
    people, sums = column.counts[0].astype(np.int64), found.sums(key)
    disclosed = np.bincount(sums.k, sums.n, column.n_levels).astype(np.int64)
    is_tested = people >= LEAST_PEOPLE
    n_tested = int(is_tested.sum())
    rest = (disclosed.sum() - disclosed) / np.maximum(people.sum() - people, 1)
    stands_out = disclosed > np.maximum(rest * people, LEAST_DISCLOSED - 1)
    codes = np.flatnonzero(is_tested & stands_out)
    most = scenario.most_common(place, key) if len(codes) else people
    for code in codes:
        p0 = float(min(max(rest[code], most[code] / people[code]), 1.0))
        if disclosed[code] <= np.floor(people[code] * p0):
            continue  # at most the median, above which half of the chance lies
        # here, for it takes longer to import than many files to count
        from scipy.special import bdtrc

        p = float(bdtrc(int(disclosed[code]) - 1, int(people[code]), p0))
        if p >= SIGNIFICANT / n_tested:
            continue
        yield GroupRow(
            target=target.name,
            copy=copy,
            key=column.name,
            level=label(column, int(code)),
            n_people=int(people[code]),
            n_correct=int(disclosed[code]),
            percent=100 * int(disclosed[code]) / int(people[code]),
            expected=100 * p0,
            p=p,
            n_tested=n_tested,
        )


# Which values of a target would be disclosed, of how many people correctly, of how many wrongly?
#
# A wrong value is harm, too: a person is taken for what they are not.


ValueKind = Literal["value", "missing", "rare"]

RARE = 10
"""A value of fewer people is not named, unless it was declared sensitive."""
MOST_LEVELS = 60
"""A target with more levels is told of by its sensitive ones alone."""


def rows_by_value(
    exclusions: Exclusions, place: int, copy: Copy, wanted: Collection[str]
) -> Iterator[ValueRow]:
    """Every value of a target, in a synthetic file or in all of them pooled.

    Values of fewer than ten people come together in one row without a name.

    Notes
    -----
    Over the cells with s_tq = s_q > 0, whose keys point to the single value t: correctly disclosed
    is the sum of d_tq, wrongly the sum of d_q - d_tq. Summed over all values they are DiSCO and
    DiS less DiSCO, of all people, before any exclusion.

    References
    ----------
    Raab (2024), equations 10 and 11, value by value.
    """
    column = exclusions.scenario.target_columns[place]
    n = column.n_levels
    if n > MOST_LEVELS and not wanted:
        return
    people = column.counts[0]
    figures = np.stack([people, *exclusions.count_values(place)], axis=1).astype(np.int64)
    levels = labels_or_none(column)
    is_rare = [level not in (None, *wanted) and people[c] < RARE for c, level in enumerate(levels)]
    for code, level in enumerate(levels):
        if not is_rare[code] and (n <= MOST_LEVELS or level in wanted):
            kind: ValueKind = "missing" if level is None else "value"
            yield _row(column.name, copy, kind, level, figures[code])
    if n <= MOST_LEVELS and any(is_rare):
        yield _row(column.name, copy, "rare", None, figures[is_rare].sum(axis=0))


def _row(target: str, copy: Copy, kind: ValueKind, level: str | None, figures: Ints) -> ValueRow:
    people, correct, wrong, other = figures.tolist()
    return ValueRow(
        target=target,
        copy=copy,
        kind=kind,
        level=level,
        n_people=people,
        n_correct=correct,
        n_wrong=wrong,
        n_other=other,
    )


FORMULAS = (identity, attribute)
"""The modules whose formulas make up the record; importing them fills the catalogue."""

Figures = Mapping[str, Figure]
ByCopy = dict[Copy, Figures]


@dataclass(frozen=True)
class TargetFigures:
    """What was measured of one target."""

    figures: ByCopy
    flags: tuple[Flag, ...] = ()
    small_cells: tuple[SmallCells, ...] = ()
    excluded: tuple[ExcludedCount, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    values: tuple[ValueRow, ...] = ()


@dataclass(frozen=True)
class ScenarioFigures:
    """What was measured of a scenario: who is found, and what is disclosed of each target."""

    identity: ByCopy
    targets: tuple[TargetFigures, ...]
    single_values: SingleValueCounts
    excluded_identity: tuple[ExcludedIdentity, ...] = ()


@dataclass(frozen=True)
class CheckSettings:
    """How the checks are run: thresholds, and the segments of the original, if any."""

    checks: Checks
    segment: CodedColumn | None = None


def measure_all(
    scenario: CountedScenario,
    checking: CheckSettings,
    progress: Progress = no_progress,
    sensitive: Mapping[str, Collection[str]] | None = None,
    people: People | None = None,
) -> ScenarioFigures:
    """Everything, with nothing excluded; `sensitive` values are told of in any case."""
    names = scenario.target_names
    if scenario.n_copies > 1:  # a single one is counted already
        for place, name in enumerate(names):
            progress(f"counting {name}", place, len(names))
            scenario.pooled_copies.count_ahead(place)
    identity: dict[Copy, Figures] = {}
    found: list[list[TargetFigures]] = [[] for _ in names]
    single: list[SingleValueCounts] = []
    nothing = resolve_exclusions((), scenario)
    for step, (copy, pair) in enumerate(scenario.pairs()):
        here = nothing.on(pair)
        identity[copy] = _identity(here.key_profile())
        for place, name in enumerate(names):
            done = step * len(names) + place
            progress(f"measuring {name}", done, _n_groups(scenario) * len(names))
            measured = _measure_target(here, place, copy, checking)
            wanted = (sensitive or {}).get(name, ())
            values = tuple(rows_by_value(here, place, copy, wanted))
            found[place].append(replace(measured, values=values))
        single.append(count_single_values(here, copy, people))
    targets = tuple(map(_together, found))
    return ScenarioFigures(_add_mean(identity), targets, _join_copies(single))


def measure_without(
    plain: ScenarioFigures,
    exclusions: Exclusions,
    checking: CheckSettings,
    progress: Progress = no_progress,
    people: People | None = None,
) -> ScenarioFigures:
    """Everything under exclusions; what they do not act on is taken as it was measured."""
    scenario = exclusions.scenario
    asked = [place for place in range(len(plain.targets)) if exclusions.concerning(place)]
    of_keys = any(rule.rule == "missing-keys" for rule in exclusions.rules)
    identity: dict[Copy, Figures] = {}
    removed: list[ExcludedIdentity] = []
    single: list[SingleValueCounts] = []
    found: dict[int, list[TargetFigures]] = {place: [] for place in asked}
    for step, (copy, pair) in enumerate(scenario.pairs() if asked or of_keys else ()):
        here = exclusions.on(pair)
        if of_keys:
            p = here.key_profile()
            identity[copy] = _identity(p)
            removed += count_removed_identity(p, copy, here)
        for place, targets in found.items():
            done = step * len(asked) + asked.index(place)
            name = scenario.target_names[place]
            progress(f"excluding from {name}", done, _n_groups(scenario) * len(asked))
            targets.append(_measure_target(here, place, copy, checking))
        single.append(count_single_values(here, copy, people))
    return ScenarioFigures(
        _add_mean(identity) if of_keys else plain.identity,
        tuple(
            _together(found[place]) if place in found else measured
            for place, measured in enumerate(plain.targets)
        ),
        _join_copies(single) if single else plain.single_values,
        tuple(removed),
    )


def _n_groups(scenario: CountedScenario) -> int:
    """Copies and, where there are several, all of them pooled."""
    return scenario.n_copies + (scenario.n_copies > 1)


def attribute_figures(exclusions: Exclusions) -> list[ByCopy]:
    """The figures of every target alone, under exclusions."""
    found: list[dict[Copy, Figures]] = [{} for _ in exclusions.scenario.target_columns]
    for copy, pair in exclusions.scenario.pairs():
        here = exclusions.on(pair)
        for place, figures in enumerate(found):
            figures[copy] = _attribute(here.profile(place))
    return [_add_mean(figures) for figures in found]


def _measure_target(
    exclusions: Exclusions, place: int, copy: Copy, checking: CheckSettings
) -> TargetFigures:
    """The figures of one target in a copy, what the checks raise, and what exclusions took out."""
    p, scenario, checks = exclusions.profile(place), exclusions.scenario, checking.checks
    found = exclusions.found(place, checks.two_way[0])
    parts = found
    if checking.segment is not None:
        parts = exclusions.found(place, checks.two_way[0], checking.segment)
    return TargetFigures(
        {copy: _attribute(p)},
        tuple(find_flags(scenario, place, copy, checks, parts, segment=checking.segment)),
        tuple(count_small_cells(scenario, place, copy, checks, found)),
        tuple(count_removed_records(p, copy, place, exclusions)),
        tuple(rows_by_group(scenario, place, copy, found)),
    )


def _together(copies: Sequence[TargetFigures]) -> TargetFigures:
    """What was measured of one target in every copy."""
    figures = {copy: row for one in copies for copy, row in one.figures.items()}
    return TargetFigures(
        _add_mean(figures),
        *(
            tuple(row for one in copies for row in getattr(one, rows))
            for rows in ("flags", "small_cells", "excluded", "groups", "values")
        ),
    )


def _identity(p: Profile) -> Figures:
    return {
        **figures_of(p, "identity"),
        "N_d_both": p.N_d_both,
        "N_s_both": p.N_s_both,
        "n_q_synthetic": p.n_cells(p.s_q > 0),
        "n_q_both": p.n_cells((p.d_q > 0) & (p.s_q > 0)),
    }


def _attribute(p: Profile) -> Figures:
    return {**figures_of(p, "attribute"), "n_cells": p.n_cells((p.d_tq > 0) | (p.s_tq > 0))}


def _add_mean(figures: dict[Copy, Figures]) -> ByCopy:
    """The same figures, and before those of all copies pooled the mean over the copies."""
    if "pooled" not in figures:
        return figures
    *alone, pooled = figures.items()
    return dict([*alone, ("mean", _mean([row for _, row in alone])), pooled])


def _mean(copies: Sequence[Figures]) -> Figures:
    """The mean of each figure over the copies; not measurable where it is not in each of them."""
    values = {symbol: measured_values(symbol, copies) for symbol in copies[0]}
    return {
        symbol: fmean(figures) if len(figures) == len(copies) else None
        for symbol, figures in values.items()
    }


R = TypeVar("R", bound=Record)


def mean_rows(rows: Sequence[R], figures: Sequence[str], *, by: Sequence[str]) -> tuple[R, ...]:
    """The same rows, one per copy, and where there are several copies the means over them."""
    found: dict[tuple[Any, ...], list[R]] = {}
    for row in rows:
        if isinstance(row.copy, int):  # type: ignore[attr-defined]
            found.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    means = [
        msgspec.structs.replace(
            copies[0], copy="mean", **{name: _mean_of(copies, name) for name in figures}
        )
        for copies in found.values()
        if len(copies) > 1
    ]
    return (*rows, *means)


def _mean_of(rows: Sequence[Record], figure: str) -> float | None:
    values = [value for row in rows if (value := getattr(row, figure)) is not None]
    return fmean(values) if len(values) == len(rows) else None


def measured_values(symbol: str, copies: Sequence[Figures]) -> list[float]:
    """The values of one figure in the copies in which it could be measured."""
    return [value for row in copies if (value := row[symbol]) is not None]


# How many people would be shown with a single value, correctly or wrongly, and is it the obvious?
#
# Raab (2024), equations 10 and 11, in whole numbers of people: DiSCO is 100 n_correct / N, and DiS
# is 100 (n_correct + n_wrong) / N. With a column that says whose row it is, a person counts as soon
# as one of their rows does, so that a person may be shown both correctly and wrongly.


def count_single_values(
    exclusions: Exclusions, copy: Copy, people: People | None
) -> SingleValueCounts:
    """Every target in one copy, or in all of them pooled."""
    pair = exclusions.scenario
    if people is None:
        n_people, n_correct = pair.sides.rows[0], exclusions.count_any_correct()
    else:
        n_people, shown = people.record.n_people, map(exclusions.shown_rows, pair.target_places)
        correct = [rows[is_correct] for rows, is_correct in shown]
        n_correct = people.count(np.concatenate([*correct, np.zeros(0, np.int64)]))
    return SingleValueCounts(
        n_people=n_people,
        targets=tuple(_count_targets(exclusions, copy, people)),
        any_correct=(AnyCorrect(copy=copy, n_people=n_correct),),
        exact=tuple(one.name for one in pair.target_columns if one.is_scaled),
    )


def sensitive_by_person(
    scenario: CountedScenario, people: People, sensitive: Mapping[str, Collection[str]]
) -> Iterator[ValueRow]:
    """Declared values by person, nothing excluded; wrongly: none of their rows has the value."""
    originals = scenario.sides.slices[0]
    for copy, pair in scenario.pairs():
        for place, column in enumerate(pair.target_columns):
            own = column.codes[originals]
            shown = pair.shown_levels(place)[pair.keys.q[originals]]
            for code, level in enumerate(labels_or_none(column)):
                if level is None or level not in sensitive.get(column.name, ()):
                    continue
                has = own == code
                of_holders = np.isin(people.of_row, people.of_row[has])
                rows = (has, has & (shown == code), ~of_holders & (shown == code))
                other = has & (shown >= 0) & (shown != code)
                counts = [people.count(np.flatnonzero(one)) for one in (*rows, other)]
                yield _row(column.name, copy, "value", level, np.array(counts))


def _join_copies(single: Sequence[SingleValueCounts]) -> SingleValueCounts:
    return msgspec.structs.replace(
        single[0],
        targets=tuple(row for one in single for row in one.targets),
        any_correct=tuple(row for one in single for row in one.any_correct),
    )


def _count_targets(
    exclusions: Exclusions, copy: Copy, people: People | None
) -> Iterator[SingleValues]:
    """The counts of each target."""
    pair = exclusions.scenario
    for place, column in enumerate(pair.target_columns):
        with_level = _people_by_level(column, pair, people)
        if not with_level.size:  # neither side has a record
            continue
        most = int(with_level.argmax())  # the first of several that are as common
        level = label(column, most) if with_level[most] >= RARE else None
        n_correct, n_wrong, n_not_most = _count_shown(exclusions, place, most, people)
        yield SingleValues(
            target=column.name,
            copy=copy,
            n_correct=n_correct,
            n_wrong=n_wrong,
            n_not_most_common=n_not_most,
            n_level=int(with_level[most]),
            is_tied=int((with_level == with_level[most]).sum()) > 1,
            kind=_kind_of_level(column, most, int(with_level[most])),
            level=level,
            level_label=None if level is None else label_beside(column, most),
        )


def _count_shown(
    exclusions: Exclusions, place: int, most: int, people: People | None
) -> tuple[int, int, int]:
    """How many are shown their own level, another one, and their own that is not the commonest."""
    if people is None:
        found, p = exclusions.found(place).sums(), exclusions.profile(place)
        n_wrong = p.total(p.d_kept, given=p.T_s_is_1 & ~p.ps_is_1)
        return int(found.n.sum()), n_wrong, int(found.n[found.t != most].sum())
    rows, is_correct = exclusions.shown_rows(place)
    correct, codes = rows[is_correct], exclusions.scenario.target_columns[place].codes
    rarer = correct[codes[correct] != most]
    return people.count(correct), people.count(rows[~is_correct]), people.count(rarer)


def _people_by_level(column: CodedColumn, pair: CountedScenario, people: People | None) -> Ints:
    """How many people have each level of a target in the original."""
    if people is None:
        counts: Ints = column.counts[0].astype(np.int64)
        return counts
    return count_people(column.codes[pair.sides.slices[0]], people.of_row, column.n_levels)


def _kind_of_level(column: CodedColumn, code: int, n_people: int) -> ValueKind:
    """A level of fewer than ten people is not named."""
    if label(column, code) is None:
        return "missing"
    return "value" if n_people >= RARE else "rare"
