"""Stata's and SAS's letters of missing values, kept apart inside a column of numbers.

Both programs have more than one missing value: `.`, and `.a` to `.z` (SAS also `._`), so that
"refused" and "not applicable" stay two answers. A column of numbers keeps such a letter as the
number that Stata itself stores for it, above every number that Stata allows: equal in every
file, and never equal to an answer.
"""

import struct
from string import ascii_lowercase

LETTERS = (*ascii_lowercase, "_")
"""The letters behind the point, in Stata's order; the underscore is SAS's own."""

# Stata keeps `.` as the double 0x7fe0000000000000, and every letter 2**40 further on.
_BASE, _STEP = 0x7FE0 << 48, 1 << 40

TAGS: dict[str, float] = {
    f".{letter}": struct.unpack(">d", (_BASE + place * _STEP).to_bytes(8, "big"))[0]
    for place, letter in enumerate(LETTERS, start=1)
}
"""Each tag, as it is written (".a"), and the number that stands for it."""

TAG_OF: dict[float, str] = {number: tag for tag, number in TAGS.items()}
"""The tag that a number stands for."""
