"""When do the checks raise a flag? The thresholds a user sets, and whether they mean anything."""

import math
from collections.abc import Sequence
from typing import Any

from unveil.errors import SettingsError
from unveil.read.given import is_list, number_in
from unveil.records.checks import Checks


def checks_asked(one_way: Sequence[float], two_way: Sequence[float], by: str | None) -> Checks:
    """The checks as records, or a sentence on what is wrong with them."""
    if by is not None and not isinstance(by, str):
        raise SettingsError(
            f"checks_by must be the name of one column, as text; given is {type(by).__name__}."
        )
    return Checks(one_way=_pair(one_way, "one_way"), two_way=_pair(two_way, "two_way"), by=by)


def _pair(given: Any, name: str) -> tuple[float, float]:
    example = "50,90" if name == "one_way" else "4,80"
    pair = [number_in(one) for one in given] if is_list(given) else []
    if len(pair) != 2 or any(one is None or not math.isfinite(one) for one in pair):
        raise SettingsError(
            f"The thresholds {name} must be two numbers, of records and of percent, such as"
            f" {example}."
        )
    records, percent = (one or 0 for one in pair)
    if records < 0 or not 0 <= percent <= 100:
        raise SettingsError(
            f"The thresholds {name} are {records:g} records and {percent:g} percent. The first must"
            " be 0 or more, the second from 0 to 100."
        )
    return (records, percent)
