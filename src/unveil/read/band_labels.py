"""What is each band called, and each code that stands apart?

Bands of whole numbers are called by the first and last they can hold ("16 to 27", or "16"), other
bands by their limits ("0.5 to under 1.2"). The outer bands have open ends ("under 16", "64 or
more"): the lowest and highest value of the data belong to single people and are not named. No two
levels of a column have the same name.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from unveil.read.tags import TAG_OF

_DIGITS = range(8, 18)  # R shows 8 significant digits in labels; 17 tell any two floats apart
_LONGEST_WHOLE = 1e19  # whole numbers of 64 bits are written out, larger ones are not


def number_texts(numbers: Sequence[float]) -> list[str]:
    """Numbers in as few digits as keep them apart, but no fewer than 8; whole ones in full."""
    texts: list[str] = []
    for digits in _DIGITS:
        texts = [_number_text(number, digits) for number in numbers]
        if len(set(texts)) == len(set(numbers)):
            break
    return texts


def code_text(code: float) -> str:
    """A special code as its level is called: ``-8``, or ``.a`` for a letter of missing values."""
    if code in TAG_OF:
        return TAG_OF[code]
    if can_be_written_out(code):
        return str(int(code))
    return repr(code)


def can_be_written_out(number: float) -> bool:
    """Whether a number is whole, and not too long to be written without an exponent."""
    return abs(number) < _LONGEST_WHOLE and number.is_integer()


def _number_text(number: float, digits: int) -> str:
    if can_be_written_out(number):
        return str(int(number))
    return repr(float(f"{number:.{digits}g}")).removesuffix(".0")


def names_open(breaks: Sequence[float], *, is_whole: bool) -> list[str]:
    """What bands are called that have no lowest and no highest value."""
    if not breaks:
        return ["all values"]
    limits = [float(math.ceil(limit)) for limit in breaks] if is_whole else breaks
    texts = number_texts(limits)
    within = _names_of_whole(limits) if is_whole else _names_of_decimals(texts)
    return [f"under {texts[0]}", *within, f"{texts[-1]} or more"]


def names_beyond(breaks: Sequence[float]) -> tuple[str, str]:
    """What values below the first break that was given, and from the last one on, are called."""
    texts = number_texts(breaks)
    return f"under {texts[0]}", f"{texts[-1]} or more"


def names_between(breaks: Sequence[float], *, is_whole: bool) -> list[str]:
    """What the bands between breaks that were given are called."""
    return _names_of_whole(breaks) if is_whole else _names_of_decimals(number_texts(breaks))


def _names_of_whole(limits: Sequence[float]) -> list[str]:
    """Bands by the first and last whole number in them; one that can hold none never occurs."""
    ends = [(math.ceil(low), math.ceil(high) - 1) for low, high in pairwise(limits)]
    return [str(first) if first == last else f"{first} to {last}" for first, last in ends]


def _names_of_decimals(texts: Sequence[str]) -> list[str]:
    return [f"{low} to under {high}" for low, high in pairwise(texts)]


def counted(n: int, thing: str) -> str:
    """1 band, 5 bands."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
