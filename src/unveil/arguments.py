"""Which numbers did a user write, and how is what they wrote shown in a message?"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from typing import Any, TypeVar

from unveil.errors import SettingsError, list_names, nearest

# A mistyped level is compared with no more levels than these, for comparing takes its time.
MOST_COMPARED = 10_000
# So few levels are categories, even of a small file.
FEW_LEVELS = 20
# Fewer people than these are a trial, not a survey.
REAL_FILE = 30


_NUMBER_OR_DATE = re.compile(r"\s*-?\d+([.,]\d+)?\s*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


def absent_sentence(place: str, name: str, columns: Sequence[str]) -> str:
    """The sentence for a column that is not there."""
    if looks_like_data(columns):
        return (
            f"{place} has no column {name!r}. Its first line looks like a record, not like names of"
            " columns: put a line with the names above it."
        )
    return (
        f"{place} has no column {name!r}.{nearest(name, columns)}"
        f" Its columns are: {list_names(columns)}."
    )


def looks_like_data(columns: Sequence[str]) -> bool:
    """Whether the names of columns may be a person's record, in a file without a header."""
    return any(_NUMBER_OR_DATE.fullmatch(name) for name in columns)


Choice = TypeVar("Choice", bound=str)

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


def finite_numbers(given: Any, *, what: str, example: str) -> tuple[float, ...]:
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


def choice(what: str, given: Any, choices: Sequence[Choice]) -> Choice:
    """One of some texts, or a refusal that names the nearest."""
    if isinstance(given, str) and given in choices:
        return choices[list(choices).index(given)]  # type: ignore[arg-type]
    hint = nearest(given, choices) if isinstance(given, str) else ""
    raise SettingsError(
        f"{what} is {quote_value(given)}.{hint} It must be one of: {list_names(choices)}."
    )


def quote_value(given: Any) -> str:
    """What a user gave, in a sentence: text in quotes, numbers as they are, or else the type."""
    if given is None or isinstance(given, str | bool):
        return list_names([repr(given)])
    number = number_in(given)
    return f"of type {type(given).__name__}" if number is None else f"{number:.15g}"
