"""From figures to one record: all that `unveil.disclosure` says, the riskiest target first."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import stdev

from msgspec import convert

from unveil.count.exclusions import Exclusions, fitted
from unveil.count.scenario import Progress, silent
from unveil.measure.attribute.excess import excess_ratio
from unveil.measure.by_group import rows_by_group
from unveil.measure.by_value import rows_by_value
from unveil.measure.catalogue import CATALOGUE
from unveil.measure.figures import (
    ByCopy,
    Checking,
    Measured,
    measured,
    measured_values,
    measured_without,
)
from unveil.measure.identity.recurrence import recurrences
from unveil.measure.opening import Opening
from unveil.measure.people import people_figures
from unveil.records.disclosure import (
    AttributeRow,
    Disclosure,
    IdentityRow,
    NotMeasured,
    Recurrence,
    Spread,
    ValueRow,
)
from unveil.records.exclusions import Effect, Exclusion

AFFECTED = (
    *("UiO", "UiS", "UiOiS", "repU"),
    *("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "CAPs", "DCAP", "TCAP"),
)
"""The figures for which it is said what exclusions changed."""


@dataclass(frozen=True)
class Plain:
    """A scenario measured with nothing excluded, and all that its records share."""

    opening: Opening
    checking: Checking
    measured: Measured
    recurrence: tuple[Recurrence, ...]
    by_value: tuple[ValueRow, ...]

    def record(
        self, exclude: tuple[Exclusion, ...] = (), progress: Progress = silent
    ) -> tuple[Disclosure, Exclusions]:
        """The record under these exclusions, and the exclusions as they fit the scenario."""
        exclusions = fitted(exclude, self.opening.scenario)
        after = self.measured
        if exclude:
            after = measured_without(self.measured, exclusions, self.checking, progress)
        return _record(self, after, exclusions), exclusions


def plain(
    opening: Opening,
    checking: Checking,
    progress: Progress = silent,
    sensitive: Mapping[str, Collection[str]] | None = None,
) -> Plain:
    """Measure a scenario with nothing excluded; `sensitive` values are told of in any case."""
    found = measured(opening.scenario, checking, progress)
    values = tuple(rows_by_value(opening.scenario, sensitive or {}))
    return Plain(opening, checking, found, tuple(recurrences(opening.scenario)), values)


def _record(plain: Plain, after: Measured, exclusions: Exclusions) -> Disclosure:
    opening, scenario = plain.opening, plain.opening.scenario
    named = {
        column.name: found
        for column, found in zip(scenario.target_columns, after.targets, strict=True)
    }
    n_levels = {column.name: column.n_levels for column in scenario.target_columns}
    targets = _by_risk({target: found.figures for target, found in named.items()})
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
        by_value=plain.by_value,
        by_group=tuple(rows_by_group(exclusions)),
        people=None if opening.people is None else people_figures(opening.people, exclusions),
        spread=tuple(row for target, found in subjects for row in _spreads(target, found)),
        recurrence=plain.recurrence,
        checks=plain.checking.checks,
        flags=tuple(flag for target in targets for flag in named[target].flags),
        exclude=exclusions.texts,
        excluded=tuple(
            row for target in targets if exclusions.rules for row in named[target].excluded
        ),
        excluded_identity=after.excluded_identity,
        effects=tuple(_effects(plain, subjects)) if exclusions.rules else (),
        bands=opening.bands,
        coercions=opening.notes,
        not_measured=tuple(row for target, found in subjects for row in _lacking(target, found)),
    )


def _by_risk(named: Mapping[str, ByCopy]) -> tuple[str, ...]:
    """Targets by what the copy gives away rightly (DiSCO), most first."""

    def risk(target: str) -> float:
        by_copy = named[target]
        return by_copy.get("mean", by_copy[1])["DiSCO"] or 0.0

    return tuple(sorted(named, key=risk, reverse=True))


def _effects(plain: Plain, subjects: list[tuple[str | None, ByCopy]]) -> Iterator[Effect]:
    """What the exclusions changed, in the figures they are meant for."""
    names = plain.opening.scenario.target_names
    for target, after in subjects:
        before = plain.measured.identity
        if target is not None:
            before = plain.measured.targets[names.index(target)].figures
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


def _lacking(target: str | None, by_copy: ByCopy) -> Iterator[NotMeasured]:
    for copy, row in by_copy.items():
        for symbol, value in row.items():
            if value is None:
                reason = CATALOGUE[symbol].undefined
                if copy == "mean":
                    reason = f"not measured in every copy: {reason}"
                yield NotMeasured(target=target, copy=copy, field=symbol, reason=reason)
