"""Which columns are looked at besides the keys, and how do records match? Or a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import polars as pl

from unveil.errors import RolesError, SettingsError
from unveil.measure.one_table import OneTable
from unveil.measure.risk.frequencies import Floats
from unveil.read.given import choice, number_in, shown
from unveil.read.table import mid_sentence
from unveil.records.match_risk import MatchRule

MOST_C = 1_000_000


@dataclass(frozen=True)
class RiskAsked:
    """The settings of `unveil.match_risk`, all of them sound."""

    weights: str | None
    sensitive: str | None
    missing: MatchRule
    alpha: float
    recursive_c: float

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that have to be read besides the keys."""
        return tuple(name for name in (self.weights, self.sensitive) if name is not None)


def risk_asked(
    keys: Sequence[str],
    *,
    weights: Any,
    sensitive: Any,
    missing: Any,
    alpha: Any,
    recursive_c: Any,
) -> RiskAsked:
    """The settings beside these keys, or a sentence on what is wrong with them."""
    rule = choice("missing", missing, get_args(MatchRule))
    part = number_in(alpha)
    if part is None or not 0 <= part <= 1:
        raise SettingsError(f"alpha is {shown(alpha)}. It must be a number from 0 to 1.")
    c = number_in(recursive_c)
    if c is None or not 0 < c <= MOST_C:
        raise SettingsError(
            f"recursive_c is {shown(recursive_c)}. It must be a number above 0, and at most"
            f" {MOST_C:,}."
        )
    _refuse_others(keys, weights, sensitive)
    return RiskAsked(weights, sensitive, rule, part, c)


def _refuse_others(keys: Sequence[str], weights: Any, sensitive: Any) -> None:
    """No column besides the keys may be two things at once."""
    for role, name in {"weights": weights, "sensitive": sensitive}.items():
        if name is not None and not isinstance(name, str):
            raise RolesError(
                f"{role} must be the name of one column, as text; given is {type(name).__name__}."
            )
        if name in keys:
            raise RolesError(
                f"Column {name!r} cannot be a key and {role} at once. Take it out of one of the"
                " two."
            )
    if weights is not None and weights == sensitive:
        raise RolesError(
            f"Column {weights!r} cannot be weights and sensitive at once. Take it out of one of the"
            " two."
        )


def weights_of(table: OneTable, name: str | None) -> Floats:
    """The weight of each record: for how many people it stands."""
    if name is None:
        return np.ones(table.n_records)
    given = table.others[name]
    where = f"The weights in column {name!r} of {mid_sentence(table.place)}"
    if given.null_count():
        n = given.null_count()
        raise SettingsError(
            f"{where} are missing for {n:,} of {table.n_records:,} records. Fill them in, or leave"
            " these records out."
        )
    if not given.dtype.is_numeric():
        raise SettingsError(f"{where} are not numbers. Name the column of the sampling weights.")
    weights = given.cast(pl.Float64).to_numpy()
    n_bad = int((~np.isfinite(weights) | (weights < 0)).sum())
    if n_bad:
        raise SettingsError(
            f"{where} are negative or infinite for {n_bad:,} of {table.n_records:,} records. A"
            " weight says for how many people a record stands: 0 or more."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise SettingsError(
                f"{where} add up to more than can be computed. A weight says for how many people a"
                " record stands."
            )
    return weights
