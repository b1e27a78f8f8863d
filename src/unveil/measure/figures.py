"""Every measure for every target and copy, their mean, and all pooled; with exclusions or without.

The figures without exclusions are measured once and kept. A what-if measures anew only the targets
that its exclusions act on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from unveil.count.codes import Column
from unveil.count.exclusions import Exclusions, fitted
from unveil.count.profile import Profile
from unveil.count.scenario import Progress, Scenario, silent
from unveil.measure.attribute import cap, disco, tcap
from unveil.measure.attribute.checks import flags
from unveil.measure.catalogue import Figure, figures_of
from unveil.measure.identity import uniques
from unveil.measure.removed import removed_identity, removed_records
from unveil.records.checks import Checks, Flag
from unveil.records.copies import Copy
from unveil.records.exclusions import Excluded, ExcludedIdentity

FORMULAS = (uniques, disco, cap, tcap)
"""The modules whose formulas make up the record; importing them fills the catalogue."""

Figures = Mapping[str, Figure]
ByCopy = dict[Copy, Figures]


@dataclass(frozen=True)
class OfTarget:
    """What was measured of one target."""

    figures: ByCopy
    flags: tuple[Flag, ...] = ()
    excluded: tuple[Excluded, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What was measured of a scenario: who is found, and what is learnt of each target."""

    identity: ByCopy
    targets: tuple[OfTarget, ...]
    excluded_identity: tuple[ExcludedIdentity, ...] = ()


@dataclass(frozen=True)
class Checking:
    """How the checks are run: thresholds, and the segments of the original, if any."""

    checks: Checks
    segment: Column | None = None


def measured(scenario: Scenario, checking: Checking, progress: Progress = silent) -> Measured:
    """Everything, with nothing excluded."""
    nothing = fitted((), scenario)
    targets = []
    for place, column in enumerate(scenario.target_columns):
        progress(f"measuring {column.name}", place, len(scenario.target_columns))
        targets.append(_of_target(nothing, place, checking))
    identity = {
        name: _identity(scenario.key_profile(copies)) for name, copies in groups(scenario).items()
    }
    return Measured(_with_mean(identity), tuple(targets))


def measured_without(
    plain: Measured, exclusions: Exclusions, checking: Checking, progress: Progress = silent
) -> Measured:
    """Everything under exclusions; what they do not act on is taken as it was measured."""
    scenario = exclusions.scenario
    targets = []
    for place, column in enumerate(scenario.target_columns):
        progress(f"excluding from {column.name}", place, len(scenario.target_columns))
        if exclusions.concerning(place):
            targets.append(_of_target(exclusions, place, checking))
        else:
            targets.append(plain.targets[place])
    if not exclusions.hit_keys:
        return Measured(plain.identity, tuple(targets))
    profiles = {
        name: scenario.key_profile(copies, exclusions.hit_keys)
        for name, copies in groups(scenario).items()
    }
    identity = _with_mean({name: _identity(p) for name, p in profiles.items()})
    return Measured(identity, tuple(targets), tuple(removed_identity(profiles, exclusions)))


def groups(scenario: Scenario) -> dict[Copy, Sequence[int]]:
    """Each copy alone and, where there are several, all of them pooled."""
    alone: dict[Copy, Sequence[int]] = {copy: [copy] for copy in scenario.all_copies}
    return {**alone, "pooled": scenario.all_copies} if len(alone) > 1 else alone


def attribute_figures(exclusions: Exclusions, place: int) -> ByCopy:
    """The figures of one target alone, under exclusions."""
    of_copies = groups(exclusions.scenario).items()
    return _with_mean(
        {name: _attribute(exclusions.profile(place, copies)) for name, copies in of_copies}
    )


def _of_target(exclusions: Exclusions, place: int, checking: Checking) -> OfTarget:
    """The figures of one target, what the checks raise, and what exclusions took out."""
    figures: dict[Copy, Figures] = {}
    raised: list[Flag] = []
    excluded: list[Excluded] = []
    for name, copies in groups(exclusions.scenario).items():
        p = exclusions.profile(place, copies)
        figures[name] = _attribute(p)
        raised += flags(exclusions, place, (name, copies), checking.checks, checking.segment)
        excluded += removed_records(p, name, place, exclusions)
    return OfTarget(_with_mean(figures), tuple(raised), tuple(excluded))


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


def _with_mean(figures: dict[Copy, Figures]) -> ByCopy:
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
