"""What did the filter do to the copy? Means, shares and missing values before and after.

The rows kept are a selected sample: paper 004 saw outlying values favoured, for they are far from
everyone.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.count.profile import Mask
from unveil.records.distance_filter import Shift
from unveil.report.words import and_list, percent

LARGE = 0.1
"""A mean or a share that moved by so many standard deviations is worth a warning."""

MISSING = 0.05
CHANCE = 3.0
"""But not if chance alone, in a sample of that size, would move it a third as far."""

_MOST_LEVELS = 1000


class _Moved(NamedTuple):
    """What one column says before and after."""

    level: str | None = None
    before: float | None = None
    after: float | None = None
    difference: float | None = None


def shifts(frame: pl.DataFrame, keep: Mask) -> tuple[Shift, ...]:
    """Each column of a copy before and after the filter."""
    kept = pl.Series(keep)
    n, n_kept = len(keep), int(keep.sum())
    chance = CHANCE * np.sqrt(max(1 / n_kept - 1 / n, 0.0)) if n_kept else np.inf
    return tuple(_shift(name, frame[name].alias(""), kept, float(chance)) for name in frame.columns)


def _shift(name: str, series: pl.Series, kept: pl.Series, chance: float) -> Shift:
    after = series.filter(kept)
    is_number = series.dtype.is_numeric() or series.dtype == pl.Boolean
    moved = _number(series, after) if is_number else _category(series, after)
    missing = (_missing(series), _missing(after))
    return Shift(
        column=name,
        kind="number" if is_number else "category",
        level=moved.level,
        before=moved.before,
        after=moved.after,
        difference=moved.difference,
        missing_before=missing[0],
        missing_after=missing[1],
        is_large=_is_large(moved.difference, missing, chance),
    )


def _is_large(
    difference: float | None, missing: tuple[float | None, float | None], chance: float
) -> bool:
    if difference is not None and abs(difference) > max(LARGE, chance):
        return True
    before, after = missing
    if before is None or after is None:
        return False
    spread = np.sqrt(max(before * (1 - before), 1e-12))
    return bool(abs(after - before) > max(MISSING, chance * spread))


def _missing(series: pl.Series) -> float | None:
    return float(_is_missing(series).mean()) if len(series) else None  # type: ignore[arg-type]


def _is_missing(series: pl.Series) -> pl.Series:
    return series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()


def _number(series: pl.Series, after: pl.Series) -> _Moved:
    """Means, and their difference in standard deviations."""
    before, kept = (
        side.filter(~_is_missing(side)).cast(pl.Float64).to_numpy() for side in (series, after)
    )
    with np.errstate(all="ignore"):
        means = [float(part.mean()) if len(part) else None for part in (before, kept)]
        spread = float(before.std(ddof=1)) if len(before) > 1 else 0.0
    means = [mean if mean is not None and np.isfinite(mean) else None for mean in means]
    known = means[0] is not None and means[1] is not None and np.isfinite(spread) and spread > 0
    difference = (means[1] - means[0]) / spread if known else None  # type: ignore[operator]
    return _Moved(None, means[0], means[1], difference)


def _category(series: pl.Series, after: pl.Series) -> _Moved:
    """The level whose share among the answers moved most, in standard deviations."""
    texts = [side.drop_nulls().cast(pl.String) for side in (series, after)]
    if not all(map(len, texts)) or texts[0].n_unique() > _MOST_LEVELS:
        return _Moved()
    counts = [text.alias("level").value_counts(name="n") for text in texts]
    both = counts[0].join(counts[1], on="level", how="left", suffix="_after").sort("level")
    before = both["n"].to_numpy() / len(texts[0])
    share = both["n_after"].fill_null(0).to_numpy() / len(texts[1])
    spread = np.sqrt(before * (1 - before))
    moved = np.divide(share - before, spread, out=np.zeros_like(spread), where=spread > 0)
    most = int(np.argmax(np.abs(moved)))
    shares = (float(before[most]), float(share[most]))
    return _Moved(both["level"][most], *shares, float(moved[most]))


def told(found: Iterable[Shift]) -> list[str]:
    """A warning where the filter moved what the copy says."""
    large = [shift.column for shift in found if shift.is_large]
    if not large:
        return []
    was = "was" if len(large) == 1 else "were"
    return [
        f"{and_list(large)} {was} shifted by the filter: a mean or share by more than"
        f" {LARGE:g} standard deviations, or missing values by more than"
        f" {percent(100 * MISSING)}. See shifts for before and after."
    ]
