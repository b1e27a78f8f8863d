"""Which values of a numeric target are as good as the truth?

Elliot (2014) has a variant of CAP for continuous targets that Taub et al. (2018) leave aside
(footnote 4). Ours: two numbers agree where they differ by at most a radius r. A missing value and a
special code have no distance to any number; they agree with themselves alone. Whole numbers are
compared as such, however large they are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Column
from unveil.count.packing import Integers, Whole
from unveil.errors import RolesError, SettingsError, listed, nearest
from unveil.read.given import number_in, shown

Floats = NDArray[np.float64]

# 0.1 and 0.3 differ by no more than 0.2, whatever becomes of the last binary digit.
SLACK = 1e-9


@dataclass(frozen=True)
class Near:
    """The levels of one target in an order in which those that agree stand side by side.

    Numbers from low to high, then special codes, then missing. `place` has the place of each code;
    levels at places low[p] to past[p] - 1 agree with the one at place p.
    """

    place: Whole
    low: Whole
    past: Whole


WORDS = {
    "target": ("{'income': 50}", "not the target", "The target is"),
    "key": ("{'age': 2}", "not a key", "The keys are"),
}


def parse_tolerance(given: Any, columns: Sequence[str], role: str = "target") -> dict[str, float]:
    """The radius of each target (or key) that has one, or a refusal."""
    example, is_none, they_are = WORDS[role]
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"tolerance is {shown(given)}. Give a radius for each numeric {role}, as in {example}."
        )
    radii = {}
    for name, radius in given.items():
        if name not in columns:
            raise RolesError(
                f"A tolerance is given for {name!r}, which is {is_none}."
                f"{nearest(str(name), columns)} {they_are}: {listed(columns)}."
            )
        number = number_in(radius)
        if number is None or not math.isfinite(number) or number < 0:
            raise SettingsError(
                f"The tolerance of {name!r} is {shown(radius)}. Give a number that is not negative."
            )
        radii[name] = number
    return radii


def exact(column: Column) -> Near:
    """Each level agrees with itself alone."""
    places = np.arange(column.n_levels)
    return Near(places, places, places + 1)


def near(column: Column, radius: float, special_codes: Sequence[float] = ()) -> Near:
    """Numbers agree within the radius; special codes and missing with themselves alone."""
    _refuse_other_than_numbers(column)
    values = column.levels.cast(pl.Float64).fill_null(math.nan).to_numpy()
    apart = np.isnan(values) | np.isin(values, special_codes)
    order = np.argsort(apart, kind="stable")  # the levels are sorted, with missing at their end
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    chosen = order[: int((~apart).sum())]
    if column.levels.dtype.is_integer():
        runs = _runs_of_whole(column.levels.gather(chosen).to_numpy(), radius)
    else:
        runs = _runs(values[chosen], radius * (1 + SLACK))
    low, past = np.arange(len(order)), np.arange(1, len(order) + 1)
    low[: len(chosen)], past[: len(chosen)] = runs
    return Near(place, low, past)


def _runs(numbers: Floats, reach: float) -> tuple[Whole, Whole]:
    """The run of numbers that agree with each number: the first, and one past the last."""
    return (
        np.searchsorted(numbers, numbers - reach, side="left"),
        np.searchsorted(numbers, numbers + reach, side="right"),
    )


def _runs_of_whole(numbers: Integers, radius: float) -> tuple[Whole, Whole]:
    """The same for whole numbers, without loss: a float tells them apart only up to 2^53.

    Each is taken as its distance from the lowest, which an unsigned number of 64 bits always holds:
    the conversion and the difference both wrap around.
    """
    unsigned = numbers.astype(np.uint64)
    distance = unsigned - unsigned[:1]
    most = np.iinfo(np.uint64).max
    reach = np.uint64(min(math.floor(radius + SLACK), int(most)))
    lowest = distance - np.minimum(distance, reach)
    highest = distance + np.minimum(most - distance, reach)
    return (
        np.searchsorted(distance, lowest, side="left"),
        np.searchsorted(distance, highest, side="right"),
    )


def _refuse_other_than_numbers(column: Column) -> None:
    if not column.levels.dtype.is_numeric():
        kind = "is cut into bands" if isinstance(column.levels.dtype, pl.Enum) else "has none"
        raise SettingsError(
            f"A tolerance needs numbers, and {column.name!r} {kind}. Leave out its tolerance"
            f"{', or its bands' if kind != 'has none' else ''}."
        )
