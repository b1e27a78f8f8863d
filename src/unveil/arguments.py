"""Which numbers did a user write, and how is what they wrote shown in a message?"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import fields
from decimal import Decimal
from numbers import Real
from typing import Any, TypeVar

from unveil.errors import (
    InputError,
    RolesError,
    SettingsError,
    hint_at,
    list_names,
    unknown_name,
)

# A mistyped level is compared with no more levels than these, for comparing takes its time.
MOST_COMPARED = 10_000
# So few levels are categories, even of a small file.
FEW_LEVELS = 20
# Fewer people than these are a trial, not a survey.
REAL_FILE = 30


_NUMBER_OR_DATE = re.compile(r"\s*-?\d+([.,]\d+)?\s*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


def absent_sentence(place: str, name: str, columns: Sequence[str]) -> str:
    """The sentence for a column that is not there."""
    if is_like_data(columns):
        return (
            f"{place} has no column {name!r}. Its first line looks like a record, not like names of"
            " columns: put a line with the names above it."
        )
    return unknown_name(f"{place} has no column", name, columns, "Its columns are")


def check_columns(place: str, names: Iterable[str], columns: Sequence[str]) -> None:
    """Refuse columns that are not there, all of them at once."""
    absent = dict.fromkeys(name for name in names if name not in columns)
    check_faults((absent_sentence(place, str(name), columns) for name in absent), RolesError)


def is_like_data(columns: Sequence[str]) -> bool:
    """Whether the names of columns may be a person's record, in a file without a header."""
    return any(_NUMBER_OR_DATE.fullmatch(name) for name in columns)


Choice = TypeVar("Choice", bound=str)
Setting = TypeVar("Setting")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number_in(given: Any) -> float | None:
    """A number as a float, infinite where no float is large enough; None where it is no number."""
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        return None
    try:
        return float(given)
    except OverflowError:
        return math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def numbers_in(text: str) -> list[float | str]:
    """The numbers between commas; what is none stays text, for the message."""
    parts = [part.strip() for part in text.split(",")]
    return [float(part) if _NUMBER.fullmatch(part) else part for part in parts]


def number_in_text(text: str) -> float | None:
    """The finite number that a text is; None where it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_whole_number(
    what: str, given: Any, *, least: int = 1, most: float = math.inf, why: str = ""
) -> int:
    """A whole number in a range; `why` ends the refusal."""
    number = number_in(given)
    found = int(given) if number is not None and number.is_integer() else None
    if found is None or not least <= found <= most:
        range_ = f"{least:,} on" if most == math.inf else f"{least:,} to {most:,}"
        raise SettingsError(
            f"{what} is {quote_value(given)}. It must be a whole number from {range_}{why}."
        )
    return found


def parse_number_within(what: str, given: Any, range_: str, why: str = "") -> float:
    """A finite number in a range such as "[0, 1)", without its end at 1; `why` ends the refusal."""
    low, high = (float(end) for end in range_[1:-1].split(","))
    with_low, with_high = range_[0] == "[", range_[-1] == "]"
    number = number_in(given)
    if number is not None and math.isfinite(number):
        is_above = low <= number if with_low else low < number
        if is_above and (number <= high if with_high else number < high):
            return number
    if high == math.inf:
        words = f"from {low:g} on" if with_low else f"above {low:g}"
    elif with_low:
        words = f"from {low:g} to {'' if with_high else 'below '}{high:,.15g}"
    else:
        words = (
            f"above {low:g} and at most {high:,.15g}"
            if with_high
            else f"between {low:g} and {high:g}"
        )
    raise SettingsError(f"{what} is {quote_value(given)}. It must be a number {words}{why}.")


def parse_true_or_false(what: str, given: Any) -> bool:
    """A truth value, of whatever library, or a refusal."""
    if type(given).__name__ in ("bool", "bool_"):
        return bool(given)
    raise SettingsError(f"{what} is {quote_value(given)}. It must be true or false.")


def parse_column_settings(
    what: str,
    given: Any,
    read: Callable[[str, Any], Setting],
    *,
    example: str,
    faults: list[str] | None = None,
) -> dict[str, Setting]:
    """What is given for each column, read; every fault is refused, or added to those so far."""
    hint = f"Name the columns, as in {example}."
    found: dict[str, Setting] = {}
    told: list[str] = []
    if given is not None and not isinstance(given, Mapping):
        told.append(f"{what} is {quote_value(given)}. {hint}")
    for column, setting in given.items() if isinstance(given, Mapping) else ():
        try:
            if not isinstance(column, str):
                what_is = f"A column in {what} is {quote_value(column)}, which is not text."
                raise SettingsError(f"{what_is} {hint}")
            found[column] = read(column, setting)
        except SettingsError as fault:
            told.append(str(fault))
    if faults is None:
        check_faults(told)
    else:
        faults += told
    return found


def check_fields(record: Any, checks: Mapping[str, Callable[[str, Any], Any]]) -> None:
    """Check the fields of a frozen record of settings and put what was read in their place.

    For its `__post_init__`. None stays where it is the default.
    """
    for field in fields(record):
        given = getattr(record, field.name)
        if field.name in checks and (given is not None or field.default is not None):
            object.__setattr__(record, field.name, checks[field.name](field.name, given))


def check_faults(faults: Iterable[str], error: type[InputError] = SettingsError) -> None:
    """Refuse all that is wrong at once."""
    if told := "\n".join(faults):
        raise error(told)


def parse_finite_numbers(given: Any, *, what: str, example: str) -> tuple[float, ...]:
    """One finite number or a list of them; a refusal names the first that is none."""
    numbers = []
    for item in given if is_list(given) else [given]:
        number = number_in(item)
        if number is None or not math.isfinite(number):
            kind = "a number" if number is None else "a finite number"
            raise SettingsError(
                f"A {what} is {quote_value(item)}, which is not {kind}. Write numbers such as "
                f"{example}."
            )
        numbers.append(number)
    return tuple(numbers)


def is_list(given: Any) -> bool:
    """Whether something holds others in an order; a number array of no dimension holds none."""
    if getattr(given, "ndim", 1) == 0:
        return False
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping | Set)


def parse_choice(what: str, given: Any, choices: Sequence[Choice]) -> Choice:
    """One of some texts, or a refusal that names the nearest."""
    if isinstance(given, str) and given in choices:
        return choices[list(choices).index(given)]  # type: ignore[arg-type]
    hint = hint_at(given, choices) if isinstance(given, str) else ""
    raise SettingsError(
        f"{what} is {quote_value(given)}.{hint} It must be one of: {list_names(choices)}."
    )


def quote_value(given: Any) -> str:
    """What a user gave, in a sentence: text in quotes, numbers as they are, or else the type."""
    if given is None or isinstance(given, str | bool):
        return list_names([repr(given)])
    if isinstance(given, int) and abs(given) < 10**20:
        return str(given)
    number = number_in(given)
    return f"of type {type(given).__name__}" if number is None else f"{number:.15g}"
