"""`unveil.gtcap`: what does a copy give away about people who stand out, numbers included?

GTCAP, the generalised targeted correct attribution probability of Chapelle and Falissard (paper
004, Algorithm 2): of the records near a statistical unique, how many have its target, on a scale
from guessing by frequencies (0) to the original itself (1)?
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from unveil.count.profile import Mask
from unveil.count.scenario import Progress, silent
from unveil.measure.attribution.gtcap_opening import opened
from unveil.measure.attribution.gtcap_problem import Problem
from unveil.measure.attribution.gtcap_record import Measured, record
from unveil.measure.attribution.gtcap_result import GtcapResult, Scores
from unveil.measure.attribution.gtcap_scores import Scoring, Weights
from unveil.measure.attribution.gtcap_settings import Settings, parse_settings
from unveil.measure.attribution.gtcap_uniques import uniques
from unveil.measure.opening import sides_of
from unveil.read.banding import parse_bands
from unveil.records.copies import Copy

STEPS = 2


def gtcap(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    radii: Mapping[str, float] | None = None,
    unique_rule: str = "all_keys",
    coefficient: str = "mean",
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> GtcapResult:
    """Score what copies give away about the statistical uniques of an original.

    Parameters
    ----------
    original, synthetic, keys, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`. Special codes of a column with a radius are near nothing but
        themselves.
    target
        What an intruder might learn: one column, or several taken jointly.
    radii
        For numeric keys and targets, how far apart two values may be and still count as near; 0 for
        equal values only. The radius of dates is in days. A column without a radius is categorical:
        its values, numbers or not, are alike or they are not.
    unique_rule
        Who is a statistical unique. "all_keys": no other original record is near in every key.
        "key": none has a positive key coefficient. "joint": none is near in every key and target.
        "equal": none has the same keys, radii aside.
    coefficient
        How the proximities of several numeric columns make one: their "mean" as in the paper, their
        "product" or their "minimum", which are 0 unless all columns are near.

    Returns
    -------
    GtcapResult
        `.mean` of the normalised scores, `.ratio_of_means`, `.n_unique`, `.n_dropped`; `.rows` and
        `.frame()` with the scores of each unique, `.unique` for each original record;
        `.record.copies` for each copy. Of several copies the figures are those of all pooled.

    Notes
    -----
    Per numeric column, proximity = max(0, 1 - |a - b| / r). The coefficient of a pair on its keys
    (kc), and on its targets (tc), is 0 if a categorical column differs, 1 if none is numeric, else
    the mean of the proximities. GTCAP of a record = sum(kc tc) / sum(kc) over some data; 0 where
    sum(kc) = 0. Baseline: mean of tc over the original. Normalised: (synthetic - baseline) /
    (original - baseline), negative values kept; where original and baseline are the same the
    record is dropped, and counted. Missing: a level of its own; on a numeric column two missing
    values have proximity 1, and one has 0 with any number.

    References
    ----------
    Chapelle and Falissard (2023), Algorithm 2. It does not print `getUniqueRows`, nor what to
    do with missing values, a radius of 0 or a zero denominator: those are our choices.
    """
    progress = progress or silent
    settings = parse_settings(radii, unique_rule, coefficient, parse_bands(bands, special_codes))
    found = opened(
        sides_of(synthetic, original=original),
        keys=keys,
        target=target,
        settings=settings,
        missing_values=missing_values,
        progress=progress,
    )
    unique, by_copy = _measured(found.problem, settings, progress)
    made = record(found, settings, by_copy)
    return GtcapResult(made, unique, by_copy[made.headline_copy][0])


def _measured(problem: Problem, settings: Settings, progress: Progress) -> tuple[Mask, Measured]:
    """Who is unique, and the scores of these by copy; of several copies, pooled as well."""
    progress("looking for statistical uniques", 0, STEPS)
    unique = uniques(problem, settings.unique_rule, settings.coefficient)
    rows = np.flatnonzero(unique)
    progress(f"scoring {len(rows):,} statistical uniques", 1, STEPS)
    scoring = Scoring(problem, settings.coefficient, rows)
    baseline = scoring.baseline(problem.original)
    own, *others = scoring.weights([problem.original, *problem.copies])
    weights: dict[Copy, Weights] = dict(enumerate(others, start=1))
    if len(others) > 1:
        weights["pooled"] = reduce(add, others)
    return unique, {
        copy: (Scores(rows, found.score, baseline, own.score), found.is_found)
        for copy, found in weights.items()
    }
