"""From scores to one record: all that `unveil.cap` and `unveil.cap_table` say."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, get_args

from unveil.count.scenario import Progress
from unveil.errors import SettingsError, listed, nearest
from unveil.measure.attribution.baseline import Baseline, parse_baseline
from unveil.measure.attribution.gcap import gcap_rows
from unveil.measure.attribution.opening import Attribution
from unveil.measure.attribution.people import people_of
from unveil.measure.attribution.regression import on_m
from unveil.measure.attribution.scores import Figures, figures_by_m
from unveil.measure.attribution.tcap import reasons, tcap_rows
from unveil.read.given import shown
from unveil.records.cap import Cap, CapNotMeasured, CapRow, KeySet, NonMatch, OnM
from unveil.records.tcap import GcapRow, TcapRow

RULES: tuple[NonMatch, ...] = get_args(NonMatch)

Subject = tuple[str, KeySet, str, int]  # method, keys, scenario, m


def cap_record(
    attribution: Attribution,
    scenarios: Sequence[str],
    mask: Any,
    baseline: Baseline,
    progress: Progress,
    *,
    tau: float | None = None,
    with_gcap: bool = False,
) -> Cap:
    """Everything that is said of these methods, key sets and scenarios."""
    found: dict[Subject, Figures] = {}
    notes = list(attribution.opening.notes)
    for done, key_set in enumerate(attribution.key_sets):
        progress(f"scoring {key_set.name}", done, len(attribution.key_sets))
        classes = attribution.classes(key_set)
        people = people_of(classes, key_set, scenarios, mask)
        known = baseline.of_cells(classes)
        notes += [note for note in baseline.notes(classes) if note not in notes]
        for method, copies in attribution.copies.items():
            for m, scenario, figures in figures_by_m(classes, copies, known, people):
                found[method, key_set, scenario, m] = figures
    in_order = [
        (method, key_set, scenario, m)
        for method, copies in attribution.copies.items()
        for key_set in attribution.key_sets
        for scenario in scenarios
        for m in range(1, len(copies) + 1)
    ]
    rows = [_row(subject, found[subject], attribution) for subject in in_order]
    targeted = () if tau is None else tuple(_tcap(attribution, tau))
    return Cap(
        files=attribution.opening.files,
        methods=attribution.methods,
        key_sets=attribution.key_sets,
        target=attribution.target,
        n_original=attribution.opening.scenario.sides.rows[0],
        scenarios=tuple(scenarios),
        baseline=baseline.text,
        tolerance=attribution.tolerance,
        rows=tuple(rows),
        on_m=tuple(_fits(rows)),
        tau=tau,
        tcap=targeted,
        gcap=tuple(_gcap(attribution, progress)) if with_gcap else (),
        bands=attribution.opening.bands,
        coercions=tuple(notes),
        not_measured=(
            *(lack for one in in_order for lack in _lacking(one, found[one])),
            *(lack for row in targeted for lack in _lacking_tcap(row)),
        ),
    )


def _row(subject: Subject, figures: Figures, attribution: Attribution) -> CapRow:
    method, key_set, scenario, m = subject
    return CapRow(
        method=method,
        keys=key_set.keys,
        target=attribution.target,
        m=m,
        scenario=scenario,
        **asdict(figures),
    )


def _tcap(attribution: Attribution, tau: float) -> Iterator[TcapRow]:
    for method in attribution.copies:
        for key_set in attribution.key_sets:
            yield from tcap_rows(attribution, key_set, method, tau)


def _gcap(attribution: Attribution, progress: Progress) -> Iterator[GcapRow]:
    for method in attribution.copies:
        for key_set in attribution.key_sets:
            yield from (row for row, _ in gcap_rows(attribution, key_set, method, progress))


def _lacking(subject: Subject, figures: Figures) -> Iterator[CapNotMeasured]:
    method, key_set, scenario, m = subject
    for name, reason in figures.reasons():
        yield CapNotMeasured(
            method=method, keys=key_set.keys, m=m, scenario=scenario, field=name, reason=reason
        )


def _lacking_tcap(row: TcapRow) -> Iterator[CapNotMeasured]:
    for name, reason in reasons(row):
        yield CapNotMeasured(
            method=row.method, keys=row.keys, m=row.m, scenario=None, field=name, reason=reason
        )


def _fits(rows: Sequence[CapRow]) -> Iterator[OnM]:
    """CAP on m, for each method, key set and scenario, under both rules for non-matches."""
    for _, alike in groupby(rows, key=lambda row: (row.method, row.keys, row.scenario)):
        points = list(alike)
        ms = [row.m for row in points]
        for rule in RULES:
            fit = on_m(ms, [getattr(row, f"cap_synthetic_{rule}") for row in points])
            yield OnM(
                method=points[0].method,
                keys=points[0].keys,
                target=points[0].target,
                scenario=points[0].scenario,
                nonmatch=rule,
                **asdict(fit),
            )


def parse_rule(given: Any) -> NonMatch:
    """How people without a match are counted."""
    for rule in RULES:
        if isinstance(given, str) and given == rule:
            return rule
    hint = nearest(given, RULES) if isinstance(given, str) else ""
    raise SettingsError(
        f"Non-matches cannot be counted as {shown(given)}.{hint} They can be counted as:"
        f" {listed(RULES)}."
    )


def read_baseline(
    given: Any, attribution: Attribution, missing_values: str | Sequence[str]
) -> Baseline:
    """The baseline, read and checked against the key sets."""
    missing = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    baseline = parse_baseline(
        given,
        keys=attribution.opening.scenario.key_names,
        targets=attribution.targets,
        has_tolerance=bool(attribution.tolerance),
        missing_values=missing,
    )
    for key_set in attribution.key_sets:
        baseline.refuse_unknown_keys(key_set.keys)
    return baseline
