"""`unveil.distance_filter`: remove synthetic rows that resemble a person too closely.

Chapelle and Falissard (paper 004), Algorithm 1: a synthetic row goes if it is closer to its nearest
original than that original is to any other. Whoever finds themselves in the copy could then be told
that a real person resembles them even more.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from unveil.count.scenario import Progress, silent
from unveil.errors import ReadError
from unveil.measure.opening import read_all
from unveil.protection.distance.prepare import Prepared, prepared
from unveil.protection.distance.result import DistanceFilterResult
from unveil.protection.distance.settings import Settings, parse_settings
from unveil.protection.distance.whitening import is_closer
from unveil.read.labelled import Labelled
from unveil.read.table import Table

STEPS = 4


def distance_filter(
    original: Any,
    synthetic: Any,
    *,
    columns: str | Iterable[str] | None = None,
    metric: str = "mahalanobis",
    rule: str = "paper",
    ties: str = "any",
    missing: str = "exact",
    inverse_covariance: Any = None,
    ranges: Any = None,
    protect_columns: str | Iterable[str] = (),
    drop: str = "auto",
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> DistanceFilterResult:
    """Keep the synthetic rows that are no closer to a person than another person is.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`; one copy.
    columns
        What distances are taken on, best the columns that an intruder may know; all that both
        files have where None. Numbers and dates count as numbers, so do the levels of a polars
        Enum in their order; any other text is dichotomised.
    metric
        "mahalanobis"; "jaccard" for columns of nothing but 1 and 0; "gower" for numbers and
        categories together.
    rule
        "paper": a row is compared with its nearest original alone. "strict": with every original;
        no row is kept that is closer to any original than its nearest other original is.
    ties
        Where several originals are nearest, "any" refuses a row if one of them demands it; "first"
        asks the first of them alone, as printed, so that the order of the file matters.
    missing
        "exact": the worst case, see Notes. "simple": paper 004's shortcut, by which a missing
        value differs in nothing between a synthetic row and an original; it keeps more rows.
    inverse_covariance
        Of the columns in their order, a category's levels but the most frequent among them; from
        the complete rows of the original where None. Then no column is dropped.
    ranges
        By column, lowest and highest value that a missing one may stand for: over both files where
        None.
    protect_columns
        Columns that are not dropped where others can be.
    drop
        "auto": columns that are constant, empty, or all but combinations of others are dropped,
        and said; "refuse" refuses, and names them.
    special_codes
        By column, codes that count as missing.

    Returns
    -------
    DistanceFilterResult
        `.data`, the rows kept; `.keep`, `.nearest`, `.d_synthetic`, `.d_original` for each
        synthetic row (confidential); `.record` with `columns`, `dropped_columns`, `acceptance`,
        `n_refused_by_strict`, `shifts` and `warnings`. The rows kept are a selected sample.

    Notes
    -----
    d(a, b)^2 = (a - b)' S^-1 (a - b), S the covariance of the complete original rows, with n - 1.
    For s with nearest original o and d2 the distance of o to its nearest other original: refused if
    d(s, o) < d2; equal (within 1e-9, relative) is kept. "Other" is another row, not another value:
    a duplicate of o gives d2 = 0, and s is kept. One original: everything is refused. Missing:
    distances between originals are the longest, between s and o the shortest that values of the
    variables allow: numbers within the ranges, one of the levels of a category. Beyond 4,096
    combinations of levels and ends a bound is taken and said, by which the strict rule can only
    refuse more.

    References
    ----------
    Chapelle and Falissard (2023), Algorithm 1. The printed rule tests only the nearest original: a
    row may still lie closer to another original than any real person does, hence "strict". Erratum:
    giving both rows the same value is not the shortest distance where columns correlate.
    """
    settings = parse_settings(
        metric=metric,
        rule=rule,
        ties=ties,
        missing=missing,
        drop=drop,
        columns=columns,
        protect_columns=protect_columns,
        special_codes=special_codes,
        inverse_covariance=inverse_covariance,
        ranges=ranges,
        missing_values=missing_values,
    )
    if isinstance(synthetic, list | tuple):
        raise ReadError(
            "synthetic is a list. Filter one copy at a time: each has rows of its own to keep."
        )
    told = progress or silent
    sides = {"original": original, "synthetic": synthetic}
    tables = read_all(sides, None, settings.missing_values, None, told)
    pair = (tables[0], tables[1])
    return filtered(pair, settings, told, is_labelled=isinstance(synthetic, Labelled))


def filtered(
    tables: tuple[Table, Table], settings: Settings, progress: Progress, *, is_labelled: bool
) -> DistanceFilterResult:
    """Measure the columns, find the nearest originals of each row, and decide."""
    progress("measuring the columns", 0, STEPS)
    found = prepared(tables, settings)
    return decided(found, tables, settings, progress, is_labelled=is_labelled)


def decided(
    found: Prepared,
    tables: tuple[Table, Table],
    settings: Settings,
    progress: Progress,
    *,
    is_labelled: bool,
) -> DistanceFilterResult:
    """Find the nearest originals of each row, and decide."""
    progress("looking for the nearest originals", 1, STEPS)
    leads = found.space.leads()
    d_original = found.space.own_of(leads.first)
    is_any = settings.rule == "strict" or settings.ties == "any"
    limit = leads.limit if is_any else d_original
    keep = ~is_closer(leads.distance, limit)
    if settings.rule == "strict":
        progress("comparing with every original", 2, STEPS)
        rows = np.flatnonzero(keep)
        keep[rows] = ~found.space.within(rows)
    progress("filtered", STEPS, STEPS)
    return DistanceFilterResult(
        keep, leads.first, leads.distance, d_original, limit, found, settings, tables, is_labelled
    )
