"""What is each band called, and each code that stands apart?

Bands of whole numbers are called by the first and last they can hold ("16 to 27", or "16"), other
bands by their limits ("0.5 to under 1.2"; the last band holds its upper limit: "1.2 to 3.4"). No
two levels of a column have the same name.
"""

import math
from collections.abc import Sequence

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
    """A special code as its level is called: ``-8``."""
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


def names_beyond(breaks: Sequence[float]) -> tuple[str, str]:
    """What values below the first and above the last break are called."""
    texts = number_texts(breaks)
    above = f"over {texts[-1]}" if len(breaks) > 1 else f"{texts[0]} or more"
    return f"under {texts[0]}", above


def names_between(limits: Sequence[float], *, is_whole: bool) -> list[str]:
    """What the bands between neighbouring limits are called; only the last holds its upper limit.

    A band of whole numbers that can hold none has no name worth having: it never occurs.
    """
    texts = number_texts(limits)
    last = len(limits) - 1
    names = []
    for i in range(1, len(limits)):
        if is_whole:
            highest = math.floor(limits[i]) if i == last else math.ceil(limits[i]) - 1
            names.append(_whole_name(math.ceil(limits[i - 1]), highest))
        elif limits[i - 1] == limits[i]:
            names.append(texts[i])
        else:
            joint = "to" if i == last else "to under"
            names.append(f"{texts[i - 1]} {joint} {texts[i]}")
    return names


def _whole_name(lowest: int, highest: int) -> str:
    return str(lowest) if lowest == highest else f"{lowest} to {highest}"


def counted(n: int, thing: str) -> str:
    """1 band, 5 bands."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
