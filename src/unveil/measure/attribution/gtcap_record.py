"""From the scores of single uniques to one record about all of them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from unveil.count.profile import Mask
from unveil.measure.attribution.gtcap_opening import Opened
from unveil.measure.attribution.gtcap_result import SAME, Scores
from unveil.measure.attribution.gtcap_settings import Settings
from unveil.measure.attribution.windows import Floats
from unveil.records.copies import Copy
from unveil.records.disclosure import NotMeasured
from unveil.records.gtcap import Gtcap, GtcapBin, GtcapCopy, Radius

NO_UNIQUES = "no original record is a statistical unique under this rule"
ALL_DROPPED = "for every statistical unique the original gives away no more than frequencies do"
NO_SCALE = "over all statistical uniques the original gives away no more than frequencies do"

EDGES = tuple(float(edge) for edge in np.linspace(-1, 1, 9))
DECIMALS = 12
"""Scores are sorted into bins after rounding to so many: a 1 is a 1, whatever its last digit."""

Measured = Mapping[Copy, tuple[Scores, Mask]]
"""By copy, the scores of all uniques, and whether anything in the copy is near them."""


def record(opened: Opened, settings: Settings, by_copy: Measured) -> Gtcap:
    """All that is said of the uniques together; the figures are those of all copies pooled."""
    rows = [_copy(copy, scores, found) for copy, (scores, found) in by_copy.items()]
    if len(rows) > 1:
        rows.insert(-1, _mean_of(rows[:-1]))
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
            for field, reason in _lacking(row, len(scores.row))
        ),
    )


def _copy(copy: Copy, scores: Scores, found: Mask) -> GtcapCopy:
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


def _mean_of(rows: Sequence[GtcapCopy]) -> GtcapCopy:
    """The mean over copies of each figure, where every copy has it."""

    def mean(field: str) -> float | None:
        values = [getattr(row, field) for row in rows]
        return None if None in values else sum(values) / len(values)

    figures = {field: mean(field) for field in GtcapCopy.__struct_fields__ if field != "copy"}
    return GtcapCopy(copy="mean", **figures)  # type: ignore[arg-type]


def _histogram(normalised: Floats) -> list[GtcapBin]:
    """How many uniques have which score, in steps of a quarter, open at both ends."""
    edges = np.array([-np.inf, *EDGES, np.inf])
    counts, _ = np.histogram(np.round(normalised, DECIMALS), edges)
    ends: list[float | None] = [None, *EDGES, None]
    return [
        GtcapBin(low=low, high=high, n=n)
        for (low, high), n in zip(pairwise(ends), counts.tolist(), strict=True)
    ]


def _lacking(row: GtcapCopy, n_unique: int) -> list[tuple[str, str]]:
    """The figures there are none of, and why."""
    if not n_unique:
        fields = ("mean_synthetic", "mean_baseline", "mean_original", "mean", "ratio_of_means")
        return [(field, NO_UNIQUES) for field in fields]
    reasons = {"mean": ALL_DROPPED, "ratio_of_means": NO_SCALE}
    return [(field, why) for field, why in reasons.items() if getattr(row, field) is None]
