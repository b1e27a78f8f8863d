"""`unveil.cap`: correct attribution of one method's copies, m = 1 to M pooled.

Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution probability for synthetic
data: an exploration.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any, get_args

import numpy as np
import polars as pl

from unveil.arguments import parse_choice, quote_value
from unveil.errors import SettingsError
from unveil.measure.cap.baseline import Baseline, parse_baseline
from unveil.measure.cap.classes import KeyClasses, Pool
from unveil.measure.cap.gcap import gcap_rows
from unveil.measure.cap.prepare import Attribution, open_copies
from unveil.measure.cap.scores import (
    NO_MATCH,
    NOBODY,
    figures_by_m,
    parse_scenarios,
    people_of,
    rows_of,
    weights_of_cells,
)
from unveil.measure.cap.tcap import reasons, tcap_rows
from unveil.measure.result import RowsResult
from unveil.models.intervals import two_sided_p
from unveil.records.cap import (
    Cap,
    CapNotMeasured,
    CapRow,
    GcapRow,
    KeySet,
    NonMatch,
    OnM,
    Target,
    TcapRow,
    WeightedCapRow,
)
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# Does the number of copies change the CAP score?
#
# Taub et al. (2018), section 4.1: ordinary least squares of the mean CAP scores on m = 1 to M,
# with t tests on M - 2 degrees of freedom. The m are nested, so the points are not independent
# and p is a guide only.
#
# Erratum: Table 2 repeats the CART numbers for parametric model 1 (the printed means give 0.3193 +
# 0.01087 m), Table 3 repeats model 2 for CART model 5 (they give 0.3155 - 0.00015 m, p = 0.84).


@dataclass(frozen=True)
class TrendFit:
    """intercept + slope m; None where there are too few points."""

    n_points: int
    intercept: float | None = None
    slope: float | None = None
    se_intercept: float | None = None
    se_slope: float | None = None
    t_intercept: float | None = None
    t_slope: float | None = None
    p_intercept: float | None = None
    p_slope: float | None = None
    df: int | None = None


def fit_on_m(m: Sequence[float], cap: Sequence[float | None]) -> TrendFit:
    """Fit the scores that are defined.

    Notes
    -----
    One point has no line; two have a line without standard errors. Where all points lie on the line
    the standard errors are 0 and there is nothing to test: t and p are None.
    """
    points = [(x, y) for x, y in zip(m, cap, strict=True) if y is not None]
    n = len(points)
    if n < 2:
        return TrendFit(n)
    x, y = np.array(points, float).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    intercept = float(y.mean()) - slope * float(x.mean())
    df = n - 2
    if df == 0:
        return TrendFit(n, intercept, slope, df=df)
    residual = y - intercept - slope * x
    variance = float((residual**2).sum()) / df
    if variance <= (4 * np.finfo(float).eps * float(abs(y).max())) ** 2:
        variance = 0.0  # what is left is the rounding of the last digit
    se_slope = math.sqrt(variance / spread)
    se_intercept = math.sqrt(variance * (1 / n + float(x.mean()) ** 2 / spread))
    t_intercept, p_intercept = _t_test(intercept, se_intercept, df)
    t_slope, p_slope = _t_test(slope, se_slope, df)
    errors, tests = (se_intercept, se_slope), (t_intercept, t_slope, p_intercept, p_slope)
    return TrendFit(n, intercept, slope, *errors, *tests, df)


def _t_test(estimate: float, se: float, df: int) -> tuple[float | None, float | None]:
    """The statistic t and its two-sided p; None where there is nothing to test."""
    if se == 0:
        return None, None
    return estimate / se, two_sided_p(estimate / se, df)


# From scores to one record: all that `unveil.cap` and `unveil.cap_table` say.


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
    found: dict[Subject, dict[str, Any]] = {}
    weighted: dict[Subject, dict[str, Any]] = {}
    weights = attribution.opening.weights
    notes = list(attribution.opening.notes)
    for done, key_set in enumerate(attribution.key_sets):
        progress(f"scoring {key_set.name}", done, len(attribution.key_sets))
        classes = attribution.classes(key_set)
        people = people_of(classes, key_set, scenarios, mask)
        known = baseline.compute_by_cell(classes)
        notes += [note for note in baseline.notes(classes) if note not in notes]
        for method, copies in attribution.copies.items():
            for m, scenario, figures in figures_by_m(classes, copies, known, people):
                found[method, key_set, scenario, m] = figures
            if weights is None:
                continue
            of_cells = weights_of_cells(classes, key_set, scenarios, mask, weights.of_row)
            for m, scenario, figures in figures_by_m(classes, copies, known, of_cells):
                weighted[method, key_set, scenario, m] = figures
    in_order = [
        (method, key_set, scenario, m)
        for method, copies in attribution.copies.items()
        for key_set in attribution.key_sets
        for scenario in scenarios
        for m in range(1, len(copies) + 1)
    ]
    target = attribution.target
    rows = [CapRow(**_row(one, target), **found[one]) for one in in_order]
    with_weights = [
        WeightedCapRow(
            **_row(one, target),
            **{WEIGHTS.get(name, name): value for name, value in weighted[one].items()},
        )
        for one in in_order
        if weights is not None
    ]
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
        weights=None if weights is None else weights.column,
        weighted=tuple(with_weights),
        tau=tau,
        tcap=targeted,
        gcap=tuple(_gcap(attribution, progress)) if with_gcap else (),
        bands=attribution.opening.bands,
        coercions=tuple(notes),
        not_measured=(
            *(lack for row in rows for lack in _missing_figures(row)),
            *(lack for row in targeted for lack in _missing_tcap_figures(row)),
        ),
    )


def _row(subject: Subject, target: Target) -> dict[str, Any]:
    """What a row is of."""
    method, key_set, scenario, m = subject
    return {
        "method": method,
        "keys": key_set.keys,
        "target": target,
        "m": m,
        "scenario": scenario,
    }


WEIGHTS = {
    "n": "weight",
    "n_match": "weight_matched",
    "n_settled": "weight_determined",
    "n_right": "weight_correct",
}
"""What counts of records are called where they are sums of weights."""


def _tcap(attribution: Attribution, tau: float) -> Iterator[TcapRow]:
    for method in attribution.copies:
        for key_set in attribution.key_sets:
            yield from tcap_rows(attribution, key_set, method, tau)


def _gcap(attribution: Attribution, progress: Progress) -> Iterator[GcapRow]:
    for method in attribution.copies:
        for key_set in attribution.key_sets:
            yield from (row for row, _ in gcap_rows(attribution, key_set, method, progress))


def _missing_figures(row: CapRow) -> Iterator[CapNotMeasured]:
    reason = NO_MATCH if row.n else NOBODY
    for name in CapRow.__struct_fields__:
        if getattr(row, name) is None:
            yield CapNotMeasured(
                method=row.method,
                keys=row.keys,
                m=row.m,
                scenario=row.scenario,
                field=name,
                reason=reason,
            )


def _missing_tcap_figures(row: TcapRow) -> Iterator[CapNotMeasured]:
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
            fit = fit_on_m(ms, [getattr(row, f"cap_synthetic_{rule}") for row in points])
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
    return parse_choice("The rule for people without a match", given, RULES)


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
        baseline.check_keys(key_set.keys)
    return baseline


@dataclass(frozen=True, repr=False)
class CapResult(RowsResult[Cap]):
    """CAP by pooled m; printing it never shows a record of the data."""

    _classes: KeyClasses = field(repr=False, compare=False)
    _baseline: Baseline = field(repr=False, compare=False)
    _mask: Any = field(repr=False, compare=False)

    def on_m(self, nonmatch: str = "zero") -> OnM:
        """The regression of CAP on the number of copies: intercept, slope, errors and p.

        Parameters
        ----------
        nonmatch
            "zero", where a person without a match counts as a wrong guess, or "undefined".
        """
        rule = parse_rule(nonmatch)
        (row,) = (row for row in self.record.on_m if row.nonmatch == rule)
        return row

    def scores(self, m: int | None = None) -> pl.DataFrame:
        """The score of each original record in the scenario: confidential, never part of a view.

        Parameters
        ----------
        m
            How many copies are pooled; by default all.

        Returns
        -------
        polars.DataFrame
            `row` in the original (from 0), `unique` (alone with its keys), `matches` (records of
            the pooled copies with its keys), `cap_original`, `cap_baseline`, `cap_synthetic` (null
            where nothing matches), `settled`, `right`.
        """
        classes, (key_set,), (scenario,) = (
            self._classes,
            self.record.key_sets,
            self.record.scenarios,
        )
        pool = self._pool(m)
        rows = rows_of(classes, key_set, scenario, self._mask)
        at = classes.own_of_row[rows]
        matching = pool.matching[at]
        with np.errstate(invalid="ignore"):
            synthetic = pl.Series(pool.agreeing[at] / matching, nan_to_null=True)
        return pl.DataFrame(
            {
                "row": rows,
                "unique": classes.d_q[at] == 1,
                "matches": matching,
                "cap_original": (classes.agreeing[0] / classes.d_q)[at],
                "cap_baseline": self._baseline.compute_by_cell(classes)[at],
                "cap_synthetic": synthetic,
                "settled": pool.settled[at],
                "right": pool.right[at],
            }
        )

    def _pool(self, m: int | None) -> Pool:
        n_copies = len(self.record.methods[0].n_synthetic)
        wanted = n_copies if m is None else m
        is_whole = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
        if not is_whole or wanted not in range(1, n_copies + 1):
            raise SettingsError(
                f"There are no scores for m = {quote_value(m)}. Give a whole number from 1 to "
                f"{n_copies}."
            )
        *_, pool = self._classes.pools(range(1, wanted + 1))
        return pool


@takes_study
def cap(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    scenario: str = "full",
    mask: Any = None,
    baseline: Any = None,
    tolerance: Mapping[str, float] | None = None,
    weights: str | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> CapResult:
    """Measure how often an intruder who guesses among the matching records would be correct.

    Parameters
    ----------
    original
        The confidential file or frame.
    synthetic
        One copy, or a list of copies; the first m of them are pooled, for every m.
    keys
        What the intruder knows.
    target
        What they might learn: one column, or several jointly.
    scenario
        "full", everyone; "uniques", those unique on their keys in the original; "special", special
        uniques: the top decile of SUDA scores, or those in a mask.
    mask
        One truth value per original record: who is scored. The scenario is then "mask", unless it
        is said to be "special".
    baseline
        What is known without synthetic data. By default the shares of the target in the original;
        or a share from 0 to 1; or a published marginal, ``{value: share or count}``; or a table
        (frame or file) with the target, any of the keys, and a column of counts or shares.
    tolerance
        For numeric targets, ``{target: r}``: values that differ by no more than r agree.
    weights
        The column of the original that says for how many people of the population a record stands:
        `record.weighted` then has the means over the same people with these weights.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`. Special codes of a target with a tolerance agree with themselves
        alone.

    Returns
    -------
    CapResult
        `.rows`, one for each m; `.on_m()`, the regression on m; `.scores(m)`, record by record.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), equations 3 to 6.
    """
    progress = progress or no_progress
    if not isinstance(scenario, str):
        raise SettingsError("scenario is one text. For several at once use unveil.cap_table.")
    if mask is not None and scenario == "full":
        scenario = "mask"
    chosen = parse_scenarios(scenario, mask)
    attribution = open_copies(
        original,
        synthetic,
        keys=keys,
        target=target,
        tolerance=tolerance,
        weights=weights,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    known = read_baseline(baseline, attribution, missing_values)
    record = cap_record(attribution, chosen, mask, known, progress)
    return CapResult(record, attribution.classes(attribution.key_sets[0]), known, mask)
