"""Which population do the values come from? A named distribution, or given values smoothed.

Written as text, normal(34, 8), or as a mapping, {"name": "normal", "mean": 34, "sd": 8}: one parser
for the library, the command line and project files.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.arguments import number_in, numbers_in, quote_value
from unveil.arrays import Floats
from unveil.errors import SettingsError, hint_at, list_names, quote_text
from unveil.measure.ecap.arguments import parse_numbers
from unveil.measure.ecap.distributions import (
    PopulationShape,
    gamma_shape,
    lognormal_shape,
    normal_shape,
    smooth_values,
    student_shape,
)

EMPIRICAL = "empirical"

Parameters = tuple[float, ...]


@dataclass(frozen=True)
class Population:
    """A shape, where it lies and how wide it is: loc + scale Z."""

    text: str  # how a user would write it
    loc: float
    scale: float
    shape: PopulationShape
    _stretched: Callable[[float], "Population"]

    def stretch(self, factor: float) -> "Population":
        """The same kind of population, its spread so many times as wide (004, Figure 7)."""
        return self._stretched(factor)

    def standard(self, values: Floats) -> Floats:
        """Values in the units of the shape."""
        return np.asarray((values - self.loc) / self.scale)

    @property
    def spread(self) -> float:
        """Half the width of the middle 68 %: the standard deviation where it is normal."""
        q = np.array([0.15865525393145707])
        return float(self.scale * (self.shape.isf(q)[0] - self.shape.ppf(q)[0]) / 2)

    @property
    def median(self) -> float:
        """The value with half of the population below."""
        return float(self.loc + self.scale * self.shape.ppf(np.array([0.5]))[0])


@dataclass(frozen=True)
class Family:
    """A named distribution: its parameters, those above 0, and how it is made and stretched."""

    parameters: tuple[str, ...]
    n_needed: int
    positive: tuple[str, ...]
    made: Callable[[Parameters], tuple[float, float, PopulationShape]]
    stretched: Callable[[Parameters, float], Parameters]


def _loc(given: Parameters, place: int) -> float:
    return given[place] if len(given) > place else 0.0


FAMILIES: dict[str, Family] = {
    "normal": Family(
        ("mean", "sd"),
        2,
        ("sd",),
        lambda g: (g[0], g[1], normal_shape()),
        lambda g, f: (g[0], g[1] * f),
    ),
    "lognormal": Family(
        ("mu", "sigma", "loc"),
        2,
        ("sigma",),
        lambda g: (_loc(g, 2), math.exp(g[0]), lognormal_shape(g[1])),
        lambda g, f: (g[0], g[1] * f, *g[2:]),
    ),
    "t": Family(
        ("df", "loc", "scale"),
        3,
        ("df", "scale"),
        lambda g: (g[1], g[2], student_shape(g[0])),
        lambda g, f: (g[0], g[1], g[2] * f),
    ),
    "gamma": Family(
        ("shape", "scale", "loc"),
        2,
        ("shape", "scale"),
        lambda g: (_loc(g, 2), g[1], gamma_shape(g[0])),
        lambda g, f: (g[0] / f**2, g[1] * f**2, *g[2:]),  # the mean stays
    ),
}
NAMES = (*FAMILIES, EMPIRICAL)
_LEAST_DF = 1.2
_FORMS = ("normal(mean, sd)", "lognormal(mu, sigma)", "t(df, loc, scale)", "gamma(shape, scale)")
_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OTHER_NAMES = {"log-normal": "lognormal", "gaussian": "normal", "student": "t"}


def parse_population(given: Any, values: Floats | None = None) -> Population:
    """The population a user wrote; `values` are smoothed where it is `empirical` without its own.

    Raises
    ------
    SettingsError
        If it is none that is known, with the nearest name, or its numbers mean nothing.
    """
    if isinstance(given, Population):
        return given
    if isinstance(given, Mapping):
        return _parse_mapping(given, values)
    if isinstance(given, str) and (call := _CALL.fullmatch(given)):
        inside = call[2]
        name = _family_name(call[1])
        if name == EMPIRICAL and not (inside or "").strip():
            return _smooth_values(values)
        return _parse_numbers(name, numbers_in(inside) if inside and inside.strip() else [])
    what = quote_text(given) if isinstance(given, str) else quote_value(given)
    raise SettingsError(f"The population is {what}. {_ways()}")


def is_of_the_values(given: Any) -> bool:
    """Whether a user wrote `empirical` without values of the population."""
    if isinstance(given, Mapping):
        return str(given.get("name", "")).lower() == EMPIRICAL and given.get("values") is None
    return isinstance(given, str) and given.strip().lower().startswith(EMPIRICAL)


def _ways() -> str:
    return f"Write one of: {', '.join(_FORMS)}, or empirical."


def _family_name(given: Any) -> str:
    name = _OTHER_NAMES.get(given.lower(), given.lower()) if isinstance(given, str) else None
    if name in NAMES:
        return str(name)
    hint = hint_at(given, NAMES) if isinstance(given, str) else ""
    raise SettingsError(f"There is no population called {quote_value(given)}.{hint} {_ways()}")


def _parse_mapping(given: Mapping[Any, Any], values: Floats | None) -> Population:
    rest = dict(given)
    name = _family_name(rest.pop("name", None))
    if name == EMPIRICAL:
        own = rest.pop("values", None)
        _check_unknown(name, rest, ("values",))
        return _smooth_values(
            values if own is None else parse_numbers(own, "values of the population")
        )
    family = FAMILIES[name]
    _check_unknown(name, rest, family.parameters)
    lacking = [one for one in family.parameters[: family.n_needed] if one not in rest]
    if lacking:
        raise SettingsError(f"The population {name} lacks {list_names(lacking)}. {_ways()}")
    return _parse_numbers(name, [rest[one] for one in family.parameters if one in rest])


def _check_unknown(name: str, rest: Mapping[Any, Any], known: Sequence[str]) -> None:
    for one in rest:
        if one not in known:
            raise SettingsError(
                f"The population {name} has no {quote_value(one)}.{hint_at(str(one), known)} It"
                f" has: {list_names(known)}."
            )


def _parse_numbers(name: str, given: Sequence[Any]) -> Population:
    family = FAMILIES.get(name)
    if family is None:
        raise SettingsError(f"The population {name} takes no numbers. Write only {name}.")
    if not family.n_needed <= len(given) <= len(family.parameters):
        wanted = ", ".join(family.parameters[: family.n_needed])
        raise SettingsError(
            f"The population {name} is given {len(given)} numbers. Write {name}({wanted})."
        )
    numbers = [_number(name, *one) for one in zip(family.parameters, given, strict=False)]
    for what, number in zip(family.parameters, numbers, strict=False):
        if what in family.positive and number <= 0:
            raise SettingsError(f"The {what} of the population {name} is {number:g}, not above 0.")
    if name == "t" and numbers[0] < _LEAST_DF:
        raise SettingsError(
            f"The population t has {numbers[0]:g} degrees of freedom. With 1 or fewer it has no"
            " mean, and no one a nearest neighbour to expect; near 1 that cannot be reckoned."
            f" Give {_LEAST_DF:g} or more."
        )
    return _reckonable(name, tuple(numbers))


def _reckonable(name: str, numbers: Parameters) -> Population:
    """The population, if its middle half can be written in numbers of 64 bits."""
    try:
        with np.errstate(all="ignore"):
            population = make_population(name, numbers)
            found = [population.scale, population.spread, population.median]
    except OverflowError:
        found = [math.inf]
    if np.isfinite(found).all() and population.scale > 0 and population.spread > 0:
        return population
    raise SettingsError(
        f"The numbers of the population {name} are too large or too small to be reckoned with. Give"
        " values and population in other units."
    )


def _number(name: str, what: str, given: Any) -> float:
    number = number_in(given)
    if number is None or not math.isfinite(number):
        raise SettingsError(
            f"The {what} of the population {name} is {quote_value(given)}, which is not a "
            "finite number."
        )
    return number


def make_population(name: str, parameters: Parameters) -> Population:
    """A population of a family by its parameters."""
    family = FAMILIES[name]
    text = f"{name}({', '.join(f'{one:.6g}' for one in parameters)})"

    def stretch(factor: float) -> Population:
        return make_population(name, family.stretched(parameters, factor))

    return Population(text, *family.made(parameters), stretch)


def _smooth_values(values: Floats | None) -> Population:
    if values is None:
        raise SettingsError(
            'The empirical population has no values. Give {"name": "empirical", "values": [...]}.'
        )
    known = values[~np.isnan(values)]
    if not len(known):
        raise SettingsError("The empirical population has no values that are not missing.")
    shape, low, step = smooth_values(known)
    mean = float(known.mean())

    def at(factor: float) -> Population:
        text = EMPIRICAL if factor == 1 else f"{EMPIRICAL}, {factor:g} times as wide"
        return Population(text, mean + (low - mean) * factor, step * factor, shape, at)

    return at(1.0)
