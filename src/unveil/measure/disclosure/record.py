"""From figures to one record: all that `unveil.disclosure` says, the riskiest target first."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any, TypeVar

import numpy as np
from msgspec import convert
from msgspec.structs import replace as replace_fields

from unveil.arrays import Mask
from unveil.count.packing import Ids, count_people
from unveil.measure.disclosure import attribute
from unveil.measure.disclosure.attribute import excess_ratio
from unveil.measure.disclosure.figures import (
    ByCopy,
    CheckSettings,
    ScenarioFigures,
    mean_rows,
    measure_all,
    measure_without,
    measured_values,
    sensitive_by_person,
)
from unveil.measure.disclosure.identity import count_recurrences
from unveil.measure.disclosure.measures import CATALOGUE
from unveil.measure.disclosure.tolerance import NO_TOLERANCES, Tolerances
from unveil.records.base import Copy
from unveil.records.disclosure import (
    AttributeRow,
    Coercion,
    Disclosure,
    IdentityRow,
    NotMeasured,
    PeopleFigures,
    PeopleRow,
    Recurrence,
    SingleValueCounts,
    Spread,
    WeightedFigures,
    WeightedRow,
)
from unveil.records.exclusions import Effect, Exclusion
from unveil.records.person import PeopleByKeys
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.open_scenario import OpenScenario
from unveil.study.people import People, PeopleOfFiles
from unveil.study.scenario import Progress, no_progress
from unveil.study.weights import Weights

# How many people, not rows, does a figure count, where people have several rows?
#
# A person counts as soon as one of their rows does. With their keys a person is alone where no one
# else has a row with these keys, however many rows of their own have them: rows of one person hide
# no one.


R = TypeVar("R", PeopleRow, WeightedRow)


def people_figures(people: PeopleOfFiles, exclusions: Exclusions) -> PeopleFigures:
    """Every figure that counts people with some property, counted by person."""
    whose = people.original.record
    rows = []
    for counted in _counted_rows(exclusions, people):
        n_people = len(np.unique(people.original.of_row[counted.is_counted]))
        percent = 100 * n_people / whose.n_people
        rows.append(PeopleRow(**counted.about, n_people=n_people, percent=percent))
    return PeopleFigures(person=whose, rows=_in_order(rows, "n_people", exclusions))


def weighted_figures(weights: Weights, exclusions: Exclusions) -> WeightedFigures:
    """Every such figure in weights: the sum of the weights of the same records."""
    rows = []
    for counted in _counted_rows(exclusions):
        weight = float(weights.of_row[counted.is_counted].sum())
        percent = 100 * weight / weights.total if weights.total else 0.0
        rows.append(WeightedRow(**counted.about, weight=weight, percent=percent))
    return WeightedFigures(
        column=weights.column,
        total=weights.total,
        rows=_in_order(rows, "weight", exclusions),
    )


def _in_order(rows: Sequence[R], count: str, exclusions: Exclusions) -> tuple[R, ...]:
    """Rows of identity first, then target by target; then the means over the copies."""
    order = (None, *exclusions.scenario.target_names)
    in_order = sorted(rows, key=lambda row: order.index(row.target))
    return mean_rows(in_order, (count, "percent"), by=("target", "measure"))


@dataclass(frozen=True)
class _CountedRows:
    """The rows of the original that one figure counts, and which figure that is."""

    about: dict[str, Any]
    is_counted: Mask


def _counted_rows(
    exclusions: Exclusions, people: PeopleOfFiles | None = None
) -> Iterator[_CountedRows]:
    """Every figure that counts rows of the original, copy by copy."""
    for copy, pair in exclusions.scenario.pairs():
        here = exclusions.on(pair)
        for measure, is_counted in _identity(people, here, copy).items():
            yield _CountedRows({"target": None, "copy": copy, "measure": measure}, is_counted)
        for place, target in enumerate(pair.target_names):
            cell_of_row = pair.cells_of_originals(place)
            looks, kept = pair.looks(place), ~here.mask_excluded(place)
            for measure, counted in attribute.COUNTED.items():
                cells = looks.on_cells(counted(looks.profile)) & kept
                about = {"target": target, "copy": copy, "measure": measure}
                yield _CountedRows(about, cells[cell_of_row])


def _identity(people: PeopleOfFiles | None, exclusions: Exclusions, copy: Copy) -> dict[str, Mask]:
    """For each measure of identity, the rows of the original that count, or make a person count."""
    keys = exclusions.scenario.keys
    q = keys.q[keys.sides.slices[0]]
    n_here, n_there = keys.counts
    if people is not None:
        copies = [people.copies[copy - 1]] if isinstance(copy, int) else people.copies
        n_rows = [keys.sides.rows[0], *map(len, copies)]
        q, *q_there = np.split(keys.q, np.cumsum(n_rows)[:-1])
        n_there = sum(count_people(*one, keys.n_q) for one in zip(q_there, copies, strict=True))
        n_here = count_people(q, people.original.of_row, keys.n_q)
    is_alone: Mask = n_here == 1
    for hit in exclusions.hit_keys.values():
        is_alone = is_alone & ~hit
    found = {
        "UiO": is_alone,
        "UiOiS": is_alone & (n_there > 0),
        "repU": is_alone & (n_there == 1),
    }
    return {measure: of_keys[q] for measure, of_keys in found.items()}


def people_by_keys(people: People, q: Ids, n_q: int) -> PeopleByKeys:
    """How many people share their keys with how many others."""
    sharing = count_people(q, people.of_row, n_q)[q]
    fewest = np.full(people.record.n_people, sharing.max(initial=0))
    np.minimum.at(fewest, people.of_row, sharing)
    n_unique = int((fewest == 1).sum())
    return PeopleByKeys(
        person=people.record,
        n_unique=n_unique,
        percent=100 * n_unique / people.record.n_people,
        k=int(fewest.min()),
        global_risk=float((1 / fewest).mean()),
    )


def note_row_counts(people: People | None, what: str) -> tuple[Coercion, ...]:
    """That some figures count rows, where people have several."""
    if people is None or people.record.n_people == people.record.n_rows:
        return ()
    column = people.record.column
    said = f"{column!r} {people.record.counts}. {what} rows, not people."
    return (Coercion(side="original", column=column, kind="person", sentence=said),)


AFFECTED = (
    *("UiO", "UiS", "UiOiS", "repU"),
    *("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "CAPs", "DCAP", "TCAP"),
)
"""The figures for which it is said what exclusions changed."""


@dataclass(frozen=True)
class MeasuredScenario:
    """A scenario measured with nothing excluded, and all that its records share."""

    opening: OpenScenario
    checking: CheckSettings
    figures: ScenarioFigures
    recurrence: tuple[Recurrence, ...]
    sensitive: Mapping[str, Collection[str]]
    tolerances: Tolerances

    def record(
        self, exclude: tuple[Exclusion, ...] = (), progress: Progress = no_progress
    ) -> tuple[Disclosure, Exclusions]:
        """The record under these exclusions, and the exclusions as they fit the scenario."""
        exclusions = resolve_exclusions(exclude, self.opening.scenario)
        after = self.figures
        if exclude:
            people = self.opening.original_people
            after = measure_without(self.figures, exclusions, self.checking, progress, people)
        return _record(self, after, exclusions), exclusions


def measure_scenario(
    opening: OpenScenario,
    checking: CheckSettings,
    progress: Progress = no_progress,
    sensitive: Mapping[str, Collection[str]] | None = None,
    tolerances: Tolerances = NO_TOLERANCES,
) -> MeasuredScenario:
    """Measure a scenario with nothing excluded; `sensitive` values are told of in any case."""
    people = opening.original_people
    found = measure_all(opening.scenario, checking, progress, sensitive, people)
    again = tuple(count_recurrences(opening.scenario))
    return MeasuredScenario(opening, checking, found, again, sensitive or {}, tolerances)


def _by_person(measured: MeasuredScenario, after: ScenarioFigures) -> SingleValueCounts:
    """The counts of single values, with the declared sensitive ones by person."""
    opening = measured.opening
    if opening.people is None or not measured.sensitive:
        return after.single_values
    people = opening.people.original
    found = sensitive_by_person(opening.scenario, people, measured.sensitive)
    return replace_fields(after.single_values, sensitive=tuple(found))


def _record(
    measured: MeasuredScenario, after: ScenarioFigures, exclusions: Exclusions
) -> Disclosure:
    opening, scenario = measured.opening, measured.opening.scenario
    named = {
        column.name: found
        for column, found in zip(scenario.target_columns, after.targets, strict=True)
    }
    n_levels = {column.name: column.n_levels for column in scenario.target_columns}
    targets = _sort_by_risk({target: found.figures for target, found in named.items()})
    subjects: list[tuple[str | None, ByCopy]] = [(None, after.identity)]
    subjects += [(target, named[target].figures) for target in targets]
    n_q_original, n_q_synthetic, n_q_union = scenario.n_combinations
    return Disclosure(
        files=opening.files,
        keys=scenario.key_names,
        targets=targets,
        n_original=scenario.sides.rows[0],
        n_synthetic=scenario.sides.rows[1:],
        n_q_original=n_q_original,
        n_q_synthetic=n_q_synthetic,
        n_q_union=n_q_union,
        identity=tuple(
            convert({"copy": copy, **row}, IdentityRow) for copy, row in after.identity.items()
        ),
        attribute=tuple(
            convert(
                {"target": target, "copy": copy, "n_target_levels": n_levels[target], **row},
                AttributeRow,
            )
            for target in targets
            for copy, row in named[target].figures.items()
        ),
        by_value=tuple(row for found in measured.figures.targets for row in found.values),
        by_group=tuple(row for found in after.targets for row in found.groups),
        single_values=_by_person(measured, after),
        people=None if opening.people is None else people_figures(opening.people, exclusions),
        weighted=None if opening.weights is None else weighted_figures(opening.weights, exclusions),
        tolerance=measured.tolerances.rows(exclusions),
        spread=tuple(row for target, found in subjects for row in _spreads(target, found)),
        recurrence=measured.recurrence,
        checks=measured.checking.checks,
        flags=tuple(flag for target in targets for flag in named[target].flags),
        small_cells=tuple(row for target in targets for row in named[target].small_cells),
        exclude=exclusions.texts,
        excluded=tuple(
            row for target in targets if exclusions.rules for row in named[target].excluded
        ),
        excluded_identity=after.excluded_identity,
        effects=tuple(_effects(measured, subjects)) if exclusions.rules else (),
        bands=opening.bands,
        coercions=opening.notes,
        not_measured=tuple(
            row for target, found in subjects for row in _missing_figures(target, found)
        ),
    )


def _sort_by_risk(named: Mapping[str, ByCopy]) -> tuple[str, ...]:
    """Targets by what the synthetic data disclose correctly (DiSCO), most first."""

    def risk(target: str) -> float:
        by_copy = named[target]
        return by_copy.get("mean", by_copy[1])["DiSCO"] or 0.0

    return tuple(sorted(named, key=risk, reverse=True))


def _effects(
    measured: MeasuredScenario, subjects: list[tuple[str | None, ByCopy]]
) -> Iterator[Effect]:
    """What the exclusions changed, in the figures they are meant for."""
    names = measured.opening.scenario.target_names
    for target, after in subjects:
        before = measured.figures.identity
        if target is not None:
            before = measured.figures.targets[names.index(target)].figures
        for copy, row in after.items():
            for symbol in AFFECTED:
                if symbol in row:
                    yield Effect(
                        target=target,
                        copy=copy,
                        measure=symbol,
                        all=before[copy][symbol],
                        after=row[symbol],
                        R=excess_ratio(before[copy][symbol], row[symbol]),
                    )


def _spreads(target: str | None, by_copy: ByCopy) -> Iterator[Spread]:
    copies = [row for copy, row in by_copy.items() if isinstance(copy, int)]
    for symbol in copies[0]:
        values = measured_values(symbol, copies)
        if symbol in CATALOGUE and len(values) == len(copies) > 1:
            yield Spread(
                target=target,
                measure=symbol,
                n_copies=len(copies),
                standard_deviation=stdev(values),
                lowest=min(values),
                highest=max(values),
            )


def _missing_figures(target: str | None, by_copy: ByCopy) -> Iterator[NotMeasured]:
    for copy, row in by_copy.items():
        for symbol, value in row.items():
            if value is None:
                reason = CATALOGUE[symbol].undefined
                if copy == "mean":
                    reason = f"not measured in every copy: {reason}"
                yield NotMeasured(target=target, copy=copy, field=symbol, reason=reason)
