"""How much noise does each declared column get? Found on the original, before anything is fitted.

A tree draws values that the original has, so that the value with the highest ECAP is one of the
original's: the amount that protects all of them protects whatever is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.errors import SettingsError
from unveil.measure.membership.choosing import chosen
from unveil.measure.membership.ecap import measured, opened
from unveil.measure.membership.given import amount, threshold_given
from unveil.protection.noise import is_kept
from unveil.protection.plan import Planned
from unveil.read.banding import parse_bands
from unveil.read.table import Table
from unveil.records.ecap import Ecap, NoiseChoice
from unveil.records.protection import NoiseReason

THRESHOLD = 0.1
"""The highest ECAP that is tolerated where nothing is said, as in the paper."""


@dataclass(frozen=True)
class NoisePlan:
    """The noise of one column as `add_noise` takes it, and why it is as much."""

    how: Mapping[str, Any]
    reason: NoiseReason


def noise_of(step: Planned, table: Table, codes: Mapping[str, Any]) -> NoisePlan:
    """The noise of one column of the recoded original."""
    said, column = step.settings, str(step.column)
    own = _codes(said.get("special_codes"), codes.get(column))
    values = _values(table, column, own)
    sigma = None if "sigma" not in said else amount(said["sigma"])
    choice, risk = _measured(values, said, table.frame.height, sigma)
    if sigma is None:
        sigma = None if choice is None else choice.sigma_to_use
    if sigma is None:
        raise SettingsError(" ".join(() if choice is None else choice.warnings))
    decimals = said.get("round", 0 if said.get("discrete") else None)
    how = {
        "sigma": sigma,
        "noise": said.get("noise", "normal"),
        "round": decimals,
        "clip": said.get("clip"),
        "special_codes": own,
    }
    reason = NoiseReason(column=column, sigma=sigma, choice=choice, ecap=risk)
    return NoisePlan(how, reason)


def _measured(
    values: pl.Series, said: Mapping[str, Any], n_rows: int, sigma: float | None
) -> tuple[NoiseChoice | None, Ecap | None]:
    """The least noise, where it is not given, and ECAP with the noise that is used."""
    if "population" not in said:
        return None, None
    if "N" not in said:
        raise SettingsError("N is not given. Say how many people the population has.")
    people = opened(
        values,
        said["population"],
        said["N"],
        said.get("n", n_rows),
        said.get("noise", "normal"),
        discrete=bool(said.get("discrete", False)),
    )
    threshold = threshold_given(said.get("threshold", THRESHOLD))
    choice = chosen(people, threshold) if sigma is None else None
    used = sigma if choice is None else choice.sigma_to_use
    return choice, None if used is None else measured(people, used, threshold).record


def _values(table: Table, column: str, codes: Sequence[float]) -> pl.Series:
    """The numbers of a column, missing where it holds a code for no answer."""
    given = table.frame[column]
    kept = pl.Series(is_kept(given, table.variables.get(column), codes, table.place))
    values = given.cast(pl.Float64).alias("").set(kept, None)
    if values.is_null().all():
        raise SettingsError(f"column {column!r} holds no number. Leave the step out.")
    return values


def _codes(own: Any, of_data: Any) -> tuple[float, ...]:
    given = of_data if own is None else own
    if given is None:
        return ()
    return tuple(parse_bands(None, {"column": given}).special_codes["column"])
