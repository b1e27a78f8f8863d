"""Do the rows of a synthetic file stand in the order of the original's?

Who has the original's order, or any other file in it, then knows whose record each is, however
much its values were changed. Rows at the same place are compared, and for a yardstick the rows some
places further on: files that are sorted alike, or waves that follow each other, agree there too.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.copied_columns import is_running
from unveil.records.alerts import BesideTable

FEWEST_ROWS = 100
SIGNIFICANT = 8.0
GAIN = 0.1
"""Agreement at the same place beyond that elsewhere: a correlation, or kappa."""
_APART = (*range(1, 13), 24, 30, 31, 52, 60, 100)
_OWN = 0.95


def find_row_order(columns: Iterable[LinkColumn], copy: int) -> Iterator[BesideTable]:
    """A sentence on the column that agrees best with the original, row by row, if any does."""
    best, gain = None, 0.0
    for column in columns:
        same, elsewhere, n = agree_by_row(column, copy)
        if same - elsewhere > max(gain, GAIN) and (same - elsewhere) * n**0.5 >= SIGNIFICANT:
            best, gain = (column.name, same, elsewhere), same - elsewhere
    if best is not None:
        name, same, elsewhere = best
        yield BesideTable(
            copy=copy,
            detail=(
                f"Its rows stand in the order of the original's: row by row, {name!r} agrees by"
                f" {same:.2f} (1 is always), and by {elsewhere:.2f} with rows near them. Shuffle"
                " them."
            ),
            is_much=True,
        )


def agree_by_row(column: LinkColumn, side: int) -> tuple[float, float, int]:
    """How well rows at the same place agree, the most that others do, and how many rows there are.

    Others are looked at (0 otherwise) only where the same rows agree enough to be a finding. For
    numbers the correlation of ranks; otherwise Cohen's kappa: how often the values are equal,
    beyond chance. Numbers of records and texts of one record each are left out.
    """
    mine, theirs = column.select_side(ORIGINAL), column.select_side(side)
    n = min(len(mine), len(theirs))
    is_text_of_own = not column.is_number and column.n_original_levels > _OWN * len(mine)
    if n < FEWEST_ROWS or is_text_of_own or is_running(column, ORIGINAL):
        return 0.0, 0.0, n
    if column.is_number:
        here, there = _centre(column.ranks[mine[:n]]), _centre(column.ranks[theirs[:n]])

        def agree(shift: int) -> float:
            return float(np.roll(here, shift) @ there)
    else:
        chance = float(_shares(column, mine[:n]) @ _shares(column, theirs[:n]))

        def agree(shift: int) -> float:
            equal = float((np.roll(mine[:n], shift) == theirs[:n]).mean())
            return (equal - chance) / (1 - chance) if chance < 1 else 0.0

    same = agree(0)
    if same <= GAIN:
        return same, 0.0, n
    return same, max(agree(shift) for one in _APART for shift in (one, -one)), n


def _centre(ranks: Floats) -> Floats:
    """Ranks around their mean, of length 1."""
    moved: Floats = ranks - ranks.mean()
    length = float(np.sqrt(moved @ moved))
    return moved / length if length else moved


def _shares(column: LinkColumn, codes: NDArray[np.int32]) -> Floats:
    found: Floats = np.bincount(codes, minlength=column.n_levels) / len(codes)
    return found
