"""From figures to one record: all that `unveil.disclosure` says, the riskiest target first."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

import numpy as np
from msgspec import convert

from unveil.arrays import Ints, Mask
from unveil.count.codes import label
from unveil.count.packing import Ids, count_people
from unveil.measure.disclosure import attribute
from unveil.measure.disclosure.attribute import excess_ratio
from unveil.measure.disclosure.figures import (
    ByCopy,
    CheckSettings,
    ScenarioFigures,
    groups,
    measure_all,
    measure_without,
    measured_values,
)
from unveil.measure.disclosure.identity import recurrences
from unveil.measure.disclosure.measures import CATALOGUE
from unveil.records.base import Copy
from unveil.records.disclosure import (
    AttributeRow,
    Coercion,
    Disclosure,
    GroupRow,
    IdentityRow,
    NotMeasured,
    PeopleFigures,
    PeopleRow,
    Recurrence,
    Spread,
    ValueRow,
)
from unveil.records.exclusions import Effect, Exclusion
from unveil.records.person import PeopleByKeys
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.open_scenario import OpenScenario
from unveil.study.people import People, PeopleOfFiles
from unveil.study.scenario import CountedScenario, Progress, no_progress

# Is one group disclosed while the average looks low? DiSCO within every level of every key.


LEAST_PEOPLE = 20
LEAST_DISCLOSED = 10
SIGNIFICANT = 0.001


def rows_by_group(exclusions: Exclusions) -> Iterator[GroupRow]:
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
    scenario = exclusions.scenario
    people = [
        np.bincount(codes, scenario.keys.counts[0], column.n_levels).astype(np.int64)
        for column, codes in zip(scenario.key_columns, scenario.codes_of_keys, strict=True)
    ]
    for place in range(len(scenario.target_columns)):
        for copy, copies in groups(scenario).items():
            single, _ = scenario.single_cells(place, copies)
            if exclusions.act_on(place):
                single = single[~exclusions.gone(place, copies)[single]]
            if int(scenario.cells[place].counts[0][single].sum()) < LEAST_DISCLOSED:
                continue
            for key in range(len(scenario.key_columns)):
                for row in _group_rows(
                    scenario, place, key, copy=copy, single=single, people=people[key]
                ):
                    if row.p < SIGNIFICANT / max(row.n_tested, 1):
                        yield row


def _group_rows(
    scenario: CountedScenario, place: int, key: int, *, copy: Copy, single: Ints, people: Ints
) -> Iterator[GroupRow]:
    """Levels of one key, each with what all others predict."""
    from scipy.special import bdtrc

    cells = scenario.cells[place]
    column, target = scenario.key_columns[key], scenario.target_columns[place]
    codes = scenario.codes_of_keys[key][cells.q_of(single)]
    disclosed = np.bincount(codes, cells.counts[0][single], column.n_levels).astype(np.int64)
    is_tested = people >= LEAST_PEOPLE
    rest = (disclosed.sum() - disclosed) / np.maximum(people.sum() - people, 1)
    stands_out = disclosed > np.maximum(rest * people, LEAST_DISCLOSED - 1)
    for code in np.flatnonzero(is_tested & stands_out):
        commonest = scenario.joint_counts(place, key)[:, code].max() / people[code]
        p0 = float(min(max(rest[code], commonest), 1.0))
        p = 1.0 if p0 >= 1 else float(bdtrc(int(disclosed[code]) - 1, int(people[code]), p0))
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
            n_tested=int(is_tested.sum()),
        )


# Which values of a target would be disclosed, of how many people correctly, of how many wrongly?
#
# A wrong value is harm, too: somebody is taken for what they are not.


Kind = Literal["value", "missing", "rare"]

RARE = 10
"""A value of fewer people is not named, unless it was declared sensitive."""
MOST_LEVELS = 60
"""A target with more levels is told of by its sensitive ones alone."""


def rows_by_value(
    scenario: CountedScenario, sensitive: Mapping[str, Collection[str]]
) -> Iterator[ValueRow]:
    """Every value of every target, in each synthetic file and in all of them pooled.

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
    for place, column in enumerate(scenario.target_columns):
        wanted = sensitive.get(column.name, ())
        if column.n_levels > MOST_LEVELS and not wanted:
            continue
        for copy, copies in groups(scenario).items():
            yield from _value_rows(scenario, place, copy, copies, wanted)


def _value_rows(
    scenario: CountedScenario,
    place: int,
    copy: Copy,
    copies: Sequence[int],
    wanted: Collection[str],
) -> Iterator[ValueRow]:
    cells, column = scenario.cells[place], scenario.target_columns[place]
    single, points = scenario.single_cells(place, copies)
    d_q, d_tq, n = scenario.keys.counts[0], cells.counts[0], column.n_levels
    t, q = cells.t[single], cells.q_of(single)
    correct = np.bincount(t, d_tq[single], n)
    wrong = np.bincount(t, d_q[q] - d_tq[single], n)
    is_told = np.repeat(points, np.diff(cells.starts))
    other = np.bincount(cells.t[is_told], d_tq[is_told], n) - correct
    people = column.counts[0]
    figures = np.stack([people, correct, wrong, other], axis=1).astype(np.int64)
    levels = [label(column, code) for code in range(n)]
    is_rare = [level not in (None, *wanted) and people[c] < RARE for c, level in enumerate(levels)]
    for code, level in enumerate(levels):
        if not is_rare[code] and (n <= MOST_LEVELS or level in wanted):
            kind: Kind = "missing" if level is None else "value"
            yield _row(column.name, copy, kind, level, figures[code])
    if n <= MOST_LEVELS and any(is_rare):
        yield _row(column.name, copy, "rare", None, figures[is_rare].sum(axis=0))


def _row(target: str, copy: Copy, kind: Kind, level: str | None, figures: Ints) -> ValueRow:
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


# How many people, not rows, does a figure count, where people have several rows?
#
# A person counts as soon as one of their rows does. With their keys a person is alone where nobody
# else has a row with these keys, however many rows of their own have them: rows of one person hide
# nobody.


def people_figures(people: PeopleOfFiles, exclusions: Exclusions) -> PeopleFigures:
    """Every figure that counts people with some property, counted by person."""
    rows = list(_rows(people, exclusions))
    copies = [row for row in rows if isinstance(row.copy, int)]
    means = []
    for target, measure in dict.fromkeys((row.target, row.measure) for row in rows):
        alike = [row for row in copies if (row.target, row.measure) == (target, measure)]
        means.append(
            PeopleRow(
                target=target,
                copy="mean",
                measure=measure,
                n_people=fmean(row.n_people for row in alike),
                percent=fmean(row.percent for row in alike),
            )
        )
    several = len(people.copies) > 1
    return PeopleFigures(person=people.original.record, rows=(*rows, *(means if several else ())))


def _rows(people: PeopleOfFiles, exclusions: Exclusions) -> Iterator[PeopleRow]:
    scenario = exclusions.scenario
    for copy, copies in groups(scenario).items():
        for measure, is_counted in _identity(people, exclusions, copies).items():
            yield _people_row(people.original, is_counted, None, copy, measure)
    for place, target in enumerate(scenario.target_names):
        cell_of_row = scenario.cells_of_originals(place)
        for copy, copies in groups(scenario).items():
            looks, kept = scenario.looks(place, copies), ~exclusions.gone(place, copies)
            for measure, counted in attribute.COUNTED.items():
                cells = looks.on_cells(counted(looks.profile)) & kept
                yield _people_row(people.original, cells[cell_of_row], target, copy, measure)


def _identity(
    people: PeopleOfFiles, exclusions: Exclusions, copies: Sequence[int]
) -> dict[str, Mask]:
    """For each measure of identity, the rows of the original that make their person count."""
    scenario = exclusions.scenario
    q = scenario.keys.q[scenario.sides.slices[0]]
    n_there = sum(_people_by_keys(scenario, side, people.copies[side - 1]) for side in copies)
    is_alone = _people_by_keys(scenario, 0, people.original.of_row) == 1
    for hit in exclusions.hit_keys.values():
        is_alone &= ~hit
    found = {
        "UiO": is_alone,
        "UiOiS": is_alone & (n_there > 0),
        "repU": is_alone & (n_there == 1),
    }
    return {measure: of_keys[q] for measure, of_keys in found.items()}


def _people_by_keys(scenario: CountedScenario, side: int, of_row: Ids) -> Ints:
    """How many people of one side have each key combination."""
    q = scenario.keys.q[scenario.sides.slices[side]]
    return count_people(q, of_row, scenario.keys.n_q)


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


def rows_counted(people: People | None, what: str) -> tuple[Coercion, ...]:
    """That some figures count rows, where people have several."""
    if people is None or people.record.n_people == people.record.n_rows:
        return ()
    column = people.record.column
    said = f"{column!r} {people.record.counts}. {what} rows, not people."
    return (Coercion(side="original", column=column, kind="person", sentence=said),)


def _people_row(
    people: People, is_counted: Mask, target: str | None, copy: Copy, measure: str
) -> PeopleRow:
    n_people = len(np.unique(people.of_row[is_counted]))
    percent = 100 * n_people / people.record.n_people
    return PeopleRow(target=target, copy=copy, measure=measure, n_people=n_people, percent=percent)


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
    by_value: tuple[ValueRow, ...]

    def record(
        self, exclude: tuple[Exclusion, ...] = (), progress: Progress = no_progress
    ) -> tuple[Disclosure, Exclusions]:
        """The record under these exclusions, and the exclusions as they fit the scenario."""
        exclusions = resolve_exclusions(exclude, self.opening.scenario)
        after = self.figures
        if exclude:
            after = measure_without(self.figures, exclusions, self.checking, progress)
        return _record(self, after, exclusions), exclusions


def measure_scenario(
    opening: OpenScenario,
    checking: CheckSettings,
    progress: Progress = no_progress,
    sensitive: Mapping[str, Collection[str]] | None = None,
) -> MeasuredScenario:
    """Measure a scenario with nothing excluded; `sensitive` values are told of in any case."""
    found = measure_all(opening.scenario, checking, progress)
    values = tuple(rows_by_value(opening.scenario, sensitive or {}))
    return MeasuredScenario(opening, checking, found, tuple(recurrences(opening.scenario)), values)


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
    d_q, s_q = scenario.keys.counts[0], scenario.keys.counts[1:].sum(axis=0)
    return Disclosure(
        files=opening.files,
        keys=scenario.key_names,
        targets=targets,
        n_original=scenario.sides.rows[0],
        n_synthetic=scenario.sides.rows[1:],
        n_q_original=int((d_q > 0).sum()),
        n_q_synthetic=int((s_q > 0).sum()),
        n_q_union=scenario.keys.n_q,
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
        by_value=measured.by_value,
        by_group=tuple(rows_by_group(exclusions)),
        people=None if opening.people is None else people_figures(opening.people, exclusions),
        spread=tuple(row for target, found in subjects for row in _spreads(target, found)),
        recurrence=measured.recurrence,
        checks=measured.checking.checks,
        flags=tuple(flag for target in targets for flag in named[target].flags),
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
    """Targets by what the copy gives away rightly (DiSCO), most first."""

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
