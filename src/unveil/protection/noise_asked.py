"""Which noise is to be added to which column? What a user wrote, checked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unveil.errors import RolesError, SettingsError, listed, nearest, quoted
from unveil.measure.membership.given import amount
from unveil.measure.membership.noises import NOISES, NoiseName
from unveil.read.given import choice, finite_numbers, is_list, number_in, shown

_FIELDS = ("sigma", "noise", "round", "clip", "special_codes")
_MOST_DECIMALS = 15


@dataclass(frozen=True)
class Wanted:
    """The noise of one column."""

    column: str
    sigma: float
    noise: NoiseName
    decimals: int | None
    clip: tuple[float | None, float | None]
    codes: tuple[float, ...]


def wanted(columns: Any, plausible: Any) -> tuple[Wanted, ...]:
    """The noise of every column."""
    example = 'columns={"age": {"sigma": 0.1}}'
    if not isinstance(columns, Mapping) or not columns:
        raise SettingsError(f"Say which columns get how much noise, such as {example}.")
    limits = _mapping("plausible", plausible)
    for name in limits:
        if name not in columns:
            raise SettingsError(
                f"plausible names {quoted(str(name))}, which gets no noise."
                f"{nearest(str(name), [*columns])}"
            )
    return tuple(_of_column(name, given, limits.get(name)) for name, given in columns.items())


def spared(given: Any, noised: tuple[Wanted, ...]) -> dict[str, str]:
    """Columns declared to need no noise, each with a reason."""
    declared = _mapping("not_needed", given)
    for name, reason in declared.items():
        if not isinstance(reason, str) or not reason.strip():
            raise SettingsError(
                f"Column {quoted(str(name))} is declared to need no noise, but not why. Give a"
                ' reason: not_needed={"dur": "cannot be collected elsewhere"}.'
            )
        if any(one.column == name for one in noised):
            raise SettingsError(
                f"Column {quoted(str(name))} gets noise and is declared to need none. Choose one."
            )
    return declared


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(f"{what} is {shown(given)}. It must be a mapping by column.")
    return dict(given)


def _of_column(name: Any, given: Any, plausible: Any) -> Wanted:
    if not isinstance(name, str):
        raise RolesError(f"A column is called {shown(name)}. Names of columns are text.")
    asked = dict(given) if isinstance(given, Mapping) else {"sigma": given}
    for field in asked:
        if field not in _FIELDS:
            raise SettingsError(
                f"The noise of {quoted(name)} has no setting {shown(field)}."
                f"{nearest(str(field), _FIELDS)} The settings are: {listed(_FIELDS)}."
            )
    if "sigma" not in asked:
        raise SettingsError(f"The noise of {quoted(name)} has no sigma. Say how much.")
    clip = asked.get("clip")
    codes = asked.get("special_codes")
    return Wanted(
        name,
        amount(asked["sigma"]),
        choice("noise", asked.get("noise", "normal"), NOISES),
        _decimals(name, asked.get("round")),
        _clip(name, plausible if clip is None else clip),
        () if codes is None else finite_numbers(codes, what="special code", example="-8"),
    )


def _decimals(name: str, given: Any) -> int | None:
    if given is None:
        return None
    number = number_in(given)
    if number is None or not 0 <= number <= _MOST_DECIMALS or number != int(number):
        raise SettingsError(
            f"round of {quoted(name)} is {shown(given)}. It is a number of decimals, from 0 to"
            f" {_MOST_DECIMALS}."
        )
    return int(number)


def _clip(name: str, given: Any) -> tuple[float | None, float | None]:
    """The lowest and the highest value; None, or infinity, where that side is open."""
    if given is None:
        return None, None
    ends = list(given) if is_list(given) else []
    found = [None if one is None or one == "" else number_in(one) for one in ends]
    is_read = [
        one is None or one == "" or number is not None
        for one, number in zip(ends, found, strict=True)
    ]
    if len(found) == 2 and all(is_read):
        low, high = (
            _open(one, side) for one, side in zip(found, (-math.inf, math.inf), strict=True)
        )
        if (low is None or high is None or low < high) and not any(map(_is_lost, (low, high))):
            return low, high
    raise SettingsError(
        f"The plausible values of {quoted(name)} cannot be read. Give the lowest and the highest,"
        " such as [16, 99], or None for one of them."
    )


def _open(end: float | None, side: float) -> float | None:
    return None if end == side else end


def _is_lost(end: float | None) -> bool:
    return end is not None and not math.isfinite(end)
