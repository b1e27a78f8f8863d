"""`unveil.cap`: correct attribution of one method's copies, m = 1 to M pooled.

Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution probability for synthetic
data: an exploration.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.attribution.baseline import Baseline
from unveil.measure.attribution.classes import Classes, Pool
from unveil.measure.attribution.opening import open_copies
from unveil.measure.attribution.people import parse_scenarios, rows_of
from unveil.measure.attribution.record import cap_record, parse_rule, read_baseline
from unveil.measure.tabular import RowsResult
from unveil.read.given import shown
from unveil.records.cap import Cap, OnM


@dataclass(frozen=True, repr=False)
class CapResult(RowsResult[Cap]):
    """CAP by pooled m; printing it never shows a record of the data."""

    _classes: Classes = field(repr=False, compare=False)
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
                "cap_baseline": self._baseline.of_cells(classes)[at],
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
                f"There are no scores for m = {shown(m)}. Give a whole number from 1 to {n_copies}."
            )
        *_, pool = self._classes.pools(range(1, wanted + 1))
        return pool


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
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> CapResult:
    """Measure how often an intruder who guesses among the matching records would be right.

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
        "full", everyone; "uniques", those alone with their keys in the original; "special", special
        uniques: the top decile of SUDA scores, or those in a mask.
    mask
        One truth value per original record: who is scored. The scenario is then "mask", unless it
        is said to be "special".
    baseline
        What is known without a copy. By default the shares of the target in the original; or a
        share from 0 to 1; or a published marginal, ``{value: share or count}``; or a table (frame
        or file) with the target, any of the keys, and a column of counts or shares.
    tolerance
        For numeric targets, ``{target: r}``: values that differ by no more than r agree.
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
    progress = progress or silent
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
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    known = read_baseline(baseline, attribution, missing_values)
    record = cap_record(attribution, chosen, mask, known, progress)
    return CapResult(record, attribution.classes(attribution.key_sets[0]), known, mask)
