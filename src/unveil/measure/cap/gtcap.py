"""`unveil.gtcap`: what does a synthetic file disclose about people who stand out, numbers included?

GTCAP, the generalised targeted correct attribution probability of Chapelle and Falissard (paper
004, Algorithm 2): of the records near a statistical unique, how many have its target, on a scale
from guessing by frequencies (0) to the original itself (1)?
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.measure.cap.gtcap_prepare import (
    GtcapData,
    GtcapProblem,
    GtcapSettings,
    prepare_gtcap,
)
from unveil.measure.cap.gtcap_scores import GtcapSums, Scoring, uniques
from unveil.measure.result import mean_row
from unveil.records.base import Copy
from unveil.records.cap import Gtcap, GtcapBin, GtcapCopy, Radius, UniqueScore
from unveil.records.disclosure import NotMeasured
from unveil.study.band_spec import parse_bands
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study
from unveil.view.show import Result

# The result of `unveil.gtcap`: its record, and beside it the scores of each statistical unique.
#
# The scores belong to single people, so no view shows them: they are asked for by name, with
# `.rows`, `.frame()` or `.to_dict()`.


SAME = 1e-12
"""Original and baseline closer than this are the same, and leave nothing to normalise by."""


@dataclass(frozen=True, eq=False)
class GtcapScores:
    """The scores of the statistical uniques, in the order of the original."""

    row: Ints
    synthetic: Floats
    baseline: Floats
    original: Floats

    @cached_property
    def is_kept(self) -> Mask:
        """Whether original and baseline differ, so that there is a scale between them."""
        kept: Mask = np.abs(self.original - self.baseline) > SAME
        return kept

    @cached_property
    def normalised(self) -> Floats:
        """(synthetic - baseline) / (original - baseline); NaN where dropped.

        Paper 004, Algorithm 2, line 68. Negative values occur and are kept; so are those above 1.
        """
        found = np.full(len(self.row), np.nan)
        gain, most = self.synthetic - self.baseline, self.original - self.baseline
        np.divide(gain, most, out=found, where=self.is_kept)
        return found


@dataclass(frozen=True, repr=False, eq=False)
class GtcapResult(Result):
    """GTCAP: its figures, and on request the scores of each statistical unique.

    `unique` says of every original record whether it is a statistical unique. Of several copies,
    the scores are those of all of them pooled.
    """

    record: Gtcap
    unique: Mask
    _scores: GtcapScores

    @cached_property
    def rows(self) -> tuple[UniqueScore, ...]:
        """The scores of each statistical unique."""
        return tuple(UniqueScore(**row) for row in self.frame().iter_rows(named=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the scores of each unique among it."""
        return {
            **self.record.to_dict(),
            "unique": self.unique.tolist(),
            "rows": self.frame().to_dicts(),
        }

    def frame(self) -> pl.DataFrame:
        """The scores of each statistical unique, unrounded; null is dropped."""
        scores = self._scores
        return pl.DataFrame(
            {
                "row": scores.row,
                "synthetic": scores.synthetic,
                "baseline": scores.baseline,
                "original": scores.original,
                "normalised": scores.normalised,
            },
            nan_to_null=True,
        )


# From the scores of single uniques to one record about all of them.


NO_UNIQUES = "no original record is a statistical unique under this rule"
ALL_DROPPED = "for every statistical unique the original discloses no more than the baseline"
NO_SCALE = "over all statistical uniques the original discloses no more than the baseline"

EDGES = tuple(float(edge) for edge in np.linspace(-1, 1, 9))
DECIMALS = 12
"""Scores are sorted into bins after rounding to so many: a 1 is a 1, whatever its last digit."""

Measured = Mapping[Copy, tuple[GtcapScores, Mask]]
"""By copy, the scores of all uniques, and whether anything in the synthetic file is near them."""


def record(opened: GtcapData, settings: GtcapSettings, by_copy: Measured) -> Gtcap:
    """All that is said of the uniques together; the figures are those of all copies pooled."""
    rows = [_copy(copy, scores, found) for copy, (scores, found) in by_copy.items()]
    if len(rows) > 1:
        rows.insert(-1, mean_row(rows[:-1], copy="mean"))
    headline = rows[-1]
    scores, found = by_copy[headline.copy]
    n_original, *n_synthetic = opened.problem.sides.rows
    return Gtcap(
        files=opened.files,
        keys=opened.roles.keys,
        target=opened.roles.targets,
        radii=tuple(
            Radius(column=name, radius=settings.radii[name])
            for name in opened.roles.columns
            if name in settings.radii
        ),
        unique_rule=settings.unique_rule,
        coefficient=settings.coefficient,
        n_original=n_original,
        n_synthetic=tuple(n_synthetic),
        n_unique=len(scores.row),
        n_dropped=int((~scores.is_kept).sum()),
        n_unmatched=int((~found).sum()),
        mean=headline.mean,
        ratio_of_means=headline.ratio_of_means,
        copies=tuple(rows),
        histogram=tuple(_histogram(scores.normalised[scores.is_kept])),
        bands=opened.bands,
        coercions=opened.notes,
        not_measured=tuple(
            NotMeasured(target=None, copy=row.copy, field=field, reason=reason)
            for row in rows
            for field, reason in _missing_figures(row, len(scores.row))
        ),
    )


def _copy(copy: Copy, scores: GtcapScores, found: Mask) -> GtcapCopy:
    synthetic, baseline, original = (
        _mean(values) for values in (scores.synthetic, scores.baseline, scores.original)
    )
    return GtcapCopy(
        copy=copy,
        n_unmatched=int((~found).sum()),
        mean_synthetic=synthetic,
        mean_baseline=baseline,
        mean_original=original,
        mean=_mean(scores.normalised[scores.is_kept]),
        ratio_of_means=_ratio(synthetic, baseline, original),
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _ratio(synthetic: float | None, baseline: float | None, original: float | None) -> float | None:
    """(mean s - mean b) / (mean o - mean b): steady where single denominators are tiny."""
    if synthetic is None or baseline is None or original is None:
        return None
    most = original - baseline
    return (synthetic - baseline) / most if abs(most) > SAME else None


def _histogram(normalised: Floats) -> list[GtcapBin]:
    """How many uniques have which score, in steps of a quarter, open at both ends."""
    edges = np.array([-np.inf, *EDGES, np.inf])
    counts, _ = np.histogram(np.round(normalised, DECIMALS), edges)
    ends: list[float | None] = [None, *EDGES, None]
    return [
        GtcapBin(low=low, high=high, n=n)
        for (low, high), n in zip(pairwise(ends), counts.tolist(), strict=True)
    ]


def _missing_figures(row: GtcapCopy, n_unique: int) -> list[tuple[str, str]]:
    """The figures there are none of, and why."""
    if not n_unique:
        fields = ("mean_synthetic", "mean_baseline", "mean_original", "mean", "ratio_of_means")
        return [(field, NO_UNIQUES) for field in fields]
    reasons = {"mean": ALL_DROPPED, "ratio_of_means": NO_SCALE}
    return [(field, why) for field, why in reasons.items() if getattr(row, field) is None]


STEPS = 2


@takes_study
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
    """Score what copies disclose about the statistical uniques of an original.

    Parameters
    ----------
    original, synthetic, keys, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`. Special codes of a column with a radius are near nothing but
        themselves.
    target
        What an intruder might learn: one column, or several taken jointly.
    radii
        For numeric keys and targets, how far apart two values may be and still count as near; 0
        for equal values only. The radius of dates is in days. A column without a radius is
        categorical: its values, numbers or not, are alike or they are not.
    unique_rule
        Who is a statistical unique. "all_keys": no other original record is near in every key.
        "key": none has a positive key coefficient. "joint": none is near in every key and target.
        "equal": none has the same keys, radii aside.
    coefficient
        How the proximities of several numeric columns make one: their "mean" as in the paper,
        their "product" or their "minimum", which are 0 unless all columns are near.

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
    progress = progress or no_progress
    given: Any = (radii, unique_rule, coefficient, parse_bands(bands, special_codes))
    settings = GtcapSettings(*given)
    found = prepare_gtcap(
        sides_of(synthetic, original=original),
        keys=keys,
        target=target,
        settings=settings,
        missing_values=missing_values,
        progress=progress,
    )
    unique, by_copy = _score_copies(found.problem, settings, progress)
    made = record(found, settings, by_copy)
    return GtcapResult(made, unique, by_copy[made.headline_copy][0])


def _score_copies(
    problem: GtcapProblem, settings: GtcapSettings, progress: Progress
) -> tuple[Mask, Measured]:
    """Who is unique, and the scores of these by copy; of several copies, pooled as well."""
    progress("looking for statistical uniques", 0, STEPS)
    unique = uniques(problem, settings.unique_rule, settings.coefficient)
    rows = np.flatnonzero(unique)
    progress(f"scoring {len(rows):,} statistical uniques", 1, STEPS)
    scoring = Scoring(problem, settings.coefficient, rows)
    baseline = scoring.baseline(problem.original)
    own, *others = scoring.weights([problem.original, *problem.copies])
    weights: dict[Copy, GtcapSums] = dict(enumerate(others, start=1))
    if len(others) > 1:
        weights["pooled"] = reduce(add, others)
    return unique, {
        copy: (GtcapScores(rows, found.score, baseline, own.score), found.is_found)
        for copy, found in weights.items()
    }
