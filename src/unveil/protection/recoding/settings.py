"""Which settings has each step of a recipe, and what may they say?"""

import math
from collections.abc import Callable, Mapping
from typing import Any, get_args

from unveil.errors import SettingsError
from unveil.protection.recoding.hierarchy import refuse_cycles
from unveil.read.banding import parse_bands
from unveil.read.bands import LARGEST_EXACT
from unveil.read.given import choice, finite_numbers, is_list, number_in, shown
from unveil.records.recoding import LevelName, Number, Period, Tail

MOST_RECORDS = 10**9
Reader = Callable[[str, Any], Any]


def column(name: str, given: Any) -> str:
    """The name of a column."""
    if not isinstance(given, str):
        raise SettingsError(f"{name} is {shown(given)}. {HINTS['column']}")
    return given


def _number(name: str, given: Any) -> Number:
    number = number_in(given)
    if number is None or not math.isfinite(number):
        raise SettingsError(f"{name} is {shown(given)}. Write a number, such as 80.")
    is_exact = isinstance(given, int) and abs(number) <= LARGEST_EXACT
    return int(number) if is_exact else number


def _positive(name: str, given: Any) -> Number:
    number = number_in(given)
    if number is None or not 0 < number < math.inf:
        raise SettingsError(f"{name} is {shown(given)}. Write a number above 0, such as 5.")
    return _number(name, given)


def _share(name: str, given: Any) -> float:
    number = number_in(given)
    if number is None or not 0 < number < 1:
        raise SettingsError(
            f"{name} is {shown(given)}. Write a number above 0 and below 1, such as 0.99."
        )
    return number


def _upper_share(name: str, given: Any) -> float:
    number = number_in(given)
    if number is None or not 0.5 <= number < 1:
        raise SettingsError(
            f"{name} is {shown(given)}. Write a number from 0.5 to below 1, such as 0.99: outliers"
            " lie beyond it, and below 1 less it."
        )
    return number


def _spread(name: str, given: Any) -> Number:
    number = number_in(given)
    if number is None or not 0 < number <= 1:
        raise SettingsError(
            f"{name} is {shown(given)}. Write a number above 0 and at most 1, such as 0.5."
        )
    return _number(name, given)


def _count(name: str, given: Any) -> int:
    number = number_in(given)
    if number is None or not number.is_integer() or not 2 <= number <= MOST_RECORDS:
        raise SettingsError(
            f"{name} is {shown(given)}. Write a whole number from 2 to {MOST_RECORDS:,}."
        )
    return int(number)


def _numbers(name: str, given: Any) -> tuple[Number, ...]:
    finite_numbers(given, what=f"number of {name}", example="-8, -9")
    return tuple(_number(name, one) for one in (given if is_list(given) else [given]))


def _ends(name: str, given: Any) -> tuple[Number, ...]:
    ends = _numbers(name, given)
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise SettingsError(
            f"{name} must be the lowest and the highest plausible number, as in [0, 100]."
        )
    return ends


def _level(name: str, given: Any) -> LevelName:
    if isinstance(given, str) and given.strip():
        return given
    if number_in(given) is None or not math.isfinite(number_in(given) or 0.0):
        problem = "empty" if isinstance(given, str) else shown(given)
        raise SettingsError(f"{name} is {problem}. {HINTS.get(name, HINTS['levels'])}")
    return _number(name, given)


def _levels(name: str, given: Any) -> tuple[LevelName, ...]:
    levels = tuple(_level(name, one) for one in (given if is_list(given) else [given]))
    if not levels:
        raise SettingsError(f"{name} is empty. {HINTS['levels']}")
    return levels


def _hierarchy(name: str, given: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, Mapping) or not given:
        raise SettingsError(
            f"{name} is {'empty' if given == {} else shown(given)}. Write the parent of each"
            " level, as in {'Leith': 'Edinburgh'}."
        )
    pairs = tuple((_name(name, child), _name(name, parent)) for child, parent in given.items())
    refuse_cycles(dict(pairs))
    return pairs


def _name(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        problem = "empty" if isinstance(given, str) else shown(given)
        raise SettingsError(f"{name} names a level that is {problem}. Write levels as text.")
    return given


def _truth(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise SettingsError(f"{name} is {shown(given)}. It must be true or false.")
    return given


def _period(name: str, given: Any) -> Period:
    periods: tuple[Period, ...] = get_args(Period)
    return choice(name, given, periods)


def _tail(name: str, given: Any) -> Tail:
    tails: tuple[Tail, ...] = get_args(Tail)
    return choice(name, given, tails)


def _as_given(name: str, given: Any) -> Any:
    """A setting of bands, which are read as a whole."""
    del name
    return tuple(given) if is_list(given) else given


_CODES: dict[str, Reader] = {"special_codes": _numbers}
_LIMIT: dict[str, Reader] = {"at": _number, "quantile": _share, **_CODES}
_FAR: dict[str, Reader] = {"quantile": _upper_share, "distance": _positive, "tail": _tail, **_CODES}
SETTINGS: dict[str, dict[str, Reader]] = {
    "drop": {},
    "band": {**dict.fromkeys(("style", "n", "breaks", "labels"), _as_given), **_CODES},
    "top_code": _LIMIT,
    "bottom_code": _LIMIT,
    "merge_rare": {
        "below": _count,
        "into": _level,
        "hierarchy": _hierarchy,
        "always": _truth,
        "special_codes": _levels,
    },
    "merge": {"levels": _levels, "into": _level},
    "round": {"to": _positive, **_CODES},
    "coarsen_date": {"to": _period},
    "drop_outliers": _FAR,
    "perturb_outliers": {**_FAR, "spread": _spread, "between": _ends},
}
NEEDED = {"merge": ("levels", "into"), "round": ("to",), "coarsen_date": ("to",)}
HINTS = {
    "column": "Name the column, as text.",
    "levels": "List the levels to be merged, as in ['widowed', 'divorced'].",
    "into": "Name the level they become, such as 'other'.",
    "to": "Say to what: a number such as 100, or month, quarter or year of a date.",
}


def _one_limit(said: Mapping[str, Any]) -> list[str]:
    is_one = ("at" in said) != ("quantile" in said)
    return [] if is_one else ["give at (a number) or quantile (a share), one of the two."]


def _one_rule(said: Mapping[str, Any]) -> list[str]:
    is_one = ("quantile" in said) != ("distance" in said)
    return [] if is_one else ["give quantile or distance, one of the two: which numbers are far?"]


def _one_aim(said: Mapping[str, Any]) -> list[str]:
    faults = []
    if ("into" in said) == ("hierarchy" in said):
        faults.append("give into (one level) or hierarchy (a parent for each), one of the two.")
    if said.get("always"):
        if "hierarchy" not in said:
            faults.append("always is for a hierarchy. Give one, or leave always out.")
        if "below" in said:
            faults.append("below says when and always says ever. Give one of the two.")
    elif "below" not in said:
        faults.append("below is not given. Say how many records a level needs, such as 10.")
    return faults


def _bands(said: Mapping[str, Any]) -> list[str]:
    settings = {name: said[name] for name in ("style", "n", "breaks", "labels") if name in said}
    try:
        parse_bands({said["column"]: settings}, {said["column"]: said.get("special_codes", ())})
    except SettingsError as fault:
        return str(fault).split("\n")
    return []


CHECKS: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "band": _bands,
    "top_code": _one_limit,
    "bottom_code": _one_limit,
    "merge_rare": _one_aim,
    "drop_outliers": _one_rule,
    "perturb_outliers": _one_rule,
}
