"""Which numbers did a user write, and how is what they wrote shown in a message?"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from typing import Any, TypeVar

from unveil.errors import SettingsError, listed, nearest

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
                f"A {what} is {shown(item)}, which is not {kind}. Write numbers such as {example}."
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
    raise SettingsError(f"{what} is {shown(given)}.{hint} It must be one of: {listed(choices)}.")


def shown(given: Any) -> str:
    """What a user gave, in a sentence: text in quotes, numbers as they are, or else the type."""
    if given is None or isinstance(given, str | bool):
        return listed([repr(given)])
    number = number_in(given)
    return f"of type {type(given).__name__}" if number is None else f"{number:.15g}"
