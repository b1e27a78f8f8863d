"""Which numbers of a column look like codes for no answer, though nobody declared them?"""

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats

_NO_ANSWERS = tuple(-code for code in (*range(1, 10), 77, 88, *range(97, 100), *range(996, 1000)))
_MOST_CODES = 4
_LONGEST_SCALE = 10  # -2, -1, 0, 1, 2 are answers on a scale
_AT_LEAST = 2  # records: what one person has is an amount, not a code


def find_likely_codes(numbers: Floats, counts: NDArray[np.integer]) -> tuple[float, ...]:
    """Usual codes below 0 in a column whose other numbers all lie from 0 on.

    `numbers` are finite, each once and in any order, with how many records have it.
    """
    order = np.argsort(numbers)
    numbers, counts = numbers[order], counts[order]
    below, above = numbers[numbers < 0], numbers[numbers >= 0]
    if not 0 < len(below) <= _MOST_CODES or len(above) < 2:
        return ()
    is_scale = below[0] == -len(below) and above.max() <= _LONGEST_SCALE
    is_code = np.isin(below, _NO_ANSWERS).all() and (counts[numbers < 0] >= _AT_LEAST).all()
    return tuple(below.tolist()) if is_code and not is_scale else ()
