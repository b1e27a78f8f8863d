"""How is one level of a column written as text?

Text is itself; whole numbers have no point, truth values are true and false, dates and times ISO
text, a letter of missing values is what Stata writes (``.a``). Missing is written as nothing.
"""

from datetime import date, datetime, time

import numpy as np

from unveil.read.numbers import EXACT_IN_FLOAT
from unveil.read.tags import TAG_OF


def level_text(level: object, *, is_single: bool = False) -> str | None:
    """The level as text; None is the missing level. Decimals may come from single precision."""
    if level is None:
        return None
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, date | datetime | time):
        return level.isoformat()
    return _number_text(level, is_single=is_single) if isinstance(level, float) else str(level)


def _number_text(number: float, *, is_single: bool) -> str:
    if number in TAG_OF:
        return TAG_OF[number]
    if number.is_integer() and abs(number) < EXACT_IN_FLOAT:
        return str(int(number))
    return str(np.float32(number)) if is_single else str(number)
