"""From counts to records: every measure for every target and copy, their mean, and all pooled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, stdev

from msgspec import convert

from unveil.count.scenario import Progress, Scenario, silent
from unveil.measure.attribute import cap, disco, tcap
from unveil.measure.catalogue import CATALOGUE, Figure, figures_of
from unveil.measure.identity import uniques
from unveil.measure.identity.recurrence import recurrences
from unveil.records.disclosure import (
    AttributeRow,
    Coercion,
    Copy,
    Disclosure,
    IdentityRow,
    NotMeasured,
    Spread,
)

FORMULAS = (uniques, disco, cap, tcap)
"""The modules whose formulas make up this record; importing them fills the catalogue."""

Figures = Mapping[str, Figure]
ByCopy = dict[Copy, Figures]


def disclosure_record(
    scenario: Scenario,
    *,
    files: Sequence[str] = (),
    notes: Sequence[Coercion] = (),
    progress: Progress = silent,
) -> Disclosure:
    """All that is measured of one scenario, the riskiest target first."""
    identity = _over_copies(scenario, _identity, progress)[0]
    by_target = _over_copies(scenario, _attribute, progress)
    named = {
        column.name: figures
        for column, figures in zip(scenario.target_columns, by_target, strict=True)
    }
    n_levels = {column.name: column.n_levels for column in scenario.target_columns}
    targets = _by_risk(named)
    d_q, s_q = scenario.keys.counts[0], scenario.keys.counts[1:].sum(axis=0)
    return Disclosure(
        files=tuple(files),
        keys=tuple(column.name for column in scenario.key_columns),
        targets=targets,
        n_original=scenario.sides.rows[0],
        n_synthetic=scenario.sides.rows[1:],
        n_q_original=int((d_q > 0).sum()),
        n_q_synthetic=int((s_q > 0).sum()),
        n_q_union=scenario.keys.n_q,
        identity=tuple(
            convert({"copy": copy, **row}, IdentityRow) for copy, row in identity.items()
        ),
        attribute=tuple(
            convert(
                {"target": target, "copy": copy, "n_target_levels": n_levels[target], **row},
                AttributeRow,
            )
            for target in targets
            for copy, row in named[target].items()
        ),
        spread=tuple(_spreads(None, identity))
        + tuple(row for target in targets for row in _spreads(target, named[target])),
        recurrence=tuple(recurrences(scenario)),
        coercions=tuple(notes),
        not_measured=tuple(_not_measured(None, identity))
        + tuple(row for target in targets for row in _not_measured(target, named[target])),
    )


def _over_copies(
    scenario: Scenario,
    measured: Callable[[Scenario, Sequence[int]], Iterator[Figures]],
    progress: Progress,
) -> list[ByCopy]:
    """Figures of each copy, for each subject; of several copies also their mean, and pooled."""
    alone = [[copy] for copy in scenario.all_copies]
    groups = [*alone, [*scenario.all_copies]] if len(alone) > 1 else alone
    rows = []
    for done, copies in enumerate(groups):
        progress("measuring", done, len(groups))
        rows.append(list(measured(scenario, copies)))
    return [_named(list(of_subject)) for of_subject in zip(*rows, strict=True)]


def _named(rows: list[Figures]) -> ByCopy:
    """Figures under the names of their copies; the last of several rows is of all pooled."""
    if len(rows) == 1:
        return {1: rows[0]}
    *alone, pooled = rows
    return {**dict(enumerate(alone, start=1)), "mean": _mean(alone), "pooled": pooled}


def _identity(scenario: Scenario, copies: Sequence[int]) -> Iterator[Figures]:
    p = scenario.key_profile(copies)
    yield {
        **figures_of(p, "identity"),
        "N_d_both": p.N_d_both,
        "N_s_both": p.N_s_both,
        "n_q_synthetic": p.n_cells(p.s_q > 0),
        "n_q_both": p.n_cells((p.d_q > 0) & (p.s_q > 0)),
    }


def _attribute(scenario: Scenario, copies: Sequence[int]) -> Iterator[Figures]:
    for p in scenario.target_profiles(copies):
        n_cells = p.n_cells((p.d_tq > 0) | (p.s_tq > 0))
        yield {**figures_of(p, "attribute"), "n_cells": n_cells}


def _mean(copies: Sequence[Figures]) -> Figures:
    """The mean of each figure over the copies; not measurable where it is not in each of them."""
    values = {symbol: _measured(symbol, copies) for symbol in copies[0]}
    return {
        symbol: fmean(figures) if len(figures) == len(copies) else None
        for symbol, figures in values.items()
    }


def _measured(symbol: str, copies: Sequence[Figures]) -> list[float]:
    return [value for row in copies if (value := row[symbol]) is not None]


def _by_risk(named: Mapping[str, ByCopy]) -> tuple[str, ...]:
    """Targets by what the copy gives away rightly (DiSCO), most first."""

    def risk(target: str) -> float:
        by_copy = named[target]
        return by_copy.get("mean", by_copy[1])["DiSCO"] or 0.0

    return tuple(sorted(named, key=risk, reverse=True))


def _spreads(target: str | None, by_copy: ByCopy) -> Iterator[Spread]:
    copies = [row for copy, row in by_copy.items() if isinstance(copy, int)]
    for symbol in copies[0]:
        values = _measured(symbol, copies)
        if symbol in CATALOGUE and len(values) == len(copies) > 1:
            yield Spread(
                target=target,
                measure=symbol,
                n_copies=len(copies),
                standard_deviation=stdev(values),
                lowest=min(values),
                highest=max(values),
            )


def _not_measured(target: str | None, by_copy: ByCopy) -> Iterator[NotMeasured]:
    for copy, row in by_copy.items():
        for symbol, value in row.items():
            if value is None:
                reason = CATALOGUE[symbol].undefined
                if copy == "mean":
                    reason = f"not measured in every copy: {reason}"
                yield NotMeasured(target=target, copy=copy, field=symbol, reason=reason)
