"""Every measure for every target and copy, their mean, and all pooled; with exclusions or without.

The figures without exclusions are measured once and kept. A what-if measures anew only the targets
that its exclusions act on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn
from unveil.count.profile import Profile
from unveil.measure.disclosure import attribute, identity
from unveil.measure.disclosure.flags import flags
from unveil.measure.disclosure.measures import Figure, figures_of
from unveil.records.base import Copy
from unveil.records.disclosure import Checks, Flag
from unveil.records.exclusions import ExcludedCount, ExcludedIdentity
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.scenario import CountedScenario, Progress, no_progress

# How many records did each exclusion take out of each sum?
#
# A record that several rules hit is counted for the first of them, in the order they act.


def count_removed_records(
    p: Profile, copy: Copy, target: int, exclusions: Exclusions
) -> Iterator[ExcludedCount]:
    """For each rule about this target, what it took out; then what is left."""
    x_d, x_s = p.marks
    sums = {
        "original": p.totals(p.d_tq, by=x_d),
        "synthetic": p.totals(p.s_tq, by=x_s),
        "Dsyn": p.totals(p.s_tq, by=x_s, given=p.ps_is_1),
    }
    for symbol, counted in attribute.COUNTED.items():
        sums[symbol] = p.totals(p.d_tq, by=x_d, given=counted(p))
    name = exclusions.scenario.target_names[target]
    for number in (*exclusions.concerning(target), 0):
        rule = exclusions.texts[number - 1] if number else None
        yield ExcludedCount(target=name, copy=copy, rule=rule, **_under(number, sums))


def count_removed_identity(
    profiles: Mapping[Copy, Profile], exclusions: Exclusions
) -> Iterator[ExcludedIdentity]:
    """For each rule about missing keys, what it took out; then what is left."""
    for copy, p in profiles.items():
        x, _ = p.marks
        sums = {
            "original": p.totals(p.d_tq, by=x),
            "synthetic": p.totals(p.s_tq, by=x),
            "UiS": p.totals(p.s_tq, by=x, given=p.s_q == 1),
        }
        for symbol, counted in identity.COUNTED.items():
            sums[symbol] = p.totals(p.d_tq, by=x, given=counted(p))
        for number in (*exclusions.hit_keys, 0):
            rule = exclusions.texts[number - 1] if number else None
            yield ExcludedIdentity(copy=copy, rule=rule, **_under(number, sums))


def _under(number: int, sums: Mapping[str, Ints]) -> dict[str, int]:
    """The sums under one number; a rule that hits nobody is under none."""
    return {symbol: int(by[number]) if number < len(by) else 0 for symbol, by in sums.items()}


FORMULAS = (identity, attribute)
"""The modules whose formulas make up the record; importing them fills the catalogue."""

Figures = Mapping[str, Figure]
ByCopy = dict[Copy, Figures]


@dataclass(frozen=True)
class TargetFigures:
    """What was measured of one target."""

    figures: ByCopy
    flags: tuple[Flag, ...] = ()
    excluded: tuple[ExcludedCount, ...] = ()


@dataclass(frozen=True)
class ScenarioFigures:
    """What was measured of a scenario: who is found, and what is learnt of each target."""

    identity: ByCopy
    targets: tuple[TargetFigures, ...]
    excluded_identity: tuple[ExcludedIdentity, ...] = ()


@dataclass(frozen=True)
class CheckSettings:
    """How the checks are run: thresholds, and the segments of the original, if any."""

    checks: Checks
    segment: CodedColumn | None = None


def measure_all(
    scenario: CountedScenario, checking: CheckSettings, progress: Progress = no_progress
) -> ScenarioFigures:
    """Everything, with nothing excluded."""
    nothing = resolve_exclusions((), scenario)
    targets = []
    for place, column in enumerate(scenario.target_columns):
        progress(f"measuring {column.name}", place, len(scenario.target_columns))
        targets.append(_measure_target(nothing, place, checking))
    identity = {
        name: _identity(scenario.key_profile(copies)) for name, copies in groups(scenario).items()
    }
    return ScenarioFigures(_add_mean(identity), tuple(targets))


def measure_without(
    plain: ScenarioFigures,
    exclusions: Exclusions,
    checking: CheckSettings,
    progress: Progress = no_progress,
) -> ScenarioFigures:
    """Everything under exclusions; what they do not act on is taken as it was measured."""
    scenario = exclusions.scenario
    targets = []
    for place, column in enumerate(scenario.target_columns):
        progress(f"excluding from {column.name}", place, len(scenario.target_columns))
        if exclusions.concerning(place):
            targets.append(_measure_target(exclusions, place, checking))
        else:
            targets.append(plain.targets[place])
    if not exclusions.hit_keys:
        return ScenarioFigures(plain.identity, tuple(targets))
    profiles = {
        name: scenario.key_profile(copies, exclusions.hit_keys)
        for name, copies in groups(scenario).items()
    }
    identity = _add_mean({name: _identity(p) for name, p in profiles.items()})
    return ScenarioFigures(
        identity, tuple(targets), tuple(count_removed_identity(profiles, exclusions))
    )


def groups(scenario: CountedScenario) -> dict[Copy, Sequence[int]]:
    """Each copy alone and, where there are several, all of them pooled."""
    alone: dict[Copy, Sequence[int]] = {copy: [copy] for copy in scenario.all_copies}
    return {**alone, "pooled": scenario.all_copies} if len(alone) > 1 else alone


def attribute_figures(exclusions: Exclusions, place: int) -> ByCopy:
    """The figures of one target alone, under exclusions."""
    of_copies = groups(exclusions.scenario).items()
    return _add_mean(
        {name: _attribute(exclusions.profile(place, copies)) for name, copies in of_copies}
    )


def _measure_target(exclusions: Exclusions, place: int, checking: CheckSettings) -> TargetFigures:
    """The figures of one target, what the checks raise, and what exclusions took out."""
    figures: dict[Copy, Figures] = {}
    raised: list[Flag] = []
    excluded: list[ExcludedCount] = []
    for name, copies in groups(exclusions.scenario).items():
        p = exclusions.profile(place, copies)
        figures[name] = _attribute(p)
        raised += flags(exclusions, place, (name, copies), checking.checks, checking.segment)
        excluded += count_removed_records(p, name, place, exclusions)
    return TargetFigures(_add_mean(figures), tuple(raised), tuple(excluded))


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


def measured_values(symbol: str, copies: Sequence[Figures]) -> list[float]:
    """The values of one figure in the copies in which it could be measured."""
    return [value for row in copies if (value := row[symbol]) is not None]
