"""Which noise is to be added to which column, and which entries stay as they are? Checked."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import (
    check_fields,
    is_list,
    number_in,
    parse_choice,
    parse_finite_numbers,
    parse_true_or_false,
    parse_whole_number,
    quote_value,
)
from unveil.arrays import Floats
from unveil.count.kinds import means_no_answer
from unveil.errors import RolesError, SettingsError, hint_at, list_names, quote_text
from unveil.io.numbers import EXACT_IN_FLOAT, is_letter
from unveil.io.table import Table
from unveil.measure.ecap.arguments import parse_noise_amount
from unveil.measure.ecap.noise_kinds import NOISES, NoiseName
from unveil.records.codebook import Variable

_FIELDS = ("sigma", "noise", "round", "clip", "keep_variance", "special_codes")
_MOST_DECIMALS = 15


@dataclass(frozen=True)
class NoiseSpec:
    """The noise of one column, checked."""

    column: str
    sigma: float
    noise: NoiseName = "normal"
    decimals: int | None = None
    clip: tuple[float | None, float | None] = (None, None)
    codes: tuple[float, ...] = ()
    keeps_variance: bool = False

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "sigma": lambda _, given: parse_noise_amount(given),
                "noise": partial(parse_choice, choices=NOISES),
                "decimals": lambda _, given: _decimals(self.column, given),
                "clip": lambda _, given: _clip(self.column, given),
                "codes": lambda _, given: parse_finite_numbers(
                    given, what="special code", example="-8"
                ),
                "keeps_variance": lambda _, given: parse_true_or_false("keep_variance", given),
            },
        )


@dataclass(frozen=True)
class Shrinking:
    """Numbers with noise drawn towards their mean by a factor that gives back the variance."""

    mean: float = 0.0
    factor: float = 1.0

    @classmethod
    def of(cls, asked: NoiseSpec, known: Floats) -> "Shrinking":
        """The factor sqrt(v / (v + sigma^2)), v the variance of the known numbers."""
        if not asked.keeps_variance or not len(known):
            return cls()
        variance = float(known.var())
        total = variance + asked.sigma**2
        return cls(float(known.mean()), math.sqrt(variance / total) if total > 0 else 1.0)

    def apply(self, numbers: Floats) -> Floats:
        """The mean and factor times what lies beyond it."""
        if self.factor == 1:
            return numbers
        return np.asarray(self.mean + self.factor * (numbers - self.mean))


def parse_noise(columns: Any, plausible: Any) -> tuple[NoiseSpec, ...]:
    """The noise of every column."""
    example = 'columns={"age": {"sigma": 0.1}}'
    if not isinstance(columns, Mapping) or not columns:
        raise SettingsError(f"State which columns get how much noise, such as {example}.")
    limits = _as_mapping("plausible", plausible)
    for name in limits:
        if name not in columns:
            raise SettingsError(
                f"plausible names {quote_text(str(name))}, which gets no noise."
                f"{hint_at(str(name), [*columns])}"
            )
    return tuple(_parse_column(name, given, limits.get(name)) for name, given in columns.items())


def parse_not_needed(given: Any, noised: tuple[NoiseSpec, ...]) -> dict[str, str]:
    """Columns declared to need no noise, each with a reason."""
    declared = _as_mapping("not_needed", given)
    for name, reason in declared.items():
        if not isinstance(reason, str) or not reason.strip():
            raise SettingsError(
                f"Column {quote_text(str(name))} is declared to need no noise, but not why. Give a"
                ' reason: not_needed={"dur": "cannot be collected elsewhere"}.'
            )
        if any(one.column == name for one in noised):
            raise SettingsError(
                f"Column {quote_text(str(name))} gets noise and is declared to need none. "
                "Choose one."
            )
    return declared


def _as_mapping(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(f"{what} is {quote_value(given)}. It must be a mapping by column.")
    return dict(given)


def _parse_column(name: Any, given: Any, plausible: Any) -> NoiseSpec:
    if not isinstance(name, str):
        raise RolesError(f"A column is called {quote_value(name)}. Names of columns are text.")
    asked = dict(given) if isinstance(given, Mapping) else {"sigma": given}
    for field in asked:
        if field not in _FIELDS:
            raise SettingsError(
                f"The noise of {quote_text(name)} has no setting {quote_value(field)}."
                f"{hint_at(str(field), _FIELDS)} The settings are: {list_names(_FIELDS)}."
            )
    if "sigma" not in asked:
        raise SettingsError(f"The noise of {quote_text(name)} has no sigma. State how much.")
    clip, codes = asked.get("clip"), asked.get("special_codes")
    return NoiseSpec(
        name,
        asked["sigma"],
        asked.get("noise", "normal"),
        asked.get("round"),
        plausible if clip is None else clip,
        () if codes is None else codes,
        asked.get("keep_variance", False),
    )


def _decimals(name: str, given: Any) -> int:
    what, why = f"round of {quote_text(name)}", ", a number of decimals"
    return parse_whole_number(what, given, least=0, most=_MOST_DECIMALS, why=why)


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
        f"The plausible values of {quote_text(name)} cannot be read. Give the lowest and the"
        " highest, such as [16, 99], or None for one of them."
    )


def _open(end: float | None, side: float) -> float | None:
    return None if end == side else end


def _is_lost(end: float | None) -> bool:
    return end is not None and not math.isfinite(end)


def find_kept_codes(
    given: pl.Series, declared: Variable | None, codes: Sequence[float], place: str
) -> np.ndarray:
    """Which entries are codes for missing values; a column that holds no numbers is refused."""
    if not given.dtype.is_numeric():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds no numbers, so that noise cannot be"
            " added to it. Name a column of numbers, or recode the column instead."
        )
    numbers = given.cast(pl.Float64).alias("")  # "^a$" polars takes for a pattern of names
    kept = pl.Series(codes_in(numbers, declared, codes))
    if given.dtype.is_integer() and (numbers.abs() >= EXACT_IN_FLOAT).any():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds a whole number beyond"
            f" {EXACT_IN_FLOAT:,}, to which noise cannot be added digit by digit. Give it in other"
            " units, or omit it."
        )
    if (numbers.is_infinite().fill_null(value=False) & ~kept).any():
        raise RolesError(
            f"{place}: column {quote_text(given.name)} holds an infinite number. Remove it, or make"
            " it missing."
        )
    return kept.to_numpy()


def codes_in(numbers: pl.Series, declared: Variable | None, codes: Sequence[float]) -> np.ndarray:
    """Which numbers are codes for missing values, named by the user or declared in the file."""
    found = numbers.is_in([float(code) for code in codes]).fill_null(value=False)
    found |= is_letter(numbers)
    return (found if declared is None else found | means_no_answer(numbers, declared)).to_numpy()


def column_values(table: Table, column: str, codes: tuple[float, ...]) -> pl.Series:
    """The numbers of a column, missing where it holds a code for no answer."""
    table.check_columns([column])
    given = table.frame[column]
    kept = pl.Series(find_kept_codes(given, table.variables.get(column), codes, table.place))
    return given.cast(pl.Float64).alias("").set(kept, None)
