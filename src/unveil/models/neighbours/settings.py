"""What did the user ask of the filter, and does it mean anything?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, get_args

import numpy as np

from unveil.arguments import check_fields, parse_choice
from unveil.arrays import Floats
from unveil.errors import SettingsError
from unveil.records.protection import Drop, Fill, Metric, Rule, Ties
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names


def _precision(_: str, given: Any) -> Floats:
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


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "metric": partial(parse_choice, choices=get_args(Metric)),
    "rule": partial(parse_choice, choices=get_args(Rule)),
    "ties": partial(parse_choice, choices=get_args(Ties)),
    "missing": partial(parse_choice, choices=get_args(Fill)),
    "drop": partial(parse_choice, choices=get_args(Drop)),
    "columns": lambda _, given: names(given, "Columns"),
    "protect_columns": lambda _, given: names(given, "Protected columns"),
    "special_codes": lambda _, given: parse_bands(None, given).special_codes,
    "inverse_covariance": _precision,
}


@dataclass(frozen=True)
class DistanceSettings:
    """The metric, the rule, and what may be done to make them work, as in `distance_filter`.

    Everything is refused here that can be before any data is read.
    """

    columns: tuple[str, ...] | None = None
    metric: Metric = "mahalanobis"
    rule: Rule = "paper"
    ties: Ties = "any"
    missing: Fill | None = None  # by the rule where nothing is said: see `fill`
    protect_columns: tuple[str, ...] = ()
    drop: Drop = "auto"
    special_codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    inverse_covariance: Floats | None = None
    ranges: Any = None
    missing_values: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        check_fields(self, _CHECKS)
        if self.inverse_covariance is not None and self.metric != "mahalanobis":
            raise SettingsError(
                f"inverse_covariance is a setting of the metric mahalanobis, but the metric is"
                f" {self.metric}. Omit it."
            )
        if self.fill == "pattern" and self.rule == "paper" and self.ties != "any":
            raise SettingsError("missing='pattern' needs ties='any'. Omit ties.")
        if self.columns == ():
            raise SettingsError(
                "No columns are given. Name the columns that distances are taken on."
            )

    @classmethod
    def of(cls, given: Mapping[str, Any], *, of_people: bool) -> "DistanceSettings":
        """The settings among the arguments of a call.

        People with their rows in order are compared as far as both have rows.
        """
        asked = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        if of_people and asked["missing"] is None:
            asked["missing"] = "pattern"
        return cls(**asked)

    @property
    def fill(self) -> Fill:
        """What a missing value is taken for; in the worst case the strict rule keeps no row."""
        return self.missing or ("pattern" if self.rule == "strict" else "exact")


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
