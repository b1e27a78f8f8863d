"""`unveil.cap_table`: correct attribution for several methods, key sets and scenarios at once.

Taub et al. (2018), Tables 1, 5 and 6: scenario by non-match rule by method by m, with the original
and the baseline in their own rows; and Tables 2 and 3, the regressions on m.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.arguments import parse_true_or_false
from unveil.errors import SettingsError
from unveil.measure.cap.cap import cap_record, parse_rule, read_baseline
from unveil.measure.cap.prepare import open_methods
from unveil.measure.cap.scores import parse_scenarios
from unveil.measure.cap.tcap import parse_tau
from unveil.measure.result import RowsResult
from unveil.records.cap import Cap, OnM, heads, lines
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study


@dataclass(frozen=True, repr=False)
class CapTableResult(RowsResult[Cap]):
    """CAP of every method, key set, scenario and m; printing it shows no record of the data."""

    def on_m(self, nonmatch: str | None = None) -> tuple[OnM, ...]:
        """The regressions on m, one per method, key set, scenario and rule for non-matches."""
        wanted = None if nonmatch is None else parse_rule(nonmatch)
        return tuple(row for row in self.record.on_m if wanted in (None, row.nonmatch))

    def wide(self) -> pl.DataFrame:
        """The layout of the paper: original, baseline, then each method by m.

        A column for each rule for non-matches, scenario and key set, named by them.
        """
        columns = heads(self.record)
        several = len(self.record.key_sets) > 1
        names = [
            f"{head.rule} {head.scenario}{f' {head.key_set.name}' if several else ''}"
            for head in columns
        ]
        return pl.DataFrame(
            [
                {"method": line.label, "m": line.m, **dict(zip(names, line.cells, strict=True))}
                for line in lines(self.record, columns)
            ],
            infer_schema_length=None,
        )


@takes_study
def cap_table(
    original: Any,
    methods: Mapping[str, Any],
    *,
    key_sets: Any,
    target: str | Iterable[str],
    scenarios: str | Iterable[str] = ("full", "uniques"),
    mask: Any = None,
    baseline: Any = None,
    tolerance: Mapping[str, float] | None = None,
    weights: str | None = None,
    tau: float | None = None,
    gcap: bool = False,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> CapTableResult:
    """Compare how well several methods' copies let an intruder guess, for several key sets.

    Parameters
    ----------
    original
        The confidential file or frame.
    methods
        For each method its copies: ``{"CART": [copy1, copy2], "parametric": copy}``.
    key_sets
        Sets of keys: a list of lists, or by name ``{"Key 3": ["sex", "age", "region"]}``.
    target
        The target: one column, or several jointly.
    scenarios
        One or several of "full", "uniques" (unique on their keys), "special" (special uniques)
        and "mask".
    mask
        For "mask"; without that scenario, in place of unveil's own special uniques, for "special".
        One truth value per original record; or such a mask for each name of a key set; or a
        function from the keys to a mask.
    baseline, tolerance, weights
        As in `unveil.cap`.
    tau, gcap
        With tau also the measures of `unveil.tcap`, with gcap also `unveil.gcap`, in `.tcap`
        and `.gcap` of the record, from the same counts. Neither knows a tolerance.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    CapTableResult
        `.rows`, one per method, key set, scenario and m; `.on_m()`, the regressions; `.wide()`,
        the layout of the paper.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), Tables 1 to 3, 5 and 6.
    """
    progress = progress or no_progress
    parse_true_or_false("gcap", gcap)
    if tolerance is not None and (tau is not None or gcap):
        raise SettingsError("TCAP and GCAP have no tolerance. Omit one or the other.")
    threshold = None if tau is None else parse_tau(tau)
    attribution = open_methods(
        original,
        methods,
        key_sets=key_sets,
        target=target,
        tolerance=tolerance,
        weights=weights,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    chosen = parse_scenarios(scenarios, mask)
    known = read_baseline(baseline, attribution, missing_values)
    record = cap_record(attribution, chosen, mask, known, progress, tau=threshold, with_gcap=gcap)
    return CapTableResult(record)
