"""Is one column a function of another: does whoever knows the one know the other?"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.count.codes import Column
from unveil.count.packing import chunks
from unveil.measure.roles.looking import FEWEST, Look

FIRST = 2**14
"""Records that are looked at first: most columns are no function, and a few show it."""


def is_function(of: Look, look: Look) -> bool:
    """Whether every value of `of` stands with one value of `look` alone.

    Notes
    -----
    Records that lack one of the two are left aside: an age group that is missing for four people
    is a function of age all the same. At least half of the others, and twenty, must share their
    value of `of` with somebody: everything is a function of a value that nobody shares. A column
    with one value is no function worth telling.
    """
    if look.n_distinct < 2 or look.n_distinct > of.n_distinct:
        return False
    given, settled = of.column, look.column
    value = np.zeros(given.n_levels, settled.codes.dtype)
    for rows in _rows(given):
        held = of.is_answer[given.codes[rows]] & look.is_answer[settled.codes[rows]]
        known, answer = given.codes[rows][held], settled.codes[rows][held]
        value[known] = answer
        if (value[known] != answer).any():
            return False
    return _agrees(of, look, value)


def _agrees(of: Look, look: Look, value: NDArray[np.unsignedinteger]) -> bool:
    """Whether no record stands against the values found, and enough of them were tried."""
    n_with = np.zeros(of.column.n_levels, np.int64)
    for rows in chunks(slice(0, of.column.sides.n_rows)):
        known, answer = of.column.codes[rows], look.column.codes[rows]
        held = of.is_answer[known] & look.is_answer[answer]
        if (value[known[held]] != answer[held]).any():
            return False
        n_with += np.bincount(known[held], minlength=len(n_with))
    n_tried = int(n_with[n_with > 1].sum())
    return n_tried >= max(FEWEST, int(n_with.sum()) / 2)


def _rows(column: Column) -> Iterator[slice]:
    n_rows = column.sides.n_rows
    yield slice(0, min(FIRST, n_rows))
    yield from chunks(slice(FIRST, max(n_rows, FIRST)))
