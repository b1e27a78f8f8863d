"""When are two cells the same to an intruder?

Numbers by value, whatever their type. Text as text: capitals and blanks matter, and "NA", "Missing"
and "nan" are words like any other. Missing is None, a number that is no number, or empty text; all
missing cells are the same. Booleans and dates are themselves. A column that is text on one side and
numbers on the other is compared as numbers: "1", "1.0" and 1 are the same.
"""

import math
from collections.abc import Hashable
from fractions import Fraction


def canonical(value: object, *, as_number: bool = False) -> Hashable:
    """One spelling per value: two cells are the same exactly where their canonical values are.

    `as_number` says that the column holds numbers on some side, so that its text is digits.
    """
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return ("boolean", value)  # Python holds True == 1; a column of booleans has no numbers
    if isinstance(value, int | float) and not math.isinf(value):
        return Fraction(value)  # exact: 2**53 + 1 is not 2.0**53
    if as_number and isinstance(value, str):
        return canonical(int(value) if value.lstrip("-").isdecimal() else float(value))
    return value
