"""What did the user ask of the filter, and does it mean anything?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from unveil.arguments import choice
from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.records.protection import Drop, Fill, Metric, Rule, Ties
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names


@dataclass(frozen=True)
class DistanceSettings:
    """The metric, the rule, and what may be done to make them work."""

    metric: Metric
    rule: Rule
    ties: Ties
    fill: Fill
    drop: Drop
    columns: tuple[str, ...] | None
    protected: tuple[str, ...]
    special_codes: Mapping[str, tuple[float, ...]]
    precision: Floats | None
    ranges: Any
    missing_values: str | Sequence[str]


def parse_settings(
    *,
    metric: Any,
    rule: Any,
    ties: Any,
    missing: Any,
    drop: Any,
    columns: str | Iterable[str] | None,
    protect_columns: str | Iterable[str],
    special_codes: Mapping[str, Any] | None,
    inverse_covariance: Any,
    ranges: Any,
    missing_values: str | Sequence[str],
) -> DistanceSettings:
    """Everything that can be refused before any data is read."""
    chosen = choice("metric", metric, get_args(Metric))
    if inverse_covariance is not None and chosen != "mahalanobis":
        raise SettingsError(
            f"inverse_covariance is a setting of the metric mahalanobis, but the metric is"
            f" {chosen}. Omit it."
        )
    named = None if columns is None else names(columns, "Columns")
    if named == ():
        raise SettingsError("No columns are given. Name the columns that distances are taken on.")
    return DistanceSettings(
        chosen,
        choice("rule", rule, get_args(Rule)),
        choice("ties", ties, get_args(Ties)),
        choice("missing", missing, get_args(Fill)),
        choice("drop", drop, get_args(Drop)),
        named,
        names(protect_columns, "Protected columns"),
        parse_bands(None, special_codes).special_codes,
        None if inverse_covariance is None else _precision(inverse_covariance),
        ranges,
        missing_values,
    )


def _precision(given: Any) -> Floats:
    """A symmetric matrix that every distance is positive under."""
    try:
        matrix = np.array(given, float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise SettingsError("inverse_covariance must be a square matrix of finite numbers.")
    if not np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-9 * np.abs(matrix).max(initial=0)):
        raise SettingsError("inverse_covariance must be symmetric: the same on both sides.")
    symmetric: Floats = (matrix + matrix.T) / 2
    if len(matrix) == 0 or np.linalg.eigvalsh(symmetric)[0] <= 0:
        raise SettingsError(
            "inverse_covariance must be positive definite, or some distances are below zero."
        )
    return symmetric


def parse_ranges(given: Any, columns: Sequence[str]) -> Floats | None:
    """Lowest and highest value by column, in the order of the columns; None where not given."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in columns]
        if unknown or len(given) < len(columns):
            raise SettingsError(f"ranges must name each of the columns: {', '.join(columns)}.")
        given = [given[name] for name in columns]
    try:
        ranges = np.array(given, float)
    except (TypeError, ValueError):
        raise SettingsError(_RANGES.format(len(columns))) from None
    if ranges.shape != (len(columns), 2) or not np.isfinite(ranges).all():
        raise SettingsError(_RANGES.format(len(columns)))
    if (ranges[:, 0] > ranges[:, 1]).any():
        raise SettingsError("ranges has a lowest value above the highest. Write [low, high].")
    return ranges


_RANGES = "ranges must hold [low, high], two finite numbers, for each of the {} columns."
