"""What does a recipe ask for? Its steps, read from tables as people write them.

All faults of a recipe are told together, each with the number of its step, before any data is read.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from unveil.arguments import (
    is_list,
    number_in,
    parse_choice,
    parse_finite_numbers,
    parse_number_within,
    parse_true_or_false,
    parse_whole_number,
    quote_value,
)
from unveil.errors import InputError, SettingsError, hint_at, list_names
from unveil.protection.recoding.categories import check_cycles
from unveil.records.base import Record
from unveil.records.recoding import KINDS, LevelName, Number, Period, Step, Tail, as_mapping
from unveil.study.band_spec import parse_bands
from unveil.study.bands import LARGEST_EXACT

# Which settings has each step of a recipe, and what may they say?


MOST_RECORDS = 10**9
Reader = Callable[[str, Any], Any]


def column(name: str, given: Any) -> str:
    """The name of a column."""
    if not isinstance(given, str):
        raise SettingsError(f"{name} is {quote_value(given)}. {HINTS['column']}")
    return given


def _number(name: str, given: Any) -> Number:
    number = number_in(given)
    if number is None or not math.isfinite(number):
        raise SettingsError(f"{name} is {quote_value(given)}. Write a number, such as 80.")
    is_exact = isinstance(given, int) and abs(number) <= LARGEST_EXACT
    return int(number) if is_exact else number


def _positive(name: str, given: Any) -> Number:
    parse_number_within(name, given, "(0, inf)", ", such as 5")
    return _number(name, given)


def _share(name: str, given: Any) -> float:
    return parse_number_within(name, given, "(0, 1)", ", such as 0.99")


def _upper_share(name: str, given: Any) -> float:
    why = ", such as 0.99: outliers lie beyond it, and below 1 less it"
    return parse_number_within(name, given, "[0.5, 1)", why)


def _parse_spread(name: str, given: Any) -> Number:
    parse_number_within(name, given, "(0, 1]", ", such as 0.5")
    return _number(name, given)


def _count(name: str, given: Any) -> int:
    return parse_whole_number(name, given, least=2, most=MOST_RECORDS)


def _numbers(name: str, given: Any) -> tuple[Number, ...]:
    parse_finite_numbers(given, what=f"number of {name}", example="-8, -9")
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
        problem = "empty" if isinstance(given, str) else quote_value(given)
        raise SettingsError(f"{name} is {problem}. {HINTS.get(name, HINTS['levels'])}")
    number: Number = _number(name, given)
    return number


def _levels(name: str, given: Any) -> tuple[LevelName, ...]:
    levels = tuple(_level(name, one) for one in (given if is_list(given) else [given]))
    if not levels:
        raise SettingsError(f"{name} is empty. {HINTS['levels']}")
    return levels


def _hierarchy(name: str, given: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, Mapping) or not given:
        raise SettingsError(
            f"{name} is {'empty' if given == {} else quote_value(given)}. Write the parent of each"
            " level, as in {'Leith': 'Edinburgh'}."
        )
    pairs = tuple((_name(name, child), _name(name, parent)) for child, parent in given.items())
    check_cycles(dict(pairs))
    return pairs


def _name(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        problem = "empty" if isinstance(given, str) else quote_value(given)
        raise SettingsError(f"{name} names a level that is {problem}. Write levels as text.")
    return given


def _one_of(kinds: Any) -> Reader:
    return lambda name, given: parse_choice(name, given, get_args(kinds))


def _keep_value(name: str, given: Any) -> Any:
    """A setting of bands, which are read as a whole."""
    del name
    return tuple(given) if is_list(given) else given


_CODES: dict[str, Reader] = {"special_codes": _numbers}
_LIMIT: dict[str, Reader] = {"at": _number, "quantile": _share, **_CODES}
_FAR: dict[str, Reader] = {
    "quantile": _upper_share,
    "distance": _positive,
    "tail": _one_of(Tail),
    **_CODES,
}
SETTINGS: dict[str, dict[str, Reader]] = {
    "drop": {},
    "band": {**dict.fromkeys(("style", "n", "breaks", "labels"), _keep_value), **_CODES},
    "top_code": _LIMIT,
    "bottom_code": _LIMIT,
    "merge_rare": {
        "below": _count,
        "into": _level,
        "hierarchy": _hierarchy,
        "always": parse_true_or_false,
        "special_codes": _levels,
    },
    "merge": {"levels": _levels, "into": _level},
    "round": {"to": _positive, **_CODES},
    "coarsen_date": {"to": _one_of(Period)},
    "drop_outliers": _FAR,
    "perturb_outliers": {**_FAR, "spread": _parse_spread, "between": _ends},
}
NEEDED = {"merge": ("levels", "into"), "round": ("to",), "coarsen_date": ("to",)}
HINTS = {
    "column": "Name the column, as text.",
    "levels": "List the levels to be merged, as in ['widowed', 'divorced'].",
    "into": "Name the level they become, such as 'other'.",
    "to": "State the multiple: a number such as 100, or month, quarter or year of a date.",
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
            faults.append("always is for a hierarchy. Give one, or omit always.")
        if "below" in said:
            faults.append("below and always contradict each other. Give one of the two.")
    elif "below" not in said:
        faults.append("below is not given. State how many records a level needs, such as 10.")
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


EXAMPLE = "{'do': 'drop', 'column': 'name'}"


@dataclass(frozen=True)
class StepError:
    """What is wrong with one step, and the kind of error it is."""

    number: int
    error: InputError


def parse_steps(given: Any) -> tuple[Step, ...]:
    """The steps of a recipe: a list of mappings, or of steps; or a refusal with every fault."""
    steps, faults = read_steps(given)
    check_all(faults)
    return tuple(steps.values())


def read_steps(given: Any) -> tuple[dict[int, Step], list[StepError]]:
    """The steps that can be read, by their number, and what is wrong with the others."""
    if isinstance(given, Mapping) or not is_list(given):
        raise SettingsError(
            f"The recipe is {_kind(given)}. Give a list of steps, such as [{EXAMPLE}]."
        )
    listed_steps = list(given)
    if not listed_steps:
        raise SettingsError(f"The recipe has no steps. Give at least one, such as {EXAMPLE}.")
    steps: dict[int, Step] = {}
    faults: list[StepError] = []
    for number, one in enumerate(listed_steps, start=1):
        read = read_step(number, one)
        if isinstance(read, Record):
            steps[number] = read
        else:
            faults += [StepError(number, SettingsError(sentence)) for sentence in read]
    return steps, faults


def check_all(faults: Sequence[StepError]) -> None:
    """Refuse with all faults together, in the order of the steps."""
    if not faults:
        return
    in_order = sorted(faults, key=lambda fault: fault.number)
    kind = type(in_order[0].error)
    raise kind("\n".join(str(fault.error) for fault in in_order)) from None


def step_heading(number: int, do: str) -> str:
    """What a sentence calls a step: "Step 2 (top_code)"."""
    return f"Step {number} ({do})"


def _kind(given: Any) -> str:
    return "a single table" if isinstance(given, Mapping) else quote_value(given)


def step_fault(number: int, given: Any, known: Sequence[str]) -> str | None:
    """Why something is no step at all; None where it says what to do."""
    if not isinstance(given, Mapping):
        return (
            f"Step {number} is {quote_value(given)}. Write each step as a table, such as {EXAMPLE}."
        )
    do, every = given.get("do"), list_names(known, most=len(known))
    if do is None:
        return f"Step {number} has no do. Give it one: {every}."
    if isinstance(do, str) and do in known:
        return None
    hint = hint_at(do, known) if isinstance(do, str) else ""
    return f"Step {number}: do is {quote_value(do)}.{hint} It must be one of: {every}."


def unknown_settings(
    given: Iterable[Any], known: Sequence[str], *, none: str = "It has none."
) -> Iterator[tuple[str, str]]:
    """Settings that there are not, each with a sentence."""
    rest = f"Its settings are: {list_names(known, most=40)}." if known else none
    for name in given:
        if name not in known:
            hint = hint_at(str(name), known)
            yield str(name), f"there is no setting {quote_value(name)}.{hint} {rest}"


def read_step(number: int, given: Any) -> Step | list[str]:
    """A step, or what is wrong with it."""
    if isinstance(given, Step):
        given = as_mapping(given)
    if (wrong := step_fault(number, given, [*KINDS])) is not None:
        return [wrong]
    do = given["do"]
    where = step_heading(number, do)
    said, faults = _read_settings(do, given)
    if not faults:
        faults = CHECKS[do](said) if do in CHECKS else []
    if faults:
        return [f"{where}: {fault}" for fault in faults]
    return KINDS[do](**said)


def _read_settings(do: str, given: Mapping[Any, Any]) -> tuple[dict[str, Any], list[str]]:
    readers = {"column": column, **SETTINGS[do]}
    others = [name for name in given if name != "do"]
    faults = [sentence for _, sentence in unknown_settings(others, [*readers])]
    said = {}
    for name, read in readers.items():
        if given.get(name) is None:
            if name in ("column", *NEEDED.get(do, ())):
                faults.append(f"{name} is not given. {HINTS[name]}")
            continue
        try:
            said[name] = read(name, given[name])
        except SettingsError as fault:
            faults.append(str(fault))
    return said, faults
